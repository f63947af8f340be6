package worktree_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree/worktreetest"
)

// What is read of HEAD without git is what git says, in one opened repository too.
func TestHeadIsWhatGitSays(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	first := r.Commit(map[string]string{"a.txt": "a\n"})
	second := r.Commit(map[string]string{"a.txt": "b\n"})
	repo := r.Open()
	write := func(name, text string) {
		path := filepath.Join(r.Dir, ".git", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name string
		do   func()
	}{
		{"a branch", func() {}},
		{"packed", func() { r.Git("pack-refs", "--all") }},
		{"moved back, beside the packed one", func() { r.Git("reset", "-q", "--hard", string(first)) }},
		{"packed again", func() { r.Git("pack-refs", "--all") }},
		{"objects packed", func() { r.Git("gc", "-q") }},
		{"a branch with folders", func() { r.Git("checkout", "-q", "-b", "a/b/c", string(second)) }},
		{"a branch with odd letters", func() { r.Git("checkout", "-q", "-b", "é@x") }},
		{"detached", func() { r.Git("checkout", "-q", "--detach", string(first)) }},
		{"a branch that stands for another", func() {
			r.Git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
			write("HEAD", "ref: refs/heads/alias\n")
		}},
		{"a branch that names a tag object", func() {
			r.Git("tag", "-a", "-m", "x", "v1", string(second))
			write("refs/heads/tagged", r.Git("rev-parse", "v1")+"\n")
			write("HEAD", "ref: refs/heads/tagged\n")
		}},
		{"more spaces", func() { write("HEAD", "ref:   refs/heads/main\n") }},
		{"a link", func() {
			head := filepath.Join(r.Dir, ".git", "HEAD")
			if err := os.Remove(head); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("refs/heads/main", head); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		step.do()
		ref, oid, err := repo.Head(ctx)
		want := strings.TrimSpace(r.Git("rev-parse", "HEAD^{commit}"))
		name, _ := r.Try(nil, "symbolic-ref", "-q", "HEAD")
		if err != nil || string(oid) != want || ref != strings.TrimSpace(name) {
			t.Errorf("%s: %q at %s, %v; git says %q at %s", step.name, ref, oid, err, strings.TrimSpace(name), want)
		}
	}
	write("refs/heads/none", "0000000000000000000000000000000000000001\n")
	if err := os.Remove(filepath.Join(r.Dir, ".git", "HEAD")); err != nil {
		t.Fatal(err)
	}
	write("HEAD", "ref: refs/heads/none\n")
	if _, oid, err := repo.Head(ctx); err == nil {
		t.Errorf("a commit that is not there: %s", oid)
	}
}
