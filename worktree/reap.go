package worktree

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A Leftover is something that is gone which nobody needed any more.
type Leftover struct {
	Path  string
	Bytes int64
}

// ReapTemporary removes the stores that killed processes left in the folder for
// temporary files: those of this user that nobody claims. What cannot be judged
// stays.
func ReapTemporary(ctx context.Context) ([]Leftover, error) {
	entries, err := os.ReadDir(os.TempDir())
	if err != nil {
		return nil, err
	}
	var gone []Leftover
	for _, e := range entries {
		if ctx.Err() != nil {
			return gone, context.Cause(ctx)
		}
		if named, err := filepath.Match(storePrefix+"*", e.Name()); err != nil || !named {
			continue
		}
		path := filepath.Join(os.TempDir(), e.Name())
		bytes, removed, err := reapStore(path)
		if removed {
			gone = append(gone, Leftover{path, bytes})
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return gone, err
		}
	}
	return gone, nil
}

func reapStore(path string) (bytes int64, removed bool, err error) {
	info, err := os.Lstat(path)
	if err != nil || !reapable(info) {
		return 0, false, err
	}
	name := filepath.Join(path, claimName)
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		// Killed before it claimed the folder, or about to: then it takes another.
		return 0, os.Remove(path) == nil, nil
	}
	if err != nil {
		return 0, false, err
	}
	abandoned, err := tryLock(f)
	if err == nil && abandoned && isAt(f, name) {
		bytes = sizeBelow(path)
		err = emptyStore(path)
		removed = err == nil
	}
	return bytes, removed, errors.Join(err, f.Close())
}

// isAt reports whether f is what lies at path.
func isAt(f *os.File, path string) bool {
	a, err1 := f.Stat()
	b, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// sizeBelow adds up the regular files below a path, without those that go
// meanwhile.
func sizeBelow(path string) (bytes int64) {
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // it is gone, or nobody can say
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}
