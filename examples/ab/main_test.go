//go:build unix

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/internal/standin"
)

// The test binary is the command, which is its own hook, and the stand-in agent, by its first argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "init", "check", "run", "hook":
			os.Exit(process(os.Args[1:]))
		case "agent", "serve":
			os.Exit(standin.Main(os.Args[1:]))
		}
	}
	name, value, _ := strings.Cut(standin.Quick, "=")
	os.Setenv(name, value)
	os.Exit(m.Run())
}
