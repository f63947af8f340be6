//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package provenance

import (
	"io/fs"
	"os"
)

// links counts the names that a file has; here it cannot be asked.
func links(fs.FileInfo) uint64 { return 1 }

// private is true where folders have no such modes.
func private(fs.FileInfo) bool { return true }

// identity is unknown here, so roots are compared by path.
func identity(fs.FileInfo) (device, inode uint64) { return 0, 0 }

func isNotFolder(error) bool { return false }

const noWait = 0

// tryLock always succeeds here. Such a system refuses by itself to replace or
// delete a file that is open.
func tryLock(*os.File, bool) error { return nil }

func unlock(*os.File) error { return nil }

// changed is not known here, so every graph is read whole before it answers.
func changed(fs.FileInfo) int64 { return 0 }
