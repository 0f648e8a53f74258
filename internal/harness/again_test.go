//go:build unix

package harness

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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

// A run on a target that was edited is not compared with those that are there. What the target holds decides, not when it was written.
func TestATargetThatWasEditedIsNoticed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.run(b.spec())
	main := b.file("project/main.go", "package other\n")
	for _, edit := range []func(*Options){func(o *Options) {}, func(o *Options) { o.Arms = []string{"with"} }, func(o *Options) { o.From = 2 }} {
		h, err := b.harness(b.spec(runs(2)), edit)
		if err != nil {
			t.Fatal(err)
		}
		_, planErr := h.Plan(t.Context())
		_, err = h.Run(t.Context())
		if !errors.Is(planErr, ErrOtherwise) || !errors.Is(err, ErrOtherwise) || !strings.Contains(err.Error(), "run-without-1 was made otherwise, on a target that held something else") {
			t.Errorf("%v, %v", planErr, err)
		}
	}
	if n := len(b.calls()); n != 2 || len(b.out("run-*.jsonl")) != 2 {
		t.Errorf("%d calls, want 2; %q", n, b.out("run-*.jsonl"))
	}
	b.file("project/main.go", "package main\n")
	if err := os.Chtimes(main, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	b.file("project/node_modules/x/index.js", "not copied\n")
	if steps := b.run(b.spec(runs(2))); steps[2].Status != Finished || steps[3].Status != Finished {
		t.Errorf("%q", statuses(steps))
	}
	b.file("project/main.go", "package other\n")
	if steps := b.run(b.spec(runs(2)), func(o *Options) { o.Arms = []string{"with", "without"} }); steps[3].Status != Finished {
		t.Errorf("all of them again: %q", statuses(steps))
	}
}

// A target that is edited while the runs are made costs those that follow, and is not run on.
func TestATargetThatIsEditedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	steps := b.run(b.spec(runs(2)), func(o *Options) {
		o.Notify = func(p Progress) {
			if p.Job == "run-with-1" && p.Phase == "" {
				b.file("project/main.go", "package other\n")
			}
		}
	})
	for _, step := range steps[1:] {
		if step.Status != Lost || !strings.Contains(step.Reason, "the target is not what it was for run-with-1") {
			t.Errorf("%+v", step.Run)
		}
	}
	if n := len(b.calls()); n != 1 {
		t.Errorf("%d calls, want 1: the agent was started", n)
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

// A harness that is ended by force leaves a run that is known: it is made again, whatever it has left of its log.
func TestARunThatWasCutOffIsMadeAgain(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	file := filepath.Join(b.dir, "out", stateName)
	var during []byte
	b.run(b.spec(), func(o *Options) {
		o.Notify = func(p Progress) {
			if p.Job == "run-without-1" && p.Phase == "turn 1 of 1" {
				var err error
				if during, err = os.ReadFile(file); err != nil {
					t.Error(err)
				}
			}
		}
	})
	var state struct{ Temp string }
	if err := json.Unmarshal(during, &state); err != nil || state.Temp == "" {
		t.Fatalf("%v in %s", err, during)
	}
	if err := os.WriteFile(file, during, 0o600); err != nil { // as if it had been killed between the log and the state
		t.Fatal(err)
	}
	h, err := b.harness(b.spec())
	if err != nil {
		t.Fatal(err)
	}
	steps, err := h.Plan(t.Context())
	if err != nil || steps[0].Status != Finished || steps[1].Status != Interrupted || !strings.Contains(steps[1].Reason, "the harness ended") {
		t.Fatalf("%+v, %v", steps, err)
	}
	if steps := b.run(b.spec()); steps[1].Status != Finished || len(b.calls()) != 3 {
		t.Errorf("%+v, %d calls", steps[1].Run, len(b.calls()))
	}
}
