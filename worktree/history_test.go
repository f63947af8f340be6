package worktree_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestMergeBases(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	root := r.Commit(map[string]string{"a.txt": "a\n"})
	r.Checkout("one", "main")
	one := r.Commit(map[string]string{"one.txt": "1\n"})
	r.Checkout("two", "main")
	two := r.Commit(map[string]string{"two.txt": "2\n"})
	repo := r.Open()
	check := func(name string, a, b worktree.OID, want ...worktree.OID) {
		t.Helper()
		slices.Sort(want)
		if got, err := repo.MergeBases(ctx, a, b); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", name, got, err, want)
		}
	}
	check("where two branches part", one, two, root)
	check("an ancestor is the base", root, two, root)
	check("of a commit with itself", two, two, two)

	r.Checkout("left", "one")
	left := r.Merge("two")
	r.Checkout("right", "two")
	right := r.Merge("one")
	check("a criss-cross merge leaves two", left, right, one, two)

	alone := r.CommitTree(r.Rev("main^{tree}"))
	if _, err := repo.MergeBases(ctx, alone, one); !errors.Is(err, worktree.ErrNoMergeBase) || errors.Is(err, worktree.ErrShallow) {
		t.Errorf("unrelated histories: %v", err)
	}
	absent := worktree.OID(strings.Repeat("1", 40))
	if _, err := repo.MergeBases(ctx, absent, one); !errors.Is(err, worktree.ErrUnknownRevision) {
		t.Errorf("a commit that is not here: %v", err)
	}
	if _, err := repo.MergeBases(ctx, "--all", one); !errors.Is(err, worktree.ErrBadRevision) {
		t.Errorf("an option: %v", err)
	}
}

func TestShallowHistoryIsNotGuessed(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	for range 4 {
		r.Commit(nil)
	}
	r.Checkout("head", "main~3")
	head := r.Commit(map[string]string{"head.txt": "h\n"})
	base := r.Rev("main")

	cut := r.Clone("--depth=2", "--no-single-branch")
	if !cut.Open().Shallow() {
		t.Error("a shallow clone was not noticed")
	}
	_, err := cut.Open().MergeBases(ctx, base, head)
	if !errors.Is(err, worktree.ErrShallow) || !errors.Is(err, worktree.ErrNoMergeBase) {
		t.Errorf("the base was cut off: %v", err)
	}
	deep := r.Clone("--depth=4", "--no-single-branch")
	if bases, err := deep.Open().MergeBases(ctx, base, head); err != nil || !slices.Equal(bases, []worktree.OID{r.Rev("main~3")}) {
		t.Errorf("the base is here: %v, %v", bases, err)
	}
}

func TestShallowHistoryThatCouldHideABetterBase(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	old := r.Commit(map[string]string{"a.txt": "a\n"})
	r.Commit(nil)
	better := r.Commit(nil)
	r.Checkout("side", string(better))
	side := r.Commit(map[string]string{"side.txt": "s\n"})
	r.Checkout("head", string(old))
	r.Commit(map[string]string{"head.txt": "h\n"})
	head := r.Merge("side")
	clone := r.Clone()
	// Cut between side and what it came from: the old base is still found.
	shallow := clone.Git("rev-parse", "--path-format=absolute", "--git-path", "shallow")
	clone.At(clone.Dir).Git("config", "gc.auto", "0")
	writeFile(t, shallow, string(side)+"\n")
	if naive := clone.Git("merge-base", string(better), string(head)); naive != string(old) {
		t.Fatalf("git finds %s, the test wants it to find %s", naive, old)
	}
	if bases, err := clone.Open().MergeBases(ctx, better, head); !errors.Is(err, worktree.ErrShallow) {
		t.Errorf("got %v, %v", bases, err)
	}
}

func TestTreeOf(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			r := worktreetest.New(t, "--object-format="+format)
			commit := r.Commit(map[string]string{"a.txt": "a\n"})
			repo := r.Open()
			if tree, err := repo.TreeOf(ctx, commit); err != nil || tree != r.Rev("HEAD^{tree}") {
				t.Errorf("got %s, %v", tree, err)
			}
			if _, err := repo.TreeOf(ctx, r.Rev("HEAD:a.txt")); !errors.Is(err, worktree.ErrNotCommit) {
				t.Errorf("a blob: %v", err)
			}
			if _, err := repo.TreeOf(ctx, "HEAD"); !errors.Is(err, worktree.ErrObjectMissing) {
				t.Errorf("no object ID: %v", err)
			}
			// A commit whose file holds another commit, as after tampering.
			other := r.Commit(map[string]string{"a.txt": "forged\n"})
			r.ReplaceObject(commit, readFile(t, r.LooseObject(other)))
			if _, err := r.Open().TreeOf(ctx, commit); !errors.Is(err, worktree.ErrObjectCorrupt) {
				t.Errorf("a swapped commit: %v", err)
			}
			// Who has read and hashed the real one knows what it says.
			if tree, err := repo.TreeOf(ctx, commit); err != nil || tree == r.Rev("HEAD^{tree}") {
				t.Errorf("a commit that was read before: %s, %v", tree, err)
			}
		})
	}
}

func TestReplaceRefsAndGraftsDoNotLie(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	root := r.Commit(map[string]string{"a.txt": "a\n"})
	middle := r.Commit(map[string]string{"a.txt": "b\n"})
	head := r.Commit(map[string]string{"a.txt": "c\n"})
	tree := r.Rev("HEAD^{tree}")
	r.Checkout("side", string(middle))
	side := r.Commit(map[string]string{"side.txt": "s\n"})
	r.Git("replace", string(head), string(r.CommitTree(r.Rev(string(root)+"^{tree}"))))
	writeFile(t, r.Dir+"/.git/info/grafts", string(side)+" "+string(root)+"\n")
	repo := r.Open()
	if got, err := repo.TreeOf(ctx, head); err != nil || got != tree {
		t.Errorf("the tree is %s, %v, want %s", got, err, tree)
	}
	if bases, err := repo.MergeBases(ctx, side, head); err != nil || !slices.Equal(bases, []worktree.OID{middle}) {
		t.Errorf("the base is %v, %v, want %s", bases, err, middle)
	}
}
