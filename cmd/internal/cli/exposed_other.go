//go:build !unix

package cli

import "io/fs"

// exposed cannot be told from the mode of a file here.
func exposed(fs.FileMode) bool { return false }
