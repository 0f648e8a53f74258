//go:build unix

package harness

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the program the leader of a process group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// interruptGroup asks the program's group to end.
func interruptGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGINT) }

// killGroup ends what is left of the program's group.
func killGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }

func signalGroup(cmd *exec.Cmd, s syscall.Signal) {
	if cmd.Process != nil && cmd.Process.Pid > 1 {
		syscall.Kill(-cmd.Process.Pid, s)
	}
}
