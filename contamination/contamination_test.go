package contamination_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

func text(b contamination.Block) string {
	var t strings.Builder
	b.WriteText(&t)
	return t.String()
}

func TestBlockedAgainstReturned(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Bash("codegraph explore x").Result("output")
	log.Request(200).Bash("npx codegraph query x").Error("PreToolUse:Bash hook error: no")
	log.Request(300).Bash("grep codegraph README.md").Result("codegraph")
	call := log.Request(400).Call("Agent", nil)
	call.Subagent().Request(50).Bash("/opt/bin/codegraph status").Result("") // no output, and no error either
	call.Result("done")
	log.Request(500).Bash("sh -c 'codegraph x'")
	b := contamination.Analyze(log.Session(t), contamination.Options{})
	want := contamination.Block{Name: "codegraph", Attempts: 4, Blocked: 1, Returned: 2, Unknown: 1, Calls: []contamination.Call{
		{Position: transcript.Position{File: "run.jsonl", Line: 2}, Command: "codegraph explore x", Invocation: "codegraph", Verdict: contamination.Returned, Door: contamination.DoorCLI},
		{Position: transcript.Position{File: "run.jsonl", Line: 4}, Command: "npx codegraph query x", Invocation: "codegraph", Verdict: contamination.Blocked, Door: contamination.DoorCLI},
		{Position: transcript.Position{File: "run.jsonl", Line: 12}, Command: "sh -c 'codegraph x'", Invocation: "codegraph", Verdict: contamination.Unknown, Door: contamination.DoorCLI},
		{Position: transcript.Position{File: "run.jsonl", Line: 9}, Thread: call.ID, Command: "/opt/bin/codegraph status", Invocation: "/opt/bin/codegraph", Verdict: contamination.Returned, Door: contamination.DoorCLI},
	}}
	if diff := cmp.Diff(want, b); diff != "" {
		t.Error(diff)
	}
	if out := text(b); !b.Contaminated() || !strings.HasPrefix(out, "!!! CONTAMINATED") || !strings.Contains(out, "run.jsonl:9") {
		t.Errorf("text:\n%s", out)
	}
}

func TestBlockedAttemptsAreOneQuietLine(t *testing.T) {
	log := transcripttest.New()
	for range 3 {
		log.Request(100).Bash("codegraph x").Error("denied")
	}
	b := contamination.Analyze(log.Session(t), contamination.Options{})
	if out := text(b); b.Contaminated() || strings.Count(out, "\n") != 1 || !strings.Contains(out, "3 attempts") {
		t.Errorf("text:\n%s", out)
	}
}

func TestNoAttemptPrintsNothing(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Bash("which codegraph").Result("")
	log.Request(200).ReadFile("codegraph").Result("")
	if b := contamination.Analyze(log.Session(t), contamination.Options{}); b.Attempts != 0 || text(b) != "" || b.Calls == nil {
		t.Errorf("%+v", b)
	}
}

func TestOtherCLINames(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Bash("src search x").Result("y")
	opts := transcript.Options{Tools: transcript.Tools{Name: "sourcegraph", Retrieval: []string{"mcp__sourcegraph__*"}, CLI: []string{"src"}}}
	if b := contamination.Analyze(log.SessionWith(t, opts), contamination.Options{}); b.Returned != 1 || b.Name != "sourcegraph" {
		t.Errorf("by Tools: %+v", b)
	}
	if b := contamination.Analyze(log.Session(t), contamination.Options{CLI: []string{"src"}}); b.Returned != 1 {
		t.Errorf("by Options: %+v", b)
	}
}

func TestHostileCommandsAreMadeSafeInTheTextOnly(t *testing.T) {
	command := "codegraph \x1b[31m\u202e" + strings.Repeat("x", 10_000)
	log := transcripttest.New()
	log.Request(100).Bash(command).Result("y")
	b := contamination.Analyze(log.Session(t), contamination.Options{})
	if out := text(b); strings.ContainsAny(out, "\x1b\u202e") || len(out) > 1000 || b.Calls[0].Command != command {
		t.Errorf("text of %d bytes: %.300q", len(out), out)
	}
}

// In the first log a hook denied three attempts. In the second the model ran the CLI twice and got its output.
func TestRealLogs(t *testing.T) {
	for name, want := range map[string]contamination.Block{
		"07a-hook-deny": {Attempts: 3, Blocked: 3}, "07c-cli-through-bash": {Attempts: 2, Returned: 2},
	} {
		file := "../../shared/transcripts/live/" + name + "/stream.jsonl"
		if _, err := os.Stat(file); err != nil {
			t.Skip("no real logs beside the project")
		}
		s, err := transcript.ReadFiles(transcript.Options{}, file)
		if err != nil {
			t.Fatal(err)
		}
		b := contamination.Analyze(s, contamination.Options{})
		if b.Attempts != want.Attempts || b.Blocked != want.Blocked || b.Returned != want.Returned {
			t.Errorf("%s: %+v", name, b)
		}
	}
}

// A run that may use the tool through its server tries the command line instead, once in vain.
func ExampleAnalyze() {
	t := new(testing.T) // in a test, its own
	log := transcripttest.New()
	log.Request(10_000).Bash("ls .codegraph").Result("index.db")
	log.Request(10_100).Bash("cd /tmp && npx -y codegraph explore send").Error("denied")
	b := contamination.Analyze(log.Session(t), contamination.Options{})
	fmt.Println(b.Attempts, b.Contaminated())
	b.WriteText(os.Stdout)
	// Output:
	// 1 false
	//   codegraph CLI: 1 attempt through the shell blocked
}
