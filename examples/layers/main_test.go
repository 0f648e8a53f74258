package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/internal/golden"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestTheExample(t *testing.T) {
	code, out, errs := call(t)
	if code != 0 || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	golden.Check(t, filepath.Join("testdata", "example.txt"), []byte(out), *update)
}

// Ten of twelve measured runs succeed, two of these with a defect: a fifth. Of nine clean runs eight succeed.
func TestAFifthOfTheSuccessesIsTainted(t *testing.T) {
	_, out, _ := call(t, "-json")
	var table layers.Table
	if err := json.Unmarshal([]byte(out), &table); err != nil {
		t.Fatal(err)
	}
	if want := (layers.Counts{CleanSuccess: 8, TaintedSuccess: 2, TaintedFailure: 1, CleanFailure: 1, Unmeasured: 1}); table.Counts != want {
		t.Errorf("%+v", table.Counts)
	}
	if table.Capability.Count != 8 || table.Capability.Of != 9 || table.Indistinct != 1 {
		t.Errorf("%+v", table.Group)
	}
}

// directory holds the files of the example.
func directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range exampleFilesMade() {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestADirectoryIsReadLikeTheExample(t *testing.T) {
	dir := directory(t)
	_, want, _ := call(t)
	code, got, errs := call(t, dir, "baseline", "new")
	if code != 0 || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	got = strings.ReplaceAll(got, filepath.ToSlash(dir)+"/", "example/")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsMissingIsUnmeasured(t *testing.T) {
	dir := directory(t)
	if err := os.WriteFile(filepath.Join(dir, "run-new-1.jsonl"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	outcomes := `{"id": "new-1", "outcome": "success"}` + "\n" + `{"id": "new-2", "outcome": "success"}` + "\n" + `{"id": "new-99", "outcome": "success"}`
	if err := os.WriteFile(filepath.Join(dir, "outcomes.jsonl"), []byte(outcomes), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "budgets.json")); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call(t, dir)
	for _, want := range []string{"warning: new-1: ", "warning: an outcome is given for new-99, of which there is no log"} {
		if code != 0 || !strings.Contains(errs, want) {
			t.Errorf("exit %d, no %q in %s", code, want, errs)
		}
	}
	for _, want := range []string{"new-1: unmeasured, its log cannot be read", "new-2: clean success", "new-3: unmeasured, no outcome was given", "new-99: unmeasured, there is no log of it",
		"unmeasured, and in no rate: 11 runs, no outcome was given", "not checked in 12 runs, which may have such a defect all the same: budget: none is declared"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestGatesAreDefects(t *testing.T) {
	if _, out, _ := call(t, "-sandbox", "/nowhere", "-harness"); !strings.Contains(out, "harness: gate_sandbox") {
		t.Error(out)
	}
}

// write writes files into a new directory and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What weakens the table is said: a line that is no event, budgets that contradict each other, an answer that nothing can be checked in.
func TestWarnings(t *testing.T) {
	silent := transcripttest.New()
	silent.Request(1_000).ReadFile("a.go").Result("1\tpackage a")
	dir := write(t, map[string]string{
		"run-new-1.jsonl": "nonsense\n" + string(exampleLog(false, false)),
		"run-new-2.jsonl": string(silent.Bytes()),
		"outcomes.jsonl":  `{"id": "new-1", "outcome": "success"}` + "\n" + `{"id": "new-2", "outcome": "failure"}`,
		"budgets.json": `[{"name": "a", "unit": "tokens", "scope": "call", "enforcement": "before_call", "limit": 9},
			{"name": "b", "unit": "tokens", "scope": "run", "enforcement": "report", "limit": 9}]`,
	})
	code, out, errs := call(t, "-grounding", dir)
	for _, want := range []string{"warning: new-1: 1 line of its log could not be read, the first " + filepath.Join(dir, "run-new-1.jsonl") + ":1: ",
		"warning: the budgets a and b differ in scope, enforcement, and neither is the authority\n"} {
		if code != 0 || !strings.Contains(errs, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, errs)
		}
	}
	if want := "not checked in 1 run, which may have such a defect all the same: grounding: the session gave no answer"; !strings.Contains(out, want) {
		t.Errorf("no %q in\n%s", want, out)
	}
}

// One answer cites a line that was shown, the other one that was not.
func TestGroundingIsADefect(t *testing.T) {
	answering := func(answer string) string {
		log := transcripttest.New()
		log.Request(1_000).ReadFile("lib/a.go").Result("1\tpackage a")
		log.Request(2_000).Text(answer)
		return string(log.End(answer).Bytes())
	}
	dir := write(t, map[string]string{
		"run-new-1.jsonl": answering("It is in lib/a.go:1"), "run-new-2.jsonl": answering("It is in lib/a.go:9"),
		"outcomes.jsonl": `{"id": "new-1", "outcome": "success"}` + "\n" + `{"id": "new-2", "outcome": "success"}`,
	})
	if _, out, _ := call(t, dir); strings.Contains(out, "unsupported") {
		t.Errorf("not asked for:\n%s", out)
	}
	_, out, _ := call(t, "-grounding", dir)
	for _, want := range []string{"new-1: clean success\n", "new-2: success with a defect\n", "run-new-2.jsonl:5 rag  unsupported_citation: lib/a.go:9: lines not shipped"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// The tool's command line returned output in one run and was denied in the other. The second asks the same twice, which is a defect for whoever wants it.
func TestDefectsOfTheHarness(t *testing.T) {
	reached := transcripttest.New()
	reached.Request(1_000).Bash("codegraph explore x").Result("x")
	reached.Request(2_000).Text("done")
	denied := transcripttest.New()
	denied.Request(1_000).Bash("codegraph explore x").Error("denied")
	denied.Request(2_000).ReadFile("a.go").Result("1\ta")
	denied.Request(3_000).ReadFile("a.go").Result("1\ta")
	denied.Request(4_000).Bash("ls").Result("a.go")
	denied.Request(5_000).Text("done")
	dir := write(t, map[string]string{
		"run-new-1.jsonl": string(reached.End("done").Bytes()), "run-new-2.jsonl": string(denied.End("done").Bytes()),
		"outcomes.jsonl": `{"id": "new-1", "outcome": "success"}` + "\n" + `{"id": "new-2", "outcome": "success"}`,
	})
	if _, out, _ := call(t, dir); !strings.Contains(out, "run-new-1.jsonl:2 harness  cli_returned: codegraph explore x\nnew-2: clean success\n") {
		t.Error(out)
	}
	if _, out, _ := call(t, "-harness", dir); !strings.Contains(out, "new-2: success with a defect\n    "+filepath.Join(dir, "run-new-2.jsonl")+":6 harness  repeated_call") {
		t.Error(out)
	}
}

func TestExitCodes(t *testing.T) {
	dir := directory(t)
	empty := t.TempDir()
	bad := filepath.Join(empty, "bad.jsonl")
	if err := os.WriteFile(bad, []byte(`{"id": "new-1", "outcome": "won"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-nonsense"}, 2, "usage: layers"},
		{[]string{"-h"}, 0, "usage: layers"},
		{[]string{"-budgets", "x"}, 2, "which directory"},
		{[]string{empty}, 1, empty + ": no logs found"},
		{[]string{"-outcomes", bad, dir}, 1, bad + `:1: outcome "won"`},
		{[]string{"-budgets", bad, dir}, 1, bad + ":1: "},
		{[]string{"-budgets", filepath.Join(empty, "gone.json"), dir}, 1, "gone.json"},
		{[]string{"-outcomes", filepath.Join(empty, "gone.jsonl"), dir}, 1, "gone.jsonl"},
	} {
		code, _, errs := call(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, want %d: %s", c.args, code, c.code, errs)
		}
	}
}
