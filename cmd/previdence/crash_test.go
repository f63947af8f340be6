package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// A yard is a repository with two worktrees in which processes are killed.
type yard struct {
	t         *testing.T
	repo      *worktreetest.Repo
	roots     []string
	dirs      []string      // state folders of the worktrees
	checkouts string        // folder of the pull requests that are checked out
	temporary string        // folder for temporary files of the processes
	life      time.Duration // the longest that a process has
}

func newYard(t *testing.T) *yard {
	r := worktreetest.New(t)
	files := map[string]string{"go.mod": "module example.com/m\n\ngo 1.22\n"}
	for i := range 30 {
		files[fmt.Sprintf("p%d/a.go", i)] = fmt.Sprintf("package p%d\n\nfunc A() { b() }\n\nfunc b() {}\n", i)
		files[fmt.Sprintf("w/m%d.py", i)] = fmt.Sprintf("def f%d():\n    return g%d()\n\n\ndef g%d():\n    return 1\n", i, i, i)
	}
	r.Commit(files)
	r.Checkout("head", "main")
	head := r.Commit(map[string]string{"p1/a.go": "package p1\n\nfunc A() {}\n"})
	for _, pull := range []string{"7", "8"} {
		r.Git("update-ref", "refs/pull/"+pull+"/head", string(head))
	}
	r.Git("remote", "add", "origin", "file://"+r.Dir)
	second := filepath.Join(filepath.Dir(r.Dir), "second")
	r.Git("worktree", "add", "-q", "--detach", second, "HEAD")
	git := filepath.Join(r.Dir, ".git")
	return &yard{t: t, repo: r, roots: []string{r.Dir, second},
		dirs:      []string{filepath.Join(git, "previdence"), filepath.Join(git, "worktrees", "second", "previdence")},
		checkouts: filepath.Join(filepath.Dir(r.Dir), "checkouts"), temporary: t.TempDir()}
}

// command prepares one run of the program.
func (y *yard) command(args ...string) *exec.Cmd {
	cmd := exec.CommandContext(y.t.Context(), "previdence", args...)
	cmd.Dir = y.repo.Dir
	cmd.Env = append(os.Environ(), "HOME="+y.t.TempDir(), "TMPDIR="+y.temporary)
	return cmd
}

// work picks what a process does.
func (y *yard) work(random *rand.Rand) []string {
	root := y.roots[random.IntN(len(y.roots))]
	pull := []string{"7", "8"}[random.IntN(2)]
	switch random.IntN(11) {
	case 0, 1:
		return []string{"graph", "build", "--repo-root", root}
	case 2:
		return []string{"review", "--base", "main", "--head", "head"}
	case 3:
		return []string{"cleanup", "--repo-root", root, "--confirmation", "approved"}
	case 4:
		return []string{"gc", "--max-state-bytes", "200000", "--keep-pulls", "0"}
	case 5, 6:
		return []string{"worktree", "add", pull, "--worktree-root", y.checkouts}
	case 7:
		return []string{"worktree", "remove", pull}
	case 8:
		return []string{"review", pull, "--base", "main", "--worktree-root", y.checkouts}
	case 9:
		return []string{"cleanup", "--pr", pull, "--closed"}
	}
	return []string{"graph", "edges", "--repo-root", root}
}

