package contamination_test

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// A use is a tool call, and whether it is an attempt.
type use struct {
	tool  string
	input transcripttest.Args
	deny  bool
}

func uses() []use {
	bash := func(deny bool, command string) use {
		return use{"Bash", transcripttest.Args{"command": command}, deny}
	}
	return []use{
		bash(true, "codegraph explore x"), bash(true, "/opt/bin/codegraph status"), bash(true, "cd /tmp && npx -y @colbymchenry/codegraph@1.6.1 query x"),
		bash(true, "sh -c 'codegraph x'"), bash(true, "node node_modules/@colbymchenry/codegraph/npm-shim.js status"), bash(true, "echo $(codegraph x)"),
		bash(false, "grep codegraph README.md"), bash(false, "which codegraph"), bash(false, "ls"), bash(false, "ls -la .codegraph"),
		bash(true, "sqlite3 .codegraph/codegraph.db .dump"), bash(true, "cat .codegraph/codegraph.db | strings"),
		{"Read", transcripttest.Args{"file_path": "/w/proj/.codegraph/codegraph.db"}, true}, {"Read", transcripttest.Args{"file_path": "/w/proj/main.go"}, false},
		{"Grep", transcripttest.Args{"pattern": "x", "path": ".codegraph"}, true}, {"Grep", transcripttest.Args{"pattern": ".codegraph"}, false},
		{"Grep", transcripttest.Args{"pattern": "x", "glob": ".codegraph/**"}, true}, {"Grep", transcripttest.Args{"pattern": "x", "glob": "**/.codegraph/*.db", "path": "/w"}, true},
		{"Grep", transcripttest.Args{"pattern": "x", "glob": "{src,.codegraph}/**"}, true}, {"Grep", transcripttest.Args{"pattern": "x", "glob": "!.codegraph/**"}, false},
		{"Grep", transcripttest.Args{"pattern": "x", "glob": "src/** .codegraph/*"}, true}, {"Grep", transcripttest.Args{"pattern": "x", "glob": "!vendor/**,.codegraph/*"}, true}, // several
		{"Grep", transcripttest.Args{"pattern": "x", "glob": ".{git,code{graph,x}}/**"}, true}, {"Grep", transcripttest.Args{"pattern": "x", "glob": "src/*.{go,ts}"}, false}, {"Grep", transcripttest.Args{"pattern": "x", "glob": "{{{,.codegraph/*"}, true},
		{"Grep", transcripttest.Args{"pattern": "x", "glob": strings.Repeat("{a,b}", 20)}, true}, {"Grep", transcripttest.Args{"pattern": "x", "glob": strings.Repeat("{", 5000)}, true}, // nobody can tell
		{"Grep", transcripttest.Args{"pattern": "x", "glob": "**/*.{go,codegraph}"}, false}, {"Glob", transcripttest.Args{"pattern": "**/.codegraph/*"}, false}, // names only
		{"Glob", transcripttest.Args{"pattern": "*", "path": ".codegraph"}, false},
		bash(true, "f() { f; f; }; f; cat codegraph"),                        // nobody can tell
		{"Monitor", transcripttest.Args{"command": "codegraph serve"}, true}, // whatever runs a command line
		{"SlashCommand", transcripttest.Args{"command": "/codegraph"}, false},
		{"mcp__codegraph__codegraph_explore", transcripttest.Args{"query": "codegraph", "path": ".codegraph"}, false},
		{"Edit", transcripttest.Args{"file_path": ".codegraph/x"}, false},
	}
}

var guard = contamination.Guard{Options: contamination.Options{Index: []string{".codegraph"}}}

// The hook, on a call that is about to be made, and the detection, on the same call in a log, say the same.
func TestTheHookAndTheDetectionAgree(t *testing.T) {
	for _, u := range uses() {
		in, err := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "session_id": "s", "tool_name": u.tool, "tool_input": u.input})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := guard.Hook(strings.NewReader(string(in)), &out); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), `"permissionDecision":"deny"`); got != u.deny || (out.Len() == 0) == u.deny {
			t.Errorf("hook: %s: denied %v, want %v: %s", in, got, u.deny, out.String())
		}
		log := transcripttest.New()
		log.Request(100).Call(u.tool, u.input).Result("y")
		b := contamination.Analyze(log.Session(t), guard.Options)
		if got := b.Attempts == 1 && b.Returned == 1 && b.Calls[0].Invocation != ""; got != u.deny {
			t.Errorf("detection: %s: %+v, want %v", in, b, u.deny)
		}
	}
}

