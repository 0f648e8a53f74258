package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/arms/campaign"
	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/internal/jsonout"
	"github.com/agent-eval/feedback/internal/readlogs"
)

// compare prints each run's brief block and the comparison of the arms: of each task apart, and then of all, within the tasks. What is compared is what
// is there.
func compare(ctx context.Context, o options, stdout, stderr io.Writer) error {
	dirs := o.spec.LogDirs()
	var errs []error
	var all []arms.Arm
	for _, dir := range dirs {
		read, warnings, err := readDir(ctx, o, short(dir), stderr)
		if errors.Is(err, rundir.ErrNoLogs) { // why has been listed
			fmt.Fprintf(stderr, "%s: no run to compare\n", short(dir))
			continue
		}
		if err == nil {
			err = write(stdout, o, read, table(o, short(dir), read, warnings))
		}
		errs = append(errs, err)
		all = pool(all, read, filepath.Base(dir))
	}
	if len(dirs) > 1 && len(all) > 0 {
		errs = append(errs, writeTable(stdout, o, table(o, short(o.spec.Out)+", all tasks", all, nil)))
	}
	return errors.Join(errs...)
}

// pool adds the runs of a task to those of others.
func pool(all, read []arms.Arm, task string) []arms.Arm {
	for i, a := range read {
		if i == len(all) {
			all = append(all, arms.Arm{Label: a.Label})
		}
		for _, r := range a.Runs {
			r.Task, r.Name = task, task+"/"+r.Name
			all[i].Runs = append(all[i].Runs, r)
		}
	}
	return all
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

// readDir reads and measures the logs of a directory. What is missing goes to stderr, and is returned.
func readDir(ctx context.Context, o options, dir string, stderr io.Writer) (read []arms.Arm, warnings []string, err error) {
	find := rundir.Find
	if len(o.spec.Repositories) > 0 {
		find = rundir.FindCampaign
	}
	found, err := find(dir, o.spec.Labels()...)
	if err != nil {
		return nil, nil, err
	}
	var opts rundir.Options
	opts.Transcript.Tools = o.spec.Tools
	opts.Measure.Contamination.CLI, opts.Measure.Contamination.Index = o.spec.Hide.CLI, o.spec.Hide.Index
	read, warnings, err = readlogs.Read(ctx, found, opts, stderr)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	for _, a := range read {
		for i := range a.Runs {
			tell(o, filepath.Base(dir), &a.Runs[i])
		}
	}
	return read, warnings, nil
}

// tell fills in what the spec says of a run and its log does not.
func tell(o options, task string, r *arms.Run) {
	r.Setup.Effort = cmp.Or(r.Setup.Effort, o.spec.Agent.Effort)
	if r.Setup.Prompts != nil {
		return
	}
	for _, repo := range o.spec.Repositories {
		if repo.Name == r.Task {
			r.Setup.Prompts = repo.Task.Turns
		}
	}
	for _, t := range o.spec.Tasks {
		if len(o.spec.Tasks) == 1 || t.Name == task {
			r.Setup.Prompts = t.Turns
		}
	}
}

func table(o options, title string, read []arms.Arm, warnings []string) *arms.Table {
	t := arms.Compare(read, arms.Options{Title: title, Without: o.spec.Without()})
	t.Warnings = append(t.Warnings, warnings...)
	return &t
}

func writeTable(w io.Writer, o options, t *arms.Table) error {
	if o.json {
		return jsonout.Write(w, t)
	}
	return t.WriteText(w)
}

// write writes the blocks and the table; of a campaign with and without the tool, what it saves by repository too.
func write(w io.Writer, o options, read []arms.Arm, t *arms.Table) error {
	if o.json {
		return writeTable(w, o, t)
	}
	for _, a := range read {
		for i := range a.Runs {
			if err := a.Runs[i].WriteText(w, true); err != nil {
				return err
			}
			fmt.Fprintln(w)
		}
	}
	if err := t.WriteText(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if len(o.spec.Repositories) == 0 || o.spec.Compare != "with-vs-without" {
		return nil
	}
	report := campaign.Analyze(read[0], read[1], campaign.Options{Title: o.spec.Out})
	return report.WriteText(w)
}
