//go:build unix

package harness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/internal/standin"
	"github.com/agent-eval/feedback/transcript"
)

// A bench is a place to try specs: a target, a search path with the tool's command line, and a directory where the agent records its calls.
type bench struct {
	t                         *testing.T
	dir, target, bin, records string
	self                      string
}

func newBench(t *testing.T) *bench {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b := &bench{t: t, dir: dir, target: filepath.Join(dir, "project"), bin: filepath.Join(dir, "bin"), records: filepath.Join(dir, "records"), self: self}
	b.file("project/main.go", "package main\n")
	b.file("project/.git/HEAD", "ref: refs/heads/main\n")
	b.file("project/node_modules/x/index.js", "x\n")
	b.file("project/.codegraph/stale.db", "stale\n")
	b.file("project/sub/dist/out.js", "x\n")
	b.file("bin/codegraph", "#!/bin/sh\necho indexed by the tool\n")
	if err := errors.Join(os.Chmod(filepath.Join(b.bin, "codegraph"), 0o700), os.Symlink(self, filepath.Join(b.bin, "agent")), os.Mkdir(b.records, 0o700)); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) file(name, content string) string {
	b.t.Helper()
	name = filepath.Join(b.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return name
}

// m is a JSON object.
type m = map[string]any

// spec returns a spec of two arms, one with the tool, changed by edits.
func (b *bench) spec(edits ...func(m)) m {
	s := m{
		"target": "project", "tasks": []any{"Where is main? [explore: main]"}, "runs": 1, "out": "out",
		"arms": []any{
			m{"label": "with", "setup": []any{[]string{"codegraph", "init"}, "echo index > $AB_WORKSPACE/indexed"}, "mcp": m{"codegraph": m{"command": "codegraph", "args": []string{"{workspace}"}}}},
			m{"label": "without"},
		},
		"agent":  m{"command": []string{"agent", "agent"}, "environment": m{"STANDIN_RECORD": b.records}},
		"limits": m{"turn": "30s", "setup": "10s"},
	}
	for _, e := range edits {
		e(s)
	}
	return s
}

func (b *bench) harness(spec m, edits ...func(*Options)) (*Harness, error) {
	b.t.Helper()
	data, err := json.Marshal(spec)
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := Load(b.file("ab.json", string(data)), "")
	if err != nil {
		return nil, err
	}
	opts := Options{Hook: []string{b.self, "hook"}, Env: []string{"PATH=" + b.bin + ":/usr/bin:/bin", "HOME=" + b.dir, "CLAUDECODE=1", standin.Quick}, Grace: 2 * time.Second, Temp: b.dir}
	for _, e := range edits {
		e(&opts)
	}
	return New(s, opts)
}

func (b *bench) run(spec m, edits ...func(*Options)) []Step {
	b.t.Helper()
	h, err := b.harness(spec, edits...)
	if err != nil {
		b.t.Fatal(err)
	}
	steps, err := h.Run(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	b.clean()
	return steps
}

// clean fails if a workspace was left behind.
func (b *bench) clean() {
	b.t.Helper()
	if left, _ := filepath.Glob(filepath.Join(b.dir, "ab-*")); len(left) > 0 {
		b.t.Errorf("left behind: %q", left)
	}
}

func (b *bench) calls() []standin.Record {
	b.t.Helper()
	records, err := standin.Records(b.records)
	if err != nil {
		b.t.Fatal(err)
	}
	return records
}

func (b *bench) out(pattern string) (names []string) {
	files, _ := filepath.Glob(filepath.Join(b.dir, "out", pattern))
	for _, f := range files {
		rel, _ := filepath.Rel(filepath.Join(b.dir, "out"), f)
		names = append(names, rel)
	}
	return names
}

func statuses(steps []Step) (list []string) {
	for _, s := range steps {
		list = append(list, fmt.Sprintf("%s %s", s.Name, s.Status))
	}
	return list
}

func arm(s m, i int) m { return s["arms"].([]any)[i].(m) }

func task(text string) func(m) { return func(s m) { s["tasks"] = []any{text} } }

func runs(n int) func(m) { return func(s m) { s["runs"] = n } }

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

// Each way in which a run can be lost: it is listed with the reason, its log is kept but not found, and the others are made.
func TestLostRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, standin, want string
		edit                func(s m)
	}{
		{"crash", "[crash]", "turn 1: the agent ended without a result (exit status 7): stand-in: boom", nil},
		{"killed", "[killed]", "ended without a result (signal: killed)", nil},
		{"hangs", "[hang]", "turn 1: time limit of 1s", func(s m) { s["limits"].(m)["turn"] = "1s" }},
		{"hangs and does not hear", "[deaf]", "turn 1: time limit of 1s", func(s m) { s["limits"].(m)["turn"] = "1s" }},
		{"the API fails", "[api error]", "the client reports an error: API Error: 529 overloaded", nil},
		{"no session", "[no session]", "turn 1 has no session id: turn 2 cannot resume it", task("One || Two")},
		{"the client's server fails", "[failed server]", "server codegraph did not come up", nil},
		{"setup fails", "", "setup: sh -c exit 3: exit status 3", func(s m) {
			arm(s, 0)["setup"] = []any{"exit 3", "touch later"}
		}},
		{"setup takes too long", "", "time limit of 1s", func(s m) {
			s["limits"].(m)["setup"] = "1s"
			arm(s, 0)["setup"] = []any{[]string{"sleep", "60"}}
		}},
		{"the server ends at once", "", "server did not come up: exit status 4", func(s m) {
			arm(s, 0)["prewarm"] = m{"command": "exit 4", "socket": "{workspace}/s.sock"}
		}},
		{"the server never comes up", "", "server did not come up within 300ms", func(s m) {
			arm(s, 0)["prewarm"] = m{"command": []string{"sleep", "60"}, "file": "{workspace}/ready", "timeout": "300ms"}
		}},
		{"no such server", "", "server codegraph did not come up: absent: not found", func(s m) {
			arm(s, 0)["mcp"] = m{"codegraph": m{"command": "absent"}}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			spec := b.spec(func(s m) {
				if c.standin != "" {
					arm(s, 0)["environment"] = m{"STANDIN": c.standin}
				}
				if c.edit != nil {
					c.edit(s)
				}
			})
			var steps []Step
			if alone := strings.Contains(c.want, "turn 1: time limit"); alone { // the limit is that of the other arm too
				steps = b.run(spec, func(o *Options) { o.Arms = []string{"with"} })
			} else if steps = b.run(spec); steps[1].Status != Finished {
				t.Errorf("the other arm's run: %s: %s", steps[1].Status, steps[1].Reason)
			}
			lostRun := steps[0]
			if lostRun.Status != Lost || !strings.Contains(lostRun.Reason, c.want) {
				t.Errorf("%s: %q, want %q", lostRun.Status, lostRun.Reason, c.want)
			}
			if logs := b.out("run-with-*.jsonl"); len(logs) > 0 {
				t.Errorf("a lost run would be compared: %q", logs)
			}
			if left := b.out("*.part"); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
		})
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

func TestAMissingAgentIsFoundBeforeAnyRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	h, err := b.harness(b.spec(func(s m) { s["agent"].(m)["command"] = []string{"absent"} }))
	if err != nil {
		t.Fatal(err)
	}
	if steps, err := h.Run(t.Context()); !errors.Is(err, contamination.ErrProbe) || !strings.Contains(err.Error(), "absent") || len(b.out("*.jsonl")) > 0 {
		t.Errorf("%v, %q", err, statuses(steps))
	}
	b.clean()
}

// What cannot be shielded is not run: here a hook that lets everything pass.
func TestAShieldThatDoesNotHoldIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	h, err := b.harness(b.spec(), func(o *Options) { o.Hook = []string{"/bin/true"} })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Run(t.Context()); !errors.Is(err, contamination.ErrProbe) || len(b.calls()) > 0 {
		t.Errorf("%v, %d calls", err, len(b.calls()))
	}
}