func TestWithoutAnIndexNobodyLooksForOne(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Bash("cat .codegraph/codegraph.db").Result("x")
	log.Request(200).ReadFile(".codegraph/codegraph.db").Result("x")
	if b := contamination.Analyze(log.Session(t), contamination.Options{}); b.Attempts != 0 {
		t.Errorf("%+v", b)
	}
}

func TestTheTextSaysThatTheIndexWasRead(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).ReadFile("/w/.codegraph/db").Result("x")
	log.Request(200).ReadFile("/w/.codegraph/db").Error("denied")
	out := text(contamination.Analyze(log.Session(t), guard.Options))
	for _, want := range []string{"!!! CONTAMINATED: the codegraph CLI or its index was reached directly and returned output (1 call of 2)", "/w/.codegraph/db", "1 attempt to reach it directly blocked"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestDecideAlone(t *testing.T) {
	call := &transcript.ToolCall{Name: "Bash", Family: transcript.Shell, Args: transcript.Args{Command: "sudo /x/codegraph y"}}
	if a, ok := contamination.Decide(call, contamination.Options{}); !ok || a != (contamination.Attempt{Door: contamination.DoorCLI, Command: "sudo /x/codegraph y", Invocation: "/x/codegraph"}) {
		t.Errorf("%+v, %v", a, ok)
	}
	if a, ok := contamination.Decide(call, contamination.Options{CLI: []string{"src"}}); ok {
		t.Errorf("%+v", a)
	}
}

// From inside the index, a plain name is a file of it.
func TestTheHookKnowsWhereTheShellIs(t *testing.T) {
	for _, call := range []string{`"Bash","tool_input":{"command":"cat codegraph.db"}`, `"Grep","tool_input":{"pattern":"x"}`, `"Read","tool_input":{"file_path":"codegraph.db"}`} {
		var out strings.Builder
		if err := guard.Hook(strings.NewReader(`{"cwd":"/w/.codegraph","tool_name":`+call+`}`), &out); err != nil || !strings.Contains(out.String(), "deny") {
			t.Errorf("%s: %q, %v", call, out.String(), err)
		}
	}
}

func TestAHookWithoutACallFails(t *testing.T) {
	for _, in := range []string{"", "x", "[]", "{}", `{"tool_input":{"command":"codegraph"}}`, `{"tool_name":"Bash","tool_input":{"command":7}}`, `{"tool_name":"Bash"} {}`} {
		var out strings.Builder
		if err := guard.Hook(strings.NewReader(in), &out); !errors.Is(err, contamination.ErrNoHookInput) || out.Len() > 0 {
			t.Errorf("%q: %v, %q", in, err, out.String())
		}
	}
	broken := errors.New("broken")
	if err := guard.Hook(iotest.ErrReader(broken), io.Discard); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// Another retrieval tool has another command line and another name.
func TestAGuardOfAnotherTool(t *testing.T) {
	g := contamination.Guard{Tools: transcript.Tools{Name: "sourcegraph", Retrieval: []string{"mcp__sourcegraph__*"}, CLI: []string{"src"}}}
	var out strings.Builder
	if err := g.Hook(strings.NewReader(`{"tool_name":"Bash","tool_input":{"command":"src search x"}}`), &out); err != nil || !strings.Contains(out.String(), "sourcegraph command line") {
		t.Errorf("%q, %v", out.String(), err)
	}
}

func FuzzHook(f *testing.F) {
	for _, u := range uses() {
		in, _ := json.Marshal(map[string]any{"tool_name": u.tool, "tool_input": u.input})
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var out strings.Builder
		if err := guard.Hook(strings.NewReader(string(in)), &out); err != nil && out.Len() > 0 {
			t.Errorf("%q: %v, and yet %q", in, err, out.String())
		}
		if out.Len() > 0 && !json.Valid([]byte(out.String())) {
			t.Errorf("%q: %q", in, out.String())
		}
	})
}
