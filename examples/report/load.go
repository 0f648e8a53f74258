package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/arms/campaign"
	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/internal/readlogs"
	"github.com/agent-eval/feedback/transcript"
)

// exampleLogs are runs that the project's tests make: see example_test.go.
//
//go:embed example
var exampleLogs embed.FS

// A loader reads runs and makes the page of them.
type loader struct {
	opts    rundir.Options
	without []string
	stderr  io.Writer
}

// example makes the page of the runs that are built in.
func (l *loader) example() (*Page, error) {
	entries, err := exampleLogs.ReadDir("example")
	if err != nil {
		return nil, err
	}
	var as []arms.Arm
	for _, label := range []string{"new", "baseline"} {
		a := arms.Arm{Label: label}
		for _, e := range entries {
			name, ok := strings.CutPrefix(e.Name(), "run-"+label+"-")
			if !ok {
				continue
			}
			data, err := exampleLogs.ReadFile("example/" + e.Name())
			if err != nil {
				return nil, err
			}
			s, err := transcript.Decode(bytes.NewReader(data), e.Name(), l.opts.Transcript)
			if err != nil {
				return nil, err
			}
			r := arms.Measure(s, l.opts.Measure)
			r.Name = label + "-" + strings.TrimSuffix(name, ".jsonl")
			a.Runs = append(a.Runs, r)
		}
		as = append(as, a)
	}
	t := arms.Compare(as, arms.Options{Title: "Example: two builds, one question"})
	return build(&t, nil, "These runs were made for this example. Name your own logs, or a directory of them, to see yours."), nil
}

// files makes the page of logs by any name, a run each.
func (l *loader) files(ctx context.Context, names []string) (*Page, error) {
	read, warnings, err := l.read(ctx, rundir.Group("runs", names...))
	if err != nil {
		return nil, err
	}
	t := arms.Compare(read, arms.Options{Title: strings.Join(names[:min(3, len(names))], ", ")})
	t.Warnings = append(t.Warnings, warnings...)
	return build(&t, nil, ""), nil
}

// directory makes the page of the arms in a directory, or of a campaign.
func (l *loader) directory(ctx context.Context, dir string, labels []string) (*Page, error) {
	found, err := rundir.Find(dir, labels...)
	if errors.Is(err, rundir.ErrNoLogs) {
		if p, err := l.campaign(ctx, dir, labels); !errors.Is(err, rundir.ErrNoLogs) {
			return p, err
		}
	}
	if err != nil {
		return nil, err
	}
	read, warnings, err := l.read(ctx, found)
	if err != nil {
		return nil, err
	}
	t := arms.Compare(read, arms.Options{Title: dir, Without: l.without})
	t.Warnings = append(t.Warnings, warnings...)
	return build(&t, nil, ""), nil
}

// campaign makes the page of runs with and without a tool over several repositories.
func (l *loader) campaign(ctx context.Context, dir string, labels []string) (*Page, error) {
	if len(labels) == 0 {
		labels = []string{"with", "without"}
	}
	if len(labels) != 2 {
		return nil, fmt.Errorf("%s: %w", dir, rundir.ErrNoLogs)
	}
	found, err := rundir.FindCampaign(dir, labels...)
	if err != nil {
		return nil, err
	}
	read, warnings, err := l.read(ctx, found)
	if err != nil {
		return nil, err
	}
	r := campaign.Analyze(read[0], read[1], campaign.Options{Title: dir})
	r.Warnings = append(r.Warnings, warnings...)
	return build(&r.Table, &r, ""), nil
}

// read reads what was found. What is missing goes to stderr, and is returned.
func (l *loader) read(ctx context.Context, found rundir.Found) ([]arms.Arm, []string, error) {
	for _, label := range found.Missing {
		fmt.Fprintf(l.stderr, "warning: %s: no logs\n", label)
	}
	return readlogs.Read(ctx, found, l.opts, l.stderr)
}
