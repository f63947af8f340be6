//go:build unix

package worktree_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/previdence/previdence/worktree"
)

// victim names the folder in which this test binary checks out and removes
// without end until it is killed.
const victim = "PREVIDENCE_TEST_VICTIM"

// holder names the repository whose objects this test binary reads until it is
// killed.
const holder = "PREVIDENCE_TEST_HOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(holder); dir != "" {
		if err := readForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	if dir := os.Getenv(victim); dir != "" {
		if err := checkOutForever(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func readForever(dir string) error {
	r, err := worktree.Open(ctx, dir)
	if err != nil {
		return err
	}
	_, head, err := r.Head(ctx)
	if err != nil {
		return err
	}
	objects := r.Reader()
	for err == nil {
		_, err = objects.TreeOf(ctx, head)
	}
	return err
}

func checkOutForever(dir string) error {
	r, err := worktree.Open(ctx, dir)
	if err != nil {
		return err
	}
	s, err := r.Store(ctx)
	if err != nil {
		return err
	}
	url, err := worktree.RemoteURL(ctx, r, "origin")
	if err != nil {
		return err
	}
	for {
		f, err := s.FetchPull(ctx, url, 7)
		if err != nil {
			return err
		}
		for _, head := range []worktree.OID{f.Head, f.Base} {
			if _, err := s.Add(ctx, 7, head, filepath.Join(filepath.Dir(dir), "state"), nil); err != nil {
				return err
			}
		}
		if err := s.Remove(ctx, filepath.Join(filepath.Dir(dir), "state", "pr-7"), nil); err != nil {
			return err
		}
	}
}

func TestKilledAtAnyPointNothingHalfMadeStays(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("in/%d/f.txt", i)] = fmt.Sprintf("file %d\n", i)
	}
	p := newPulls(t, files)
	state := filepath.Join(filepath.Dir(p.clone.Dir), "state")
	chance := rand.New(rand.NewPCG(1, 2))
	for round := range 5 {
		var two []*exec.Cmd
		for range 2 {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), victim+"="+p.clone.Dir)
			must(t, c.Start())
			two = append(two, c)
		}
		time.Sleep(time.Duration(chance.IntN(300)) * time.Millisecond)
		for _, c := range two {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
		s := storeOf(t, p.clone)
		if _, err := s.Prune(ctx); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		list, err := s.Checkouts(ctx)
		must(t, err)
		on, err := os.ReadDir(state)
		if err != nil && !os.IsNotExist(err) || len(on) != len(list) || len(list) > 1 {
			t.Fatalf("round %d: %v lies in the folder for %+v, %v", round, on, list, err)
		}
		for _, c := range list {
			if status := p.clone.At(c.Root).Git("status", "--porcelain"); status != "" || c.State != worktree.CheckoutReady {
				t.Fatalf("round %d: %s, %s", round, c.State, status)
			}
		}
	}
	s := p.fetched(t)
	for _, head := range []worktree.OID{p.head, p.base} {
		if _, err := s.Add(ctx, 7, head, state, nil); err != nil {
			t.Error(err)
		}
	}
}
