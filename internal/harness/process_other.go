//go:build !unix

package harness

import "os/exec"

// Without process groups only the program itself ends.

func ownGroup(*exec.Cmd) {}

func interruptGroup(cmd *exec.Cmd) { killGroup(cmd) }

func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		cmd.Process.Kill()
	}
}
