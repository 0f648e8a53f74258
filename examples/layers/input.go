package main

import (
	"embed"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/budget"
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
	open := func(name string) (fs.File, error) { return os.Open(name) }
	if in.outcomes, err = readFile(open, o.file(o.outcomes, "outcomes.jsonl"), layers.ReadOutcomes); err != nil {
		return nil, err
	}
	in.budgets, err = readFile(open, o.file(o.budgets, "budgets.json"), budget.Read)
	if errors.Is(err, fs.ErrNotExist) && o.budgets == "" {
		err = nil // no budget is declared
	}
	return in, err
}

// readFile reads a file that open opens.
func readFile[T any](open func(name string) (fs.File, error), name string, read func(r io.Reader, name string) (T, error)) (v T, err error) {
	f, err := open(name)
	if err != nil {
		return v, err
	}
	defer f.Close()
	return read(f, name)
}

// example is the input that is built in.
func example() (*input, error) {
	in := &input{read: func(l *transcript.Loader, run logs) (*transcript.Session, error) {
		return readFile(exampleFiles.Open, run.files[0], l.Decode)
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
	var outcomesErr, budgetsErr error
	in.outcomes, outcomesErr = readFile(exampleFiles.Open, "example/outcomes.jsonl", layers.ReadOutcomes)
	in.budgets, budgetsErr = readFile(exampleFiles.Open, "example/budgets.json", budget.Read)
	return in, errors.Join(outcomesErr, budgetsErr)
}
