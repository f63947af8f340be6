package provenance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/factcache"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// keep makes kept graphs, the first of them the least recently used.
func keep(t *testing.T, repo *worktree.Repo, n int) []string {
	t.Helper()
	var files []string
	for i := range n {
		tree := worktree.OID(fmt.Sprintf("%040d", i))
		path := provenance.KeptFile(repo, tree, engine)
		used := time.Unix(int64(1_700_000_000+i), 0)
		must(t, store.Write(t.Context(), path, small(), store.Stamp{Engine: engine, Tree: string(tree)}), os.Chtimes(path, used, used))
		files = append(files, path)
	}
	return files
}

func left(t *testing.T, files []string) []int {
	t.Helper()
	var there []int
	for i, f := range files {
		if _, err := os.Lstat(f); err == nil {
			there = append(there, i)
		}
	}
	return there
}

// state is what a collection left of one kind.
func state(c *provenance.Collected, kind string) provenance.Kept {
	i := slices.IndexFunc(c.State, func(k provenance.Kept) bool { return k.Kind == kind })
	if i < 0 {
		return provenance.Kept{}
	}
	return c.State[i]
}

func TestCollectionDropsTheLeastRecentlyUsedFirstAndNeverOneInUse(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // what others left in the usual one is collected too
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	repo := r.Open()
	files := keep(t, repo, 5)
	info, err := os.Stat(files[0])
	must(t, err)
	hold, err := provenance.Twin(t.Context(), repo, listed{"a.go": ""}, worktree.OID(fmt.Sprintf("%040d", 1)), query())
	must(t, err)
	c, err := provenance.Collect(t.Context(), repo, provenance.Limits{Bytes: 2 * info.Size()})
	must(t, err)
	if got := left(t, files); !slices.Equal(got, []int{1, 4}) {
		t.Errorf("left are %v, want the one in use and the newest", got)
	}
	if k := state(c, provenance.KindKept); len(c.Removed) != 3 || k.Count != 2 || c.Bytes != 2*info.Size() || c.Busy != 1 || c.Removed[0].Path != files[0] {
		t.Errorf("collected %+v", c)
	}
	must(t, hold.Close(), provenance.Trim(repo, provenance.Limits{Files: 1}))
	if got := left(t, files); !slices.Equal(got, []int{4}) {
		t.Errorf("left are %v, want the newest", got)
	}
}

func TestCollectionRefusesGraphsAndTakesWhatKilledBuildsLeft(t *testing.T) {
	r := program(t)
	second := linked(t, r, "second")
	build(t, second)
	repo := r.Open()
	files := keep(t, repo, 3)
	orphans := []string{
		filepath.Join(provenance.KeptFolder(repo), ".graph-1.building"),
		filepath.Join(filepath.Dir(file(t, r)), ".graph-2.building"),
		filepath.Join(filepath.Dir(file(t, second)), ".graph-3.building"),
	}
	for _, o := range orphans {
		must(t, os.WriteFile(o, []byte("half"), 0o600))
	}
	c, err := provenance.Collect(t.Context(), repo, provenance.Limits{})
	must(t, err)
	var gone []string
	for _, removed := range c.Removed {
		gone = append(gone, removed.Path)
		if removed.Kind != provenance.KindTemporary || removed.Bytes != 4 {
			t.Errorf("removed %+v", removed)
		}
	}
	if !slices.Equal(gone, orphans) || len(left(t, orphans)) != 0 {
		t.Errorf("gone are %v", gone)
	}
	if got := left(t, append(files, file(t, r), file(t, second))); len(got) != 5 {
		t.Errorf("left are %v, want all graphs", got)
	}
}

func TestCollectionMakesFactsSmallerOnceNoGraphIsLeft(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	repo := r.Open()
	facts, err := factcache.Open(t.Context(), provenance.FactsFile(repo), 0)
	must(t, err)
	var entries []factcache.Entry
	for i := range 200 {
		key := factcache.Key{Blob: fmt.Sprintf("%040x", i), Language: "go", Version: 1}
		f := &graph.Facts{Language: "go", Version: 1, Package: strings.Repeat("long", 500)}
		entries = append(entries, factcache.Entry{Key: key, Facts: f})
	}
	must(t, facts.Put(t.Context(), entries), facts.Close(t.Context()))
	files := keep(t, repo, 2)
	c, err := provenance.Collect(t.Context(), repo, provenance.Limits{Bytes: 100_000})
	must(t, err)
	if len(left(t, files)) != 0 || state(c, provenance.KindKept).Count != 0 || c.Bytes > 100_000 || c.Bytes == 0 {
		t.Errorf("collected %+v", c)
	}
	if last := c.Removed[len(c.Removed)-1]; last.Kind != provenance.KindFacts || last.Bytes < 100_000 {
		t.Errorf("removed last is %+v", last)
	}
}

