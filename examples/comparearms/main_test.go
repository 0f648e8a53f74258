package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/perf/benchfmt"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/internal/golden"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// logs are those of an old build, after whose answers the agent read the file, and of a new one, after whose answers it did not.
func logs() map[string][]byte {
	made := make(map[string][]byte)
	for i := range 3 {
		source := strings.Repeat("func send() { write() }\n", 60+12*i)
		response := transcripttest.Response(transcripttest.File{Path: "lib/send.go", Defines: "send(function)", Source: source})
		fresh := transcripttest.New()
		fresh.Request(10_000).Explore("who calls send?").Result(response)
		fresh.Request(10_100 + len(response)/3).Text("lib/send.go calls it.")
		made[fmt.Sprintf("run-new-%d.jsonl", i+1)] = fresh.End("lib/send.go calls it.").Bytes()

		base := transcripttest.New()
		base.Request(10_000).Explore("who calls send?").Result(response)
		base.Request(10_100 + len(response)/3).ReadFile("lib/send.go").Result(source)
		base.Request(10_200 + len(response)/3 + len(source)/3).Text("Nobody does.")
		made[fmt.Sprintf("run-baseline-%d.jsonl", i+1)] = base.End("Nobody does.").Bytes()
	}
	return made
}

// directory returns one of its own with the logs in it.
func directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range logs() {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The README's example reads these.
func TestTheLogsInTestdataAreCurrent(t *testing.T) {
	dir := filepath.Join("testdata", "runs")
	for name, data := range logs() {
		name = filepath.Join(dir, name)
		golden.Check(t, name, data, *update)
	}
}

func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestTheTable(t *testing.T) {
	dir := directory(t)
	code, out, errs := call(t, dir, "new", "baseline")
	if code != 0 || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	out = strings.Replace(out, dir, "DIR", 1)
	golden.Check(t, filepath.Join("testdata", "table.txt"), []byte(out), *update)
}

func TestJSONHasTheDocumentedNames(t *testing.T) {
	_, out, _ := call(t, "-json", directory(t), "new", "baseline")
	var v struct {
		Schema int
		Arms   []struct {
			Label string
			Runs  []map[string]any
		}
		Rows []struct {
			Section, Name, Unit string
			Cells               []map[string]any
			Compare             map[string]any
		}
		Warnings []string
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	if v.Schema != 1 || len(v.Arms) != 2 || v.Arms[0].Label != "new" || len(v.Arms[0].Runs) != 3 || v.Arms[0].Runs[0]["occupancy"] == nil || v.Warnings == nil {
		t.Errorf("%+v", v)
	}
	for _, row := range v.Rows {
		if len(row.Cells) != 2 || row.Section == "" || row.Name == "" || row.Unit == "" {
			t.Errorf("%+v", row)
		}
		for _, name := range []string{"median", "min", "max", "n", "text"} {
			if _, ok := row.Cells[0][name]; !ok {
				t.Errorf("%s: a cell without %s", row.Name, name)
			}
		}
	}
}

func TestCSVAndMarkdown(t *testing.T) {
	dir := directory(t)
	_, out, _ := call(t, "-csv", dir)
	if records, err := csv.NewReader(strings.NewReader(out)).ReadAll(); err != nil || len(records) < 40 || records[1][4] != "baseline" {
		t.Errorf("%v\n%s", err, out)
	}
	if _, out, _ = call(t, "-md", dir); !strings.Contains(out, "| Read a file we returned | 3  100% | 0  0% |") {
		t.Error(out)
	}
}

// benchstat reads with this reader.
func TestBenchmarkLinesRead(t *testing.T) {
	dir := directory(t)
	if err := os.Rename(filepath.Join(dir, "run-new-3.jsonl"), filepath.Join(dir, "run-a b\n: c-3.jsonl")); err != nil {
		t.Fatal(err)
	}
	_, out, _ := call(t, "-benchfmt", dir)
	r := benchfmt.NewReader(strings.NewReader(out), "out")
	runs := make(map[string]int)
	for r.Scan() {
		switch rec := r.Result().(type) {
		case *benchfmt.Result:
			runs[rec.GetConfig("arm")]++
			if x, ok := rec.Value("retrieval-residual-tok"); !ok || x < 600 {
				t.Errorf("residual %v, %v", x, ok)
			}
			if x, ok := rec.Value("moved-on-answered-fraction"); !ok || x != 0 && x != 1 {
				t.Errorf("enough %v, %v", x, ok)
			}
		case *benchfmt.SyntaxError:
			t.Error(rec)
		}
	}
	if diff := cmp.Diff(map[string]int{"baseline": 3, "new": 2, "a b : c": 1}, runs); diff != "" || r.Err() != nil {
		t.Error(diff, r.Err())
	}
}

func TestALogThatCannotBeReadCostsItsRun(t *testing.T) {
	dir := directory(t)
	if err := os.WriteFile(filepath.Join(dir, "run-new-2.jsonl"), []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := call(t, dir, "new", "baseline", "gone")
	if code != 0 || !strings.Contains(errs, "new-2: left out") || !strings.Contains(errs, "gone: no logs") {
		t.Fatalf("exit %d: %s", code, errs)
	}
	if !strings.Contains(out, "!!! new-2: left out") || !strings.Contains(out, "!!! gone has no runs") {
		t.Error(out)
	}
}

func TestPairedByNumber(t *testing.T) {
	dir := directory(t)
	if _, out, _ := call(t, "-paired", dir, "new", "baseline"); !strings.Contains(out, "n=3 pairs") {
		t.Error(out)
	}
	for i := 1; i <= 3; i++ {
		if err := os.Rename(filepath.Join(dir, fmt.Sprintf("run-new-%d.jsonl", i)), filepath.Join(dir, fmt.Sprintf("run-new-0%d.jsonl", i))); err != nil {
			t.Fatal(err)
		}
	}
	if _, out, _ := call(t, "-paired", dir, "new", "baseline"); !strings.Contains(out, "n=3 pairs") {
		t.Error(out)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{dir, "new", "baseline", "b=run-baseline-1.jsonl"}, "-paired compares two arms, not 3"},
		{[]string{dir, "a=run-new-01.jsonl", "b=run-baseline-2.jsonl"}, "no number in common"},
		{[]string{dir, "a=run-new-01.jsonl", "b=run-*-2.jsonl"}, "no number in common"},
	} {
		if code, _, errs := call(t, append([]string{"-paired"}, c.args...)...); code != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d: %s", c.args, code, errs)
		}
	}
}

func TestExitCodes(t *testing.T) {
	dir := directory(t)
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{}, 2, "which directory"},
		{[]string{"-json", "-csv", dir}, 2, "exclude one another"},
		{[]string{"-window", "-1", dir}, 2, "-window -1"},
		{[]string{"-treatment", "colour", dir}, 2, `"client version"`},
		{[]string{dir, "new", "-json"}, 2, "-json: flags stand before the other arguments"},
		{[]string{"-without", "typo", dir}, 1, "-without typo: no such arm"},
		{[]string{dir, "new", "new"}, 1, "new is asked for twice"},
		{[]string{"-nonsense"}, 2, "usage: comparearms"},
		{[]string{"-h"}, 0, "usage: comparearms"},
		{[]string{empty}, 1, empty + ": no logs found"},
		{[]string{dir, "nobody"}, 1, "there are logs of baseline, new"},
		{[]string{filepath.Join(empty, "gone")}, 1, "no such file"},
		{[]string{"-tools", filepath.Join(empty, "gone.json"), dir}, 1, "gone.json"},
	} {
		code, _, errs := call(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, want %d: %s", c.args, code, c.code, errs)
		}
	}
}

// The arms of real runs, recorded with and without the server.
func TestRealArms(t *testing.T) {
	const dir = "../../../shared/transcripts/"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no real logs beside the project")
	}
	code, out, errs := call(t, "-json", "-without", "baseline", dir+"live/16-arms", "new", "baseline")
	var table arms.Table
	if err := json.Unmarshal([]byte(out), &table); err != nil || code != 0 || errs != "" || len(table.Warnings) > 0 || len(table.Differences) > 0 {
		t.Errorf("exit %d, %v: %s; %q, %+v", code, err, errs, table.Warnings, table.Differences)
	}
	tools := filepath.Join(t.TempDir(), "tools.json")
	if err := os.WriteFile(tools, []byte(`{"name": "sourcegraph", "retrieval": ["mcp__sourcegraph__*"], "cli": ["sgx"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, out, _ = call(t, "-tools", tools, dir+"public/dep-traversal-002", "baseline", "cli", "mcp"); !strings.Contains(out, "!!! cli is CONTAMINATED") ||
		strings.Contains(out, "!!! mcp is CONTAMINATED") || strings.Contains(out, "!!! baseline is CONTAMINATED") {
		t.Error(out)
	}
}
