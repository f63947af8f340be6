//go:build unix

package worktree

import (
	"os/exec"
	"syscall"
)

// noTerminal starts cmd in a session of its own. That is a process group of its
// own, too, so it still ends as a whole.
func noTerminal(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
