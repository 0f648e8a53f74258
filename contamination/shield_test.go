//go:build unix

package contamination_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/contamination"
)

// The test binary is the hook when the variable says so.
const hookVariable = "CONTAMINATION_TEST_HOOK"

func TestMain(m *testing.M) {
	switch os.Getenv(hookVariable) {
	case "":
		os.Setenv("GORACE", "atexit_sleep_ms=0") // or each hook sleeps for a second under the race detector
		os.Exit(m.Run())
	case "guard":
		if err := guard.Hook(os.Stdin, os.Stdout); err != nil {
			os.Exit(2)
		}
	case "deny all":
		fmt.Println(`{"hookSpecificOutput":{"permissionDecision":"deny"}}`)
	case "fail":
		fmt.Fprintln(os.Stderr, "no such guard")
		os.Exit(3)
	case "nonsense":
		fmt.Println("nonsense")
	}
	os.Exit(0)
}

func program(t *testing.T, dir, name string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("#!/bin/sh\necho ran "+name+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

// searchPath has three directories: one without the tool, and two with it.
func searchPath(t *testing.T) (dirs []string) {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{"plain", "bin", "local"} {
		dirs = append(dirs, filepath.Join(root, name))
	}
	program(t, dirs[0], "go")
	program(t, dirs[1], "codegraph")
	program(t, dirs[1], "node")
	program(t, dirs[1], "agent")
	cli := program(t, filepath.Join(root, "lib"), "codegraph.js")
	for _, name := range []string{"CodeGraph.cmd", "cg"} { // one by its name, one by what it leads to
		if err := os.MkdirAll(dirs[2], 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(cli, filepath.Join(dirs[2], name)); err != nil {
			t.Fatal(err)
		}
	}
	program(t, dirs[2], "codegraph-viewer")
	return dirs
}

func newShield(t *testing.T, path string) *contamination.Shield {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := contamination.NewShield(t.TempDir(), contamination.ShieldOptions{
		Guard: guard, Hook: []string{self, "it's a hook"}, Path: path, Need: []string{"agent", "node"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func names(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestDirectoriesWithTheCLIAreReplacedInPlace(t *testing.T) {
	dirs := searchPath(t)
	s := newShield(t, strings.Join([]string{dirs[1], "", "relative/bin", dirs[0], dirs[2], "/does/not/exist"}, ":"))
	if diff := cmp.Diff([]string{dirs[1], dirs[2]}, s.Replaced); diff != "" {
		t.Error(diff)
	}
	path := filepath.SplitList(s.Path)
	if len(path) != 4 || path[1] != dirs[0] || path[3] != "/does/not/exist" || path[0] == dirs[1] || path[2] == dirs[2] {
		t.Fatalf("%q", path)
	}
	if diff := cmp.Diff([]string{"agent", "node"}, names(t, path[0])); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"codegraph-viewer"}, names(t, path[2])); diff != "" {
		t.Error(diff)
	}
	if got := names(t, dirs[1]); len(got) != 3 {
		t.Errorf("the directory itself has changed: %q", got)
	}
	if diff := cmp.Diff([]string{"HOME=/h", "PATH=" + s.Path}, s.Env([]string{"PATH=/x", "HOME=/h"})); diff != "" {
		t.Error(diff)
	}
}

// What runs through a shell on the search path: the tool does not, everything else does.
func TestAShellOnThePath(t *testing.T) {
	dirs := searchPath(t)
	s := newShield(t, strings.Join(dirs, ":"))
	for command, want := range map[string]string{"node": "ran node\n", "codegraph status": "", "cg": "", "codegraph-viewer": "ran codegraph-viewer\n"} {
		cmd := exec.Command("/bin/sh", "-c", command)
		cmd.Env = s.Env(nil)
		out, err := cmd.Output()
		if string(out) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", command, out, err)
		}
	}
}

func TestProbe(t *testing.T) {
	s := newShield(t, strings.Join(searchPath(t), ":"))
	t.Setenv(hookVariable, "guard")
	if err := s.Probe(t.Context()); err != nil {
		t.Error(err)
	}
}

// Each way in which a shield can fail is found, and named.
func TestProbeFinds(t *testing.T) {
	for _, c := range []struct {
		name, hook, want string
		spoil            func(t *testing.T, s *contamination.Shield)
	}{
		{"a command that came back", "guard", "codegraph is still found", func(t *testing.T, s *contamination.Shield) {
			program(t, filepath.SplitList(s.Path)[0], "codegraph")
		}},
		{"an agent that is gone", "guard", "agent: not found", func(t *testing.T, s *contamination.Shield) { s.Path = "/does/not/exist" }},
		{"a hook that lets all pass", "pass", `the hook lets "codegraph status" pass`, nil},
		{"a hook that denies all", "deny all", `the hook denies "grep -rn codegraph README.md"`, nil},
		{"a hook that fails", "fail", "no such guard", nil},
		{"a hook that writes no decision", "nonsense", "writes no JSON", nil},
		{"settings that are gone", "guard", "settings.json", func(t *testing.T, s *contamination.Shield) {
			if err := os.Remove(s.Settings); err != nil {
				t.Fatal(err)
			}
		}},
		{"settings without a hook", "guard", "no pre-tool-use hook", func(t *testing.T, s *contamination.Shield) {
			if err := os.WriteFile(s.Settings, []byte("{}"), 0o600); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShield(t, strings.Join(searchPath(t), ":"))
			t.Setenv(hookVariable, c.hook)
			if c.spoil != nil {
				c.spoil(t, s)
			}
			if err := s.Probe(t.Context()); !errors.Is(err, contamination.ErrProbe) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

func TestAShieldNeedsAHook(t *testing.T) {
	for _, hook := range [][]string{nil, {"ab", "hook"}} {
		if _, err := contamination.NewShield(t.TempDir(), contamination.ShieldOptions{Hook: hook}); err == nil {
			t.Errorf("%q", hook)
		}
	}
}

// A harness of its own: a hook in its program, a shield around its agent.
func ExampleNewShield() {
	dir, err := os.MkdirTemp("", "shield")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	guard := contamination.Guard{Options: contamination.Options{Index: []string{".codegraph"}}}
	s, err := contamination.NewShield(dir, contamination.ShieldOptions{
		Guard: guard,
		Hook:  []string{"/opt/harness", "hook"}, // which calls guard.Hook(os.Stdin, os.Stdout)
		Path:  os.Getenv("PATH"),
	})
	if err != nil {
		panic(err)
	}
	// s.Probe(ctx), and then: claude --settings s.Settings, in the environment s.Env(os.Environ()).
	fmt.Println(filepath.Base(s.Settings))

	// What that hook says of a call:
	guard.Hook(strings.NewReader(`{"tool_name":"Bash","tool_input":{"command":"npx codegraph explore x"}}`), os.Stdout)
	// Output:
	// settings.json
	// {"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"The codegraph command line is not available here (codegraph). Continue without it."}}
}
