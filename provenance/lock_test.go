package provenance_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/previdence/previdence/provenance"
)

// TestMain makes this program one that takes a lock and keeps it, if a test
// starts it so.
func TestMain(m *testing.M) {
	if dir := os.Getenv("PROVENANCE_TEST_LOCK"); dir != "" {
		if _, err := provenance.Acquire(context.Background(), dir, true); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("locked")
		time.Sleep(time.Minute)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// holder starts another process that holds the lock of dir, and returns what
// kills it.
func holder(t *testing.T, dir string) (kill func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "PROVENANCE_TEST_LOCK="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err, cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "locked\n" {
		t.Fatalf("the other process said %q, %v", line, err)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	}
}

// realTemp is a folder without symlinks above it, for state folders.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	return filepath.Join(dir, "state")
}

// soon ends waiting for what must not come.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	t.Cleanup(cancel)
	return ctx
}

func TestTheLockOfAKilledProcessBlocksNobody(t *testing.T) {
	dir := realTemp(t)
	kill := holder(t, dir)
	if _, err := provenance.Acquire(soon(t), dir, true); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while the other process lives: %v", err)
	}
	if _, err := provenance.Acquire(soon(t), dir, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("shared, while the other process lives: %v", err)
	}
	kill()
	l, err := provenance.Acquire(t.Context(), dir, true)
	must(t, err)
	must(t, l.Close())
}

func TestSharedLocksGoTogetherAndKeepAnExclusiveOneOut(t *testing.T) {
	dir := realTemp(t)
	a, err := provenance.Acquire(t.Context(), dir, false)
	must(t, err)
	b, err := provenance.Acquire(t.Context(), dir, false)
	must(t, err)
	if _, err := provenance.Acquire(soon(t), dir, true); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("exclusive beside shared: %v", err)
	}
	must(t, a.Close(), b.Close())
	c, err := provenance.Acquire(t.Context(), dir, true)
	must(t, err, c.Close())
}

// A lock file that is deleted while somebody waits for it must not let two in.
func TestRefusesALockWhoseFileWasReplaced(t *testing.T) {
	dir := realTemp(t)
	var inside, most atomic.Int32
	var wg sync.WaitGroup
	first, err := provenance.Acquire(t.Context(), dir, true)
	must(t, err)
	for range 4 {
		wg.Go(func() {
			l, err := provenance.Acquire(t.Context(), dir, true)
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			time.Sleep(5 * time.Millisecond)
			inside.Add(-1)
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	// All four wait for a file that is gone once it is free.
	time.Sleep(50 * time.Millisecond)
	must(t, os.Remove(filepath.Join(dir, "graph.lock")))
	must(t, first.Close())
	wg.Wait()
	if n := most.Load(); n != 1 {
		t.Errorf("%d held the lock at once", n)
	}
}

func TestRefusesALockOnWhatIsNoPlainFile(t *testing.T) {
	for name, plant := range map[string]func(t *testing.T, dir, lock string){
		"a symlink": func(t *testing.T, dir, lock string) {
			must(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600), os.Symlink("other", lock))
		},
		"a symlink to nothing": func(t *testing.T, _, lock string) { must(t, os.Symlink("made-by-the-lock", lock)) },
		"a second name": func(t *testing.T, dir, lock string) {
			must(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600), os.Link(filepath.Join(dir, "other"), lock))
		},
		"a folder":                   func(t *testing.T, _, lock string) { must(t, os.Mkdir(lock, 0o700)) },
		"a folder that others write": func(t *testing.T, dir, _ string) { must(t, os.Chmod(dir, 0o777)) },
		"a linked folder": func(t *testing.T, dir, _ string) {
			must(t, os.Rename(dir, dir+".real"), os.Symlink(dir+".real", dir))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := realTemp(t)
			must(t, os.Mkdir(dir, 0o700))
			plant(t, dir, filepath.Join(dir, "graph.lock"))
			if _, err := provenance.Acquire(soon(t), dir, true); !errors.Is(err, provenance.ErrUnsafeFolder) {
				t.Errorf("got %v", err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "made-by-the-lock")); !os.IsNotExist(err) {
				t.Errorf("the link was followed: %v", err)
			}
		})
	}
}
