package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/internal/harness"
	"github.com/agent-eval/feedback/internal/textutil"
)

// errRuns says that not all runs count. Which ones, and why, has been listed.
var errRuns = errors.New("not every run counts")

// runAll makes the runs and prints the comparison.
func runAll(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseOptions("run", args, stderr)
	if err != nil {
		return err
	}
	line := newStatusLine(stderr)
	h, err := o.harness(line.show)
	if err != nil {
		return err
	}
	steps, runErr := h.Run(ctx)
	line.stop()
	if started(steps) {
		list(stderr, steps)
		if ctx.Err() == nil {
			runErr = errors.Join(runErr, compare(ctx, o, stdout, stderr))
		}
	}
	if runErr == nil && counts(steps) < len(steps) {
		runErr = errRuns
	}
	return runErr
}

// started reports whether there is a run to speak of.
func started(steps []harness.Step) bool {
	for _, s := range steps {
		if s.Status != harness.Pending {
			return true
		}
	}
	return false
}

func counts(steps []harness.Step) (n int) {
	for _, s := range steps {
		if s.Status == harness.Finished {
			n++
		}
	}
	return n
}

// list writes what came of the runs that do not count, or are odd.
func list(w io.Writer, steps []harness.Step) {
	var t strings.Builder
	fmt.Fprintf(&t, "%d of %s finished\n", counts(steps), textutil.Count(len(steps), "run"))
	for _, s := range steps {
		if s.Status != harness.Finished || s.Reason != "" {
			fmt.Fprintf(&t, "  %s: %s", s.Name, s.Status)
			if s.Status == harness.Lost {
				t.WriteString(", not measured")
			}
			if s.Reason != "" {
				t.WriteString(": " + s.Reason)
			}
			t.WriteByte('\n')
		}
	}
	io.WriteString(w, t.String())
}
