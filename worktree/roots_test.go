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

// must ends the test on the first error.
func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestRefusesNoWorktreeOfARepositoryNorOfItsStore(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	linked := filepath.Join(filepath.Dir(p.clone.Dir), "linked")
	p.clone.Git("worktree", "add", "-q", "--detach", linked)
	_, c := p.checkedOut(t)
	repo := p.clone.Open()
	for _, path := range []string{p.clone.Dir, linked, c.Root} {
		root, r, err := repo.Authorize(ctx, path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if root.Path != path || root.GitDir != r.GitDir() || root.CommonDir != r.CommonDir() || root.Inode == 0 {
			t.Errorf("%s: %+v", path, root)
		}
		if err := root.Check(ctx); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if again, _, err := worktree.Authorize(ctx, path); err != nil || again != root {
			t.Errorf("%s: %+v, %v", path, again, err)
		}
	}
}

func TestRefusedRoots(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"in/b.txt": "b\n"})
	p.clone.Write(map[string]string{"in/b.txt": "b\n"})
	s, c := p.checkedOut(t)
	top := filepath.Dir(p.clone.Dir)
	linked := filepath.Join(top, "linked")
	p.clone.Git("worktree", "add", "-q", "--detach", linked)
	fake := func(name, gitFile string) string {
		dir := filepath.Join(top, name)
		must(t, os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: "+gitFile+"\n"), 0o600))
		return dir
	}
	git := filepath.Join(p.clone.Dir, ".git")
	plain := filepath.Join(top, "plain")
	link := filepath.Join(top, "link")
	above := filepath.Join(top, "above")
	linkedGit := filepath.Join(top, "linked-git")
	must(t, os.Mkdir(plain, 0o700), os.Symlink(p.clone.Dir, link), os.Symlink(top, above),
		os.Mkdir(linkedGit, 0o700), os.Symlink(git, filepath.Join(linkedGit, ".git")))
	other := p.remote.Clone()
	handmade := p.clone.At(filepath.Join(top, "pr-99"))
	p.clone.At(s.Repo().GitDir()).Git("worktree", "add", "-q", "--detach", handmade.Dir, string(p.head))
	super := worktreetest.New(t)
	super.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", p.url, "sub")
	apart, apartGit := separate(t)
	for _, r := range []struct{ name, path, reason string }{
		{"relative path", "clone", "relative"},
		{"empty path", "", "relative"},
		{"dots in the path", p.clone.Dir + "/../clone", "shortest form"},
		{"slash at the end", p.clone.Dir + "/", "shortest form"},
		{"top of the file system", "/", "top of the file system"},
		{"missing", filepath.Join(top, "missing"), "does not exist"},
		{"a file", filepath.Join(p.clone.Dir, "a.txt"), "not a folder"},
		{"symlink to a worktree", link, "symlink"},
		{"symlink above a worktree", filepath.Join(above, "clone"), "symlink"},
		{"subdirectory", filepath.Join(p.clone.Dir, "in"), "inside the worktree"},
		{"git dir", git, "not a git repository"},
		{"no worktree", plain, "not a git repository"},
		{"bare repository", s.Repo().GitDir(), "bare"},
		{"symlink as .git", linkedGit, ""},
		{".git by hand that names the repository", fake("f1", git), ""},
		{".git by hand that names a linked worktree's git dir", fake("f2", filepath.Join(git, "worktrees", "linked")), "another folder"},
		{".git by hand that names a checkout's git dir", fake("f3", c.GitDir), "another folder"},
		{"worktree of the store that the store did not make", handmade.Dir, "did not make"},
		{"submodule of another repository", filepath.Join(super.Dir, "sub"), "belongs to the repository"},
		{".git by hand that names a submodule's git dir", fake("f4", filepath.Join(super.Dir, ".git", "modules", "sub")), "core.worktree points elsewhere"},
		{"git dir that lies apart and names no worktree", apart.Dir, "does not name its worktree"},
		{".git by hand that names a git dir that lies apart", fake("f5", apartGit), "does not name its worktree"},
		{"another clone", other.Dir, "belongs to the repository"},
		{"an unrelated repository", super.Dir, "belongs to the repository"},
	} {
		t.Run(r.name, func(t *testing.T) {
			root, repo, err := p.clone.Open().Authorize(ctx, r.path)
			if !errors.Is(err, worktree.ErrUnauthorizedRoot) || !strings.Contains(err.Error(), r.reason) {
				t.Errorf("%v, want %q", err, r.reason)
			}
			if root != (worktree.Root{}) || repo != nil {
				t.Errorf("it is refused and given: %+v", root)
			}
		})
	}
}

// separate makes a repository whose git dir lies apart from its worktree.
func separate(t *testing.T) (r *worktreetest.Repo, gitDir string) {
	t.Helper()
	r = worktreetest.New(t)
	r.Commit(map[string]string{"a.txt": "a\n"})
	gitDir = filepath.Join(filepath.Dir(r.Dir), "apart.git")
	r.Git("init", "-q", "--separate-git-dir", gitDir)
	return r, gitDir
}

