package harness

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// sweep ends the processes that a run started and that left its process group, such as a server that went to the background: those whose
// environment has the run's own mark.
func sweep(mark string) {
	if mark == "" {
		return
	}
	want := []byte("\x00" + runVariable + "=" + mark + "\x00")
	self := os.Getpid()
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range entries {
		env, err := os.ReadFile(file) // fails for those of others
		if err != nil || !bytes.Contains(append([]byte{0}, env...), want) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid > 1 && pid != self {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
