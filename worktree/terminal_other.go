//go:build !unix

package worktree

import "os/exec"

// noTerminal does nothing where no program opens a controlling terminal.
func noTerminal(*exec.Cmd) {}
