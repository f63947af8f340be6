package serve

import (
	"path/filepath"
	"testing"

	"github.com/previdence/previdence/graph/answer"
	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestWorktreesBeyondTheLimitAreNamed(t *testing.T) {
	defer func(n int) { mostChecked = n }(mostChecked)
	mostChecked = 1
	repo := worktreetest.New(t)
	repo.Commit(map[string]string{"a.go": "package a\n"})
	other := filepath.Join(filepath.Dir(repo.Dir), "other")
	repo.Git("worktree", "add", "-q", "-b", "b", other)
	w, err := New(Options{State: worktree.State{}}).Open(t.Context(), repo.Dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := w.Worktrees(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []answer.Worktree{{Root: repo.Dir, Head: got.Head, State: "graph_not_ready"}, {Root: other}}
	if len(got.Worktrees) != 2 || got.Worktrees[0] != want[0] || got.Worktrees[1] != want[1] || got.Head == "" {
		t.Errorf("%+v, want %+v", got.Worktrees, want)
	}
}