func TestADiskThatIsFullCostsTheRun(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	b := newBench(t)
	if err := errors.Join(os.Mkdir(filepath.Join(b.dir, "out"), 0o700), os.Symlink("/dev/full", filepath.Join(b.dir, "out", "run-with-1.jsonl.part"))); err != nil {
		t.Fatal(err)
	}
	steps := b.run(b.spec())
	if steps[0].Status != Lost || !strings.Contains(steps[0].Reason, "no space left on device") || steps[1].Status != Finished {
		t.Errorf("%+v, %+v", steps[0].Run, steps[1].Run)
	}
}

// There is no point in paying for a run whose log is lost: the agent is ended.
func TestADiskThatIsFullEndsTheAgent(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	b := newBench(t)
	if err := errors.Join(os.Mkdir(filepath.Join(b.dir, "out"), 0o700), os.Symlink("/dev/full", filepath.Join(b.dir, "out", "run-with-1.jsonl.part"))); err != nil {
		t.Fatal(err)
	}
	steps := b.run(b.spec(func(s m) { arm(s, 0)["environment"] = m{"STANDIN": "[hang]"} }))
	if steps[0].Status != Lost || !strings.Contains(steps[0].Reason, "no space left on device") || strings.Contains(steps[0].Reason, "time limit") {
		t.Errorf("%+v", steps[0].Run)
	}
}

