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
