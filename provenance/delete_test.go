package provenance_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestRefusesToDeleteUnlessApprovedInOneSpelling(t *testing.T) {
	r := program(t)
	for _, confirmation := range []string{"", "yes", "Approved", "approved ", "APPROVED", "true"} {
		if _, err := provenance.Delete(t.Context(), r.Open(), confirmation); !errors.Is(err, provenance.ErrNotApproved) {
			t.Errorf("%q: %v", confirmation, err)
		}
	}
	if got := refusal(t, r.Open(), query()); got != "" {
		t.Errorf("the graph is gone: %s", got)
	}
}

func TestRefusesToDeleteWhatIsNotThisGraph(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(*testing.T, *worktreetest.Repo)
		want string
	}{
		{"no graph", func(t *testing.T, r *worktreetest.Repo) { must(t, os.Remove(file(t, r))) }, "graph_not_ready"},
		{"a database without a stamp", func(t *testing.T, r *worktreetest.Repo) { change(t, file(t, r), "DELETE FROM stamp") }, "provenance_unknown"},
		{"somebody's file", func(t *testing.T, r *worktreetest.Repo) { must(t, os.WriteFile(file(t, r), []byte("mine"), 0o600)) }, "graph_tampered"},
		{"a planted trigger", func(t *testing.T, r *worktreetest.Repo) {
			change(t, file(t, r), "CREATE TRIGGER planted AFTER INSERT ON files BEGIN DELETE FROM stamp; END")
		}, "graph_tampered"},
		{"another worktree's", func(t *testing.T, r *worktreetest.Repo) {
			second := linked(t, r, "second")
			build(t, second)
			copyFile(t, file(t, second), file(t, r))
		}, "stale_graph: root"},
		{"another head's", func(_ *testing.T, r *worktreetest.Repo) { r.Commit(nil) }, "stale_graph: head_moved"},
		{"a link", func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Rename(file(t, r), file(t, r)+".real"), os.Symlink("graph.db.real", file(t, r)))
		}, "graph_tampered"},
		{"a sidecar that leads elsewhere", func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Symlink(filepath.Join(r.Dir, "a.go"), file(t, r)+"-wal"))
		}, "graph_tampered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := program(t)
			reviewed(t, r, nil)
			graph := file(t, r)
			tt.make(t, r)
			before, lost := os.Lstat(graph)
			if _, err := provenance.Delete(t.Context(), r.Open(), provenance.Approved); name(err) != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if after, err := os.Lstat(graph); lost == nil && (err != nil || !os.SameFile(before, after)) {
				t.Errorf("the file is gone: %v", err)
			}
		})
	}
}

func TestRefusesToDeleteAGraphThatIsRead(t *testing.T) {
	r := program(t)
	reviewed(t, r, nil)
	reading, err := provenance.Open(t.Context(), r.Open(), query())
	must(t, err)
	if _, err := provenance.Delete(t.Context(), r.Open(), provenance.Approved); name(err) != "graph_cleanup_busy" {
		t.Errorf("while it is read: %v", err)
	}
	must(t, reading.Recheck(t.Context()), reading.Close())
	if _, err := provenance.Delete(t.Context(), r.Open(), provenance.Approved); err != nil {
		t.Errorf("after it was read: %v", err)
	}
	if got := refusal(t, r.Open(), query()); got != "graph_not_ready" {
		t.Errorf("after the deletion: %q", got)
	}
}

// A worktree goes with its graph only if nobody uses that.
func TestRefusesToReserveAGraphThatIsUsed(t *testing.T) {
	r := program(t)
	if held, err := provenance.Reserve(t.Context(), linked(t, r, "second").Open()); err != nil || held.Close() != nil {
		t.Errorf("without a graph: %v", err)
	}
	reading, err := provenance.Open(t.Context(), r.Open(), query())
	must(t, err)
	if _, err := provenance.Reserve(t.Context(), r.Open()); name(err) != "graph_cleanup_busy" {
		t.Errorf("while it is read: %v", err)
	}
	must(t, reading.Close())
	b, err := provenance.Begin(t.Context(), r.Open())
	must(t, err)
	if _, err := provenance.Reserve(t.Context(), r.Open()); name(err) != "graph_updating" {
		t.Errorf("while it is built: %v", err)
	}
	must(t, b.Close())
	held, err := provenance.Reserve(t.Context(), r.Open())
	must(t, err)
	if got := refusal(t, r.Open(), query()); got != "graph_updating" {
		t.Errorf("while it is reserved: %q", got)
	}
	must(t, held.Close())
	if got := refusal(t, r.Open(), query()); got != "" {
		t.Errorf("afterwards: %q", got)
	}
}

func TestRefusesToDeleteMoreThanAGraphAndItsSidecars(t *testing.T) {
	r := program(t)
	reviewed(t, r, nil)
	second := linked(t, r, "second")
	build(t, second)
	repo := r.Open()
	dir := filepath.Dir(file(t, r))
	kept := provenance.KeptFile(repo, r.Rev("HEAD^{tree}"), engine)
	must(t,
		store.Write(t.Context(), kept, small(), store.Stamp{Engine: engine, Tree: "0123"}),
		os.WriteFile(filepath.Join(dir, "facts.db"), []byte("facts"), 0o600))
	// An engine of another version may be deleted: nobody reads it.
	change(t, file(t, r), "UPDATE stamp SET value='older' WHERE name='engine'")
	must(t, os.WriteFile(filepath.Join(dir, "graph.db-wal"), []byte("old"), 0o600))
	removed, err := provenance.Delete(t.Context(), repo, provenance.Approved)
	must(t, err)
	if removed.Bytes < 1000 || removed.Kind != provenance.KindGraph {
		t.Errorf("removed %+v", removed)
	}
	for _, gone := range []string{"graph.db", "graph.db-wal"} {
		if _, err := os.Lstat(filepath.Join(dir, gone)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", gone, err)
		}
	}
	for _, stays := range []string{filepath.Join(dir, "facts.db"), kept, file(t, second), filepath.Join(r.Dir, "a.go")} {
		if _, err := os.Lstat(stays); err != nil {
			t.Errorf("%s: %v", stays, err)
		}
	}
	if s := r.Git("status", "--porcelain"); s != "" {
		t.Errorf("git status says %s", s)
	}
}