func TestAuthorizeAcceptsARepositoryThatNamesItsWorktreeFromAfar(t *testing.T) {
	t.Parallel()
	inner := worktreetest.New(t)
	inner.Commit(map[string]string{"a.txt": "a\n"})
	super := worktreetest.New(t)
	super.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.Dir, "sub")
	sub := super.At(filepath.Join(super.Dir, "sub"))
	linked := filepath.Join(filepath.Dir(super.Dir), "linked")
	sub.Git("worktree", "add", "-q", "--detach", linked)
	apart, gitDir := separate(t)
	apart.Git("config", "core.worktree", apart.Dir)
	for _, path := range []string{sub.Dir, linked, apart.Dir} {
		root, r, err := worktree.Authorize(ctx, path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if err := root.Check(ctx); err != nil || r.Root() != path {
			t.Errorf("%s: root %s, %v", path, r.Root(), err)
		}
	}
	// What the file includes has no say: a pull request can edit that.
	apart.Git("config", "--unset", "core.worktree")
	apart.Write(map[string]string{".gitconfig": "[core]\n\tworktree = " + apart.Dir + "\n"})
	apart.Git("config", "include.path", filepath.Join(apart.Dir, ".gitconfig"))
	if _, _, err := worktree.Authorize(ctx, apart.Dir); !errors.Is(err, worktree.ErrNotNamed) || !errors.Is(err, worktree.ErrUnauthorizedRoot) {
		t.Errorf("named by a file of the tree: %v", err)
	}
	apart.Git("config", "--unset", "include.path")
	apart.Git("config", "core.worktree", apart.Dir)
	root, _, err := worktree.Authorize(ctx, apart.Dir)
	must(t, err)
	// The folder is swapped for another that names the same git dir.
	must(t, os.Rename(apart.Dir, apart.Dir+".old"), os.Mkdir(apart.Dir, 0o700),
		os.WriteFile(filepath.Join(apart.Dir, ".git"), []byte("gitdir: "+gitDir+"\n"), 0o600))
	if err := root.Check(ctx); !errors.Is(err, worktree.ErrUnauthorizedRoot) {
		t.Errorf("another folder took its place: %v", err)
	}
}

func TestRefusedRootAfterARepairInAFake(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	_, c := p.checkedOut(t)
	linked := filepath.Join(filepath.Dir(p.clone.Dir), "linked")
	p.clone.Git("worktree", "add", "-q", "--detach", linked)
	for _, path := range []string{linked, c.Root} {
		root, _, err := worktree.Authorize(ctx, path)
		if err != nil {
			t.Fatal(err)
		}
		fake := p.clone.At(path + "-fake")
		must(t, os.Mkdir(fake.Dir, 0o700), os.WriteFile(filepath.Join(fake.Dir, ".git"), []byte("gitdir: "+root.GitDir+"\n"), 0o600))
		fake.Git("worktree", "repair") // re-points git's own list
		if err := root.Check(ctx); !errors.Is(err, worktree.ErrUnauthorizedRoot) {
			t.Errorf("%s: %v, although its git dir belongs to the fake", path, err)
		}
		if path != c.Root {
			continue
		}
		// What the store made is pinned by the store, so even at first use
		// the fake is refused.
		if _, _, err := worktree.Authorize(ctx, fake.Dir); !errors.Is(err, worktree.ErrUnauthorizedRoot) {
			t.Errorf("the fake of %s: %v", path, err)
		}
	}
}

func TestRefusedRootOnceAnotherFolderTookItsPath(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	linked := filepath.Join(filepath.Dir(p.clone.Dir), "linked")
	for name, replace := range map[string]func(){
		"another clone": func() { p.remote.Git("clone", "-q", p.url, linked) },
		"a copy of it":  func() { must(t, os.CopyFS(linked, os.DirFS(linked+"-old"))) },
		"a symlink":     func() { must(t, os.Symlink(linked+"-old", linked)) },
		"nothing":       func() {},
		"a worktree of the same repository": func() {
			p.clone.Git("worktree", "prune")
			p.clone.Git("worktree", "add", "-q", "--detach", linked)
		},
	} {
		p.clone.Git("worktree", "add", "-q", "--detach", linked)
		root, _, err := worktree.Authorize(ctx, linked)
		must(t, err, os.Rename(linked, linked+"-old"))
		replace()
		if err := root.Check(ctx); !errors.Is(err, worktree.ErrUnauthorizedRoot) {
			t.Errorf("%s: %v", name, err)
		}
		must(t, os.RemoveAll(linked), os.RemoveAll(linked+"-old"))
		p.clone.Git("worktree", "prune")
	}
}

func TestRefusedRootHasNoSayInItsOwnAuthorisation(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.txt": "a\n"})
	elsewhere := t.TempDir()
	r.Git("config", "core.worktree", elsewhere)
	if root, _, err := worktree.Authorize(ctx, elsewhere); !errors.Is(err, worktree.ErrUnauthorizedRoot) {
		t.Errorf("core.worktree authorises %+v, %v", root, err)
	}
	if root, _, err := worktree.Authorize(ctx, r.Dir); !errors.Is(err, worktree.ErrUnauthorizedRoot) {
		t.Errorf("a repository whose core.worktree is elsewhere: %+v, %v", root, err)
	}
}
