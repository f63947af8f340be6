//go:build unix

package worktree_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/previdence/previdence/worktree"
	"github.com/previdence/previdence/worktree/worktreetest"
)

func TestReapTemporaryTakesWhatTheDeadLeftAndNothingElse(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	r := worktreetest.New(t)
	r.Commit(map[string]string{"a.txt": "a\n"})
	// A process is killed while it reads objects.
	dead := exec.Command(os.Args[0])
	dead.Env = append(os.Environ(), holder+"="+r.Dir)
	must(t, dead.Start())
	var left []string
	for len(left) == 0 {
		var err error
		left, err = filepath.Glob(filepath.Join(tmp, "previdence-store-*", "HEAD"))
		must(t, err)
		time.Sleep(time.Millisecond)
	}
	must(t, dead.Process.Kill())
	_ = dead.Wait()
	// Another one lives.
	living := r.Open().Reader()
	defer living.Close()
	if _, err := living.TreeOf(ctx, r.Rev("HEAD")); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "precious")
	folder := func(name string, mode fs.FileMode) string {
		dir := filepath.Join(tmp, name)
		must(t, os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "claim"), nil, 0o600), os.Chmod(dir, mode))
		return dir
	}
	must(t, os.Mkdir(outside, 0o700), os.WriteFile(filepath.Join(outside, "claim"), nil, 0o600))
	link := filepath.Join(tmp, "previdence-store-link")
	must(t, os.Symlink(outside, link))
	shared := folder("previdence-store-shared", 0o755)
	other := folder("somebodys-store", 0o700)
	full := filepath.Join(tmp, "previdence-store-unclaimed")
	must(t, os.MkdirAll(filepath.Join(full, "mine"), 0o700), os.Mkdir(filepath.Join(tmp, "previdence-store-empty"), 0o700))

	gone, err := worktree.ReapTemporary(ctx)
	must(t, err)
	if len(gone) != 2 {
		t.Errorf("gone are %v", gone)
	}
	for _, path := range []string{filepath.Dir(left[0]), filepath.Join(tmp, "previdence-store-empty")} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	for _, path := range []string{filepath.Join(outside, "claim"), link, shared, other, full} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
	if _, err := living.TreeOf(ctx, r.Rev("HEAD")); err != nil {
		t.Errorf("the one that lives: %v", err)
	}
}
