// Comparearms reads the logs of two or more arms and puts them side by side: behavior, occupancy, sufficiency, allocation and
// contamination, as median [min–max] over the runs, and for two arms what changed.
//
// Usage:
//
//	comparearms [-json | -csv | -md | -benchfmt] [-tools FILE] [-window N] [-paired] [-treatment FACT]... [-without LABEL]... DIR [LABEL...]
//
// An arm's logs are run-LABEL-1.jsonl, run-LABEL-2.jsonl, … in DIR, or run-LABEL.jsonl; .t2, .t3, … before the extension are later turns
// of the same session. LABEL=GLOB takes files by any other name. Without a label, all that are there are compared. It exits
// with 1 when there are no logs or none can be read, and with 2 when a flag is wrong; a log that cannot be read costs its run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/internal/cli"
	"github.com/agent-eval/feedback/internal/jsonout"
	"github.com/agent-eval/feedback/internal/readlogs"
)

func main() {
	debug.SetGCPercent(400) // many short-lived sessions: memory is cheaper than collecting
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

type options struct {
	json, csv, markdown, benchfmt bool
	paired                        bool
	tools                         string
	window                        int
	treatment, without            cli.Strings
	dir                           string
	labels                        []string
}

// parse reads the command line. It has written what is wrong to stderr when it fails.
func parse(args []string, stderr io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("comparearms", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "usage: comparearms [flags] DIR [LABEL | LABEL=GLOB]...\n\nReads run-LABEL-1.jsonl, run-LABEL-2.jsonl, … in DIR; without a label, all that are there.")
		fs.PrintDefaults()
	}
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	fs.BoolVar(&o.csv, "csv", false, "print CSV with full precision")
	fs.BoolVar(&o.markdown, "md", false, "print Markdown")
	fs.BoolVar(&o.benchfmt, "benchfmt", false, "print Go benchmark lines, for benchstat -col arm")
	fs.BoolVar(&o.paired, "paired", false, "run i of every arm answers question i: compare within pairs")
	fs.StringVar(&o.tools, "tools", "", "JSON `file` that says which tools are measured, for another retrieval server")
	fs.IntVar(&o.window, "window", 0, "size of the model's window in `tokens` (0: what the log says, else 200000)")
	fs.Var(&o.treatment, "treatment", "`fact` that may differ between arms, repeatable: model, client version, tools, MCP servers, …")
	fs.Var(&o.without, "without", "`label` of an arm that must not have the retrieval tool, repeatable (default: one labelled without)")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 {
		o.dir, o.labels = fs.Arg(0), fs.Args()[1:]
	}
	err = o.check()
	if err == nil {
		err = cli.Misplaced(fs)
	}
	if err != nil {
		fmt.Fprintln(stderr, "comparearms:", err)
		return o, err
	}
	return o, nil
}

func (o *options) check() error {
	formats := 0
	for _, set := range []bool{o.json, o.csv, o.markdown, o.benchfmt} {
		if set {
			formats++
		}
	}
	switch {
	case o.dir == "":
		return errors.New("which directory has the logs?")
	case formats > 1:
		return errors.New("-json, -csv, -md and -benchfmt exclude one another")
	case o.window < 0:
		return fmt.Errorf("-window %d: want a number of tokens", o.window)
	}
	for _, f := range o.treatment {
		if !slices.Contains(arms.Facts(), arms.Fact(f)) {
			return fmt.Errorf("-treatment %q: want one of %q", f, arms.Facts())
		}
	}
	return nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	table, err := compare(ctx, o, stderr)
	if err == nil {
		err = o.print(stdout, table)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// compare reads the logs and compares the arms. What is missing goes to stderr, and into the table's warnings.
func compare(ctx context.Context, o options, stderr io.Writer) (*arms.Table, error) {
	tools, err := cli.ReadTools(o.tools)
	if err != nil {
		return nil, err
	}
	found, err := rundir.Find(o.dir, o.labels...)
	if err != nil {
		return nil, err
	}
	for _, label := range found.Missing {
		fmt.Fprintf(stderr, "warning: %s: no logs in %s\n", label, o.dir)
	}
	var opts rundir.Options
	opts.Transcript.Tools = tools
	opts.Measure.Occupancy.Window = o.window
	read, warnings, err := readlogs.Read(ctx, found, opts, stderr)
	if err != nil {
		return nil, err
	}
	for _, label := range o.without {
		if !slices.ContainsFunc(read, func(a arms.Arm) bool { return a.Label == label }) {
			return nil, fmt.Errorf("-without %s: no such arm", label)
		}
	}
	if o.paired {
		if err := pair(read); err != nil {
			return nil, err
		}
	}
	table := arms.Compare(read, arms.Options{Title: o.dir, Treatment: facts(o.treatment), Without: o.without})
	table.Warnings = append(table.Warnings, warnings...)
	return &table, nil
}

// pair gives each run the number at the end of its name as its task.
func pair(read []arms.Arm) error {
	if len(read) != 2 {
		return fmt.Errorf("-paired compares two arms, not %d", len(read))
	}
	var numbers [2][]string
	for i, a := range read {
		for j := range a.Runs {
			name := a.Runs[j].Name
			number := name[len(strings.TrimRight(name, "0123456789")):]
			if number == "" {
				return fmt.Errorf("-paired: %s has no number at its end", name)
			}
			number = strings.TrimLeft(number[:len(number)-1], "0") + number[len(number)-1:]
			a.Runs[j].Task = "question " + number
			numbers[i] = append(numbers[i], number)
		}
	}
	if !slices.ContainsFunc(numbers[0], func(n string) bool { return slices.Contains(numbers[1], n) }) {
		return errors.New("-paired: the arms have no number in common")
	}
	return nil
}

func facts(names []string) (facts []arms.Fact) {
	for _, n := range names {
		facts = append(facts, arms.Fact(n))
	}
	return facts
}

func (o *options) print(w io.Writer, t *arms.Table) error {
	switch {
	case o.json:
		return jsonout.Write(w, t)
	case o.csv:
		return t.WriteCSV(w)
	case o.markdown:
		return t.WriteMarkdown(w)
	case o.benchfmt:
		return writeBench(w, t)
	}
	return t.WriteText(w)
}
