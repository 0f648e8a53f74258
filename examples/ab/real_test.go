//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/internal/messagesapi"
	"github.com/agent-eval/feedback/internal/standin"
	"github.com/agent-eval/feedback/transcript"
)

// realParts returns the folder of .ci/agents, and skips the test where it is not there.
func realParts(t *testing.T) (bin string) {
	t.Helper()
	dir := os.Getenv("FEEDBACK_AGENTS")
	if dir == "" {
		cache := os.Getenv("XDG_CACHE_HOME")
		if cache == "" {
			cache = filepath.Join(os.Getenv("HOME"), ".cache")
		}
		dir = filepath.Join(cache, "feedback-agents")
	}
	bin = filepath.Join(dir, "node_modules", ".bin")
	for _, name := range []string{"claude", "codegraph"} {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			t.Skipf("%s is not installed: run .ci/agents", name)
		}
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed")
	}
	return bin
}

// script is the model: with the tool it explores, without it greps and reads. In the second turn it tries the tool's command line by its path.
func script(cli string) func(messagesapi.Request) []messagesapi.Block {
	const explore = "mcp__codegraph__codegraph_explore"
	return func(r messagesapi.Request) []messagesapi.Block {
		with := slices.Contains(r.Tools, explore)
		switch {
		case strings.Contains(r.Prompt, "Who calls") && r.Results == 0:
			return messagesapi.Use("Bash", map[string]any{"command": cli + " query Send", "description": "ask the tool"})
		case strings.Contains(r.Prompt, "Who calls") && r.Results == 1:
			return messagesapi.Use("Bash", map[string]any{"command": "command -v codegraph node; true", "description": "look for it"})
		case strings.Contains(r.Prompt, "Who calls"):
			return messagesapi.Text("`Reply` calls it, in server/reply.go:6.")
		case r.Results == 0 && with:
			return messagesapi.Use(explore, map[string]any{"query": "How does Send write a message?"})
		case r.Results == 0:
			return messagesapi.Use("Grep", map[string]any{"pattern": "func Send"})
		case r.Results == 1 && !with:
			return messagesapi.Use("Bash", map[string]any{"command": "cat server/send.go", "description": "read"})
		}
		return messagesapi.Text("`Send` writes the length and then the text: server/send.go:9.")
	}
}

var sources = map[string]string{
	"go.mod":          "module example.com/chat\n\ngo 1.26\n",
	"main.go":         "package main\n\nimport \"example.com/chat/server\"\n\nfunc main() { server.Reply(nil, \"hello\") }\n",
	"server/send.go":  "package server\n\nimport (\n\t\"fmt\"\n\t\"io\"\n)\n\n// Send writes a message with its length before it.\nfunc Send(w io.Writer, text string) error {\n\t_, err := fmt.Fprintf(w, \"%d %s\", len(text), text)\n\treturn err\n}\n",
	"server/reply.go": "package server\n\nimport \"io\"\n\n// Reply answers a message.\nfunc Reply(w io.Writer, text string) error { return Send(w, \"re: \"+text) }\n",
}

// realBench makes a directory with a small tree and a spec, and the environment for the real parts: nothing of the user's, and a model on loopback.
func realBench(t *testing.T, bin string, api *messagesapi.API) (dir, spec string, env []string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range sources {
		writeFile(t, filepath.Join(dir, "chat", name), text)
	}
	spec = filepath.Join(dir, "ab.json")
	writeFile(t, spec, realSpec)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir, spec, []string{"PATH=" + strings.Join([]string{bin, filepath.Dir(node), "/usr/bin", "/bin"}, ":"), "HOME=" + filepath.Join(dir, "home"), "LANG=C.UTF-8",
		"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=sk-test", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "IS_SANDBOX=1",
		"CODEGRAPH_NO_DOWNLOAD=1", "DO_NOT_TRACK=1", standin.Quick,
		// The client looks for its maker all the same. With a proxy that refuses everything, no name is resolved and nothing leaves.
		"HTTP_PROXY=" + api.URL, "HTTPS_PROXY=" + api.URL, "NO_PROXY=127.0.0.1"}
}

// The client is ended in the middle of a command, with that command and the server.
func TestRealPartsThatHang(t *testing.T) {
	bin := realParts(t)
	api := messagesapi.New(t, func(messagesapi.Request) []messagesapi.Block {
		return messagesapi.Use("Bash", map[string]any{"command": "sleep 300", "description": "wait"})
	})
	dir, spec, env := realBench(t, bin, api)
	writeFile(t, spec, strings.NewReplacer(`"2m"`, `"5s"`, `"runs": 2`, `"runs": 1`).Replace(realSpec))
	cmd, out, errs := start(t, env, "run", "-spec", spec)
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 || strings.Count(errs.String(), "lost, not measured: turn 1: time limit of 5s") != 2 {
		t.Errorf("%v: %s%s", err, out, errs)
	}
	if left := servers(t, dir); left != "" {
		t.Errorf("left behind:\n%s", left)
	}
}

