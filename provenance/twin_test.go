package provenance_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// listed is a tree of files with their blobs, whatever its ID.
type listed map[string]worktree.OID

func (l listed) List(context.Context, worktree.OID) (worktree.Listing, error) {
	var all worktree.Listing
	for path, blob := range l {
		all.Entries = append(all.Entries, worktree.Entry{Path: path, OID: blob})
	}
	return all, nil
}

// blobbed is a graph of one file with a blob.
func blobbed() *graph.Graph {
	g := three()
	g.Files[0].Blob = "b1"
	return g
}

func TestATreeHasOneGraphWhereverItWasBuilt(t *testing.T) {
	tree := listed{"a.go": "b1"}
	where := map[string]func(t *testing.T, r *worktreetest.Repo) (reader *worktreetest.Repo){
		"in this worktree, at another commit": func(t *testing.T, r *worktreetest.Repo) *worktreetest.Repo {
			buildGraph(t, r, blobbed())
			r.Git("commit", "-q", "--allow-empty", "-m", "again")
			return r
		},
		"in another worktree": func(t *testing.T, r *worktreetest.Repo) *worktreetest.Repo {
			second := linked(t, r, "second")
			buildGraph(t, second, blobbed())
			return r
		},
		"in the first worktree": func(t *testing.T, r *worktreetest.Repo) *worktreetest.Repo {
			buildGraph(t, r, blobbed())
			return linked(t, r, "second")
		},
		"by a review": func(t *testing.T, r *worktreetest.Repo) *worktreetest.Repo {
			path := provenance.KeptFile(r.Open(), headTree(t, r), engine)
			must(t, store.Write(t.Context(), path, blobbed(), store.Stamp{Engine: engine, Tree: string(headTree(t, r))}))
			return r
		},
	}
	for claim, build := range where {
		t.Run(claim, func(t *testing.T) {
			r := worktreetest.New(t)
			r.Commit(map[string]string{"a.go": "package a\n"})
			r = build(t, r)
			twin, err := provenance.Twin(t.Context(), r.Open(), tree, headTree(t, r), query())
			must(t, err)
			must(t, twin.Prove(t.Context()))
			place, err := provenance.Begin(t.Context(), r.Open())
			must(t, err)
			stamp, err := place.Adopt(t.Context(), twin, store.Stamp{Engine: engine})
			must(t, err, place.Close(), twin.Close())
			if stamp.Digest != store.Digest(blobbed()) || stamp.Head != string(r.Rev("HEAD")) {
				t.Errorf("adopted as %+v", stamp)
			}
			reading := open(t, r, query())
			if got := reading.DB.Stamp(); got != stamp {
				t.Errorf("stamp is %+v, want %+v", got, stamp)
			}
			loaded, err := reading.DB.Load(t.Context())
			must(t, err)
			if store.Digest(loaded) != stamp.Digest {
				t.Error("another graph was adopted")
			}
		})
	}
}

func TestNoTwinOfAnotherGraph(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	buildGraph(t, r, blobbed())
	tests := map[string]struct {
		change func(q *provenance.Query)
		tree   listed
	}{
		"another engine":        {func(q *provenance.Query) { q.Engine = "other" }, listed{"a.go": "b1"}},
		"another configuration": {func(q *provenance.Query) { q.Config = "other" }, listed{"a.go": "b1"}},
		"other modules outside": {func(q *provenance.Query) { q.Outside = func(string) string { return "other" } }, listed{"a.go": "b1"}},
		"another blob":          {nil, listed{"a.go": "b2"}},
		"another file":          {nil, listed{"b.go": "b1"}},
		"one file more":         {nil, listed{"a.go": "b1", "b.go": "b1"}},
	}
	for claim, test := range tests {
		t.Run(claim, func(t *testing.T) {
			q := query()
			if test.change != nil {
				test.change(&q)
			}
			_, err := provenance.Twin(t.Context(), r.Open(), test.tree, headTree(t, r), q)
			if got := name(err); got != "graph_not_ready" {
				t.Errorf("got %v", err)
			}
			kept := provenance.KeptFile(r.Open(), headTree(t, r), q.Engine)
			copyFile(t, file(t, r), kept)
			if _, err := provenance.Twin(t.Context(), r.Open(), test.tree, headTree(t, r), q); err == nil || name(err) == "graph_not_ready" {
				t.Errorf("of the kept one: got %v, want what is wrong with it", err)
			}
			must(t, os.Remove(kept))
		})
	}
	if _, err := provenance.Twin(t.Context(), r.Open(), listed{"a.go": "b1"}, "0000", query()); name(err) != "graph_not_ready" {
		t.Errorf("of another tree: got %v", err)
	}
}

func TestADamagedTwinIsNotProven(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	buildGraph(t, r, blobbed())
	overwrite("a.go#B/function", "a.go#D/function")(t, file(t, r))
	twin, err := provenance.Twin(t.Context(), r.Open(), listed{"a.go": "b1"}, headTree(t, r), query())
	must(t, err)
	defer twin.Close()
	if err := twin.Prove(t.Context()); !errors.Is(err, store.ErrTampered) && !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

// Whoever has read back what he wrote need not read it again.
func TestAPublishedGraphIsSealed(t *testing.T) {
	r := program(t)
	seal, err := os.Stat(file(t, r) + ".seal")
	must(t, err)
	must(t, answers(t, r))
	after, err := os.Stat(file(t, r) + ".seal")
	must(t, err)
	if !after.ModTime().Equal(seal.ModTime()) {
		t.Error("the first question proved the graph")
	}
}

func headTree(t *testing.T, r *worktreetest.Repo) worktree.OID {
	t.Helper()
	tree, err := r.Open().TreeOf(t.Context(), r.Rev("HEAD"))
	must(t, err)
	return tree
}
