package provenance

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrUnsafeFolder means that the state folder, or a file in it, is not what this
// program would have made: a link, another owner's to write, or swapped while it
// was in use.
var ErrUnsafeFolder = errors.New("state folder is not safe")

// ErrBusy means that another process holds a lock.
var ErrBusy = errors.New("another process holds it")

const (
	graphName = "graph.db"
	lockName  = "graph.lock"
)

// sidecars are the files that SQLite may keep beside a database. Graphs are
// written and read without them, so one that lies there was put there.
var sidecars = []string{graphName + "-journal", graphName + "-wal", graphName + "-shm"}

// A folder is a state folder, opened once. All that is done in it goes through
// the open folder; the path is used only for SQLite, which knows nothing else,
// and compared before and after.
type folder struct {
	path string
	root *os.Root
	info fs.FileInfo // device and inode
}

// openFolder opens a state folder. If it is not there the error is
// [fs.ErrNotExist], unless it is to be made.
func openFolder(path string, create bool) (*folder, error) {
	if create {
		if err := os.MkdirAll(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("state folder: %w", err)
		}
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(path); err != nil || real != path || !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder of its own: %w", path, ErrUnsafeFolder)
	}
	if !private(info) {
		return nil, fmt.Errorf("%s has mode %04o, not 0700: %w", path, info.Mode().Perm(), ErrUnsafeFolder)
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	f := &folder{path: path, root: root, info: info}
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(opened, info) {
		err = f.swapped()
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return f, nil
}

func (f *folder) close() error { return f.root.Close() }

func (f *folder) swapped() error {
	return fmt.Errorf("%s was swapped while it was in use: %w", f.path, ErrUnsafeFolder)
}

// check reports whether the path still names the folder that was opened.
func (f *folder) check() error {
	now, err := os.Lstat(f.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, f.info) {
		return f.swapped()
	}
	return err
}

// plain returns what a file of the folder is. It refuses a link, a file with a
// second name, and whatever else is no plain file.
func (f *folder) plain(name string) (fs.FileInfo, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || links(info) != 1 {
		return nil, fmt.Errorf("%s is not a plain file with one name: %w", filepath.Join(f.path, name), ErrUnsafeFolder)
	}
	return info, nil
}

// checkGraph refuses a graph, or what lies beside it, that is no plain file.
func (f *folder) checkGraph() error {
	for _, name := range append([]string{graphName}, sidecars...) {
		if _, err := f.plain(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// sync makes the removal of names durable.
func (f *folder) sync() error {
	d, err := f.root.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// write replaces what is in a file of the folder.
func (f *folder) write(name, text string) error {
	if _, err := f.plain(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := f.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|noWait, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, text)
	return errors.Join(err, file.Close())
}

// read returns what is in a file of the folder unless that is larger than limit.
func (f *folder) read(name string, limit int64) ([]byte, error) {
	info, err := f.plain(name)
	if err != nil {
		return nil, err
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has more than %d bytes: %w", name, limit, ErrUnsafeFolder)
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close() // read only
	return io.ReadAll(io.LimitReader(file, limit))
}
