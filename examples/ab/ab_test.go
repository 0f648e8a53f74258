//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/agent-eval/feedback/internal/harness"
	"github.com/agent-eval/feedback/internal/standin"
)

// call runs the command in this process.
func call(t *testing.T, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), args, strings.NewReader(stdin), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// m is a JSON object.
type m = map[string]any

// bench makes a directory with a target, a search path with the tool and the stand-in agent, and a spec, changed by edits.
func bench(t *testing.T, edits ...func(m)) (dir, spec string, env []string) {
	t.Helper()
	dir = t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "project", "main.go"), "package main\n")
	writeFile(t, filepath.Join(dir, "project", ".git", "HEAD"), "x\n")
	writeFile(t, filepath.Join(dir, "bin", "codegraph"), "#!/bin/sh\n")
	writeFile(t, filepath.Join(dir, "records", "x"), "")
	if err := errors.Join(os.Chmod(filepath.Join(dir, "bin", "codegraph"), 0o700), os.Symlink(self, filepath.Join(dir, "bin", "agent"))); err != nil {
		t.Fatal(err)
	}
	s := m{
		"target": "project", "tasks": []any{"Where is main? [explore: main] [bash: codegraph status]"}, "runs": 1, "compare": "with-vs-without",
		"tool":   m{"mcp": m{"codegraph": m{"command": "codegraph"}}},
		"agent":  m{"command": []string{"agent", "agent"}, "environment": m{"STANDIN_RECORD": filepath.Join(dir, "records")}},
		"limits": m{"turn": "30s"},
	}
	for _, e := range edits {
		e(s)
	}
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	spec = filepath.Join(dir, "ab.json")
	writeFile(t, spec, string(data))
	return dir, spec, []string{"PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin", "HOME=" + dir, "TMPDIR=" + dir, standin.Quick}
}

// start prepares the command as a process of its own.
func start(t *testing.T, env []string, args ...string) (cmd *exec.Cmd, out, errs *bytes.Buffer) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.CommandContext(t.Context(), self, args...)
	out, errs = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, out, errs
	return cmd, out, errs
}

// The examples are specs without a mistake, as far as the places exist that they name.
func TestTheExamplesAreSpecs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, d := range []string{"../express", "../codegraph"} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init"}, {"init", "-campaign"}} {
		if code, out, errs := call(t, "", args...); code != 0 || !strings.Contains(out, "ab check -spec ") {
			t.Fatalf("%q: exit %d: %s%s", args, code, out, errs)
		}
	}
	s, err := harness.Load("ab.json", "")
	if err != nil || s.Arms[0].Label != "new" || s.Arms[1].Ref != "v1.6.0" {
		t.Errorf("%+v, %v", s, err)
	}
	c, err := harness.Load("campaign.json", "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range c.Repositories {
		names = append(names, r.Name)
		if len(r.Task.Turns) != 3 {
			t.Errorf("%s has %d turns", r.Name, len(r.Task.Turns))
		}
	}
	if got := strings.Join(names, " "); got != "vscode excalidraw django tokio okhttp gin alamofire" {
		t.Error(got)
	}
	if code, _, errs := call(t, "", "init"); code != 1 || !strings.Contains(errs, "ab.json is there already") {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, out, _ := call(t, "", "init", "-"); code != 0 || !strings.HasPrefix(out, "//") {
		t.Errorf("exit %d: %.40s", code, out)
	}
}

