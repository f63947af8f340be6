//go:build !unix

package worktree

import "os/exec"

// ownGroup does nothing where there are no process groups: the end of the
// context kills git alone, which starts no children here.
func ownGroup(*exec.Cmd) {}