func TestCollectionOfARepositoryWithoutStateFindsNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	c, err := provenance.Collect(t.Context(), r.Open(), provenance.Limits{Files: 1})
	if must(t, err); len(c.Removed) != 0 || c.Bytes != 0 {
		t.Errorf("collected %+v", c)
	}
	if _, err := os.Lstat(filepath.Join(r.Dir, ".git", "previdence")); !os.IsNotExist(err) {
		t.Errorf("a state folder was made: %v", err)
	}
}

func TestRefusesToCollectInAFolderThatOthersMayWrite(t *testing.T) {
	r := program(t)
	repo := r.Open()
	files := keep(t, repo, 2)
	must(t, os.Chmod(provenance.KeptFolder(repo), 0o777))
	if _, err := provenance.Collect(t.Context(), repo, provenance.Limits{Files: 1}); name(err) != "graph_tampered" {
		t.Errorf("got %v", err)
	}
	if got := left(t, files); len(got) != 2 {
		t.Errorf("left are %v", got)
	}
}

func TestCollectionTakesTheStateOfWorktreesThatAreGone(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	aside, err := worktree.StateIn(filepath.Join(t.TempDir(), "state"))
	must(t, err)
	at := func(r *worktreetest.Repo) *worktree.Repo {
		repo, err := aside.Open(t.Context(), r.Dir)
		must(t, err)
		return repo
	}
	put := func(r *worktreetest.Repo) string {
		b, err := provenance.Begin(t.Context(), at(r))
		must(t, err)
		_, err = b.Publish(t.Context(), small(), store.Stamp{Engine: engine})
		must(t, err, b.Close())
		return filepath.Join(at(r).WorktreeStateDir(), "graph.db")
	}
	gone, read, mine, stays := linked(t, r, "gone"), linked(t, r, "read"), linked(t, r, "mine"), linked(t, r, "stays")
	graphs := []string{put(gone), put(read), put(mine), put(stays), put(r)}
	must(t, os.WriteFile(filepath.Join(filepath.Dir(graphs[2]), "notes.txt"), []byte("mine"), 0o600))
	reading, err := provenance.Open(t.Context(), at(read), query())
	must(t, err)
	for _, w := range []*worktreetest.Repo{gone, read, mine} {
		r.Git("worktree", "remove", "--force", w.Dir)
	}
	// A folder that is not one of ours, and one whose worktree is only not mounted.
	odd := filepath.Join(at(r).StateDir(), "worktrees", "odd")
	must(t, os.Mkdir(odd, 0o700), os.Rename(stays.Dir, stays.Dir+".away"))

	c, err := provenance.Collect(t.Context(), at(r), provenance.Limits{})
	must(t, err)
	if got := left(t, graphs); !slices.Equal(got, []int{1, 3, 4}) || c.Busy != 1 {
		t.Errorf("left are %v, busy %d", got, c.Busy)
	}
	notes := filepath.Join(filepath.Dir(graphs[2]), "notes.txt")
	if _, err := os.Lstat(notes); err != nil {
		t.Errorf("somebody's file: %v", err)
	}
	must(t, reading.Close(), os.Remove(notes))
	c, err = provenance.Collect(t.Context(), at(r), provenance.Limits{})
	must(t, err)
	if got := left(t, append(graphs, filepath.Dir(graphs[0]), filepath.Dir(graphs[1]), filepath.Dir(graphs[2]), odd)); !slices.Equal(got, []int{3, 4, 8}) {
		t.Errorf("left are %v, collected %+v", got, c)
	}
	if k := state(c, provenance.KindGraph); k.Count != 2 || k.Bytes == 0 {
		t.Errorf("graphs that are left: %+v", k)
	}
}

