//go:build unix

package harness

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/internal/lookpath"
)

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

func TestAMissingAgentIsFoundBeforeAnyRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	h, err := b.harness(b.spec(func(s m) { s["agent"].(m)["command"] = []string{"absent"} }))
	if err != nil {
		t.Fatal(err)
	}
	if steps, err := h.Run(t.Context()); !errors.Is(err, lookpath.ErrNotFound) || !strings.Contains(err.Error(), "agent.command: absent: not found") || len(b.out("*.jsonl")) > 0 {
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

// Where the state cannot be written, a run would be paid for and not be known again: it is not made.
func TestAStateThatCannotBeWrittenCostsTheRun(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	steps := b.run(b.spec(), func(o *Options) {
		o.Notify = func(p Progress) {
			if p.Job == "run-with-1" && p.Phase == "" { // a directory in the place of the file that is written next
				if err := os.Mkdir(filepath.Join(b.dir, "out", stateName+".new"), 0o700); err != nil {
					t.Error(err)
				}
			}
			if p.Job == "run-without-1" && p.Phase == "" {
				if err := os.Remove(filepath.Join(b.dir, "out", stateName+".new")); err != nil {
					t.Error(err)
				}
			}
		}
	})
	if steps[0].Status != Finished || steps[1].Status != Lost || !strings.Contains(steps[1].Reason, "the state cannot be saved") || len(b.calls()) != 1 {
		t.Errorf("%+v, %d calls", steps[1].Run, len(b.calls()))
	}
	if steps := b.run(b.spec()); steps[1].Status != Finished {
		t.Errorf("%+v", steps[1].Run)
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

func TestATurnLimitOfTheClientIsAnOutcome(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	steps := b.run(b.spec(task("One [max turns] || Two")))
	if steps[0].Status != Finished || !strings.Contains(steps[0].Reason, "turn 1 ended with error_max_turns: no later turn") || len(b.out("run-with-1*.jsonl")) != 1 {
		t.Errorf("%+v", steps[0].Run)
	}
}
