package provenance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

const (
	lockTries  = 100                   // how often a lock file may be replaced while it is taken
	lockPeriod = 20 * time.Millisecond // between two looks at a lock that is held
)

// A Lock is held until it is closed or its process ends, however it ends.
type Lock struct{ file *os.File }

// Close gives the lock back. To close the file is not enough: a child that is being
// started has it, too, for a moment.
func (l *Lock) Close() error { return errors.Join(unlock(l.file), l.file.Close()) }

// Acquire takes the lock of a state folder, which it makes if need be, and
// waits while another process holds it: any other for an exclusive lock, an
// exclusive one for a shared lock. Whoever replaces what lies in the folder
// holds it exclusively.
func Acquire(ctx context.Context, dir string, exclusive bool) (*Lock, error) {
	f, err := openFolder(dir, true)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	l, err := f.wait(ctx, lockName, exclusive)
	if err = errors.Join(err, f.close()); err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return l, nil
}

// wait takes a lock of the folder, however long it takes.
func (f *folder) wait(ctx context.Context, name string, exclusive bool) (*Lock, error) {
	tick := time.NewTicker(lockPeriod)
	defer tick.Stop()
	for {
		l, err := f.lock(name, exclusive, true)
		if !errors.Is(err, ErrBusy) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// lock takes a lock on a file of the folder, or reports [ErrBusy]. A lock counts
// only if the file still has its name once it is taken: one that was replaced
// meanwhile locks nothing.
func (f *folder) lock(name string, exclusive, create bool) (*Lock, error) {
	for range lockTries {
		file, err := f.openPlain(name, create)
		if err != nil {
			return nil, err
		}
		same, err := f.lockOpen(file, name, exclusive)
		if same && err == nil {
			return &Lock{file}, nil
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("%s is replaced again and again: %w", name, ErrUnsafeFolder)
}

func (f *folder) openPlain(name string, create bool) (*os.File, error) {
	_, err := f.plain(name)
	if errors.Is(err, fs.ErrNotExist) && create {
		return f.root.OpenFile(name, os.O_RDWR|os.O_CREATE|noWait, 0o600)
	}
	if err != nil {
		return nil, err
	}
	// A lock needs no right to write.
	return f.root.OpenFile(name, os.O_RDONLY|noWait, 0)
}

// lockOpen locks an open file and reports whether the name still means it.
func (f *folder) lockOpen(file *os.File, name string, exclusive bool) (same bool, err error) {
	if err := tryLock(file, exclusive); err != nil {
		return false, err
	}
	held, err := file.Stat()
	if err != nil {
		return false, err
	}
	named, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(held, named), err
}

// building reports whether a build of this folder's graph is running.
func (f *folder) building() (bool, error) {
	l, err := f.lock(lockName, false, false)
	switch {
	case errors.Is(err, ErrBusy):
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil // nobody ever locked it
	case err != nil:
		return false, err
	}
	return false, l.Close()
}
