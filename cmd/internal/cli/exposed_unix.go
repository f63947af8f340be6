//go:build unix

package cli

import "io/fs"

// exposed reports whether others than the owner may read a file.
func exposed(mode fs.FileMode) bool { return mode.Perm()&0o077 != 0 }
