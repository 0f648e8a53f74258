package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/arms/campaign"
	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/internal/jsonout"
	"github.com/agent-eval/feedback/internal/progress"
)

// compare prints each run's brief block and the comparison of the arms, of each task apart. What is compared is what is there.
func compare(ctx context.Context, o options, stdout, stderr io.Writer) error {
	var errs []error
	for _, dir := range o.spec.LogDirs() {
		errs = append(errs, compareDir(ctx, o, short(dir), stdout, stderr))
	}
	return errors.Join(errs...)
}

// short names a directory as seen from here, where that is shorter.
func short(dir string) string {
	if here, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(here, dir); err == nil && len(rel) < len(dir) {
			return rel
		}
	}
	return dir
}

func compareDir(ctx context.Context, o options, dir string, stdout, stderr io.Writer) error {
	find := rundir.Find
	if len(o.spec.Repositories) > 0 {
		find = rundir.FindCampaign
	}
	found, err := find(dir, o.spec.Labels()...)
	if err != nil {
		return err
	}
	opts := rundir.Options{Progress: progress.Bar(stderr, "reading logs")}
	opts.Transcript.Tools = o.spec.Tools
	opts.Measure.Contamination.CLI, opts.Measure.Contamination.Index = o.spec.Hide.CLI, o.spec.Hide.Index
	read, errs := rundir.Read(ctx, found.Arms, opts)
	warnings := found.Warnings
	for _, err := range errs {
		warnings = append(warnings, err.Error())
	}
	for _, w := range warnings {
		fmt.Fprintln(stderr, "warning:", w)
	}
	if !slices.ContainsFunc(read, func(a arms.Arm) bool { return len(a.Runs) > 0 }) {
		return fmt.Errorf("%s: no log could be read", dir)
	}
	table := arms.Compare(read, arms.Options{Title: dir, Without: o.spec.Without()})
	table.Warnings = append(table.Warnings, warnings...)
	if o.json {
		return jsonout.Write(stdout, table)
	}
	return write(stdout, o, read, &table)
}

// write writes the blocks and the table; of a campaign with and without the tool, what it saves by repository too.
func write(w io.Writer, o options, read []arms.Arm, table *arms.Table) error {
	for _, a := range read {
		for i := range a.Runs {
			if err := a.Runs[i].WriteText(w, true); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
	}
	if err := table.WriteText(w); err != nil {
		return err
	}
	if len(o.spec.Repositories) == 0 || o.spec.Compare != "with-vs-without" {
		return nil
	}
	fmt.Fprintln(w)
	report := campaign.Analyze(read[0], read[1], campaign.Options{Title: o.spec.Out})
	return report.WriteText(w)
}