// What is left over when a killed process is gone counts as nothing, pull requests
// go last, and what only goes after approval stays however little is allowed.
func TestCollectionKeepsToTheQuotaWithAllThatItMayTake(t *testing.T) {
	remote := worktreetest.New(t)
	remote.Commit(map[string]string{"a.go": "package a\n"})
	clone := remote.Clone()
	for i := range 6 {
		remote.Checkout("work", "main")
		head := remote.Commit(map[string]string{"b.txt": strings.Repeat(fmt.Sprintln(i), 100+i)})
		remote.Git("update-ref", fmt.Sprintf("refs/pull/%d/head", i+1), string(head))
		remote.Checkout("main")
		remote.Git("branch", "-q", "-D", "work")
	}
	repo := clone.Open()
	own, err := repo.Store(t.Context())
	must(t, err)
	var last worktree.Fetched
	for i := range 6 {
		last, err = own.FetchPull(t.Context(), "file://"+remote.Dir, i+1)
		must(t, err)
	}
	checkout, err := own.Add(t.Context(), 6, last.Head, filepath.Join(t.TempDir(), "state"), nil)
	must(t, err)
	build(t, clone)
	files := keep(t, repo, 2)
	decision := filepath.Join(provenance.DecisionsFolder(repo), "mine.md")
	must(t, os.Mkdir(filepath.Dir(decision), 0o700), os.WriteFile(decision, []byte("why"), 0o600))
	c, err := provenance.Collect(t.Context(), repo, provenance.Limits{Pulls: 4})
	must(t, err)
	if pulls := state(c, provenance.KindPulls); pulls.Count != 4 || c.Busy != 0 || c.Failed != nil {
		t.Errorf("with four to keep: %+v", c)
	}
	before := c.Bytes
	info, err := os.Stat(files[0])
	must(t, err)
	c, err = provenance.Collect(t.Context(), repo, provenance.Limits{Bytes: before - 1, Pulls: 4})
	must(t, err)
	if got := left(t, files); !slices.Equal(got, []int{1}) || c.Bytes != before-info.Size() {
		t.Errorf("one byte too many: left are %v, %+v", got, c)
	}
	held, err := repo.Hold(t.Context())
	must(t, err)
	c, err = provenance.Collect(t.Context(), repo, provenance.Limits{Bytes: 1, Pulls: 1})
	must(t, err, held.Close())
	if pulls := state(c, provenance.KindPulls); pulls.Count != 4 || c.Busy == 0 {
		t.Errorf("while pull requests are used: %+v", c)
	}
	c, err = provenance.Collect(t.Context(), repo, provenance.Limits{Bytes: 1, Pulls: 4})
	must(t, err)
	if pulls := state(c, provenance.KindPulls); pulls.Count != 0 || state(c, provenance.KindKept).Count != 0 {
		t.Errorf("with one byte: %+v", c)
	}
	if checkouts := state(c, provenance.KindCheckout); checkouts.Count != 1 || checkouts.Bytes == 0 || state(c, provenance.KindGraph).Count != 1 {
		t.Errorf("what needs approval: %+v", c)
	}
	if decisions := state(c, provenance.KindDecisions); decisions.Count != 1 || decisions.Bytes != 3 {
		t.Errorf("what nothing could make again: %+v", c)
	}
	if s := clone.At(checkout.Root).Git("status", "--porcelain"); s != "" {
		t.Errorf("the checkout: %s", s)
	}
	if got := refusal(t, repo, query()); got != "" {
		t.Errorf("the worktree's graph: %s", got)
	}
}

func TestDropKeptTakesTheGraphsOfOneTreeAndNoneInUse(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	repo := r.Open()
	if c, err := provenance.DropKept(repo, "ab"); err != nil || len(c.Removed) > 0 {
		t.Errorf("without any: %+v, %v", c, err)
	}
	files := keep(t, repo, 3)
	tree := worktree.OID(fmt.Sprintf("%040d", 1))
	hold, err := provenance.Twin(t.Context(), repo, listed{"a.go": ""}, worktree.OID(fmt.Sprintf("%040d", 1)), query())
	must(t, err)
	c, err := provenance.DropKept(repo, tree)
	must(t, err, hold.Close())
	if got := left(t, files); len(got) != 3 || c.Busy != 1 || len(c.Removed) > 0 {
		t.Errorf("in use: left %v, %+v", got, c)
	}
	c, err = provenance.DropKept(repo, tree)
	must(t, err)
	if got := left(t, files); !slices.Equal(got, []int{0, 2}) || len(c.Removed) != 1 || c.Removed[0].Path != files[1] || c.Removed[0].Bytes == 0 {
		t.Errorf("left %v, %+v", got, c)
	}
}
