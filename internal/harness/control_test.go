//go:build unix

package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
		return syscall.Kill(pid, 0) == nil && !exists("/proc/self")
	}
	return !strings.Contains(string(stat), ") Z ")
}

func exists(name string) bool { _, err := os.Stat(name); return err == nil }

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
	if !exists("/proc/self/environ") {
		t.Skip("processes that left the group are only found on Linux")
	}
	b = newBench(t)
	steps := b.run(b.spec(task("[detach]")))
	if !gone(t, filepath.Join(b.records, "detach.pid")) || steps[0].Status != Finished {
		t.Errorf("a process that left the group is still there, or the run is not finished: %+v", steps[0].Run)
	}
}

// What a build or a setup command leaves in the background ends too, whatever its group, also where the command fails.
func TestNothingOutlivesABuildOrASetup(t *testing.T) {
	t.Parallel()
	if !exists("/proc/self/environ") {
		t.Skip("processes that left the group are only found on Linux")
	}
	b := newBench(t)
	b.engine()
	daemon := func(name string) string { // its own session, so that it has its own group
		return "setsid sleep 600 > /dev/null 2>&1 & printf %s $! > " + filepath.Join(b.records, name)
	}
	var whileRunning bool
	b.run(b.newVsBaseline(func(s m) {
		e := s["engine"].(m)
		e["build"] = append([]any{daemon("build")}, e["build"].([]any)...)
		s["tool"].(m)["setup"] = []any{daemon("setup"), "sleep 0.1"}
	}), func(o *Options) {
		o.Notify = func(p Progress) {
			if p.Phase == "copying the target" && exists(filepath.Join(b.records, "build")) {
				whileRunning = whileRunning || !gone(t, filepath.Join(b.records, "build"))
			}
		}
	})
	if whileRunning {
		t.Error("what the build left was there during a run")
	}
	for _, name := range []string{"build", "setup"} {
		if !gone(t, filepath.Join(b.records, name)) {
			t.Errorf("what the %s left is still there", name)
		}
	}
	h, err := b.harness(b.newVsBaseline(func(s m) {
		s["out"] = "other"
		s["engine"].(m)["build"] = []any{daemon("failed") + "; exit 5"}
	}))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Run(t.Context()); err == nil || !gone(t, filepath.Join(b.records, "failed")) {
		t.Errorf("what a failed build left is still there, %v", err)
	}
}

// A fetch that hangs ends with the interrupt, and so does what git started for it.
func TestAFetchCanBeInterrupted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.engine() // skips without git
	h, err := b.harness(b.spec(func(s m) {
		delete(s, "target")
		delete(s, "tasks")
		s["repositories"] = []any{m{"name": "far", "url": "ssh://example.invalid/far", "ref": "v1", "task": "One"}}
	}), func(o *Options) {
		o.Env = append(o.Env, "GIT_SSH_COMMAND=printf %s $$ > "+filepath.Join(b.records, "ssh")+"; exec sleep 600; :")
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		for !exists(filepath.Join(b.records, "ssh")) && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		cancel(errors.New("interrupt signal received"))
	}()
	steps, err := h.Run(ctx)
	if err == nil || steps[0].Status != Interrupted || !gone(t, filepath.Join(b.records, "ssh")) {
		t.Errorf("%v, %q", err, statuses(steps))
	}
	b.clean()
}

// An interrupt ends the run that is made, keeps those that are, and the next call goes on.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	spec := b.spec(func(s m) { arm(s, 1)["environment"] = m{"STANDIN": "[hang]"} })
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("interrupt signal received")
	go func() {
		for !exists(filepath.Join(b.records, "hanging")) && ctx.Err() == nil {
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