func TestWrongFlags(t *testing.T) {
	for _, args := range [][]string{{}, {"ruin"}, {"run", "-x"}, {"check", "-from", "0"}, {"check", "-from", "x"}, {"check", "-from", "1000001"}, {"init", "a", "b"}, {"hook", "-x"}, {"hook", "-tools", "absent.json"}} {
		if code, out, errs := call(t, "", args...); code != 2 || out != "" || errs == "" {
			t.Errorf("%q: exit %d, %q, %q", args, code, out, errs)
		}
	}
	for _, args := range [][]string{{"-h"}, {"run", "-h"}, {"help"}} {
		if code, _, errs := call(t, "", args...); code != 0 || !strings.Contains(errs, "usage: ab") {
			t.Errorf("%q: exit %d, %q", args, code, errs)
		}
	}
	if code, _, errs := call(t, "", "check", "-spec", "absent.json"); code != 1 || !strings.Contains(errs, "absent.json") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestHook(t *testing.T) {
	line := `{"tool_name":"Bash","tool_input":{"command":"COMMAND"}}`
	for _, c := range []struct {
		args    []string
		command string
		code    int
		deny    bool
	}{
		{nil, "codegraph status", 0, true},
		{nil, "grep codegraph x", 0, false},
		{nil, "cat .codegraph/db", 0, false},
		{[]string{"-index", ".codegraph"}, "cat .codegraph/db", 0, true},
		{[]string{"-cli", "src"}, "src search x", 0, true},
		{[]string{"-cli", "src"}, "codegraph x", 0, false},
		{[]string{"-tools", `{"name":"src"}`}, "src search x", 0, true},
	} {
		code, out, errs := call(t, strings.Replace(line, "COMMAND", c.command, 1), append([]string{"hook"}, c.args...)...)
		if code != c.code || strings.Contains(out, `"deny"`) != c.deny || errs != "" {
			t.Errorf("%q, %s: exit %d, %q, %q", c.args, c.command, code, out, errs)
		}
	}
	if code, out, errs := call(t, "nonsense", "hook"); code != 2 || out != "" || errs == "" { // 2 denies
		t.Errorf("exit %d, %q, %q", code, out, errs)
	}
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"hook"}, iotest.ErrReader(errors.New("broken")), io.Discard, &stderr); code != 2 {
		t.Errorf("a call that cannot be read: exit %d", code)
	}
	closed, w := io.Pipe()
	closed.Close()
	if code := run(t.Context(), []string{"hook"}, strings.NewReader(strings.Replace(line, "COMMAND", "codegraph x", 1)), w, &stderr); code != 2 {
		t.Errorf("a decision that cannot be written: exit %d", code)
	}
}

func TestCheckSaysWhatWouldBeRun(t *testing.T) {
	dir, spec, env := bench(t, func(s m) { s["runs"] = 2 })
	cmd, out, errs := start(t, env, "check", "-spec", spec)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	for _, want := range []string{"1 file, 0.0 MB a copy; left out: .git", "--model sonnet --effort high --max-budget-usd 4 --permission-mode bypassPermissions",
		"shield     holds", "links stand in the place of " + filepath.Join(dir, "bin"), "runs       4, of which 4 to make", "1. run-with-1 ", "3. run-without-2 ", "4. run-with-2 "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "out")); !errors.Is(err, os.ErrNotExist) {
		t.Error("check made something")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "ab-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// One run an arm is allowed, and the table says that it shows no range. The attempts are counted as blocked.
func TestRunPrintsBlocksAndTable(t *testing.T) {
	_, spec, env := bench(t)
	cmd, out, errs := start(t, env, "run", "-spec", spec)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	for _, want := range []string{"run-with-1.jsonl ===", "run-without-1.jsonl ===", "====== ARM COMPARISON", "CLI attempts blocked                                     1                       1", "no range"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if !strings.Contains(errs.String(), "[1/2] run-with-1 finished\n[2/2] run-without-1 finished\n2 of 2 runs finished\n") {
		t.Errorf("%s", errs)
	}
}

// Several tasks have a table each, and one together, in which runs are paired by task.
func TestSeveralTasks(t *testing.T) {
	_, spec, env := bench(t, func(s m) { s["tasks"] = []any{"One [explore: x]", "Two"} })
	cmd, out, errs := start(t, env, "run", "-spec", spec)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	text := out.String()
	if strings.Count(text, "ARM COMPARISON") != 3 || !strings.Contains(text, "out, all tasks ======") {
		t.Errorf("%s", text)
	}
	last := text[strings.LastIndex(text, "ARM COMPARISON"):]
	if strings.Contains(last, "One [explore") || !strings.Contains(last, "runs                                                       2                       2") {
		t.Errorf("prompts of different tasks are no difference:\n%s", last)
	}
	var tables int
	cmd, out, errs = start(t, env, "run", "-spec", spec, "-json")
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errs)
	}
	for d := json.NewDecoder(out); ; tables++ {
		var v m
		if err := d.Decode(&v); err != nil {
			break
		}
	}
	if tables != 3 {
		t.Errorf("%d JSON objects, want 3", tables)
	}
}

