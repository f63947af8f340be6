//go:build unix

package worktree

import (
	"os"
	"os/exec"
	"syscall"
)

// noTerminal starts cmd in a session of its own. That is a process group of its
// own, too, so it still ends as a whole.
func noTerminal(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// inherit lets cmd have an open file. A lock on it lasts until the last process
// that has it ends, so a git that outlives a killed parent still holds it.
func inherit(cmd *exec.Cmd, file *os.File) { cmd.ExtraFiles = append(cmd.ExtraFiles, file) }
