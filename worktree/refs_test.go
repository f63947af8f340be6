package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	first := r.Commit(map[string]string{"a.txt": "a\n"})
	second := r.Commit(map[string]string{"a.txt": "b\n"})
	r.Git("tag", "-a", "-m", "v1", "v1")
	odd := []string{"release/c++", "fix#12", "dépôt", "a`id`b", "@org/team", "x-->y", "$(id)"}
	for _, name := range odd {
		r.Git("branch", name)
	}
	repo := r.Open()
	for _, rev := range append(odd, "main", "HEAD", "v1", "refs/heads/main", string(second), string(second[:12]), "HEAD^{commit}") {
		if oid, err := repo.Resolve(ctx, rev); err != nil || oid != second {
			t.Errorf("%q is %s, %v, want %s", rev, oid, err, second)
		}
	}
	if oid, err := repo.Resolve(ctx, "HEAD~1"); err != nil || oid != first {
		t.Errorf("HEAD~1 is %s, %v", oid, err)
	}
	for _, rev := range []string{"", "-h", "--output=x", "--upload-pack=/bin/false", "^main", "main\n", "main\x00"} {
		if _, err := repo.Resolve(ctx, rev); !errors.Is(err, worktree.ErrBadRevision) {
			t.Errorf("%q: %v, want ErrBadRevision", rev, err)
		}
	}
	for _, rev := range []string{"no", "main..HEAD", "main...HEAD", "HEAD:a.txt", "HEAD^{tree}", "HEAD~5", strings.Repeat("0", 40), "a b", "\x1b[2J", "main --all"} {
		_, err := repo.Resolve(ctx, rev)
		if !errors.Is(err, worktree.ErrUnknownRevision) {
			t.Errorf("%q: %v, want ErrUnknownRevision", rev, err)
		}
		if err != nil && strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("the message holds control characters: %q", err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file was written: %v", err)
	}
}

func TestResolveTellsDamageFromAbsence(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.txt": "a\n"})
	head := r.Commit(map[string]string{"a.txt": "b\n"})
	whole := readFile(t, r.LooseObject(head))
	r.ReplaceObject(head, whole[:len(whole)-6])
	repo := r.Open()
	if _, err := repo.Resolve(ctx, "main"); !errors.Is(err, worktree.ErrObjectCorrupt) {
		t.Errorf("a damaged commit: %v", err)
	}
	r.RemoveObject(head)
	if _, err := repo.Resolve(ctx, "main"); !errors.Is(err, worktree.ErrUnknownRevision) {
		t.Errorf("a commit that is gone: %v", err)
	}
	if err := os.RemoveAll(r.Dir); err != nil {
		t.Fatal(err)
	}
	if _, err := repo.Resolve(ctx, "main"); err == nil || errors.Is(err, worktree.ErrUnknownRevision) {
		t.Errorf("a repository that is gone: %v", err)
	}
}

func TestHead(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	if _, _, err := r.Open().Head(ctx); !errors.Is(err, worktree.ErrNoCommit) {
		t.Errorf("an empty repository: %v", err)
	}
	if _, err := r.Open().DefaultBase(ctx); !errors.Is(err, worktree.ErrNoDefaultBase) {
		t.Errorf("the base of an empty repository: %v", err)
	}
	want := r.Commit(map[string]string{"a.txt": "a\n"})
	if ref, oid, err := r.Open().Head(ctx); err != nil || ref != "refs/heads/main" || oid != want {
		t.Errorf("on a branch: %q, %s, %v", ref, oid, err)
	}
	r.Git("checkout", "-q", "--detach")
	if ref, oid, err := r.Open().Head(ctx); err != nil || ref != "" || oid != want {
		t.Errorf("detached: %q, %s, %v", ref, oid, err)
	}
}

func TestDefaultBase(t *testing.T) {
	t.Parallel()
	origin := worktreetest.New(t)
	origin.Commit(map[string]string{"a.txt": "a\n"})
	origin.Git("branch", "develop")
	check := func(name string, r *worktreetest.Repo, want string) {
		t.Helper()
		got, err := r.Open().DefaultBase(ctx)
		if err != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
		if oid, err := r.Open().Resolve(ctx, got); err != nil || oid != r.Rev(want) {
			t.Errorf("%s: %q resolves to %s, %v", name, got, oid, err)
		}
	}
	clone := origin.Clone()
	check("the remote's own choice", clone, "origin/main")
	clone.Git("remote", "set-head", "origin", "develop")
	check("the remote's other choice", clone, "origin/develop")
	clone.Git("remote", "set-head", "origin", "-d")
	check("main of origin", clone, "origin/main")
	clone.Git("tag", "origin/main")
	check("a tag does not take its place", clone, "remotes/origin/main")
	clone.Git("remote", "remove", "origin")
	check("main here", clone, "main")
	clone.Git("branch", "-m", "main", "other")
	if _, err := clone.Open().DefaultBase(ctx); !errors.Is(err, worktree.ErrNoDefaultBase) {
		t.Errorf("there is none: %v", err)
	}
	origin.Checkout("develop")
	check("HEAD of a bare repository", origin.Clone("--bare"), "develop")
}

func TestName(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	if name := r.Open().Name(ctx); name != "" {
		t.Errorf("no origin: %q", name)
	}
	r.Git("remote", "add", "origin", "https://user:secret@example.com/owner/name.git")
	if name := r.Open().Name(ctx); name != "owner/name" {
		t.Errorf("got %q", name)
	}
}