// The real client and the real server, a scripted model on loopback: two arms, two runs, two turns.
func TestRealParts(t *testing.T) {
	bin := realParts(t)
	api := messagesapi.New(t, script(filepath.Join(bin, "codegraph")))
	dir, spec, env := realBench(t, bin, api)
	t.Log("\n" + ab(t, env, "check", "-spec", spec))
	t.Log("\n" + ab(t, env, "run", "-spec", spec))
	var table arms.Table
	if err := json.Unmarshal([]byte(ab(t, env, "run", "-spec", spec, "-json")), &table); err != nil { // nothing is run again
		t.Fatal(err)
	}
	checkTable(t, table)
	// 2 runs of each arm; with: 2 requests and 3; without: 3 and 3
	if n := len(api.Requests()); n != 2*(2+3)+2*(3+3) {
		t.Errorf("the model was asked %d times, want 22", n)
	}
	for _, r := range api.Requests() {
		if strings.Contains(r.Prompt, "Who calls") && r.Results == 2 && (strings.Contains(r.Result, "codegraph") || !strings.Contains(r.Result, "/node\n")) {
			t.Errorf("the agent's shell finds %q", r.Result)
		}
	}
	for _, label := range []string{"with", "without"} {
		s, err := transcript.ReadFiles(transcript.Options{}, filepath.Join(dir, "out", "run-"+label+"-1.jsonl"), filepath.Join(dir, "out", "run-"+label+"-1.t2.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := s.Segments[0].Init(), s.Segments[1].Init(); a == nil || b == nil || a.SessionID != b.SessionID || a.ClientVersion != "2.1.112" {
			t.Errorf("%s: inits %+v, %+v", label, a, b)
		}
	}
	if left := servers(t, dir); left != "" {
		t.Errorf("a server outlives its run:\n%s", left)
	}
}

// checkTable looks at what the script and the shield make of every run.
func checkTable(t *testing.T, table arms.Table) {
	t.Helper()
	if len(table.Arms) != 2 || len(table.Differences) > 0 {
		t.Fatalf("%d arms, differences %+v", len(table.Arms), table.Differences)
	}
	for _, a := range table.Arms {
		if len(a.Runs) != 2 {
			t.Fatalf("%s: %d runs", a.Label, len(a.Runs))
		}
		for _, r := range a.Runs {
			c := r.Contamination
			if !r.OK || c.Attempts != 1 || c.Blocked != 1 || len(r.Segments) != 2 || r.Raced {
				t.Errorf("%s: ok %v, raced %v, %d segments, contamination %+v", a.Label, r.OK, r.Raced, len(r.Segments), c)
			}
			want := map[string]int{"with": 1, "without": 0}[a.Label]
			if r.Sufficiency.Answered != want || r.Allocation.Envelope > 0 != (want == 1) {
				t.Errorf("%s: %d answered calls, %v characters", a.Label, r.Sufficiency.Answered, r.Allocation.Envelope)
			}
		}
	}
}

const realSpec = `{
  "target": "chat", "out": "out", "runs": 2,
  "tasks": ["How does Send write a message? || Who calls it?"],
  "compare": "with-vs-without",
  "tool": {
    "setup": [["codegraph", "init", "-y", "{workspace}"]],
    "mcp": {"codegraph": {"command": "codegraph", "args": ["serve", "--mcp", "--path", "{workspace}"], "alwaysLoad": true}},
    "prewarm": {"command": ["codegraph", "serve", "--mcp", "--path", "{workspace}"], "socket": "{workspace}/.codegraph/daemon.sock"},
    "environment": {"CODEGRAPH_TELEMETRY": "0"},
  },
  "limits": {"turn": "2m"},
}
`

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// ab runs the command in a process of its own and returns what it prints.
func ab(t *testing.T, env []string, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("ab %s: %v\n%s\n%s", strings.Join(args, " "), err, errs.String(), out.String())
	}
	return out.String()
}

// servers lists the processes whose home is in a directory.
func servers(t *testing.T, dir string) string {
	t.Helper()
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	var left []string
	for _, l := range lines {
		text, err := os.ReadFile(l)
		if env, _ := os.ReadFile(filepath.Join(filepath.Dir(l), "environ")); err == nil && bytes.Contains(env, []byte("HOME="+dir)) {
			left = append(left, fmt.Sprintf("%s %q", l, text))
		}
	}
	return strings.Join(left, "\n")
}
