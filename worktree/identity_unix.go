//go:build unix

package worktree

import (
	"io/fs"
	"os"
	"syscall"
)

// identity tells a file from any other that exists at the same time.
func identity(info fs.FileInfo) (device, inode uint64) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0
	}
	return uint64(stat.Dev), stat.Ino //nolint:unconvert // signed on some systems
}

// reapable reports whether a folder belongs to this user and to nobody else, so that
// what lies in it can only be ours.
func reapable(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && info.IsDir() && info.Mode().Perm() == 0o700 && int(stat.Uid) == os.Getuid()
}

// executable reports whether git would call the file so.
func executable(info fs.FileInfo) bool { return info.Mode().Perm()&0o100 != 0 }

// writableByAll reports whether any user may make files in a folder.
func writableByAll(info fs.FileInfo) bool { return info.Mode().Perm()&0o002 != 0 }
