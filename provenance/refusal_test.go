package provenance_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestRefusesUnlessTheGraphIsWhatIsAskedAbout(t *testing.T) {
	type situation struct {
		name string
		make func(*testing.T, *worktreetest.Repo) (*worktreetest.Repo, provenance.Query)
		want string
	}
	here := func(change func(*testing.T, *worktreetest.Repo)) func(*testing.T, *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
		return func(t *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			change(t, r)
			return r, query()
		}
	}
	asked := func(change func(*provenance.Query)) func(*testing.T, *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
		return func(_ *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			q := query()
			change(&q)
			return r, q
		}
	}
	for _, tt := range []situation{
		{"a fresh graph answers", here(func(*testing.T, *worktreetest.Repo) {}), ""},
		{"files on disk are no reason unless the answer is about them", here(func(_ *testing.T, r *worktreetest.Repo) {
			r.Write(map[string]string{"a.go": "changed"})
		}), ""},
		{"no graph", here(func(t *testing.T, r *worktreetest.Repo) { must(t, os.Remove(file(t, r))) }), "graph_not_ready"},
		{"no state folder", here(func(t *testing.T, r *worktreetest.Repo) { must(t, os.RemoveAll(filepath.Dir(file(t, r)))) }), "graph_not_ready"},
		{"only what a killed build has left", here(func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Rename(file(t, r), filepath.Join(filepath.Dir(file(t, r)), ".graph-1.building")))
		}), "graph_not_ready"},
		{"another worktree has none", func(t *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			return linked(t, r, "second"), query()
		}, "graph_not_ready"},
		{"the graph of another worktree", func(t *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			second := linked(t, r, "second")
			copyFile(t, file(t, r), file(t, second))
			return second, query()
		}, "stale_graph: root"},
		{"the graph of another clone", func(t *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			clone := r.Clone()
			copyFile(t, file(t, r), file(t, clone))
			return clone, query()
		}, "stale_graph: root"},
		{"a link to the database of another worktree", func(t *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			second := linked(t, r, "second")
			must(t, os.Mkdir(filepath.Dir(file(t, second)), 0o700), os.Link(file(t, r), file(t, second)))
			return second, query()
		}, "graph_tampered"},
		{"a link to the state folder of another worktree", func(t *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			second := linked(t, r, "second")
			must(t, os.Symlink(filepath.Dir(file(t, r)), filepath.Dir(file(t, second))))
			return second, query()
		}, "graph_tampered"},
		{"a database that a pull request has committed", func(t *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			data, err := os.ReadFile(file(t, r))
			must(t, err, os.Remove(file(t, r)))
			r.Commit(map[string]string{"previdence/graph.db": string(data), "graph.db": string(data)})
			return r, query()
		}, "graph_not_ready"},
		{"another folder at the same path", here(func(t *testing.T, r *worktreetest.Repo) {
			old := r.Dir + ".old"
			must(t, os.Rename(r.Dir, old), os.CopyFS(r.Dir, os.DirFS(old)), os.Chmod(filepath.Join(r.Dir, ".git", "previdence"), 0o700))
		}), "stale_graph: root"},
		{"HEAD has moved", here(func(_ *testing.T, r *worktreetest.Repo) { r.Commit(map[string]string{"a.go": "package c\n"}) }), "stale_graph: head_moved"},
		{"HEAD has moved to a commit with the same tree", here(func(_ *testing.T, r *worktreetest.Repo) { r.Commit(nil) }), "stale_graph: head_moved"},
		{"HEAD is not the expected one", asked(func(q *provenance.Query) { q.ExpectHead = "0123" }), "stale_graph: head_moved"},
		{"another engine", asked(func(q *provenance.Query) { q.Engine = "other" }), "stale_graph: engine_changed"},
		{"another configuration", asked(func(q *provenance.Query) { q.Config = "other" }), "stale_graph: config_changed"},
		{"other dependencies", asked(func(q *provenance.Query) { q.Outside = func(string) string { return "other" } }), "stale_graph: config_changed"},
		{"another version of the file", here(func(t *testing.T, r *worktreetest.Repo) { change(t, file(t, r), "PRAGMA user_version=99") }), "stale_graph: engine_changed"},
		{"a planted trigger", here(func(t *testing.T, r *worktreetest.Repo) {
			change(t, file(t, r), "CREATE TRIGGER planted AFTER INSERT ON files BEGIN DELETE FROM stamp; END")
		}), "graph_tampered"},
		{"a stamp with another tree", here(func(t *testing.T, r *worktreetest.Repo) {
			change(t, file(t, r), "UPDATE stamp SET value='0123' WHERE name='tree'")
		}), "graph_tampered"},
		{"a file that is no database", here(func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.WriteFile(file(t, r), []byte("no database"), 0o600))
		}), "graph_tampered"},
		{"a symlink in place of the graph", here(func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Rename(file(t, r), file(t, r)+".real"), os.Symlink("graph.db.real", file(t, r)))
		}), "graph_tampered"},
		{"a graph with a second name", here(func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Link(file(t, r), filepath.Join(r.Dir, "second")))
		}), "graph_tampered"},
		{"a symlink in place of a sidecar", here(func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Symlink("graph.db", file(t, r)+"-journal"))
		}), "graph_tampered"},
		{"a state folder that others may look into", here(func(t *testing.T, r *worktreetest.Repo) {
			must(t, os.Chmod(filepath.Dir(file(t, r)), 0o755))
		}), "graph_tampered"},
		{"a symlink in place of the state folder", here(func(t *testing.T, r *worktreetest.Repo) {
			dir := filepath.Dir(file(t, r))
			must(t, os.Rename(dir, dir+".real"), os.Symlink("previdence.real", dir))
		}), "graph_tampered"},
		{"a database without a stamp", here(func(t *testing.T, r *worktreetest.Repo) { change(t, file(t, r), "DELETE FROM stamp") }), "provenance_unknown"},
		{"a commit without a graph", func(t *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			q := query()
			q.Commit = r.Commit(map[string]string{"a.go": "package c\n"})
			return r, q
		}, "graph_not_ready"},
		{"a commit whose graph is there answers although HEAD has moved", func(t *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			q := query()
			q.Commit = r.Rev("HEAD")
			r.Commit(map[string]string{"a.go": "package c\n"})
			return r, q
		}, ""},
		{"bound to clean files", asked(func(q *provenance.Query) { q.Bound = true }), ""},
		{"bound to dirty files", func(t *testing.T, r *worktreetest.Repo) (*worktreetest.Repo, provenance.Query) {
			r.Write(map[string]string{"a.go": "changed"})
			q := query()
			q.Bound = true
			return r, q
		}, "stale_graph: dirty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, q := tt.make(t, program(t))
			if got := refusal(t, r.Open(), q); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRefusesWhileABuildOfThisRootRunsAndAnswersForOthers(t *testing.T) {
	r := program(t)
	second := linked(t, r, "second")
	build(t, second)
	b, err := provenance.Begin(t.Context(), r.Open())
	must(t, err)
	if got := refusal(t, r.Open(), query()); got != "graph_updating" {
		t.Errorf("during a build: %q", got)
	}
	if got := refusal(t, second.Open(), query()); got != "" {
		t.Errorf("the other worktree: %q", got)
	}
	if _, err := provenance.Delete(t.Context(), r.Open(), provenance.Approved); name(err) != "graph_updating" {
		t.Errorf("deletion during a build: %v", err)
	}
	must(t, b.Close())
	if got := refusal(t, r.Open(), query()); got != "" {
		t.Errorf("after the build: %q", got)
	}
}

func TestABuildWaitsForAnotherAsLongAsItMay(t *testing.T) {
	r := program(t)
	first, err := provenance.Begin(t.Context(), r.Open())
	must(t, err)
	if _, err := provenance.Begin(soon(t), r.Open()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another build runs: %v", err)
	}
	must(t, first.Close())
	build(t, r)
	if got := open(t, r, query()).DB.Stamp().Generation; got != 2 {
		t.Errorf("generation %d, want 2", got)
	}
}

func TestRefusesToPublishOnceHEADHasMoved(t *testing.T) {
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	b, err := provenance.Begin(t.Context(), r.Open())
	must(t, err)
	r.Commit(map[string]string{"a.go": "package b\n"})
	if _, err := b.Publish(t.Context(), small(), store.Stamp{Engine: engine}); name(err) != "stale_graph: head_moved" {
		t.Errorf("published: %v", err)
	}
	must(t, b.Close())
	if got := refusal(t, r.Open(), query()); got != "graph_not_ready" {
		t.Errorf("left behind: %q", got)
	}
}

// What changes between the opening and the answer discards the answer.
func TestRefusesAnAnswerOverWhichSomethingChanged(t *testing.T) {
	bound := func(q provenance.Query) provenance.Query { q.Bound = true; return q }
	byCommit := func(r *worktreetest.Repo) provenance.Query {
		q := query()
		q.Commit = r.Rev("HEAD")
		return q
	}
	for _, tt := range []struct {
		name   string
		query  func(*worktreetest.Repo) provenance.Query
		change func(*testing.T, *worktreetest.Repo)
		want   string
	}{
		{"nothing", nil, func(*testing.T, *worktreetest.Repo) {}, ""},
		{"HEAD", nil, func(_ *testing.T, r *worktreetest.Repo) { r.Commit(nil) }, "stale_graph: head_moved"},
		{"HEAD, but the question was about a commit", byCommit, func(_ *testing.T, r *worktreetest.Repo) { r.Commit(nil) }, ""},
		{"the graph", nil, func(t *testing.T, r *worktreetest.Repo) { build(t, r) }, "graph_updating"},
		{"the graph, by a write into it", nil, func(t *testing.T, r *worktreetest.Repo) {
			change(t, file(t, r), "UPDATE stamp SET value='7' WHERE name='generation'")
		}, "graph_tampered"},
		{"the state folder", nil, func(t *testing.T, r *worktreetest.Repo) {
			dir := filepath.Dir(file(t, r))
			must(t, os.Rename(dir, dir+".old"), os.CopyFS(dir, os.DirFS(dir+".old")), os.Chmod(dir, 0o700))
		}, "graph_tampered"},
		{"the root", nil, func(t *testing.T, r *worktreetest.Repo) {
			// The git dir keeps its inode, so only the root differs.
			must(t, os.Rename(r.Dir, r.Dir+".old"), os.Mkdir(r.Dir, 0o700), os.Rename(r.Dir+".old/.git", r.Dir+"/.git"))
		}, "stale_graph: root"},
		{"files, which the answer is not about", nil, func(_ *testing.T, r *worktreetest.Repo) { r.Write(map[string]string{"a.go": "x"}) }, ""},
		{"files, which it is about", func(*worktreetest.Repo) provenance.Query { return bound(query()) },
			func(_ *testing.T, r *worktreetest.Repo) { r.Write(map[string]string{"a.go": "x"}) }, "stale_graph: dirty"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := program(t)
			q := query()
			if tt.query != nil {
				q = tt.query(r)
			}
			reading := open(t, r, q)
			tt.change(t, r)
			if got := name(reading.Recheck(t.Context())); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAKeptGraphAnswersForItsTree(t *testing.T) {
	r := program(t)
	repo := r.Open()
	commit := r.Commit(map[string]string{"a.go": "package c\n"})
	q := query()
	q.Commit = commit
	tree := r.Rev("HEAD^{tree}")
	kept := provenance.KeptFile(repo, tree, engine)
	must(t, store.Write(t.Context(), kept, small(), store.Stamp{CommonDir: repo.CommonDir(), Tree: string(tree), Engine: engine}))
	reading := open(t, r, q)
	if reading.Commit != commit || reading.Tree != tree {
		t.Errorf("the reading is about commit %s, tree %s", reading.Commit, reading.Tree)
	}
	must(t, store.Write(t.Context(), kept, small(), store.Stamp{CommonDir: repo.CommonDir(), Tree: "0123", Engine: engine}))
	if got := refusal(t, repo, q); got != "graph_tampered" {
		t.Errorf("the graph of another tree under this name: %q", got)
	}
}

func TestARefusalIsFoundThroughWrapping(t *testing.T) {
	names := provenance.Names()
	if !slices.Contains(names, "stale_graph: base_moved") || len(names) != 13 {
		t.Errorf("the states are %q", names)
	}
	err := provenance.Named(fs.ErrPermission)
	if _, ok := provenance.AsRefusal(err); ok || err == nil {
		t.Errorf("an error without a state became %v", err)
	}
	r := provenance.Dirty([]provenance.Dirt{{Case: provenance.DirtStaged, Path: "b"}, {Case: provenance.DirtModified, Path: "c"}})
	if text := r.Error(); !strings.HasPrefix(text, "stale_graph: dirty: modified, staged: \"b\" and 1 others") {
		t.Errorf("the refusal says %q", text)
	}
}

func TestEveryRefusalIsInTheTableOfRules(t *testing.T) {
	table, err := os.ReadFile(filepath.Join("..", "docs", "refusals.md"))
	must(t, err)
	for _, name := range provenance.Names() {
		if !strings.Contains(string(table), "| `"+name+"`") {
			t.Errorf("docs/refusals.md has no rule for %s", name)
		}
	}
}
