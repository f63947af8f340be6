//go:build unix

package child

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup puts a child into a process group of its own and asks it to end when
// its context does: it then ends what it has started, each in its own group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		if err := syscall.Kill(cmd.Process.Pid, syscall.SIGTERM); err != nil {
			return os.ErrProcessDone
		}
		return nil
	}
}

// killGroup ends what a child that has ended may have left.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // most often nobody is left
	}
}
