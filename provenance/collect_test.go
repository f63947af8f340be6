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

func TestCollectionDropsTheLeastRecentlyUsedFirstAndNeverOneInUse(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	repo := r.Open()
	files := keep(t, repo, 5)
	info, err := os.Stat(files[0])
	must(t, err)
	hold, err := provenance.Use(files[1])
	must(t, err)
	c, err := provenance.Collect(t.Context(), repo, provenance.Limits{Bytes: 2 * info.Size()})
	must(t, err)
	if got := left(t, files); !slices.Equal(got, []int{1, 4}) {
		t.Errorf("left are %v, want the one in use and the newest", got)
	}
	if len(c.Removed) != 3 || c.Left != 2 || c.Bytes != 2*info.Size() || c.Busy != 1 || c.Removed[0].Path != files[0] {
		t.Errorf("collected %+v", c)
	}
	must(t, hold.Close(), provenance.Trim(repo, provenance.Limits{Files: 1}))
	if got := left(t, files); !slices.Equal(got, []int{4}) {
		t.Errorf("left are %v, want the newest", got)
	}
}

func TestCollectionWithoutLimitsKeepsGraphsAndTakesWhatKilledBuildsLeft(t *testing.T) {
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
	if len(left(t, files)) != 0 || c.Left != 0 || c.Bytes > 100_000 || c.Bytes == 0 {
		t.Errorf("collected %+v", c)
	}
	if last := c.Removed[len(c.Removed)-1]; last.Kind != provenance.KindFacts || last.Bytes < 100_000 {
		t.Errorf("removed last is %+v", last)
	}
}

func TestCollectionOfARepositoryWithoutStateFindsNothing(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	c, err := provenance.Collect(t.Context(), r.Open(), provenance.Limits{Files: 1})
	if must(t, err); len(c.Removed) != 0 || c.Left != 0 {
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
