package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/internal/golden"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(args, bytes.NewReader(sample), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSampleIsShownWithoutAFile(t *testing.T) {
	code, out, errs := call(t)
	if code != 0 || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	golden.Check(t, filepath.Join("testdata", "sample.txt"), []byte(out), *update)
}

func TestBriefLeavesOutTheCalls(t *testing.T) {
	_, long, _ := call(t)
	_, short, _ := call(t, "-brief")
	if !strings.Contains(long, `  1. mcp__codegraph__codegraph_explore "res.send Content-Type"`) || strings.Contains(short, "  1. mcp__") {
		t.Errorf("brief:\n%s", short)
	}
}

func TestStandardInput(t *testing.T) {
	if code, out, _ := call(t, "-"); code != 0 || !strings.HasPrefix(out, "=== - ===") {
		t.Errorf("exit %d:\n%s", code, out)
	}
}

// The names that people and other tools read.
func TestJSONHasTheDocumentedNames(t *testing.T) {
	code, out, _ := call(t, "-json")
	var v map[string]any
	if err := json.Unmarshal([]byte(out), &v); err != nil || code != 0 || !strings.HasSuffix(out, "}\n") {
		t.Fatalf("exit %d, %v", code, err)
	}
	for object, names := range map[string]string{
		"":              "schema segments format session_id model client_version ok raced turns duration_s cost_usd processed_tokens tool_counts problems unknown occupancy sufficiency allocation contamination",
		"occupancy":     "final_context base_context conversation window chars_per_token calibrated dispersion compactions microcompactions evicted unmeasured_requests families file_access",
		"sufficiency":   "answered errors concurrent cut_off counts calls",
		"allocation":    "envelope used used_path efficiency efficiency_path files_returned files_used has_answer calls files",
		"contamination": "attempts blocked returned calls unknown",
	} {
		m := v
		if object != "" {
			m = v[object].(map[string]any)
		}
		for _, name := range strings.Fields(names) {
			if _, ok := m[name]; !ok {
				t.Errorf("%s has no %s", object, name)
			}
		}
	}
	var r arms.Run
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	s, err := transcript.Decode(bytes.NewReader(sample), "sample.jsonl", transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(arms.Measure(s, arms.MeasureOptions{}), r); diff != "" {
		t.Errorf("the JSON does not read back (-run +read):\n%s", diff)
	}
}

func TestEnvelopeAndAnswer(t *testing.T) {
	_, out, _ := call(t, "-envelope")
	if !strings.Contains(out, "Envelope — 16,598 chars over 4 files") || strings.Contains(out, "files that answer") {
		t.Errorf("-envelope:\n%s", out)
	}
	_, out, _ = call(t, "-answer", "lib/response.js", "-answer", "utils.*")
	if !strings.Contains(out, "files that answer  72.0%") {
		t.Errorf("-answer:\n%s", out)
	}
}

func TestWindow(t *testing.T) {
	if _, out, _ := call(t, "-window", "1000000"); !strings.Contains(out, "of 1M window") {
		t.Error(out)
	}
}

func TestToolsFileMeasuresAnotherServer(t *testing.T) {
	log := transcripttest.New()
	log.Request(1000).Call("mcp__other__find", transcripttest.Args{"query": "q"}).Result("x")
	log.Request(2000).Text("a")
	name := write(t, "run.jsonl", string(log.End("a").Bytes()))
	tools := write(t, "tools.json", `{"name": "other", "retrieval": ["mcp__other__*"]}`)
	if code, out, errs := call(t, "-tools", tools, name); code != 0 || !strings.Contains(out, "other ") || !strings.Contains(out, "(1 answered call)") {
		t.Errorf("exit %d: %s\n%s", code, errs, out)
	}
	for _, bad := range []string{`{"retreival": []}`, `{"retrieval": ["["]}`, `[]`, ``} {
		file := write(t, "bad.json", bad)
		if code, _, errs := call(t, "-tools", file, name); code != 1 || !strings.HasPrefix(errs, file+": ") {
			t.Errorf("%s: exit %d, %s", bad, code, errs)
		}
	}
}

func TestExitCodes(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"-nonsense"}, 2, "-nonsense"},
		{[]string{"-window", "-1"}, 2, "-window -1"},
		{[]string{"-answer", "[^a]"}, 2, "[^a]"},
		{[]string{filepath.Join(dir, "missing")}, 1, "missing: no such file or directory"},
		{[]string{dir}, 1, dir + ": is a directory"},
		{[]string{write(t, "empty.jsonl", "")}, 1, "empty.jsonl: no transcript events"},
		{[]string{write(t, "notes.txt", "hello\n")}, 1, "notes.txt: no transcript events"},
		{[]string{"-h"}, 0, "usage: parserun"},
	} {
		code, out, errs := call(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.stderr) || out != "" {
			t.Errorf("%v: exit %d, stderr %q, stdout %q", c.args, code, errs, out)
		}
	}
}

func TestWhatWasNotUnderstoodIsSaid(t *testing.T) {
	log := transcripttest.New()
	log.Request(1000).Explore("q").Result("x")
	log.Line("{broken")
	log.Event(transcripttest.Args{"type": "brand_new_event"})
	log.RequestUsage(nil).Bash("codegraph x").Result("y")
	name := write(t, "run.jsonl", string(log.Bytes()))
	_, out, _ := call(t, name)
	for _, want := range []string{"!!! CONTAMINATED", "run.jsonl:4: ", "event brand_new_event, 1 times", "have no usage", "no result: the run did not end", "NOT CALIBRATED"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not say %q:\n%s", want, out)
		}
	}
	if lines := strings.SplitN(out, "\n", 3); !strings.HasPrefix(lines[1], "!!!") {
		t.Errorf("contamination is not said above everything else:\n%s", out)
	}
}

func TestSegmentsAddUp(t *testing.T) {
	log := transcripttest.New()
	log.Request(1000).Text("a")
	log.End("a").Resume().Request(1100).Text("b")
	log.End("b")
	var names []string
	for i, s := range log.Segments() {
		names = append(names, write(t, log.Names()[i], string(s)))
	}
	if _, out, _ := call(t, names...); !strings.Contains(out, " | 2 segments (success, success)") || !strings.Contains(out, "cost $0.200") {
		t.Error(out)
	}
}
