//go:build unix

package harness

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/internal/standin"
)

// The test binary is the agent, its server and the hook, by its first argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "agent", "serve":
			os.Exit(standin.Main(os.Args[1:]))
		case "hook":
			g := contamination.Guard{Options: contamination.Options{Index: []string{".codegraph"}}}
			if g.Hook(os.Stdin, os.Stdout) != nil {
				os.Exit(2)
			}
			os.Exit(0)
		}
	}
	name, value, _ := strings.Cut(standin.Quick, "=")
	os.Setenv(name, value)
	os.Exit(m.Run())
}
