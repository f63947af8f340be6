//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// claim takes f for this process until it is closed, which the end of the
// process does too. It is false if another process has it.
func claim(f *os.File) (bool, error) {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, os.NewSyscallError("flock", err)
		}
	}
}

// publish gives a finished file its name. It is claimed until it has it.
func publish(f *os.File, path string) error {
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return f.Close()
}
