package harness

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// sweep ends the processes that a run or a build started and that left its process group, such as a server that went to the background: those
// whose environment has a mark that begins so. They are asked first, so that they can clean up behind themselves. Not found is one that was
// started with an empty environment, overwrote its own, or belongs to another user, as do those that a service manager starts.
func sweep(mark string, grace time.Duration) {
	if mark == "" {
		return
	}
	end := time.Now().Add(grace)
	for signal := syscall.SIGTERM; ; {
		pids := marked(mark)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			syscall.Kill(pid, signal)
		}
		if signal == syscall.SIGKILL {
			return
		}
		for len(marked(mark)) > 0 && time.Now().Before(end) {
			time.Sleep(poll)
		}
		signal = syscall.SIGKILL
	}
}

// marked returns the processes whose environment has a mark that begins so.
func marked(mark string) (pids []int) {
	want := []byte("\x00" + runVariable + "=" + mark)
	self := os.Getpid()
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		env, err := os.ReadFile(file) // fails for those of others, and is empty for the dead
		if err != nil || !bytes.Contains(append([]byte{0}, env...), want) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid > 1 && pid != self {
			pids = append(pids, pid)
		}
	}
	return pids
}
