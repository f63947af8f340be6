//go:build !unix

package worktree

import (
	"os"
	"os/exec"
)

// ownGroup does nothing where there are no process groups: the end of the
// context kills git alone, which starts no children here.
func ownGroup(*exec.Cmd) {}

// tryLock says of every file that it is ours: nothing that others left is removed
// here.
func tryLock(*os.File) (bool, error) { return true, nil }

func unlock(*os.File) error { return nil }
