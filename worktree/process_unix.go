//go:build unix

package worktree

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts cmd into a process group of its own, so that a signal to ours
// does not reach it and the end of its context kills its children too.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil {
			return os.ErrProcessDone
		}
		return nil
	}
}
