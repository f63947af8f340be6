package provenance_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/graph/index"
	"github.com/previdence/previdence/graph/store"
	"github.com/previdence/previdence/provenance"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

const engine = "engine-of-these-tests"

func query() provenance.Query { return provenance.Query{Engine: engine, Source: index.Reads} }

// small is a graph; what is in it is not what these tests are about.
func small() *graph.Graph {
	return &graph.Graph{Files: []graph.File{{Path: "a.go", Language: "go", State: graph.FileParsed}}}
}

// build builds the graph of a worktree.
func build(t *testing.T, r *worktreetest.Repo) {
	t.Helper()
	buildGraph(t, r, small())
}

// three is a graph of three functions that call each other.
func three() *graph.Graph {
	g := small()
	for _, name := range []string{"A", "B", "C"} {
		g.Symbols = append(g.Symbols, graph.Symbol{ID: graph.SymbolID("go:a.go#" + name + "/function"), Name: name, Kind: graph.KindFunction, Language: "go", Path: "a.go"})
	}
	for i := range g.Symbols {
		g.Edges = append(g.Edges, graph.Edge{From: int32(i), To: int32((i + 1) % 3), Kind: graph.EdgeCall, Tier: graph.TierExact, Lines: []int32{1}})
	}
	g.Index()
	return g
}

func buildGraph(t *testing.T, r *worktreetest.Repo, g *graph.Graph) {
	t.Helper()
	b, err := provenance.Begin(t.Context(), r.Open())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Publish(t.Context(), g, store.Stamp{Engine: engine}); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// program makes a repository with two files and its graph.
func program(t *testing.T) *worktreetest.Repo {
	t.Helper()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n", "b/b.go": "package b\n"})
	build(t, r)
	return r
}

// reviewed records a review of HEAD against itself, made from the graph that build
// builds.
func reviewed(t *testing.T, r *worktreetest.Repo, change func(*provenance.Review)) {
	t.Helper()
	head := r.Rev("HEAD")
	made := provenance.Review{
		Head: head, Base: string(head), MergeBase: head, Report: strings.Repeat("0", 64), Graph: store.Digest(small()), Outcome: "pass",
	}
	if change != nil {
		change(&made)
	}
	must(t, provenance.Remember(t.Context(), r.Open(), made))
}

// linked adds a linked worktree.
func linked(t *testing.T, r *worktreetest.Repo, name string) *worktreetest.Repo {
	t.Helper()
	dir := filepath.Join(filepath.Dir(r.Dir), name)
	r.Git("worktree", "add", "-q", "--detach", dir, "HEAD")
	return r.At(dir)
}

// file is where the graph of a worktree lies.
func file(t *testing.T, r *worktreetest.Repo) string {
	t.Helper()
	git := filepath.Join(r.Dir, ".git")
	if text, err := os.ReadFile(git); err == nil { // a linked worktree
		git = strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir: "))
	}
	return filepath.Join(git, "previdence", "graph.db")
}

// change runs SQL on a graph as somebody else would.
func change(t *testing.T, file, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	must(t, err, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, data, 0o600))
}

// refusal is the name of the state in which a graph does not answer, "" if it
// does.
func refusal(t *testing.T, repo *worktree.Repo, q provenance.Query) string {
	t.Helper()
	refused, err := provenance.Check(t.Context(), repo, q)
	must(t, err)
	if refused == nil {
		return ""
	}
	if refused.Reason == "" || refused.Remedy == "" {
		t.Errorf("%s has the reason %q and the remedy %q", refused.Name(), refused.Reason, refused.Remedy)
	}
	return refused.Name()
}

// name is the state that an error stands for, or its text.
func name(err error) string {
	if r, ok := provenance.AsRefusal(err); ok {
		return r.Name()
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

func open(t *testing.T, r *worktreetest.Repo, q provenance.Query) *provenance.Reading {
	t.Helper()
	reading, err := provenance.Open(t.Context(), r.Open(), q)
	must(t, err)
	t.Cleanup(func() { _ = reading.Close() })
	return reading
}
