//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package provenance

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// links counts the names that a file has on its disk.
func links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// private reports whether nobody but the owner may look into a folder.
func private(info fs.FileInfo) bool { return info.Mode().Perm() == 0o700 }

// identity tells a folder from any other that exists at the same time.
func identity(info fs.FileInfo) (device, inode uint64) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return uint64(s.Dev), s.Ino //nolint:unconvert // signed on some systems
}

// isNotFolder reports whether a file lies where a path has a folder.
func isNotFolder(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// noWait keeps the opening of a pipe that somebody put there from waiting for
// its other end.
const noWait = syscall.O_NONBLOCK

// tryLock takes a lock on an open file, or reports [ErrBusy].
func tryLock(f *os.File, exclusive bool) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrBusy
		}
		return err
	}
}

// unlock gives back what [tryLock] took, whoever else has the file open.
func unlock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
