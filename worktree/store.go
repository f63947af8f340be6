package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// A store is an empty bare repository that borrows the objects of another one.
// It has our configuration, no refs and no attributes. Making one takes a
// fraction of a millisecond, so each git that reads objects gets its own and
// nothing is left behind that could be tampered with.
type store struct {
	place
	path  string
	claim *os.File // held as long as the store is used; see ReapTemporary
}

const (
	storePrefix = "previdence-store-" // of the names of stores in the folder for temporary files
	claimName   = "claim"
)

// newStore makes a store for the objects of r. The caller removes it.
func (r *Repo) newStore() (store, error) {
	s, err := claimed()
	if err == nil {
		if err = s.fill(r.format); err != nil {
			s.remove()
		}
	}
	if err != nil {
		return store{}, fmt.Errorf("make a place for git: %w", err)
	}
	s.place = place{dir: s.path, env: []string{
		"GIT_DIR=" + s.path,
		"GIT_OBJECT_DIRECTORY=" + r.objects(),
		// Where history was cut is the one fact that lives outside objects.
		"GIT_SHALLOW_FILE=" + filepath.Join(r.commonDir, "shallow"),
	}}
	return s, nil
}

// claimed makes an empty folder and claims it, so that nobody takes it for one that
// a killed process left behind.
func claimed() (store, error) {
	for {
		path, err := os.MkdirTemp("", storePrefix)
		if err != nil {
			return store{}, err
		}
		name := filepath.Join(path, claimName)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue // somebody removed the folder before it was claimed
		}
		if err != nil {
			return store{}, errors.Join(err, os.Remove(path))
		}
		s := store{path: path, claim: f}
		held, err := tryLock(f)
		if err == nil && held && isAt(f, name) {
			return s, nil
		}
		s.remove()
		if err != nil {
			return store{}, err
		}
	}
}

func (s store) fill(format string) error {
	config := "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if format == formatSHA256 {
		config = "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n"
	}
	for name, text := range map[string]string{"config": config, "HEAD": "ref: refs/heads/unborn\n"} {
		if err := os.WriteFile(filepath.Join(s.path, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return os.Mkdir(filepath.Join(s.path, "refs"), 0o700)
}

// remove deletes the store. A leftover is empty and harmless, so a failure is
// nobody's concern.
func (s store) remove() {
	_ = emptyStore(s.path)
	_ = s.claim.Close()
}

// emptyStore deletes a store, its claim last: what is left of a removal that is
// stopped half way can still be told from one that somebody uses.
func emptyStore(path string) error {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() != claimName {
			if err := os.RemoveAll(filepath.Join(path, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(path)
}
