package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// create makes the file that a graph is built in and claims it, so that nobody
// takes it for one that a killed build left behind.
func create(dir string) (*os.File, error) {
	for {
		f, err := os.CreateTemp(dir, temporary) // mode 0600
		if err != nil {
			return nil, err
		}
		held, err := claim(f)
		if err == nil && held && isAt(f, f.Name()) {
			return f, nil
		}
		// Somebody removed the file before it was claimed.
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, errors.Join(err, os.Remove(f.Name()))
		}
	}
}

// isAt reports whether f is what lies at path.
func isAt(f *os.File, path string) bool {
	a, err1 := f.Stat()
	b, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// A Leftover is a file that a killed build left and that is gone now.
type Leftover struct {
	Path  string
	Bytes int64
}

// Reap removes what killed builds left in a folder: files that nobody claims.
// One that cannot be judged stays.
func Reap(dir string) ([]Leftover, error) {
	left, err := filepath.Glob(filepath.Join(escapeGlob(dir), temporary))
	if err != nil {
		return nil, err
	}
	var gone []Leftover
	var errs []error
	for _, path := range left {
		size, removed, err := reapFile(path)
		if removed {
			gone = append(gone, Leftover{path, size})
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return gone, errors.Join(errs...)
}

func reapFile(path string) (size int64, removed bool, err error) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return 0, false, err
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return 0, false, err
	}
	abandoned, err := claim(f)
	if err == nil && abandoned && isAt(f, path) {
		err = os.Remove(path)
		removed = err == nil
	}
	return info.Size(), removed, errors.Join(err, f.Close())
}

// escapeGlob makes a folder's name match itself only.
func escapeGlob(dir string) string {
	var out []byte
	for i := range len(dir) {
		switch dir[i] {
		case '*', '?', '[', '\\':
			out = append(out, '\\')
		}
		out = append(out, dir[i])
	}
	return string(out)
}
