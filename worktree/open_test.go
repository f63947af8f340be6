package worktree_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

var ctx = context.Background()

func TestOpenFindsEveryKindOfRepository(t *testing.T) {
	t.Parallel()
	plain := worktreetest.New(t)
	plain.Commit(map[string]string{"in/side/a.txt": "a\n"})
	linked := filepath.Join(filepath.Dir(plain.Dir), "linked")
	plain.Git("worktree", "add", "-q", "--detach", linked)
	bare := plain.Clone("--bare")
	sparse := plain.Clone("--sparse")
	worktreeConfig := plain.Clone()
	worktreeConfig.Git("config", "extensions.worktreeConfig", "true")
	worktreeConfig.Git("config", "--worktree", "diff.noprefix", "true")
	sha256 := worktreetest.New(t, "--object-format=sha256")
	sha256.Commit(map[string]string{"a.txt": "a\n"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(plain.Dir, link); err != nil {
		t.Fatal(err)
	}
	odd := worktreetest.New(t).At(filepath.Join(t.TempDir(), "a\nb é \"c\""))
	if err := os.Mkdir(odd.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	odd.Git("init", "-q", "-b", "main")
	super := worktreetest.New(t)
	super.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", plain.Dir, "sub")
	sub, subGit := filepath.Join(super.Dir, "sub"), filepath.Join(super.Dir, ".git", "modules", "sub")
	apart := plain.At(filepath.Join(t.TempDir(), "apart"))
	apartGit := filepath.Join(filepath.Dir(plain.Dir), "apart.git")
	plain.Git("clone", "-q", "--separate-git-dir="+apartGit, plain.Dir, apart.Dir)

	git := filepath.Join(plain.Dir, ".git")
	for _, c := range []struct {
		name, dir, root, gitDir, commonDir, format string
	}{
		{"the root of a worktree", plain.Dir, plain.Dir, git, git, "sha1"},
		{"a folder inside", filepath.Join(plain.Dir, "in", "side"), plain.Dir, git, git, "sha1"},
		{"a symlink to it", link, plain.Dir, git, git, "sha1"},
		{"a linked worktree", linked, linked, filepath.Join(git, "worktrees", "linked"), git, "sha1"},
		{"a bare repository", bare.Dir, "", bare.Dir, bare.Dir, "sha1"},
		{"a sparse checkout", sparse.Dir, sparse.Dir, filepath.Join(sparse.Dir, ".git"), filepath.Join(sparse.Dir, ".git"), "sha1"},
		{"one with a configuration per worktree", worktreeConfig.Dir, worktreeConfig.Dir, filepath.Join(worktreeConfig.Dir, ".git"), filepath.Join(worktreeConfig.Dir, ".git"), "sha1"},
		{"one with SHA-256 names", sha256.Dir, sha256.Dir, filepath.Join(sha256.Dir, ".git"), filepath.Join(sha256.Dir, ".git"), "sha256"},
		{"a submodule", sub, sub, subGit, subGit, "sha1"},
		{"one whose git dir lies elsewhere", apart.Dir, apart.Dir, apartGit, apartGit, "sha1"},
		{"a path with a newline", odd.Dir, odd.Dir, filepath.Join(odd.Dir, ".git"), filepath.Join(odd.Dir, ".git"), "sha1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := worktree.Open(ctx, c.dir)
			if err != nil {
				t.Fatal(err)
			}
			got := [4]string{r.Root(), r.GitDir(), r.CommonDir(), r.ObjectFormat()}
			if want := [4]string{c.root, c.gitDir, c.commonDir, c.format}; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if partial, err := r.Partial(ctx); r.Shallow() || partial || err != nil {
				t.Error("it is neither shallow nor partial")
			}
			if !strings.HasPrefix(r.GitVersion(), "2.") {
				t.Errorf("git has version %q", r.GitVersion())
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	plain := worktreetest.New(t)
	plain.Commit(map[string]string{"a.txt": "a\n"})
	bare := plain.Clone("--bare")
	unknown := plain.Clone()
	unknown.Git("config", "core.repositoryformatversion", "1")
	unknown.Git("config", "extensions.nobodyKnows", "true")
	refs := plain.Clone()
	refs.Git("config", "core.repositoryformatversion", "1")
	refs.Git("config", "extensions.refStorage", "neverheardof")
	future := plain.Clone()
	future.Git("config", "core.repositoryformatversion", "99")
	elsewhere := plain.Clone()
	elsewhere.Git("config", "core.worktree", plain.Dir)
	embedded := plain.Clone()
	embedded.Git("clone", "-q", "--bare", plain.Dir, filepath.Join(embedded.Dir, "in.git"))

	for _, c := range []struct {
		name, dir string
		err       error
		words     string
	}{
		{"a folder that is in no repository", t.TempDir(), worktree.ErrNotRepository, ""},
		{"a folder that does not exist", filepath.Join(plain.Dir, "no"), worktree.ErrNotRepository, "no such file"},
		{"a file", filepath.Join(plain.Dir, "a.txt"), worktree.ErrNotRepository, "not a folder"},
		{"the git dir of a worktree", filepath.Join(plain.Dir, ".git"), worktree.ErrNotRepository, "git dir of a worktree"},
		{"a folder inside that", filepath.Join(plain.Dir, ".git", "refs"), worktree.ErrNotRepository, "git dir of a worktree"},
		{"a folder inside a bare repository", filepath.Join(bare.Dir, "refs"), worktree.ErrNotRepository, "bare repository"},
		{"a folder inside an embedded bare repository", filepath.Join(embedded.Dir, "in.git", "refs"), worktree.ErrNotRepository, "bare repository"},
		{"an unknown extension, by name", unknown.Dir, worktree.ErrUnsupportedRepository, "nobodyknows"},
		{"an unknown ref storage, by name", refs.Dir, worktree.ErrUnsupportedRepository, "refstorage"},
		{"an unknown format version", future.Dir, worktree.ErrUnsupportedRepository, "99"},
		{"a worktree configured to be elsewhere", elsewhere.Dir, worktree.ErrUnsupportedRepository, "core.worktree"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := worktree.Open(ctx, c.dir)
			if r != nil || !errors.Is(err, c.err) {
				t.Fatalf("got %v, %v, want %v", r, err, c.err)
			}
			if !strings.Contains(strings.ToLower(err.Error()), c.words) {
				t.Errorf("%q does not say %q", err, c.words)
			}
		})
	}
}

// fakeGit puts a script named git first in PATH. In it $git is the real one.
func fakeGit(t *testing.T, script string) {
	t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	text := "#!/bin/sh\ngit='" + real + "'\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestOpenNeedsAGitThatProtects(t *testing.T) {
	dir := worktreetest.New(t).Dir
	t.Run("none at all", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := worktree.Open(ctx, dir); !errors.Is(err, worktree.ErrGitMissing) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("too old", func(t *testing.T) {
		fakeGit(t, "echo git version 2.37.9")
		if _, err := worktree.Open(ctx, dir); !errors.Is(err, worktree.ErrGitTooOld) || !strings.Contains(err.Error(), "2.37.9") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no git", func(t *testing.T) {
		fakeGit(t, "echo hello")
		if _, err := worktree.Open(ctx, dir); !errors.Is(err, worktree.ErrGitTooOld) {
			t.Errorf("got %v", err)
		}
	})
}

func TestOpenHonoursOwnership(t *testing.T) {
	plain := worktreetest.New(t)
	plain.Commit(map[string]string{"a.txt": "a\n"})
	bare := plain.Clone("--bare")
	// git's own tests pretend this way that somebody else owns everything.
	fakeGit(t, `GIT_TEST_ASSUME_DIFFERENT_OWNER=1 PATH=/usr/bin:/bin exec "$git" "$@"`)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GIT_CONFIG_GLOBAL", "")
	for _, dir := range []string{plain.Dir, bare.Dir} {
		if _, err := worktree.Open(ctx, dir); !errors.Is(err, worktree.ErrDubiousOwnership) {
			t.Errorf("%s belongs to another: %v", dir, err)
		}
	}
	config := "[safe]\n\tdirectory = " + plain.Dir + "\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := worktree.Open(ctx, plain.Dir); err != nil {
		t.Errorf("the user listed it: %v", err)
	}
	if _, err := worktree.Open(ctx, bare.Dir); !errors.Is(err, worktree.ErrDubiousOwnership) {
		t.Errorf("the user listed another one: %v", err)
	}
}

func TestNothingOfOursReachesGit(t *testing.T) {
	r := worktreetest.New(t)
	head := r.Commit(map[string]string{"a.txt": "a\n"})
	other := worktreetest.New(t)
	for _, pair := range [][2]string{
		{"GIT_DIR", other.Dir + "/.git"}, {"GIT_WORK_TREE", other.Dir}, {"GIT_OBJECT_DIRECTORY", other.Dir},
		{"GIT_INDEX_FILE", "/nonexistent"}, {"GIT_CONFIG_PARAMETERS", "broken"}, {"GIT_NAMESPACE", "other"},
		{"GIT_TRACE", "1"}, {"GIT_EXTERNAL_DIFF", "false"}, {"GIT_COMMON_DIR", other.Dir},
	} {
		t.Setenv(pair[0], pair[1])
	}
	repo, err := worktree.Open(ctx, r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, oid, err := repo.Head(ctx); err != nil || oid != head {
		t.Errorf("head is %s, %v, want %s", oid, err, head)
	}
}

func TestTheEndOfTheContextKillsGit(t *testing.T) {
	r := worktreetest.New(t)
	head := r.Commit(map[string]string{"a.txt": "a\n"})
	mark := filepath.Join(t.TempDir(), "mark")
	fakeGit(t, `case "$1" in cat-file) (sleep 1; : > '`+mark+`') & wait;; *) exec "$git" "$@";; esac`)
	repo := r.Open()
	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	if _, err := repo.List(short, head); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	time.Sleep(1500 * time.Millisecond)
	if _, err := os.Stat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a child of git lived on: %v", err)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	r := worktreetest.New(t)
	head := r.Commit(map[string]string{"a.txt": "a\n"})
	repo := r.Open()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if _, err := repo.List(ctx, head); err != nil {
		t.Fatal(err)
	}
	if _, err := repo.MergeBases(ctx, head, head); err != nil {
		t.Fatal(err)
	}
	failed := errors.New("enough")
	err := repo.Blobs(ctx, []worktree.OID{r.Rev("HEAD:a.txt")}, 10, func(int, []byte, error) error { return failed })
	if !errors.Is(err, failed) {
		t.Fatal(err)
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if status := r.Git("status", "--porcelain", "--ignored"); status != "" {
		t.Errorf("the repository changed: %q", status)
	}
}
