package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/arms/campaign"
	"github.com/agent-eval/feedback/internal/golden"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// with answers from one response of a tool that takes 2,000 tokens of every prompt.
func with(cost float64) *transcripttest.Log {
	source := strings.Repeat("func send() { write() }\n", 300)
	log := transcripttest.New()
	response := transcripttest.Response(transcripttest.File{Path: "lib/send.go", Defines: "send(function)", Source: source})
	log.Request(12_000).Explore("who calls send?").Result(response)
	log.Request(12_000 + len(response)/3).Text("lib/send.go calls it.")
	return log.EndWith(transcripttest.Args{"result": "lib/send.go calls it.", "total_cost_usd": cost, "duration_ms": 12_000})
}

// without searches and reads.
func without(cost float64) *transcripttest.Log {
	source := strings.Repeat("func send() { write() }\n", 600)
	log := transcripttest.NewBare().Init(transcripttest.Args{"mcp_servers": []any{}, "tools": []any{"Read", "Grep"}})
	log.Request(10_000).Call("Grep", transcripttest.Args{"pattern": "send"}).Result("lib/send.go")
	log.Request(10_050).ReadFile("lib/send.go").Result(source)
	log.Request(10_050 + len(source)/3).Text("lib/send.go calls it.")
	return log.EndWith(transcripttest.Args{"result": "lib/send.go calls it.", "total_cost_usd": cost, "duration_ms": 20_000})
}

func save(t *testing.T, dir, name string, data []byte) {
	t.Helper()
	name = filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// directory holds two repositories. In gin the second pass lacks a run, and another of its logs cannot be read.
func directory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, at := range []string{"express/run1", "express/run2", "gin/run1"} {
		save(t, dir, at+"/run-with.jsonl", with(0.08).Bytes())
		save(t, dir, at+"/run-without.jsonl", without(0.10).Bytes())
	}
	save(t, dir, "gin/run2/run-with.jsonl", []byte("nonsense"))
	save(t, dir, "notes/readme.txt", nil)
	// a server that lost the race, and an arm without the tool that has it
	raced := transcripttest.NewBare().Init(transcripttest.Args{"mcp_servers": []any{map[string]any{"name": "codegraph", "status": "pending"}}, "tools": []any{"Read"}})
	raced.Request(10_000).Text("I do not know.")
	save(t, dir, "express/run3/run-with.jsonl", raced.End("I do not know.").Bytes())
	save(t, dir, "express/run3/run-without.jsonl", with(0.08).Bytes())
	save(t, dir, "gin/run3/run-with.jsonl", with(0.08).Bytes())
	save(t, dir, "gin/run3/run-without.jsonl", without(0.10).Bytes())
	return dir
}

func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestTheReport(t *testing.T) {
	dir := directory(t)
	code, out, errs := call(t, dir)
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for _, want := range []string{"gin/run2: missing, no log of without", "gin/run2/with: left out"} {
		if !strings.Contains(errs, want) || !strings.Contains(out, "!!! "+want) {
			t.Errorf("no %q in %s", want, errs)
		}
	}
	out = strings.ReplaceAll(out, dir, "DIR")
	golden.Check(t, filepath.Join("testdata", "report.txt"), []byte(out), *update)
}

func TestLeftOutRunsCanBeKept(t *testing.T) {
	dir := directory(t)
	read := func(args ...string) (r campaign.Report) {
		_, out, _ := call(t, append(args, "-json", dir)...)
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := read(); len(r.LeftOut) != 2 || r.Repos[0].Runs != [2]int{2, 2} {
		t.Errorf("%+v, runs %v", r.LeftOut, r.Repos[0].Runs)
	}
	if r := read("-include-raced", "-include-contaminated"); len(r.LeftOut) != 0 || r.Repos[0].Runs != [2]int{3, 3} {
		t.Errorf("%+v, runs %v", r.LeftOut, r.Repos[0].Runs)
	}
}

func TestExitCodes(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{nil, 2, "want one directory"},
		{[]string{"a", "b"}, 2, "want one directory"},
		{[]string{"-with", "x", "-without", "x", empty}, 2, "both"},
		{[]string{"-h"}, 0, "usage: campaign"},
		{[]string{empty}, 1, empty + ": no logs found; want <repo>/run<n>/run-with.jsonl and run-without.jsonl"},
		{[]string{filepath.Join(empty, "gone")}, 1, "no such file"},
	} {
		code, _, errs := call(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, want %d: %s", c.args, code, c.code, errs)
		}
	}
}
