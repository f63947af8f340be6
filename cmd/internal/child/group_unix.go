//go:build unix

package child

import (
	"os"
	"os/exec"
	"strconv"
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

// lowerPriority lets other processes go first. It is a wish like yield. Linux means
// one thread by a process; those that are made later have the priority of the one
// that makes them.
func lowerPriority() {
	const nice = 10
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice)
	threads, _ := os.ReadDir("/proc/self/task") // elsewhere there is none
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = syscall.Setpriority(syscall.PRIO_PROCESS, id, nice)
		}
	}
}
