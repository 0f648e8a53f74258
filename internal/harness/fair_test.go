//go:build unix

package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/transcript"
)

func TestArmsTakeTurns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	steps := b.run(b.spec(runs(3)))
	want := []string{"run-with-1 finished", "run-without-1 finished", "run-without-2 finished", "run-with-2 finished", "run-with-3 finished", "run-without-3 finished"}
	if diff := cmp.Diff(want, statuses(steps)); diff != "" {
		t.Error(diff)
	}
	var with []bool
	for _, r := range b.calls() {
		with = append(with, len(r.Servers) > 0)
	}
	if diff := cmp.Diff([]bool{true, false, false, true, true, false}, with); diff != "" {
		t.Error(diff)
	}
	found, err := rundir.Find(filepath.Join(b.dir, "out"), "with", "without")
	if err != nil || len(found.Arms[0].Runs) != 3 || len(found.Arms[1].Runs) != 3 || len(found.Warnings) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// Every run has a copy of its own without what is left out, whose name is the target's and whose path does not tell the arm.
func TestWorkspaces(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(b.spec())
	calls := b.calls()
	if diff := cmp.Diff([]string{"indexed", "main.go"}, calls[0].Files); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"main.go"}, calls[1].Files); diff != "" {
		t.Error(diff)
	}
	for _, c := range calls {
		if filepath.Base(c.Dir) != "project" || strings.Contains(c.Dir, "with") || len(c.Dir) != len(calls[0].Dir) {
			t.Errorf("workspace %s", c.Dir)
		}
	}
	if calls[0].Dir == calls[1].Dir {
		t.Error("both runs have the same workspace")
	}
	if _, err := os.Stat(filepath.Join(b.target, ".codegraph", "stale.db")); err != nil {
		t.Error("the target was touched")
	}
}

