//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package harness

import (
	"os"
	"syscall"
)

// lock keeps a second harness away from the file. The kernel drops it with the process.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }

// unlock gives the file free at once. Closing it would not, while a program that is just being started still has it.
func unlock(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
