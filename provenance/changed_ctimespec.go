//go:build darwin || freebsd || netbsd

package provenance

import (
	"io/fs"
	"syscall"
)

// changed is when a file, or what is said of it, was last written to, in
// nanoseconds; 0 if the system cannot tell.
func changed(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctimespec.Nano()
	}
	return 0
}