// A lost run is listed, is not in the table, and makes the command fail.
func TestALostRunIsListed(t *testing.T) {
	_, spec, env := bench(t, func(s m) {
		s["runs"] = 2
		s["arms"] = []any{m{"label": "new", "environment": m{"STANDIN": "[crash]"}}, m{"label": "old"}}
		delete(s, "compare")
		delete(s, "tool")
	})
	cmd, out, errs := start(t, env, "run", "-spec", spec)
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v: %s", err, errs)
	}
	if !strings.Contains(errs.String(), "2 of 4 runs finished\n  run-new-1: lost, not measured: turn 1: the agent ended without a result (exit status 7): stand-in: boom\n") {
		t.Errorf("%s", errs)
	}
	if !strings.Contains(out.String(), "run-old-2.jsonl") || strings.Contains(out.String(), "run-new-1.jsonl") {
		t.Errorf("%s", out)
	}
}

// Where no run counts there is nothing to compare, and that is no error of its own.
func TestNoRunCounts(t *testing.T) {
	_, spec, env := bench(t, func(s m) { s["tasks"] = []any{"One [crash]", "Two [crash]"} })
	cmd, out, errs := start(t, env, "run", "-spec", spec)
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 1 || out.Len() > 0 {
		t.Errorf("%v: %s", err, out)
	}
	if text := errs.String(); strings.Count(text, "no run to compare\n") != 2 || strings.Contains(text, "no logs found") || !strings.HasSuffix(text, "ab: not every run counts\n") {
		t.Errorf("%s", text)
	}
}

// A campaign prints the table and what the tool saves of each repository; -arms and -from do what they say.
func TestCampaign(t *testing.T) {
	dir, spec, env := bench(t, func(s m) {
		delete(s, "target")
		delete(s, "tasks")
		s["repositories"] = []any{m{"name": "gin", "dir": "project", "task": "One [explore: x] || Two"}}
	})
	for _, args := range [][]string{nil, {"-from", "2"}, {"-arms", "with"}} {
		cmd, out, errs := start(t, env, append([]string{"run", "-spec", spec}, args...)...)
		if err := cmd.Run(); err != nil {
			t.Fatalf("%q: %v: %s", args, err, errs)
		}
		if !strings.Contains(out.String(), "ARM COMPARISON") || !strings.Contains(out.String(), "gin") {
			t.Errorf("%s", out)
		}
	}
	files, _ := filepath.Glob(filepath.Join(dir, "out", "gin", "run*", "*", "run-*.jsonl"))
	if len(files) != 2 || !strings.Contains(files[0], "run1/replaced-1/run-with") {
		t.Errorf("set aside: %q", files)
	}
}

// An interrupt ends the agent, says how far it came, and the next call goes on.
func TestInterrupt(t *testing.T) {
	dir, spec, env := bench(t, func(s m) { s["tasks"] = []any{"[hang]"} })
	cmd, out, errs := start(t, env, "run", "-spec", spec)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "records", "hanging")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v: %s", err, errs)
	}
	for _, want := range []string{"run-with-1: interrupted: interrupt signal received", "run-without-1: not run"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("no %q in %s", want, errs)
		}
	}
	if out.Len() > 0 {
		t.Errorf("%s", out)
	}
	cmd, out, errs = start(t, env, "check", "-spec", spec)
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "run-with-1                               interrupted") {
		t.Errorf("%v: %s%s", err, out, errs)
	}
}

// Output that nobody reads any more ends it as an interrupt does: nothing is left behind, and the next call goes on.
func TestOutputThatNobodyReads(t *testing.T) {
	dir, spec, env := bench(t, func(s m) {
		delete(s, "compare")
		delete(s, "tool")
		s["arms"] = []any{m{"label": "a"}, m{"label": "b", "environment": m{"STANDIN": "[hang]"}}}
	})
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd, _, _ := start(t, env, "run", "-spec", spec)
	cmd.Stderr = w
	err = cmd.Run()
	w.Close()
	if cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "ab-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	cmd, out, errs := start(t, env, "check", "-spec", spec)
	if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "1 of 2 runs") && !strings.Contains(out.String(), "run-a-1") {
		t.Errorf("%v: %s%s", err, out, errs)
	}
}