// The group of a program ends with it, whatever its environment says.
func TestAGroupEndsWithItsProgram(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	h, err := b.harness(b.spec())
	if err != nil {
		t.Fatal(err)
	}
	p := proc{name: "sh", args: []string{"-c", "sleep 600 & printf %s $! > pid"}, dir: b.dir, env: []string{"PATH=/usr/bin:/bin"}}
	if err := h.exec(t.Context(), p); err != nil || !gone(t, filepath.Join(b.dir, "pid")) {
		t.Errorf("a child is still there, %v", err)
	}
}

func TestATurnLimitOfTheClientIsAnOutcome(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	steps := b.run(b.spec(task("One [max turns] || Two")))
	if steps[0].Status != Finished || !strings.Contains(steps[0].Reason, "turn 1 ended with error_max_turns: no later turn") || len(b.out("run-with-1*.jsonl")) != 1 {
		t.Errorf("%+v", steps[0].Run)
	}
}

// alive reports whether a process is there that is no zombie.
func alive(t *testing.T, file string) bool {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(data))
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil && !dirExists("/proc/self")
	}
	return !strings.Contains(string(stat), ") Z ")
}

func dirExists(name string) bool { _, err := os.Stat(name); return err == nil }

// gone waits for a process to end: a signal takes a moment.
func gone(t *testing.T, file string) bool {
	t.Helper()
	for range 200 {
		if !alive(t, file) {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}

func TestNothingOutlivesARun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(b.spec(task("[child]")))
	if !gone(t, filepath.Join(b.records, "child.pid")) {
		t.Error("a child of the agent is still there")
	}
	if !dirExists("/proc/self/environ") {
		t.Skip("processes that left the group are only found on Linux")
	}
	b = newBench(t)
	steps := b.run(b.spec(task("[detach]")))
	if !gone(t, filepath.Join(b.records, "detach.pid")) || steps[0].Status != Finished {
		t.Errorf("a process that left the group is still there, or the run is not finished: %+v", steps[0].Run)
	}
}

// An interrupt ends the run that is made, keeps those that are, and the next call goes on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := b.spec(func(s m) { arm(s, 1)["environment"] = m{"STANDIN": "[hang]"} })
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("interrupt signal received")
	go func() {
		for !dirExists(filepath.Join(b.records, "hanging")) && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		cancel(stop)
	}()
	h, err := b.harness(b.spec(func(s m) { s["arms"] = spec["arms"]; s["runs"] = 2 }))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := h.Run(ctx)
	if !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	want := []string{"run-with-1 finished", "run-without-1 interrupted", "run-without-2 not run", "run-with-2 not run"}
	if diff := cmp.Diff(want, statuses(steps)); diff != "" {
		t.Error(diff)
	}
	b.clean()
	if diff := cmp.Diff([]string{"run-with-1.jsonl"}, b.out("*.jsonl")); diff != "" {
		t.Error(diff)
	}
	before := len(b.calls())
	spec["runs"] = 2
	delete(arm(spec, 1), "environment")
	if steps := b.run(spec); statuses(steps)[1] != "run-without-1 finished" || len(b.calls())-before != 3 {
		t.Errorf("%q, %d more calls", statuses(steps), len(b.calls())-before)
	}
}

