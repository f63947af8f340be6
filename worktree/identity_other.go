//go:build !unix

package worktree

import "io/fs"

// identity knows no number of a file here, so only paths are compared.
func identity(fs.FileInfo) (device, inode uint64) { return 0, 0 }

// executable is never so where files have no such permission.
func executable(fs.FileInfo) bool { return false }

// writableByAll is never so where folders have no such permission.
func writableByAll(fs.FileInfo) bool { return false }

// reapable is never so where nobody knows who else uses a folder.
func reapable(fs.FileInfo) bool { return false }