// pace lets processes live as long as it takes this machine to make checkouts when
// four do so at once, so that on a slow one some work is finished, too. It decides
// what is tried and no result.
func (y *yard) pace() {
	y.t.Helper()
	begun := time.Now()
	for _, args := range [][]string{{"worktree", "add", "7", "--worktree-root", y.checkouts}, {"worktree", "remove", "7"}} {
		if out, err := y.command(args...).CombinedOutput(); err != nil {
			y.t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	y.life = max(4*time.Since(begun), 500*time.Millisecond)
}

// round starts four processes and kills each of them at a random moment.
func (y *yard) round(random *rand.Rand) {
	var running sync.WaitGroup
	for range 4 {
		cmd, life := y.command(y.work(random)...), time.Duration(random.Int64N(int64(y.life)))
		if err := cmd.Start(); err != nil {
			y.t.Fatal(err)
		}
		running.Go(func() {
			time.Sleep(life)
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // killed, or it ended before
		})
	}
	running.Wait()
}

// check reads every graph that can be seen: each must be whole.
func (y *yard) check(round int) (graphs int) {
	y.t.Helper()
	paths, err := filepath.Glob(filepath.Join(y.dirs[0], "graphs", "*.db"))
	if err != nil {
		y.t.Fatal(err)
	}
	for _, dir := range append(y.dirs, y.checkoutDirs()...) {
		paths = append(paths, filepath.Join(dir, "graph.db"))
	}
	for _, path := range paths {
		db, err := store.Open(y.t.Context(), path)
		if errors.Is(err, store.ErrNotReady) {
			continue
		}
		if err != nil {
			y.t.Errorf("round %d: %v", round, err)
			continue
		}
		if _, err := db.Load(y.t.Context()); err != nil {
			y.t.Errorf("round %d: %s: %v", round, path, err)
		}
		graphs++
		if err := db.Close(); err != nil {
			y.t.Error(err)
		}
	}
	return graphs
}

// places lists the folders that processes read objects from.
func (y *yard) places() []string {
	y.t.Helper()
	found, err := filepath.Glob(filepath.Join(y.temporary, "previdence-store-*"))
	if err != nil {
		y.t.Fatal(err)
	}
	return found
}

// checkoutDirs lists the state folders of the checkouts.
func (y *yard) checkoutDirs() []string {
	y.t.Helper()
	dirs, err := filepath.Glob(filepath.Join(y.dirs[0], "store.git", "worktrees", "*", "previdence"))
	if err != nil {
		y.t.Fatal(err)
	}
	return dirs
}

// wholeCheckouts reads what is checked out after what was half done has been ended:
// each is whole, and nothing lies beside them.
func (y *yard) wholeCheckouts() int {
	y.t.Helper()
	for _, args := range [][]string{{"worktree", "prune"}, {"worktree", "list"}} {
		if out, err := y.command(args...).CombinedOutput(); err != nil {
			y.t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	entries, err := os.ReadDir(y.checkouts)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		y.t.Fatal(err)
	}
	records, err := filepath.Glob(filepath.Join(y.dirs[0], "store.git", "checkouts", "*.json"))
	if err != nil || len(records) != len(entries) {
		y.t.Errorf("%v lies there for %v, %v", entries, records, err)
	}
	for _, e := range entries {
		root := filepath.Join(y.checkouts, e.Name())
		if status, err := y.repo.At(root).Try(nil, "status", "--porcelain"); err != nil || status != "" {
			y.t.Errorf("%s is not whole: %s, %v", root, status, err)
		}
	}
	return len(entries)
}

// unfinished lists what builds were writing.
func (y *yard) unfinished() []string {
	y.t.Helper()
	var found []string
	err := filepath.WalkDir(y.dirs[0], func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".building") {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		y.t.Fatal(err)
	}
	return found
}

// settled runs commands that must succeed, whatever was killed before them.
func (y *yard) settled(root string) []byte {
	y.t.Helper()
	var edges []byte
	for _, args := range [][]string{
		{"gc"}, {"graph", "build", "--repo-root", root}, {"graph", "status", "--repo-root", root, "--bound"},
		{"graph", "edges", "--repo-root", root, "--format", "tsv"},
	} {
		cmd := y.command(args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		begun := time.Now()
		out, err := cmd.Output()
		if err != nil {
			y.t.Fatalf("%v: %v: %s", args, err, &stderr)
		}
		// A lock that a dead process left would hold for good.
		if waited := time.Since(begun); waited > time.Minute {
			y.t.Errorf("%v waited for %s", args, waited)
		}
		edges = out
	}
	return edges
}

// A killed process leaves neither a graph that is not whole nor a lock, nor
// anything that is taken for a graph.
func TestProcessesThatAreKilledLeaveNothingHalf(t *testing.T) {
	y := newYard(t)
	want := y.settled(y.roots[0])
	if len(want) < 1000 {
		t.Fatalf("only %d bytes of edges", len(want))
	}
	y.pace()
	random := rand.New(rand.NewPCG(2, 7))
	graphs, left, checkouts, places := 0, 0, 0, 0
	for round := range crashRounds {
		y.round(random)
		graphs += y.check(round)
		left += len(y.unfinished())
		places += len(y.places())
		if round%5 == 4 {
			checkouts += y.wholeCheckouts()
		}
	}
	t.Logf("%d rounds: %d whole graphs and %d whole checkouts were seen, %d files of killed builds and %d folders of killed readers",
		crashRounds, graphs, checkouts, left, places)
	if graphs == 0 {
		t.Error("no graph was ever there, so nothing was checked")
	}
	if checkouts == 0 && crashRounds >= 100 { // of 20 rounds, only 4 are looked at
		t.Error("no checkout was ever there, so none was checked")
	}
	for _, root := range y.roots {
		if got := y.settled(root); !bytes.Equal(got, want) {
			t.Errorf("%s: the edges are not what they were before", root)
		}
	}
	if found := append(y.unfinished(), y.places()...); len(found) > 0 {
		t.Errorf("left behind: %v", found)
	}
	if out, err := y.command("worktree", "add", "7", "--worktree-root", y.checkouts).CombinedOutput(); err != nil {
		t.Errorf("a checkout cannot be made any more: %v: %s", err, out)
	}
	if y.wholeCheckouts() == 0 {
		t.Error("the checkout is not there")
	}
	if status := y.repo.Git("status", "--porcelain"); status != "" {
		t.Errorf("git status says %s", status)
	}
	if slices.ContainsFunc(y.dirs, func(dir string) bool { _, err := os.Lstat(filepath.Join(dir, "graph.db")); return err != nil }) {
		t.Error("a graph that was built is not there")
	}
}
