//go:build unix

package store

import (
	"os"
	"syscall"
)

// A mapping is a file in memory, of which the system loads what is touched.
type mapping struct{ bytes []byte }

func mapFile(f *os.File, size int64) (mapping, error) {
	m, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	return mapping{m}, os.NewSyscallError("mmap", err)
}

func (m mapping) close() error { return os.NewSyscallError("munmap", syscall.Munmap(m.bytes)) }