func TestTheLimitOfAll(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	h, err := b.harness(b.spec(task("[hang]"), func(s m) { s["limits"].(m)["total"] = "1s" }))
	if err != nil {
		t.Fatal(err)
	}
	steps, err := h.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "time limit of 1s in all") || steps[0].Status != Interrupted || steps[1].Status != Pending {
		t.Errorf("%v, %q", err, statuses(steps))
	}
}

func TestAFinishedRunIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := b.spec()
	b.run(spec)
	b.run(spec)
	if n := len(b.calls()); n != 2 {
		t.Errorf("%d calls, want 2", n)
	}
	spec["runs"] = 2 // more of the same are added
	b.run(spec)
	if n := len(b.calls()); n != 4 {
		t.Errorf("%d calls, want 4", n)
	}
	steps := b.run(b.spec(), func(o *Options) { o.From = 5 })
	if diff := cmp.Diff([]string{"run-with-5 finished", "run-without-5 finished"}, statuses(steps)); diff != "" {
		t.Error(diff)
	}
}

// Runs of another task or configuration are not mixed with those that are there, and a foreign log is not overwritten.
func TestWhatIsThereIsNotMixedUp(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(b.spec())
	for name, edit := range map[string]func(m){
		"task":  task("Another question"),
		"model": func(s m) { s["agent"].(m)["model"] = "opus" },
		"arm":   func(s m) { arm(s, 0)["environment"] = m{"X": "1"} },
	} {
		h, err := b.harness(b.spec(edit))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Run(t.Context()); !errors.Is(err, ErrOtherwise) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, edit := range map[string]func(*Options){ // neither run by run nor arm by arm
		"from": func(o *Options) { o.From = 2 }, "arms": func(o *Options) { o.Arms = []string{"with"} },
	} {
		h, err := b.harness(b.spec(func(s m) { s["agent"].(m)["model"] = "opus" }), edit)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Run(t.Context()); !errors.Is(err, ErrOtherwise) || !strings.Contains(err.Error(), "run-without-1 was made otherwise, with another agent") {
			t.Errorf("%s: %v", name, err)
		}
	}
	another := b.spec(task("Another question")) // a log that somebody removed is compared with nothing
	for _, label := range []string{"with", "without"} {
		if err := os.Rename(filepath.Join(b.dir, "out", "run-"+label+"-1.jsonl"), filepath.Join(b.dir, label)); err != nil {
			t.Fatal(err)
		}
	}
	if steps := b.run(another); steps[0].Status != Finished {
		t.Errorf("%+v", steps[0].Run)
	}
	foreign := b.file("out/run-with-2.jsonl", "mine\n")
	another["runs"] = 2
	h, err := b.harness(another)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "a log that this harness did not make") {
		t.Errorf("%v", err)
	}
	if data, err := os.ReadFile(foreign); err != nil || string(data) != "mine\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// One arm again: its runs are set aside, the others stay.
func TestOneArmAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(b.spec(runs(2)))
	spec := b.spec(runs(2), func(s m) { arm(s, 0)["environment"] = m{"NEW": "1"} })
	steps := b.run(spec, func(o *Options) { o.Arms = []string{"with"} })
	if diff := cmp.Diff([]string{"run-with-1 finished", "run-with-2 finished"}, statuses(steps)); diff != "" {
		t.Error(diff)
	}
	if n := len(b.calls()); n != 6 {
		t.Errorf("%d calls, want 4 and 2", n)
	}
	if diff := cmp.Diff([]string{"replaced-1/run-with-1.jsonl", "replaced-1/run-with-2.jsonl"}, b.out("replaced-*/*.jsonl")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"run-with-1.jsonl", "run-with-2.jsonl", "run-without-1.jsonl", "run-without-2.jsonl"}, b.out("run-*.jsonl")); diff != "" {
		t.Error(diff)
	}
	b.run(spec) // and that is the state from now on
	if n := len(b.calls()); n != 6 {
		t.Errorf("%d calls after it", n)
	}
	if _, err := b.harness(spec, func(o *Options) { o.Arms = []string{"absent"} }); err == nil {
		t.Error("an arm that does not exist")
	}
}

func TestTwoHarnessesDoNotShareADirectory(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	f, err := os.Create(b.file("out/.lock", ""))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := lock(f); err != nil {
		t.Skip("no locks here")
	}
	h, err := b.harness(b.spec())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Run(t.Context()); !errors.Is(err, ErrBusy) {
		t.Error(err)
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
