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

// checkedOut is the pull request's checkout and the store.
func (p *pulls) checkedOut(t *testing.T) (*worktree.Store, worktree.Checkout) {
	t.Helper()
	s := p.fetched(t)
	c, err := s.Add(ctx, 7, p.head, filepath.Join(filepath.Dir(p.clone.Dir), "state"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func TestACheckoutHoldsTheBytesOfItsBlobs(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	base := r.Commit(map[string]string{"a.txt": "a\n"})
	r.Git("update-ref", "refs/heads/main", string(base))
	files := map[string]string{
		".gitattributes": "*.id ident\n*.crlf text eol=crlf\n*.u16 working-tree-encoding=UTF-16\n*.lfs filter=lfs\n*.hidden export-ignore\n",
		"a.id":           "$Id$\n", "b.crlf": "one\n", "c.u16": "text\n", "d.lfs": "version https://git-lfs.github.com/spec/v1\n",
		"e.hidden": "x\n", "in/side/f.txt": "f\r\n", "caf\xe9.txt": "not UTF-8\n", "new\nline": "x\n", "-dash": "x\n",
	}
	var entries []worktreetest.Entry
	for _, name := range []string{"-dash", ".gitattributes", "a.id", "b.crlf", "c.u16", "caf\xe9.txt", "d.lfs", "e.hidden"} {
		entries = append(entries, worktreetest.Entry{Mode: "100644", Name: name, OID: r.Object("blob", files[name])})
	}
	side := r.Tree(worktreetest.Entry{Mode: "100644", Name: "f.txt", OID: r.Object("blob", files["in/side/f.txt"])})
	in := r.Tree(worktreetest.Entry{Mode: "40000", Name: "side", OID: side})
	entries = append(entries,
		worktreetest.Entry{Mode: "40000", Name: "in", OID: in},
		worktreetest.Entry{Mode: "120000", Name: "link", OID: r.Object("blob", "../../../etc/passwd")},
		worktreetest.Entry{Mode: "100644", Name: "new\nline", OID: r.Object("blob", files["new\nline"])},
		worktreetest.Entry{Mode: "100755", Name: "run", OID: r.Object("blob", "#!/bin/sh\n")},
		worktreetest.Entry{Mode: "160000", Name: "sub", OID: base},
	)
	head := r.CommitTree(r.Tree(entries...), base)
	s := storeOf(t, r)
	c, err := s.Add(ctx, 3, head, filepath.Join(t.TempDir(), "a b", "state"), nil)
	if err != nil {
		t.Fatal(err)
	}
	files["link"], files["run"] = "../../../etc/passwd", "#!/bin/sh\n"
	for name, want := range files {
		path := filepath.Join(c.Root, name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			t.Errorf("%q is no plain file: %v, %v", name, info, err)
			continue
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q holds %q, %v, want %q", name, got, err, want)
		}
		if runs := info.Mode()&0o100 != 0; runs != (name == "run") {
			t.Errorf("%q has the mode %s", name, info.Mode())
		}
	}
	if inside, err := os.ReadDir(filepath.Join(c.Root, "sub")); err != nil || len(inside) > 0 {
		t.Errorf("the submodule holds %v, %v", inside, err)
	}
	at := r.At(c.Root)
	if status := at.Git("status", "--porcelain", "--ignored"); status != "" {
		t.Errorf("git status: %s", status)
	}
	if found := at.Git("grep", "-c", "text", "--", "c.u16"); found != "c.u16:1" {
		t.Errorf("git grep: %s", found)
	}
	if got := at.Rev("HEAD"); got != head {
		t.Errorf("HEAD is %s, want %s", got, head)
	}
}

func TestAddTwiceIsOneCheckout(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	s, c := p.checkedOut(t)
	again, err := s.Add(ctx, 7, p.head, filepath.Dir(c.Root), nil)
	if err != nil || again != c {
		t.Errorf("%+v, %v, want %+v", again, err, c)
	}
	if made, err := s.Checkouts(ctx); err != nil || len(made) != 1 || made[0] != c || c.State != worktree.CheckoutReady {
		t.Errorf("%+v, %v", made, err)
	}
	if _, err := s.Add(ctx, 7, p.head, t.TempDir(), nil); !errors.Is(err, worktree.ErrOccupied) {
		t.Errorf("a second checkout elsewhere: %v", err)
	}
}

func TestANewHeadTakesThePlaceOfACleanCheckoutOnly(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	s, c := p.checkedOut(t)
	mine := filepath.Join(c.Root, "mine.txt")
	if err := os.WriteFile(mine, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(ctx, 7, p.base, filepath.Dir(c.Root), nil); !errors.Is(err, worktree.ErrDirty) {
		t.Errorf("a dirty checkout is replaced: %v", err)
	}
	if err := os.Remove(mine); err != nil {
		t.Fatal(err)
	}
	now, err := s.Add(ctx, 7, p.base, filepath.Dir(c.Root), nil)
	if err != nil || now.Root != c.Root || now.Head != p.base {
		t.Fatalf("%+v, %v", now, err)
	}
	if _, err := os.Lstat(filepath.Join(c.Root, "b.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file of the old head is left: %v", err)
	}
}

func TestRemoveRefusesADirtyCheckoutAndSaysWhatIsInIt(t *testing.T) {
	t.Parallel()
	write := func(name, text string) func(*testing.T, *worktreetest.Repo) {
		return func(_ *testing.T, r *worktreetest.Repo) { r.Write(map[string]string{name: text}) }
	}
	git := func(args ...string) func(*testing.T, *worktreetest.Repo) {
		return func(_ *testing.T, r *worktreetest.Repo) { r.Git(args...) }
	}
	both := func(fs ...func(*testing.T, *worktreetest.Repo)) func(*testing.T, *worktreetest.Repo) {
		return func(t *testing.T, r *worktreetest.Repo) {
			for _, f := range fs {
				f(t, r)
			}
		}
	}
	for _, c := range []struct {
		name, want string
		change     func(t *testing.T, r *worktreetest.Repo)
	}{
		{"modified", `modified "b.txt"`, write("b.txt", "c\n")},
		{"modified with the same size and hidden by assume-unchanged", `modified "b.txt"`,
			both(git("update-index", "--assume-unchanged", "b.txt"), write("b.txt", "c\n"))},
		{"deleted and hidden by skip-worktree", `deleted "b.txt"`,
			both(git("update-index", "--skip-worktree", "b.txt"), func(t *testing.T, r *worktreetest.Repo) {
				if err := os.Remove(filepath.Join(r.Dir, "b.txt")); err != nil {
					t.Fatal(err)
				}
			})},
		{"staged and then changed back", `staged "b.txt"`, both(write("b.txt", "c\n"), git("add", "b.txt"), write("b.txt", "b\n"))},
		{"staged deletion", `staged deletion of "b.txt"`, git("rm", "-q", "--cached", "b.txt")},
		{"untracked", `untracked "mine.txt"`, write("mine.txt", "x\n")},
		{"untracked and ignored", `untracked "mine.log"`, write("mine.log", "x\n")},
		{"untracked folder", `untracked folder "build"`, write("build/x", "x\n")},
		{"mode", `mode changed: "b.txt"`, func(t *testing.T, r *worktreetest.Repo) {
			if err := os.Chmod(filepath.Join(r.Dir, "b.txt"), 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"type", `type changed: "b.txt"`, func(t *testing.T, r *worktreetest.Repo) {
			path := filepath.Join(r.Dir, "b.txt")
			if err := errors.Join(os.Remove(path), os.Symlink("a.txt", path)); err != nil {
				t.Fatal(err)
			}
		}},
		{"intent to add", `staged "mine.txt"`, both(write("mine.txt", "x\n"), git("add", "-N", "mine.txt"))},
		{"a commit of its own", "HEAD is at ", git("commit", "-q", "--allow-empty", "-m", "mine")},
		{"a branch of its own", "HEAD is at ref: refs/heads/mine", git("checkout", "-q", "-b", "mine")},
		{"an embedded repository", `untracked folder "inner"`, git("init", "-q", "inner")},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPulls(t, map[string]string{"b.txt": "b\n", ".gitignore": "*.log\n"})
			s, made := p.checkedOut(t)
			c.change(t, p.clone.At(made.Root))
			err := s.Remove(ctx, made.Root, nil)
			if !errors.Is(err, worktree.ErrDirty) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want it to name %s", err, c.want)
			}
			if left, err := s.Checkouts(ctx); err != nil || len(left) != 1 || left[0].State != worktree.CheckoutReady {
				t.Errorf("%+v, %v", left, err)
			}
		})
	}
}

func TestRemoveTakesACleanCheckoutWithItsGraphAndNothingElse(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	s, c := p.checkedOut(t)
	graph := filepath.Join(c.GitDir, "previdence", "graph.db")
	neighbour := filepath.Join(filepath.Dir(c.Root), "pr-77")
	if err := errors.Join(os.MkdirAll(filepath.Dir(graph), 0o700), os.WriteFile(graph, nil, 0o600), os.Mkdir(neighbour, 0o700)); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(ctx, neighbour, nil); !errors.Is(err, worktree.ErrNoCheckout) {
		t.Errorf("a folder that the store did not make: %v", err)
	}
	if err := s.Remove(ctx, c.Root, nil); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{c.Root, c.GitDir, graph} {
		if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
	left, err := os.ReadDir(filepath.Dir(c.Root))
	if err != nil || len(left) != 1 || left[0].Name() != "pr-77" {
		t.Errorf("beside it there is %v, %v", left, err)
	}
	if f, err := s.Repo().Resolve(ctx, "refs/review/pr/7/head"); err != nil || f != p.head {
		t.Errorf("the fetched head is gone: %v", err)
	}
	if err := s.Remove(ctx, c.Root, nil); !errors.Is(err, worktree.ErrNoCheckout) {
		t.Errorf("a second time: %v", err)
	}
}

func TestPruneEndsWhatAKilledProcessLeft(t *testing.T) {
	t.Parallel()
	setState := func(t *testing.T, s *worktree.Store, state string) {
		t.Helper()
		path := filepath.Join(s.Repo().GitDir(), "checkouts", "pr-7.json")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text = []byte(strings.Replace(string(text), `"state":"ready"`, `"state":"`+state+`"`, 1))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trash := func(c worktree.Checkout) string { return filepath.Join(filepath.Dir(c.Root), ".removing-pr-7") }
	for name, killed := range map[string]func(t *testing.T, s *worktree.Store, c worktree.Checkout){
		"before git began": func(t *testing.T, s *worktree.Store, c worktree.Checkout) {
			setState(t, s, "half_made")
			if err := errors.Join(os.RemoveAll(c.Root), os.RemoveAll(c.GitDir)); err != nil {
				t.Fatal(err)
			}
		},
		"while files were written": func(t *testing.T, s *worktree.Store, c worktree.Checkout) {
			setState(t, s, "half_made")
			if err := os.Remove(filepath.Join(c.Root, "b.txt")); err != nil {
				t.Fatal(err)
			}
		},
		"before the first file went": func(t *testing.T, s *worktree.Store, _ worktree.Checkout) { setState(t, s, "half_removed") },
		"while files went": func(t *testing.T, s *worktree.Store, c worktree.Checkout) {
			setState(t, s, "half_removed")
			if err := errors.Join(os.Rename(c.Root, trash(c)), os.Remove(filepath.Join(trash(c), ".git"))); err != nil {
				t.Fatal(err)
			}
		},
		"before the record went": func(t *testing.T, s *worktree.Store, c worktree.Checkout) {
			setState(t, s, "half_removed")
			if err := errors.Join(os.RemoveAll(c.Root), os.RemoveAll(c.GitDir)); err != nil {
				t.Fatal(err)
			}
		},
		"not at all, but the folder was deleted": func(t *testing.T, _ *worktree.Store, c worktree.Checkout) {
			if err := os.RemoveAll(c.Root); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPulls(t, map[string]string{"b.txt": "b\n"})
			s, c := p.checkedOut(t)
			killed(t, s, c)
			if list, err := s.Checkouts(ctx); err != nil || len(list) != 1 || list[0].State == worktree.CheckoutReady {
				t.Errorf("before: %+v, %v", list, err)
			}
			if pruned, err := s.Prune(ctx); err != nil || len(pruned) != 1 || pruned[0] != c.Root {
				t.Errorf("pruned %v, %v", pruned, err)
			}
			for _, path := range []string{c.Root, c.GitDir, trash(c)} {
				if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%s is left: %v", path, err)
				}
			}
			if list, err := s.Checkouts(ctx); err != nil || len(list) != 0 {
				t.Errorf("after: %+v, %v", list, err)
			}
			if _, err := s.Add(ctx, 7, p.head, filepath.Dir(c.Root), nil); err != nil {
				t.Errorf("it cannot be made again: %v", err)
			}
		})
	}
}

func TestPruneRefusesWhatIsCompleteAndWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	s, c := p.checkedOut(t)
	if pruned, err := s.Prune(ctx); err != nil || len(pruned) != 0 {
		t.Errorf("pruned %v, %v", pruned, err)
	}
	if _, err := os.Lstat(filepath.Join(c.Root, "b.txt")); err != nil {
		t.Error(err)
	}
	for name, replace := range map[string]func(){
		"a folder of somebody's own": func() { must(t, os.Mkdir(c.Root, 0o700)) },
		"a copy that was worked in":  func() { must(t, os.CopyFS(c.Root, os.DirFS(c.Root+"-old"))) },
	} {
		must(t, os.Rename(c.Root, c.Root+"-old"))
		replace()
		own := filepath.Join(c.Root, "own.txt")
		must(t, os.WriteFile(own, nil, 0o600))
		if err := s.Remove(ctx, c.Root, nil); !errors.Is(err, worktree.ErrNoCheckout) {
			t.Errorf("%s: %v", name, err)
		}
		if pruned, err := s.Prune(ctx); err != nil || len(pruned) != 1 { // it is forgotten
			t.Errorf("%s: pruned %v, %v", name, pruned, err)
		}
		if _, err := s.Add(ctx, 7, p.head, filepath.Dir(c.Root), nil); !errors.Is(err, worktree.ErrOccupied) {
			t.Errorf("%s: a checkout over it: %v", name, err)
		}
		if _, err := os.Lstat(own); err != nil {
			t.Errorf("%s: a file of somebody else is gone: %v", name, err)
		}
		must(t, os.RemoveAll(c.Root), os.RemoveAll(c.Root+"-old"))
		if _, err := s.Add(ctx, 7, p.head, filepath.Dir(c.Root), nil); err != nil {
			t.Errorf("%s: it cannot be made again: %v", name, err)
		}
	}
}

func TestAddRefusesWhatCannotBeWrittenAsItIs(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	base := r.Commit(map[string]string{"a.txt": "a\n"})
	blob := r.Object("blob", "x\n")
	tree := func(entries ...worktreetest.Entry) worktree.OID { return r.CommitTree(r.Tree(entries...), base) }
	deep := r.Tree(worktreetest.Entry{Mode: "100644", Name: "f", OID: blob})
	for range 300 {
		deep = r.Tree(worktreetest.Entry{Mode: "40000", Name: "d", OID: deep})
	}
	forged := r.Commit(map[string]string{"forged.txt": "what the commit says\n"})
	forgedBlob := r.Rev("HEAD:forged.txt")
	other := worktreetest.New(t)
	liar, err := os.ReadFile(other.LooseObject(other.Object("blob", "what somebody wants\n!")))
	if err != nil {
		t.Fatal(err)
	}
	r.ReplaceObject(forgedBlob, liar)
	missing := r.Commit(map[string]string{"forged.txt": "z\n", "missing.txt": "never here\n"})
	r.RemoveObject(r.Rev("HEAD:missing.txt"))
	s := storeOf(t, r)
	parent := filepath.Join(t.TempDir(), "state")
	for _, c := range []struct {
		name string
		head worktree.OID
		want error
	}{
		{"an entry .git", tree(worktreetest.Entry{Mode: "100644", Name: ".git", OID: blob}), worktree.ErrCheckoutFailed},
		{"an entry ..", tree(worktreetest.Entry{Mode: "40000", Name: "..", OID: deep}), worktree.ErrCheckoutFailed},
		{"too many folders deep", tree(worktreetest.Entry{Mode: "40000", Name: "d", OID: deep}), worktree.ErrCheckoutFailed},
		{"a name of 300 bytes", tree(worktreetest.Entry{Mode: "100644", Name: strings.Repeat("n", 300), OID: blob}), worktree.ErrCheckoutFailed},
		{"a forged object", forged, worktree.ErrCheckoutFailed},
		{"a missing object", missing, worktree.ErrObjectMissing},
		{"no commit", blob, worktree.ErrNotCommit},
		{"an unknown commit", worktree.OID(strings.Repeat("1", 40)), worktree.ErrObjectMissing},
	} {
		if _, err := s.Add(ctx, 5, c.head, parent, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if left, err := os.ReadDir(parent); err == nil && len(left) > 0 {
			t.Errorf("%s: %v is left", c.name, left)
		}
		if list, err := s.Checkouts(ctx); err != nil || len(list) > 0 {
			t.Errorf("%s: %v is listed, %v", c.name, list, err)
		}
		if left, err := os.ReadDir(filepath.Join(s.Repo().GitDir(), "worktrees")); err == nil && len(left) > 0 {
			t.Errorf("%s: git has %v", c.name, left)
		}
	}
}

func TestAddRefusesAPlaceInsideTheRepository(t *testing.T) {
	t.Parallel()
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	s := p.fetched(t)
	for _, parent := range []string{p.clone.Dir, filepath.Join(p.clone.Dir, "state"), filepath.Join(p.clone.Dir, ".git", "x"), "relative"} {
		if _, err := s.Add(ctx, 7, p.head, parent, nil); !errors.Is(err, worktree.ErrNoStateFolder) {
			t.Errorf("%s: %v", parent, err)
		}
	}
}

func TestCheckoutsOfTwoClonesHavePlacesOfTheirOwn(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_STATE_HOME", home)
	p := newPulls(t, map[string]string{"b.txt": "b\n"})
	roots := map[string]bool{}
	for _, clone := range []*worktreetest.Repo{p.clone, p.remote.Clone()} {
		p.clone = clone
		c, err := p.fetched(t).Add(ctx, 7, p.head, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(c.Root, filepath.Join(home, "previdence")) || filepath.Base(c.Root) != "pr-7" {
			t.Errorf("a checkout is at %s", c.Root)
		}
		roots[c.Root] = true
	}
	if len(roots) != 2 {
		t.Errorf("both are at %v", roots)
	}
	t.Setenv("XDG_STATE_HOME", "relative")
	t.Setenv("HOME", "")
	p.clone = p.remote.Clone()
	if _, err := p.fetched(t).Add(ctx, 7, p.head, "", nil); !errors.Is(err, worktree.ErrNoStateFolder) {
		t.Errorf("without a home: %v", err)
	}
}
