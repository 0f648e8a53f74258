package harness_test

import (
	"strings"
	"testing"

	"github.com/agent-eval/feedback/layers/harness"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// call makes a call of a tool with one argument, which fails with the given text, or works where that is empty.
func call(tool, name, value, failure string) func(*transcripttest.Message) {
	return func(m *transcripttest.Message) {
		c := m.Call(tool, transcripttest.Args{name: value})
		if failure == "" {
			c.Result("ok")
		} else {
			c.Error(failure)
		}
	}
}

func TestWhatRecoversAnError(t *testing.T) {
	const gone = "File does not exist."
	for _, c := range []struct {
		name         string
		failed, next func(*transcripttest.Message)
		want         harness.Ending
	}{
		{"the same file", call("Read", "file_path", "lib/a.go", gone), read("/home/dev/proj/lib/a.go"), harness.Recovered},
		{"the file where it is", call("Read", "file_path", "src/a.go", gone), read("lib/a.go"), harness.Recovered},
		{"another file", call("Read", "file_path", "lib/a.go", gone), read("lib/b.go"), harness.GaveUp},
		{"the same file by a command", call("Read", "file_path", "lib/a.go", "too large"), bash("sed -n 1,80p lib/a.go"), harness.Recovered},
		{"another file by a command", call("Read", "file_path", "lib/a.go", "too large"), bash("sed -n 1,80p lib/b.go"), harness.GaveUp},
		{"a command by the tool", fails("cat lib/a.go"), read("lib/a.go"), harness.Recovered},
		{"an edit of another file", call("Edit", "file_path", "lib/a.go", "not unique"), edit("lib/b.go"), harness.GaveUp},
		{"of one with the same name elsewhere", call("Edit", "file_path", "a/index.ts", "not unique"), edit("b/index.ts"), harness.GaveUp},
		{"an edit of the same file", call("Edit", "file_path", "lib/a.go", "not unique"), edit("./lib/a.go"), harness.Recovered},
		{"an edit by a read of the file", call("Edit", "file_path", "lib/a.go", "read it first"), read("lib/a.go"), harness.GaveUp},
		{"a search in another directory", call("Grep", "path", "libs", "no such directory"), call("Grep", "path", "lib", ""), harness.Recovered},
		{"a search by another tool", call("Grep", "pattern", "(", "bad regex"), call("Glob", "pattern", "*", ""), harness.GaveUp},
		{"another subcommand", fails("git commit -m x"), bash("git status"), harness.GaveUp},
		{"the same one", fails("git commit -m x"), bash("git commit -m y"), harness.Recovered},
		{"another script", fails("python3 tools/a.py"), bash("python3 tools/b.py"), harness.GaveUp},
		{"with more rights", fails("npm install"), bash("sudo npm install --force"), harness.Recovered},
		{"other tests", fails("go test ./x"), bash("go test ./y"), harness.GaveUp},
		{"all tests", fails("go test ./x"), bash("go test ./..."), harness.Recovered},
		{"a search with another pattern", fails("grep '(' lib"), bash("grep x src"), harness.Recovered},
		{"nothing but a directory", fails("cd /nowhere"), bash("ls"), harness.GaveUp},
	} {
		if e := harness.Recoveries(session(t, c.failed, c.next)); e.Recoveries[0].Ending != c.want {
			t.Errorf("%s: %+v", c.name, e.Recoveries[0])
		}
	}
}

// Of four failures three are denials: nothing to recover from, whether the agent goes another way or asks again.
func TestADenialIsNoErrorToRecoverFrom(t *testing.T) {
	deny := func(text string) func(*transcripttest.Message) { return call("Bash", "command", "make", text) }
	e := harness.Recoveries(session(t,
		deny("PreToolUse:Bash [hook] said no"),
		deny("Claude requested permissions to use Bash, but you haven't granted it yet."),
		deny("The user doesn't want to proceed with this tool use."),
		fails("go vet"), bash("make")))
	if e.Denied != (harness.Denials{Hook: 1, Mode: 1, User: 1}) || e.Recovered != 0 || e.Repeated != 0 || e.GaveUp != 1 || *e.Rate != 0 || e.Steps != nil {
		t.Errorf("%+v", e)
	}
	if first := e.Recoveries[0]; first.Ending != harness.Denied || first.Same != 2 || first.Steps != 4 {
		t.Errorf("%+v", first)
	}
	if got := e.Defects(); len(got) != 1 || got[0].Name != "error_abandoned" || got[0].Position != e.Recoveries[3].Position {
		t.Errorf("%+v", got)
	}
	var b strings.Builder
	if e.WriteText(&b); b.String() != "  tool errors: 1, recovered 0 (0%), repeated 0, gave up 1; denied besides: 1 by a hook, 1 by the mode, 1 by the user\n" {
		t.Errorf("%q", b.String())
	}
	if e := harness.Recoveries(session(t, deny("PreToolUse:Bash no"))); e.Rate != nil || len(e.Defects()) != 0 {
		t.Errorf("a denial alone: %+v", e)
	}
}
