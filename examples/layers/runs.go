package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/internal/cli"
	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/budget"
	"github.com/agent-eval/feedback/layers/harness"
	"github.com/agent-eval/feedback/layers/rag"
	"github.com/agent-eval/feedback/transcript"
)

// runs reads every log, and grades it. A run whose log is missing or cannot be read is unmeasured: its outcome may be known, its contracts are not.
func (in *input) runs(o *options, stderr io.Writer) ([]layers.Run, error) {
	tools, err := cli.ReadTools(o.tools)
	if err != nil {
		return nil, err
	}
	loader := transcript.Loader{Options: transcript.Options{Tools: tools, KeepText: o.grounding || o.harness}}
	var runs []layers.Run
	known := make(map[string]bool)
	for _, log := range in.logs {
		known[log.id] = true
		s, err := in.read(&loader, log)
		if err != nil {
			fmt.Fprintf(stderr, "warning: %s: %v\n", log.id, err)
			runs = append(runs, unreadable(log.id, log.arm, "its log cannot be read"))
			continue
		}
		warn(stderr, log.id, &s.Report)
		c := in.check(o, s)
		run := in.outcomes.Grade(log.id, log.arm, c.defects)
		run.Unchecked = c.unchecked
		runs = append(runs, run)
	}
	in.warnOverlaps(stderr)
	for _, id := range slices.Sorted(maps.Keys(in.outcomes)) {
		if !known[id] && len(o.labels) == 0 {
			fmt.Fprintf(stderr, "warning: an outcome is given for %s, of which there is no log\n", textutil.Printable(id, 100))
			runs = append(runs, unreadable(id, "", "there is no log of it"))
		}
	}
	return runs, nil
}

func unreadable(id, arm, reason string) layers.Run {
	return layers.Run{ID: id, Arm: arm, Outcome: layers.Unmeasured, Reason: reason, Defects: []layers.Defect{}}
}

// warn says which lines of a log were not understood: a defect in one is not seen.
func warn(stderr io.Writer, id string, r *transcript.Report) {
	if n := len(r.Problems) + r.MoreProblems; n > 0 {
		p := r.Problems[0]
		fmt.Fprintf(stderr, "warning: %s: %s of its log could not be read, the first %v: %s\n", id, textutil.Count(n, "line"), p.Pos, textutil.Printable(p.Reason, 120))
	}
}

// warnOverlaps says which budgets get into each other's way, whatever the runs do.
func (in *input) warnOverlaps(stderr io.Writer) {
	for _, v := range budget.Analyze(new(transcript.Session), in.budgets, budget.Options{}).Overlaps {
		fmt.Fprintf(stderr, "warning: the budgets %s and %s differ in %s, and neither is the authority\n",
			textutil.Printable(v.Budgets[0], 60), textutil.Printable(v.Budgets[1], 60), strings.Join(v.Differ, ", "))
	}
}

// A checked is what became of the contracts in a session.
type checked struct {
	defects   []layers.Defect
	unchecked []string
}

// check finds the contracts that a session broke.
func (in *input) check(o *options, s *transcript.Session) (c checked) {
	c.budgets(budget.Analyze(s, in.budgets, budget.Options{}))
	for _, call := range contamination.Analyze(s, contamination.Options{}).Calls {
		if call.Verdict == contamination.Returned {
			c.add(layers.Defect{Layer: layers.Harness, Name: "cli_returned", Position: call.Position, Detail: call.Command})
		}
	}
	if len(o.sandbox) > 0 {
		gates := harness.CheckGates(s, harness.Sandbox(o.sandbox...))
		c.add(gates.Defects()...)
		for _, g := range gates {
			c.not("gate "+g.Gate, g.Unmeasured)
		}
	}
	if o.harness {
		c.add(harness.Repeats(s).Defects()...)
		c.add(harness.Recoveries(s).Defects()...)
	}
	if o.grounding {
		g := rag.Ground(s)
		c.add(g.Defects()...)
		c.not("grounding", g.Unmeasured)
	}
	return c
}

func (c *checked) add(defects ...layers.Defect) { c.defects = append(c.defects, defects...) }

// not notes why a contract was not checked; an empty reason says that it was.
func (c *checked) not(contract, reason string) {
	if reason != "" {
		c.unchecked = append(c.unchecked, contract+": "+reason)
	}
}

func (c *checked) budgets(r budget.Report) {
	if len(r.Budgets) == 0 {
		c.not("budget", "none is declared")
		return
	}
	c.add(r.Defects()...)
	for _, b := range r.Budgets {
		c.not("budget "+b.Budget.Name, b.Unmeasured)
	}
}
