//go:build unix

package harness

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// load loads a spec whose directory has a project, a campaign's repository and an engine.
func load(t *testing.T, text, compare string) (*Spec, error) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"project", "engine"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "ab.json")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := Load(file, compare)
	if err != nil {
		err = errors.New(strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	return s, err
}

const plain = `{
  // two arms
  "target": "project", "tasks": ["One || Two", {"name": "b", "question": "Three"}],
  "arms": [{"label": "new", "ref": "HEAD"}, {"label": "old", "ref": "v1", /* later */}],
  "engine": {"dir": "engine"},
}`

func TestDefaults(t *testing.T) {
	t.Parallel()
	s, err := load(t, plain, "")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(s.Target)
	want := &Spec{
		Target: filepath.Join(dir, "project"), Tasks: []Task{{"task1", []string{"One", "Two"}}, {"b", []string{"Three"}}},
		Arms: []Arm{{Label: "new", Ref: "HEAD"}, {Label: "old", Ref: "v1"}}, Engine: &Engine{Dir: filepath.Join(dir, "engine")}, Runs: 3,
		Agent:  Agent{Command: Command{"claude"}, Model: "sonnet", Effort: "high", Budget: 4, PermissionMode: "bypassPermissions", Environment: map[string]string{"CODEGRAPH_NO_PROMPT_HOOK": "1"}},
		Limits: Limits{Duration(30 * time.Minute), Duration(15 * time.Minute), Duration(24 * time.Hour)},
		Out:    filepath.Join(dir, "out"), Hide: Hide{CLI: []string{"codegraph"}, Index: []string{".codegraph"}}, LeaveOut: DefaultLeaveOut(),
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

func TestAByteOrderMarkDoesNotMatter(t *testing.T) {
	t.Parallel()
	if _, err := load(t, "\ufeff"+plain, ""); err != nil {
		t.Error(err)
	}
	if _, err := load(t, "\ufeff{\n\"targets\": 1}", ""); err == nil || !strings.Contains(err.Error(), "ab.json:2: targets") {
		t.Error(err)
	}
}

func TestAnotherToolHasItsOwnNames(t *testing.T) {
	t.Parallel()
	s, err := load(t, strings.Replace(plain, `"target"`, `"tools": {"name": "sourcegraph", "retrieval": ["mcp__sourcegraph__*"], "cli": ["src"]}, "target"`, 1), "")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Hide{CLI: []string{"src"}, Index: []string{".sourcegraph"}}, s.Hide); diff != "" {
		t.Error(diff)
	}
}

const tool = `"target": "project", "tasks": ["One"], "engine": {"dir": "engine"},
  "tool": {"setup": ["make index"], "mcp": {"codegraph": {"command": "codegraph"}}, "environment": {"A": "1"}, "prewarm": {"command": ["s"], "file": "f"}}`

func TestShorthands(t *testing.T) {
	t.Parallel()
	with := Arm{Label: "with", Setup: []Command{{"sh", "-c", "make index"}}, MCP: map[string]any{"codegraph": map[string]any{"command": "codegraph"}},
		Environment: map[string]string{"A": "1"}, Prewarm: &Prewarm{Command: Command{"s"}, File: "f", Timeout: Duration(time.Minute)}}
	baseline, current := with, with
	current.Label, current.Ref = "new", "HEAD"
	baseline.Label, baseline.Ref = "baseline", "v1.2"
	for compare, want := range map[string][]Arm{
		"with-vs-without":      {with, {Label: "without", Environment: map[string]string{"A": "1"}}},
		"new-vs-baseline v1.2": {current, baseline},
	} {
		s, err := load(t, `{`+tool+`, "compare": "`+compare+`"}`, "")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, s.Arms); diff != "" {
			t.Errorf("%s: %s", compare, diff)
		}
		other, err := load(t, `{`+tool+`, "compare": "new-vs-baseline other"}`, compare)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, other.Arms); diff != "" {
			t.Errorf("%s on the command line: %s", compare, diff)
		}
	}
	s, _ := load(t, `{`+tool+`, "compare": "with-vs-without"}`, "")
	if diff := cmp.Diff([]string{"without"}, s.Without()); diff != "" {
		t.Error(diff)
	}
}

