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

// pulls is a remote with the pull request 7 and a clone of its main branch.
type pulls struct {
	remote, clone *worktreetest.Repo
	base, head    worktree.OID
	url           string
}

// newPulls makes both; the pull request changes files.
func newPulls(t *testing.T, files map[string]string) *pulls {
	t.Helper()
	p := &pulls{remote: worktreetest.New(t)}
	p.base = p.remote.Commit(map[string]string{"a.txt": "a\n"})
	p.remote.Checkout("feature", "main")
	p.head = p.remote.Commit(files)
	p.remote.Git("update-ref", "refs/pull/7/head", string(p.head))
	p.remote.Checkout("main")
	p.remote.Git("branch", "-q", "-D", "feature")
	p.clone = p.remote.Clone()
	p.url = "file://" + p.remote.Dir
	return p
}

func storeOf(t *testing.T, r *worktreetest.Repo) *worktree.Store {
	t.Helper()
	s, err := r.Open().Store(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fetched is the store of the clone with the pull request in it.
func (p *pulls) fetched(t *testing.T) *worktree.Store {
	t.Helper()
	s := storeOf(t, p.clone)
	if _, err := s.FetchPull(ctx, p.url, 7); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStoreReadsTheObjectsOfItsRepository(t *testing.T) {
	t.Parallel()
	odd := worktreetest.New(t).At(filepath.Join(t.TempDir(), "a\nb \"c\" \\d é"))
	if err := os.Mkdir(odd.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	odd.Git("init", "-q", "-b", "main")
	for name, r := range map[string]*worktreetest.Repo{
		"plain": worktreetest.New(t), "bare sha256": nil, "sha256": worktreetest.New(t, "--object-format=sha256"), "odd path": odd,
	} {
		if name == "bare sha256" {
			from := worktreetest.New(t, "--object-format=sha256")
			from.Commit(map[string]string{"x": "x\n"})
			r = from.Clone("--bare")
		} else {
			r.Commit(map[string]string{"a.txt": "hello\n"})
		}
		head := r.Rev("HEAD")
		s := storeOf(t, r)
		listing, err := s.Repo().List(ctx, head)
		if err != nil || len(listing.Entries) == 0 {
			t.Errorf("%s: %d entries, %v", name, len(listing.Entries), err)
		}
		if s.Repo().ObjectFormat() != r.Open().ObjectFormat() {
			t.Errorf("%s: objects are named by %s", name, s.Repo().ObjectFormat())
		}
		if refs := r.At(s.Repo().GitDir()).Git("for-each-ref"); refs != "" {
			t.Errorf("%s: a new store has refs: %s", name, refs)
		}
	}
}

func TestStoreMendsWhatSaysHowGitBehaves(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.txt": "a\n"})
	dir := storeOf(t, r).Repo().GitDir()
	if want := filepath.Join(r.Dir, ".git", "previdence", "store.git"); dir != want {
		t.Errorf("the store is at %s, want %s", dir, want)
	}
	for _, name := range []string{"config", "info/attributes", "info/exclude", "objects/info/alternates", "HEAD"} {
		path := filepath.Join(dir, name)
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("[core]\n\tfsmonitor = run-me\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		storeOf(t, r)
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s holds %q, %v, want %q", name, got, err, want)
		}
	}
	if r.Git("status", "--porcelain") != "" {
		t.Error("git status sees the store")
	}
}

func TestStoreRefusesASymlinkInItsPlace(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "store.git", "store.git/objects", "store.git/config", "store.git/info", "store.git/checkouts"} {
		r := worktreetest.New(t)
		r.Commit(map[string]string{"a.txt": "a\n"})
		elsewhere := t.TempDir()
		path := filepath.Join(r.Dir, ".git", "previdence", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, path); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Open().Store(ctx); !errors.Is(err, worktree.ErrStoreUnusable) {
			t.Errorf("%q: %v", name, err)
		}
		if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
			t.Errorf("%q: something was written through the link: %v, %v", name, left, err)
		}
	}
}

func TestStoreKnowsWhereHistoryIsCut(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.txt": "1\n"})
	r.Commit(map[string]string{"a.txt": "2\n"})
	clone := r.Clone("--depth=1")
	if s := storeOf(t, clone); !s.Repo().Shallow() {
		t.Error("the store of a shallow clone is not shallow")
	}
	clone.Git("fetch", "-q", "--unshallow")
	if s := storeOf(t, clone); s.Repo().Shallow() {
		t.Error("the store stays shallow when its repository is whole")
	}
}

func TestAWorktreeOfTheStoreHasTheSameStore(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	s := p.fetched(t)
	c, err := s.Add(ctx, 7, p.head, filepath.Join(t.TempDir(), "state"), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := worktree.Open(ctx, c.Root)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.Store(ctx)
	if err != nil || again.Repo().GitDir() != s.Repo().GitDir() {
		t.Errorf("the store of a checkout is %v, %v", again, err)
	}
	want := filepath.Join(p.clone.Dir, ".git", "previdence")
	for _, r := range []*worktree.Repo{r, s.Repo(), p.clone.Open()} {
		if r.StateDir() != want {
			t.Errorf("state of %s is in %s, want %s", r.GitDir(), r.StateDir(), want)
		}
	}
	if url, err := worktree.RemoteURL(ctx, r, "origin"); err != nil || url != p.url {
		t.Errorf("origin of the checkout is %q, %v", url, err)
	}
}

func TestAFolderWithTheNameOfAStoreIsNone(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.txt": "a\n"})
	fake := r.At(filepath.Join(r.Dir, ".git", "previdence", "store.git"))
	if err := os.MkdirAll(fake.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	fake.Git("init", "-q", "--bare")
	if dir := fake.Open().StateDir(); !strings.HasPrefix(dir, fake.Dir) {
		t.Errorf("its state would go to %s", dir)
	}
}
