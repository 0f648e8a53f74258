package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

func call(t *testing.T, env map[string]string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(args, func(name string) string { return env[name] }, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func sample() *transcripttest.Log {
	log := transcripttest.New()
	log.RequestUsage(usage(3, 1_000, 9_000)).Final(80).Explore("res.send").Result(transcripttest.Response(transcripttest.File{Path: "lib/response.js", Source: strings.Repeat("x\n", 2000)}))
	agent := log.RequestUsage(usage(3, 10_000, 2_000)).Final(60).Call("Agent", nil)
	agent.Subagent().RequestUsage(usage(5, 0, 0)).Final(20).ReadFile("lib/response.js").Result("x")
	agent.Result("done")
	log.RequestUsage(usage(3, 12_000, 500)).Final(40).Text("It is in lib/response.js")
	return log
}

func TestNewestSessionOfAProject(t *testing.T) {
	home, project := t.TempDir(), filepath.Join(t.TempDir(), "my proj_é.x")
	if err := os.MkdirAll(project, 0o700); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(home, ".claude", "projects", slug(project))
	env := map[string]string{"HOME": home}
	if code, _, errs := call(t, env, "-project", project); code != 1 || !strings.HasPrefix(errs, folder+": ") {
		t.Errorf("nothing found: exit %d, %s", code, errs)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := call(t, env, "-project", project); code != 1 || !strings.Contains(errs, folder+": no session log with a message") {
		t.Errorf("no log: exit %d, %s", code, errs)
	}
	text, _ := sample().SessionLog()
	silent := []byte(`{"type":"queue-operation","operation":"dequeue","sessionId":"x"}` + "\n")
	texts := map[string][]byte{"old.jsonl": text, "new.jsonl": text, "agent-1.jsonl": text, "silent.jsonl": silent, "empty.jsonl": nil, "notes.txt": text}
	for i, name := range []string{"old.jsonl", "new.jsonl", "agent-1.jsonl", "silent.jsonl", "empty.jsonl", "notes.txt"} {
		file, text := filepath.Join(folder, name), texts[name]
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1_000_000+i), 0)
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := call(t, env, "-project", project); code != 0 || !strings.Contains(out, "new.jsonl ===") {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	for _, name := range []string{"old.jsonl", "new.jsonl"} {
		os.Rename(filepath.Join(folder, name), filepath.Join(folder, name+".bak"))
	}
	if code, _, errs := call(t, env, "-project", project); code != 1 || !strings.Contains(errs, folder+": no session log with a message") {
		t.Errorf("only a silent one: exit %d, %s", code, errs)
	}
	for _, name := range []string{"old.jsonl", "new.jsonl"} {
		os.Rename(filepath.Join(folder, name+".bak"), filepath.Join(folder, name))
	}
	if code, out, _ := call(t, map[string]string{"CLAUDE_CONFIG_DIR": filepath.Join(home, ".claude")}, "-project", project); code != 0 || !strings.Contains(out, "new.jsonl ===") {
		t.Errorf("CLAUDE_CONFIG_DIR: exit %d", code)
	}
}

func TestSlug(t *testing.T) {
	if got := slug("/home/dev/my proj_é.x"); got != "-home-dev-my-proj---x" {
		t.Errorf("slug %s", got)
	}
}

func TestReportOfASession(t *testing.T) {
	code, out, errs := call(t, nil, "-session", sample().WriteSessionLog(t))
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	// generated 80 + 60 + 20 + 40; fresh 3 + 9,000 + 3 + 2,000 + 5 + 3 + 500; cached 1,000 + 10,000 + 12,000
	for _, want := range []string{
		"main thread: Agent 1, mcp__codegraph__codegraph_explore 1\n", "subagents (1): Read 1\n", "verdict: explore used 1x | Read 1 | Grep/Bash 0\n",
		"tokens: 200 generated | 11,514 fresh input | 23,000 cached | 11,714 billable", "Agent → Read response.js", "1/1 files cited", "Residual context occupancy",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the report does not say %q:\n%s", want, out)
		}
	}
}

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
	}{{[]string{"-nonsense"}, 2}, {[]string{"file"}, 2}, {[]string{"-h"}, 0}, {[]string{"-session", "missing.jsonl"}, 1}} {
		if code, _, errs := call(t, nil, c.args...); code != c.code || errs == "" {
			t.Errorf("%v: exit %d, %q", c.args, code, errs)
		}
	}
}

func usage(input, read, creation int) *transcript.Usage {
	return &transcript.Usage{Input: input, CacheRead: read, CacheCreation: creation}
}
