package worktree

import (
	"fmt"
	"os"
	"path/filepath"
)

// A store is an empty bare repository that borrows the objects of another one.
// It has our configuration, no refs and no attributes. Making one takes a
// fraction of a millisecond, so each git that reads objects gets its own and
// nothing is left behind that could be tampered with.
type store struct {
	place
	path string
}

// newStore makes a store for the objects of r. The caller removes it.
func (r *Repo) newStore() (store, error) {
	path, err := os.MkdirTemp("", "previdence-store-")
	if err != nil {
		return store{}, fmt.Errorf("make a place for git: %w", err)
	}
	s := store{path: path}
	if err := s.fill(r.format); err != nil {
		s.remove()
		return store{}, fmt.Errorf("make a place for git: %w", err)
	}
	s.place = place{dir: path, env: []string{
		"GIT_DIR=" + path,
		"GIT_OBJECT_DIRECTORY=" + r.objects(),
		// Where history was cut is the one fact that lives outside objects.
		"GIT_SHALLOW_FILE=" + filepath.Join(r.commonDir, "shallow"),
	}}
	return s, nil
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
func (s store) remove() { _ = os.RemoveAll(s.path) }