// The logs in the target are in no copy, by whatever name it is called, nor is the target copied into itself.
func TestTheOutputInTheTarget(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := os.Symlink("project", filepath.Join(b.dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("logs/ab", filepath.Join(b.target, "latest")); err != nil {
		t.Fatal(err)
	}
	b.run(b.spec(runs(2), func(s m) { s["target"], s["out"] = "link", "project/logs/ab" }))
	for _, c := range b.calls() {
		for _, f := range c.Files {
			if f != "main.go" && f != "indexed" {
				t.Errorf("the agent has %s", f)
			}
		}
	}
	h, err := b.harness(b.spec(), func(o *Options) { o.Temp = b.target })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "lies in the target") {
		t.Errorf("workspaces in the target: %v", err)
	}
	if _, err := h.Probe(t.Context()); err == nil || !strings.Contains(err.Error(), "lies in the target") {
		t.Errorf("workspaces in the target, checked: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(b.target, "ab-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestTheAgentsCommandLineAndEnvironment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(b.spec(func(s m) { s["agent"].(m)["flags"] = []string{"--max-turns", "40"} }))
	c := b.calls()[0]
	args := slices.Clone(c.Args)
	for i, a := range args {
		if filepath.IsAbs(a) {
			args[i] = filepath.Base(a)
		}
	}
	want := []string{"agent", "-p", "--output-format", "stream-json", "--verbose", "--model", "sonnet", "--effort", "high", "--max-budget-usd", "4",
		"--permission-mode", "bypassPermissions", "--strict-mcp-config", "--mcp-config", "mcp.json", "--settings", "settings.json", "--max-turns", "40", "--", "Where is main? [explore: main]"}
	if diff := cmp.Diff(want, args); diff != "" {
		t.Error(diff)
	}
	if slices.Contains(filepath.SplitList(c.Path), b.bin) {
		t.Errorf("the agent's search path has the tool: %s", c.Path)
	}
	for _, v := range c.Env {
		if strings.HasPrefix(v, "CLAUDECODE=") {
			t.Error("the agent believes that it is inside another one")
		}
	}
}

// The agent tries the tool by name, by its path and through npx, and reads the index; in vain each time. Then it mentions the tool, and may.
func TestTheToolIsOutOfReach(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	cli := filepath.Join(b.bin, "codegraph")
	b.run(b.spec(task("[bash: codegraph status] [bash: " + cli + " status] [bash: npx codegraph x] [bash: cat .codegraph/db] [bash: c=code; ${c}graph status] [bash: grep -c codegraph main.go; true]")))
	for _, log := range []string{"run-with-1.jsonl", "run-without-1.jsonl"} {
		s, err := transcript.ReadFiles(transcript.Options{}, filepath.Join(b.dir, "out", log))
		if err != nil {
			t.Fatal(err)
		}
		block := contamination.Analyze(s, contamination.Options{Index: []string{".codegraph"}})
		if block.Attempts != 5 || block.Blocked != 5 {
			t.Errorf("%s: %+v", log, block)
		}
	}
}

func TestTurnsResumeOneSession(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(b.spec(task("One || Two [explore: x] || Three")))
	if diff := cmp.Diff([]string{"run-with-1.jsonl", "run-with-1.t2.jsonl", "run-with-1.t3.jsonl"}, b.out("run-with-*.jsonl")); diff != "" {
		t.Error(diff)
	}
	s, err := transcript.ReadFiles(transcript.Options{}, filepath.Join(b.dir, "out", "run-with-1.jsonl"), filepath.Join(b.dir, "out", "run-with-1.t2.jsonl"), filepath.Join(b.dir, "out", "run-with-1.t3.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := "Turn 1: main is in main.go:1.\n\nTurn 2: main is in main.go:1.\n\nTurn 3: main is in main.go:1."
	if s.Answer() != want {
		t.Errorf("%q", s.Answer())
	}
	calls := b.calls()
	if calls[0].Resumed != "" || calls[1].Resumed == "" || calls[1].Resumed != calls[2].Resumed || calls[0].Dir != calls[2].Dir {
		t.Errorf("resumed %q, %q, %q", calls[0].Resumed, calls[1].Resumed, calls[2].Resumed)
	}
}

// A server that is there before the agent, and one that goes away while the agent runs.
func TestPrewarmedServer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := b.spec(func(s m) {
		arm(s, 0)["prewarm"] = m{"command": []string{b.self, "serve", "cg.sock"}, "socket": "{workspace}/cg.sock"}
	})
	if steps := b.run(spec); steps[0].Status != Finished || !slices.Contains(b.calls()[0].Files, "cg.sock.pid") {
		t.Errorf("%+v, %q", steps[0].Run, b.calls()[0].Files)
	}
	arm(spec, 0)["environment"] = m{"STANDIN": "[kill server]"}
	steps := b.run(spec, func(o *Options) { o.Arms = []string{"with"} })
	if steps[0].Status != Lost || !strings.Contains(steps[0].Reason, "server went away during turn 1") {
		t.Errorf("%+v", steps[0].Run)
	}
}

func TestSeveralTasksAndCampaigns(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	steps := b.run(b.spec(func(s m) { s["tasks"] = []any{"One", m{"name": "second", "question": "Two"}} }))
	want := []string{"task1/run-with-1 finished", "task1/run-without-1 finished", "second/run-with-1 finished", "second/run-without-1 finished"}
	if diff := cmp.Diff(want, statuses(steps)); diff != "" {
		t.Error(diff)
	}
	b = newBench(t)
	b.file("other/a.go", "package a\n")
	campaign := func(s m) {
		delete(s, "target")
		delete(s, "tasks")
		s["repositories"] = []any{m{"name": "gin", "dir": "project", "task": "One || Two"}, m{"name": "tokio", "dir": "other", "task": "One || Two"}}
	}
	b.run(b.spec(campaign))
	b.run(b.spec(campaign), func(o *Options) { o.From = 2 })
	found, err := rundir.FindCampaign(filepath.Join(b.dir, "out"), "with", "without")
	if err != nil || len(found.Warnings) > 0 || len(found.Arms[0].Runs) != 4 || len(found.Arms[1].Runs) != 4 || len(found.Arms[0].Runs[0].Files) != 2 {
		t.Errorf("%+v, %v", found, err)
	}
}
