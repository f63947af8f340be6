package worktree_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

// stateIn is the state in a folder that is accepted.
func stateIn(t *testing.T, dir string) worktree.State {
	t.Helper()
	s, err := worktree.StateIn(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStateIsRefusedWhereItIsNotOnesOwn(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	file := filepath.Join(base, "file")
	open := filepath.Join(base, "open")
	dangling := filepath.Join(base, "dangling")
	if err := errors.Join(
		os.WriteFile(file, nil, 0o600), os.Mkdir(open, 0o700), os.Chmod(open, 0o777),
		os.Symlink(filepath.Join(base, "nowhere"), dangling),
	); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{
		"empty": "", "relative": "state", "relative with a dot": "./state", "from the home folder": "~/state",
		"a file": file, "below a file": filepath.Join(file, "state"), "for everybody to write": open,
		"a link to nothing": dangling, "below a link to nothing": filepath.Join(dangling, "state"),
	} {
		if _, err := worktree.StateIn(dir); !errors.Is(err, worktree.ErrBadStateDir) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
}

func TestStateIsRefusedInsideTheRepository(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a/a.go": "package a\n"})
	linked := filepath.Join(filepath.Dir(r.Dir), "linked")
	r.Git("worktree", "add", "-q", "--detach", linked, "HEAD")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.Dir, link); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{
		"the worktree": r.Dir, "a folder of it": filepath.Join(r.Dir, "a"), "one that is to be": filepath.Join(r.Dir, "b", "c"),
		"the git dir": filepath.Join(r.Dir, ".git"), "inside the git dir": filepath.Join(r.Dir, ".git", "previdence"),
		"another worktree": filepath.Join(linked, "state"), "behind a link": filepath.Join(link, "state"),
	} {
		for _, root := range []string{r.Dir, linked} {
			if _, err := stateIn(t, dir).Open(t.Context(), root); !errors.Is(err, worktree.ErrBadStateDir) {
				t.Errorf("%s, opened at %s: error is %v", name, root, err)
			}
			if _, _, err := stateIn(t, dir).Authorize(t.Context(), root); !errors.Is(err, worktree.ErrBadStateDir) || errors.Is(err, worktree.ErrUnauthorizedRoot) {
				t.Errorf("%s, authorized at %s: error is %v", name, root, err)
			}
		}
	}
	if _, err := stateIn(t, linked+"-state").Open(t.Context(), linked); err != nil {
		t.Errorf("beside a worktree: %v", err)
	}
}

func TestRefusesToShareStateBetweenWorktrees(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "to", "be", "made")
	state := stateIn(t, dir)
	seen, shared := map[string]string{}, map[string]bool{}
	for range 2 { // two repositories with one name
		r := worktreetest.New(t)
		r.Commit(map[string]string{"a.go": "package a\n"})
		linked := filepath.Join(filepath.Dir(r.Dir), filepath.Base(r.Dir)+"-linked")
		r.Git("worktree", "add", "-q", "--detach", linked, "HEAD")
		bare := r.Clone("--bare").Dir
		for _, root := range []string{r.Dir, linked, bare} {
			repo, err := state.Open(t.Context(), root)
			if err != nil {
				t.Fatal(err)
			}
			own := repo.WorktreeStateDir()
			if other := seen[own]; other != "" || !strings.HasPrefix(own, dir) || !strings.HasPrefix(own, repo.StateDir()) {
				t.Errorf("state of %s is in %s, as that of %q", root, own, other)
			}
			seen[own], shared[repo.StateDir()] = root, true
		}
	}
	if len(shared) != 4 {
		t.Errorf("4 repositories share %d folders", len(shared))
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("opening made a folder")
	}
}

func TestStateThatLeadsElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.go": "package a\n"})
	linked := filepath.Join(filepath.Dir(r.Dir), "linked")
	r.Git("worktree", "add", "-q", "--detach", linked, "HEAD")
	state := stateIn(t, t.TempDir())
	one, err := state.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	two, err := state.Open(t.Context(), linked)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.MkdirAll(one.WorktreeStateDir(), 0o700), os.Symlink(one.WorktreeStateDir(), two.WorktreeStateDir())); err != nil {
		t.Fatal(err)
	}
	if _, err := state.Open(t.Context(), linked); !errors.Is(err, worktree.ErrBadStateDir) {
		t.Errorf("a link to the state of another worktree: %v", err)
	}
	if _, err := state.Open(t.Context(), r.Dir); err != nil {
		t.Errorf("that worktree itself: %v", err)
	}
}

// A checkout's own state goes with it; what it shares is that of the repository.
func TestAStoreOutsideTheRepositoryBelongsToIt(t *testing.T) {
	t.Parallel()
	r := worktreetest.New(t)
	head := worktree.OID(r.Commit(map[string]string{"a.go": "package a\n"}))
	state := stateIn(t, t.TempDir())
	repo, err := state.Open(t.Context(), r.Dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := repo.Store(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	made, err := s.Add(t.Context(), 7, head, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(repo.StateDir(), "checkouts", "pr-7"); made.Root != want {
		t.Errorf("the checkout is at %s, want %s", made.Root, want)
	}
	_, checkout, err := repo.Authorize(t.Context(), made.Root)
	if err != nil {
		t.Fatal(err)
	}
	if checkout.StateDir() != repo.StateDir() || checkout.WorktreeStateDir() != filepath.Join(made.GitDir, "previdence") {
		t.Errorf("the checkout has its state in %s and %s", checkout.StateDir(), checkout.WorktreeStateDir())
	}
	if dirs := repo.StateDirs(); !slices.Equal(dirs, []string{repo.StateDir(), checkout.WorktreeStateDir()}) {
		t.Errorf("state lies in %q", dirs)
	}
	if _, err := os.Lstat(filepath.Join(r.Dir, ".git", "previdence")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something lies in the repository: %v", err)
	}
	if _, err := stateIn(t, filepath.Join(made.Root, "state")).Open(t.Context(), made.Root); !errors.Is(err, worktree.ErrBadStateDir) {
		t.Errorf("state inside a checkout: %v", err)
	}
	// Who does not know of the folder takes the store for a repository of its own.
	if plain := r.At(made.Root).Open(); plain.StateDir() != filepath.Join(plain.CommonDir(), "previdence") {
		t.Errorf("without the folder its state is in %s", plain.StateDir())
	}
}
