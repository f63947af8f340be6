//go:build !unix

package worktree

import (
	"os"
	"os/exec"
)

// noTerminal does nothing where no program opens a controlling terminal.
func noTerminal(*exec.Cmd) {}

// inherit does nothing where no open file can be passed on.
func inherit(*exec.Cmd, *os.File) {}
