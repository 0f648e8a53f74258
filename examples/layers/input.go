package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/internal/cli"
	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/budget"
	"github.com/agent-eval/feedback/layers/harness"
	"github.com/agent-eval/feedback/layers/rag"
	"github.com/agent-eval/feedback/transcript"
)

// exampleFiles are runs that the project's tests make: see example_test.go.
//
//go:embed example
var exampleFiles embed.FS

// An input is what the command reads.
type input struct {
	logs     []logs
	read     func(*transcript.Loader, logs) (*transcript.Session, error)
	outcomes layers.Outcomes
	budgets  []budget.Budget
}

// logs are those of one run.
type logs struct {
	id, arm string
	files   []string
}

// open finds the logs, and reads the outcomes and the budgets.
func (o *options) open() (*input, error) {
	if o.dir == "" {
		return example()
	}
	found, err := rundir.Find(o.dir, o.labels...)
	if err != nil {
		return nil, err
	}
	in := &input{read: func(l *transcript.Loader, run logs) (*transcript.Session, error) { return l.ReadFiles(run.files...) }}
	for _, a := range found.Arms {
		for _, r := range a.Runs {
			in.logs = append(in.logs, logs{r.Name, a.Label, r.Files})
		}
	}
	err = withFile(o.file(o.outcomes, "outcomes.jsonl"), func(f io.Reader, name string) (err error) {
		in.outcomes, err = layers.ReadOutcomes(f, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = withFile(o.file(o.budgets, "budgets.json"), func(f io.Reader, name string) (err error) {
		in.budgets, err = budget.Read(f, name)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) && o.budgets == "" {
		err = nil // no budget is declared
	}
	return in, err
}

func withFile(name string, read func(io.Reader, string) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return read(f, name)
}

// example is the input that is built in.
func example() (*input, error) {
	in := &input{read: func(l *transcript.Loader, run logs) (*transcript.Session, error) {
		f, err := exampleFiles.Open(run.files[0])
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return l.Decode(f, run.files[0])
	}}
	entries, err := exampleFiles.ReadDir("example")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if id, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".jsonl"), "run-"); ok {
			arm, _, _ := strings.Cut(id, "-")
			in.logs = append(in.logs, logs{id, arm, []string{"example/" + e.Name()}})
		}
	}
	open := func(name string, read func(io.Reader, string) error) error {
		f, err := exampleFiles.Open("example/" + name)
		if err != nil {
			return err
		}
		defer f.Close()
		return read(f, "example/"+name)
	}
	return in, errors.Join(
		open("outcomes.jsonl", func(r io.Reader, name string) (err error) {
			in.outcomes, err = layers.ReadOutcomes(r, name)
			return err
		}),
		open("budgets.json", func(r io.Reader, name string) (err error) { in.budgets, err = budget.Read(r, name); return err }))
}

// runs reads every log, and grades it. One that cannot be read is unmeasured: its outcome may be known, its contracts are not.
func (in *input) runs(o *options, stderr io.Writer) ([]layers.Run, error) {
	tools, err := cli.ReadTools(o.tools)
	if err != nil {
		return nil, err
	}
	loader := transcript.Loader{Options: transcript.Options{Tools: tools, KeepText: true}}
	var runs []layers.Run
	known := make(map[string]bool)
	for _, log := range in.logs {
		known[log.id] = true
		s, err := in.read(&loader, log)
		if err != nil {
			fmt.Fprintf(stderr, "warning: %s: %v\n", log.id, err)
			runs = append(runs, layers.Run{ID: log.id, Arm: log.arm, Outcome: layers.Unmeasured, Reason: "its log cannot be read", Defects: []layers.Defect{}})
			continue
		}
		runs = append(runs, in.outcomes.Grade(log.id, log.arm, in.defects(o, s)))
	}
	for _, id := range slices.Sorted(maps.Keys(in.outcomes)) {
		if !known[id] && len(o.labels) == 0 {
			fmt.Fprintf(stderr, "warning: an outcome is given for %s, of which there is no log\n", textutil.Printable(id, 100))
		}
	}
	return runs, nil
}

// defects finds the contracts that a session broke.
func (in *input) defects(o *options, s *transcript.Session) (defects []layers.Defect) {
	if len(in.budgets) > 0 {
		r := budget.Analyze(s, in.budgets, budget.Options{})
		defects = append(defects, r.Defects()...)
	}
	for _, c := range contamination.Analyze(s, contamination.Options{}).Calls {
		if c.Verdict == contamination.Returned {
			defects = append(defects, layers.Defect{Layer: layers.Harness, Name: "cli_returned", Position: c.Position, Detail: c.Command})
		}
	}
	if len(o.sandbox) > 0 {
		defects = append(defects, harness.CheckGates(s, harness.Sandbox(o.sandbox...)).Defects()...)
	}
	if o.harness {
		defects = append(defects, harness.Repeats(s).Defects()...)
		defects = append(defects, harness.Recoveries(s).Defects()...)
	}
	if o.grounding {
		defects = append(defects, rag.Ground(s).Defects()...)
	}
	return defects
}

// writeRuns writes the label of every run, and the defects behind it.
func writeRuns(w io.Writer, t *layers.Table) error {
	var b strings.Builder
	for i := range t.Runs {
		r := &t.Runs[i]
		fmt.Fprintf(&b, "%s: %s", textutil.Printable(r.ID, 60), r.Label)
		if r.Label == layers.UnmeasuredLabel && r.Reason != "" {
			fmt.Fprintf(&b, ", %s", textutil.Printable(r.Reason, 120))
		}
		b.WriteByte('\n')
		for _, d := range r.Defects[:min(len(r.Defects), 5)] {
			fmt.Fprintf(&b, "    %s %s  %s: %s\n", textutil.Printable(d.Position.String(), 120), d.Layer, textutil.Printable(d.Name, 60), textutil.Printable(d.Detail, 120))
		}
		if n := len(r.Defects) - 5; n > 0 {
			fmt.Fprintf(&b, "    … and %d more\n", n)
		}
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}