// Whatever is wrong in a spec is said with the path of the field, and everything that is wrong at once.
func TestWrongSpecs(t *testing.T) {
	t.Parallel()
	two := `"arms": [{"label": "a"}, {"label": "b"}]`
	base := `"target": "project", "tasks": ["One"], `
	for _, c := range []struct{ spec, want string }{
		{``, "ab.json: line 1, column 1: parsing value: unexpected EOF"},
		{"{\n\"target\": }", "ab.json: line 2, column 11"},
		{`{} {}`, "invalid character '{' after top-level value"},
		{"{\n  \"targets\": \"x\"}", "ab.json:2: targets: unknown field"},
		{`{"target": "a", "target": "b"}`, "ab.json:1: target: duplicate object member name"},
		{`{"arms": [{}, {"prewarm": {"timeout": "soon"}}]}`, `ab.json:1: arms[1].prewarm.timeout: time: invalid duration "soon"`},
		{`{"arms": [{}, {"prewarm": {"timeout": 60}}]}`, `ab.json:1: arms[1].prewarm.timeout: want a duration such as "90s", not number`},
		{`{"limits": {"turn": "-1s"}}`, "ab.json:1: limits.turn: -1s is no time"},
		{`{"arms": [{"model": "opus"}]}`, "ab.json:1: arms[0].model: unknown field: model, effort, flags and limits are the same in every arm"},
		{`{"arms": [{"setup": "make"}]}`, "ab.json:1: arms[0].setup: want a list, not string"},
		{`{"arms": [{"setup": [7]}]}`, "ab.json:1: arms[0].setup[0]: want a list, not number"},
		{`{"arms": [{"setup": [""]}]}`, "ab.json:1: arms[0].setup[0]: an empty command"},
		{`{"runs": "three"}`, "ab.json:1: runs: want a number, not string"},
		{`{"runs": 1.5}`, "ab.json:1: runs: want a whole number, not 1.5"},
		{`{"runs": 99999999999999999999}`, "ab.json:1: runs: want a whole number, not 99999999999999999999"},
		{`{"limits": {"turn": "99999999h"}}`, `ab.json:1: limits.turn: time: invalid duration`},
		{`{` + base + two + `, "runs": 10001}`, "ab.json: runs: 10001 is no number of runs: want at most 10000"},
		{`{` + base + `"arms": [{"label": "a\nb"}, {"label": "b"}]}`, `ab.json: arms[0].label: "a\nb" cannot be the name of a file`},
		{`{` + base + `"arms": [{"label": "New"}, {"label": "new"}]}`, `ab.json: arms[1].label: "new" is taken`},
		{`{"tasks": [{"name": "x", "questions": "y"}]}`, "ab.json:1: tasks[0].questions: unknown field"},
		{`{"target": "absent", ` + two + `, "tasks": ["One"]}`, "ab.json: target: stat absent: no such file or directory"},
		{`{"tasks": ["One"], ` + two + `}`, "ab.json: target: which directory"},
		{`{"target": "project", ` + two + `}`, "ab.json: tasks: nothing is asked"},
		{`{"target": "project", "tasks": ["One || "], ` + two + `}`, "ab.json: tasks[0]: turn 2 is empty"},
		{`{"target": "project", "tasks": [{"name": "x/y", "question": "One"}], ` + two + `}`, `ab.json: tasks[0].name: "x/y" cannot be the name of a file`},
		{`{"target": "project", "tasks": [{"name": "x", "question": "1"}, {"name": "x", "question": "2"}], ` + two + `}`, `ab.json: tasks[1].name: "x" is taken`},
		{`{` + base + `"arms": [{"label": "a"}]}`, "ab.json: arms: want at least two"},
		{`{` + base + `"arms": [{"label": "a"}, {"label": "a"}]}`, `ab.json: arms[1].label: "a" is taken`},
		{`{` + base + `"arms": [{"label": "a-2"}, {"label": "a.t2"}]}`, `ab.json: arms[1].label: "a.t2" ends like the number of a run`},
		{`{` + base + `"arms": [{"label": ""}, {"label": "b"}]}`, `ab.json: arms[0].label: "" cannot be`},
		{`{` + base + `"arms": [{"label": "a", "ref": "HEAD"}, {"label": "b"}]}`, "ab.json: arms[0].ref: of which repository?"},
		{`{` + base + `"engine": {"dir": "engine"}, "arms": [{"label": "a", "ref": "--upload-pack=x"}, {"label": "b"}]}`, `ab.json: arms[0].ref: "--upload-pack=x" is no ref`},
		{`{` + base + `"arms": [{"label": "a", "setup": [["x", "{engine}"]]}, {"label": "b"}]}`, "ab.json: arms[0]: {engine} is used, and there is no engine"},
		{`{` + base + `"arms": [{"label": "a", "setup": ["make {workspace}"]}, {"label": "b"}]}`, `ab.json: arms[0].setup[0]: in a line for sh, write "$AB_WORKSPACE"`},
		{`{` + base + `"arms": [{"label": "a", "prewarm": {"command": ["x"]}}, {"label": "b"}]}`, "ab.json: arms[0].prewarm: what shows that it is ready"},
		{`{` + base + `"arms": [{"label": "a", "mcp": {"cg": {"args": []}}}, {"label": "b"}]}`, "ab.json: arms[0].mcp.cg: want a command or a url"},
		{`{` + base + `"arms": [{"label": "a", "mcp": {"cg": "x"}}, {"label": "b"}]}`, "ab.json: arms[0].mcp.cg: want an object"},
		{`{` + base + `"arms": [{"label": "a", "environment": {"PATH": "x"}}, {"label": "b"}]}`, "ab.json: arms[0].environment.PATH: the search path is the shield's"},
		{`{` + base + `"arms": [{"label": "a", "environment": {"ANTHROPIC_MODEL": "opus"}}, {"label": "b"}]}`, "ab.json: arms[0].environment.ANTHROPIC_MODEL: it decides on more than the tool"},
		{`{` + base + `"arms": [{"label": "a", "environment": {"MAX_THINKING_TOKENS": "1"}}, {"label": "b", "environment": {"MAX_THINKING_TOKENS": "2"}}]}`, "ab.json: arms[1].environment.MAX_THINKING_TOKENS"},
		{`{` + base + two + `, "agent": {"flags": ["--model=opus"]}}`, "ab.json: agent.flags[0]: --model is set by the harness"},
		{`{` + base + two + `, "agent": {"flags": ["--resume"]}}`, "ab.json: agent.flags[0]: --resume is set by the harness"},
		{`{` + base + two + `, "agent": {"budget": -1}}`, "ab.json: agent.budget: -1 is no sum"},
		{`{` + base + two + `, "out": "project/."}`, "ab.json: out: it is the target"},
		{`{` + base + two + `, "out": "."}`, "ab.json: out: it holds the target"},
		{`{` + base + two + `, "out": "../"}`, "ab.json: out: it holds the target"},
		{`{` + two + `, "repositories": [{"name": "x", "dir": "project", "task": "One"}], "out": "project/.."}`, "ab.json: out: it holds the target"},
		{`{` + base + `"engine": {"dir": "engine"}, "arms": [{"label": "a", "environment": {"CLAUDE_CONFIG_DIR": "{engine}/x"}}, {"label": "b", "environment": {"CLAUDE_CONFIG_DIR": "{engine}/x"}}]}`, "ab.json: arms[0].environment.CLAUDE_CONFIG_DIR: it decides on more than the tool, and {engine} is not the same in every arm"},
		{`{` + base + `"engine": {"dir": "engine"}, "agent": {"environment": {"ANTHROPIC_MODEL": "{engine}"}}, ` + two + `}`, "ab.json: agent.environment.ANTHROPIC_MODEL: it decides on more than the tool, and {engine}"},
		{`{` + base + `"arms": [{"label": "a", "environment": {"TASK_MAX_OUTPUT_LENGTH": "1"}}, {"label": "b"}]}`, "ab.json: arms[0].environment.TASK_MAX_OUTPUT_LENGTH"},
		{`{` + base + `"arms": [{"label": "a", "environment": {"SHELL": "/bin/zsh"}}, {"label": "b"}]}`, "ab.json: arms[0].environment.SHELL"},
		{`{` + base + two + `, "agent": {"command": ["claude", "--model", "opus"]}}`, "ab.json: agent.command[1]: --model is set by the harness"},
		{`{` + base + `"arms": [{"label": "a", "environment": {"CLAUDE_CODE_EXTRA_BODY": "{}"}}, {"label": "b"}]}`, "ab.json: arms[0].environment.CLAUDE_CODE_EXTRA_BODY"},
		{`{` + base + `"arms": [{"label": "a", "environment": {"https_proxy": "x"}}, {"label": "b"}]}`, "ab.json: arms[0].environment.https_proxy"},
		{`{` + base + two + `, "runs": -1}`, "ab.json: runs: -1 is no number of runs"},
		{`{` + base + two + `, "leave_out": ["[a"]}`, `ab.json: leave_out[0]: "[a" is no pattern`},
		{`{` + base + two + `, "tools": {"retrieval": ["[^a"]}}`, "ab.json: tools: tools: retrieval"},
		{`{` + base + two + `, "engine": {}}`, "ab.json: engine.dir: where is it?"},
		{`{` + base + two + `, "compare": "with-vs-without", "tool": {}}`, "ab.json: compare: exclusive with arms"},
		{`{` + base + `"compare": "with-vs-without"}`, "ab.json: tool: compare needs it"},
		{`{` + base + `"compare": "new-vs-old", "tool": {}}`, `ab.json: compare: "new-vs-old": want`},
		{`{` + base + two + `, "tool": {}}`, "ab.json: tool: it belongs to compare"},
		{`{` + base + two + `, "repositories": [{"name": "x", "dir": "project", "task": "One"}]}`, "ab.json: repositories: exclusive with target and tasks"},
		{`{` + two + `, "repositories": [{"name": "x", "url": "u", "task": "One"}]}`, "ab.json: repositories[0].ref: which commit of it"},
		{`{` + two + `, "repositories": [{"name": "x", "task": "One"}]}`, "ab.json: repositories[0]: want either url and ref, or dir"},
	} {
		_, err := load(t, c.spec, "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n%v\nwant %s", c.spec, err, c.want)
		}
	}
}

func TestAllThatIsWrongIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	_, err := load(t, `{"target": "absent", "arms": [{"label": "/"}]}`, "")
	if err == nil || strings.Count(err.Error(), "ab.json: ") != 4 {
		t.Errorf("want target, tasks, arms and arms[0].label:\n%v", err)
	}
}

func TestErrorsCanBeMatched(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(file, []byte(`{"arm": []}`), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := Load(file, "")
	var e *SpecError
	if !errors.As(err, &e) || e.File != file || e.Line != 1 || e.Field != "arm" || !errors.Is(err, ErrUnknownField) {
		t.Errorf("%#v", err)
	}
	if _, err := Load(file+"x", ""); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(plain))
	f.Add([]byte(`{` + tool + `}`))
	f.Add([]byte(`{"arms": [{"prewarm": {"timeout": "x"}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decode("x", data)
		var e *SpecError
		if (s == nil) == (err == nil) || err != nil && !errors.As(err, &e) {
			t.Errorf("%v, %v", s, err)
		}
	})
}

func TestDurationsAreWrittenShort(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{30 * time.Minute: "30m", 24 * time.Hour: "24h", 90 * time.Minute: "1h30m", 90 * time.Second: "1m30s", 300 * time.Millisecond: "300ms", 10 * time.Second: "10s"} {
		if got := Duration(d).String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
