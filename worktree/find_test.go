package worktree_test

import (
	"errors"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestFind(t *testing.T) {
	r := worktreetest.New(t)
	commit := r.Commit(map[string]string{"a.yml": "a\n", "dir/b.yml": "longer\n", "dir/sub/c": ""})
	link := r.Tree(worktreetest.Entry{Mode: "120000", Name: "a.yml", OID: r.Object("blob", "elsewhere")})
	twice := r.Tree(
		worktreetest.Entry{Mode: "100644", Name: "a.yml", OID: r.Object("blob", "first")},
		worktreetest.Entry{Mode: "100644", Name: "a.yml", OID: r.Object("blob", "the second")})
	lost := r.Tree(worktreetest.Entry{Mode: "100644", Name: "a.yml", OID: worktree.OID("0123456789012345678901234567890123456789")})
	tests := []struct {
		claim string
		tree  worktree.OID
		path  string
		mode  worktree.Mode // "" if there must be none
		size  int64
	}{
		{"a file at the top of a commit", commit, "a.yml", worktree.ModeFile, 2},
		{"a file in a folder", commit, "dir/b.yml", worktree.ModeFile, 7},
		{"an empty file further down", commit, "dir/sub/c", worktree.ModeFile, 0},
		{"a folder is no entry", commit, "dir", "", 0},
		{"nothing lies below a file", commit, "a.yml/x", "", 0},
		{"nothing has no name", commit, "", "", 0},
		{"a slash at the end names nothing", commit, "a.yml/", "", 0},
		{"no step leads up", commit, "dir/../a.yml", "", 0},
		{"another file is not taken for it", commit, "b.yml", "", 0},
		{"a link is said to be one", link, "a.yml", worktree.ModeSymlink, 9},
		{"of two entries the first counts", twice, "a.yml", worktree.ModeFile, 5},
		{"a missing object has no size", lost, "a.yml", worktree.ModeFile, -1},
	}
	objects := r.Open().Reader()
	defer objects.Close()
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			e, ok, err := objects.Find(t.Context(), tt.tree, tt.path)
			if err != nil || ok != (tt.mode != "") || e.Mode != tt.mode || e.Size != tt.size {
				t.Errorf("got %+v, %t, %v", e, ok, err)
			}
			if ok && e.Path != tt.path {
				t.Errorf("path is %q", e.Path)
			}
		})
	}
	if _, _, err := objects.Find(t.Context(), worktree.OID("0123456789012345678901234567890123456789"), "a"); !errors.Is(err, worktree.ErrObjectMissing) {
		t.Errorf("a missing tree: %v", err)
	}
}
