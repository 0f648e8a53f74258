// Campaign sums up runs with and without a retrieval tool over several repositories: what it saves of time, calls, tokens and cost, what it
// leaves in the window, how sufficient and how well allocated its responses were, per repository and on average.
//
// Usage:
//
//	campaign [-with LABEL] [-without LABEL] [-include-raced] [-include-contaminated] [-json] [-tools FILE] [-window N] DIR
//
// DIR holds <repo>/run<n>/run-with.jsonl and run-without.jsonl, with .t2, .t3, … before the extension for later turns. It exits with 1 when there
// are no logs or none can be read, and with 2 when a flag is wrong; a log that is missing or cannot be read costs its run, and is listed.
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

	"github.com/agent-eval/feedback/arms/campaign"
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
	with, without string
	report        campaign.Options
	json          bool
	tools         string
	window        int
	dir           string
}

// parse reads the command line. It has written what is wrong to stderr when it fails.
func parse(args []string, stderr io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("campaign", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "usage: campaign [flags] DIR\n\nReads DIR/<repo>/run<n>/run-with.jsonl and run-without.jsonl.")
		fs.PrintDefaults()
	}
	fs.StringVar(&o.with, "with", "with", "`label` of the runs with the tool")
	fs.StringVar(&o.without, "without", "without", "`label` of the runs without it")
	fs.BoolVar(&o.report.IncludeRaced, "include-raced", false, "keep runs with the tool whose server was not there at the start")
	fs.BoolVar(&o.report.IncludeContaminated, "include-contaminated", false, "keep runs without the tool that reached it all the same")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	fs.StringVar(&o.tools, "tools", "", "JSON `file` that says which tools are measured, for another retrieval server")
	fs.IntVar(&o.window, "window", 0, "size of the model's window in `tokens` (0: what the log says, else 200000)")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	switch {
	case fs.NArg() != 1:
		err = errors.New("want one directory")
	case o.with == o.without:
		err = fmt.Errorf("-with and -without are both %q", o.with)
	case o.window < 0:
		err = fmt.Errorf("-window %d: want a number of tokens", o.window)
	}
	if misplaced := cli.Misplaced(fs); misplaced != nil {
		err = misplaced
	}
	if err != nil {
		fmt.Fprintln(stderr, "campaign:", err)
	}
	o.dir = fs.Arg(0)
	return o, err
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	report, err := analyze(ctx, o, stderr)
	switch {
	case err != nil:
	case o.json:
		err = jsonout.Write(stdout, report)
	default:
		err = report.WriteText(stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// analyze reads the logs and sums them up. What is missing goes to stderr, and into the report's warnings.
func analyze(ctx context.Context, o options, stderr io.Writer) (*campaign.Report, error) {
	tools, err := cli.ReadTools(o.tools)
	if err != nil {
		return nil, err
	}
	found, err := rundir.FindCampaign(o.dir, o.with, o.without)
	if err != nil {
		return nil, err
	}
	var opts rundir.Options
	opts.Transcript.Tools = tools
	opts.Measure.Occupancy.Window = o.window
	read, warnings, err := readlogs.Read(ctx, found, opts, stderr)
	if err != nil {
		return nil, err
	}
	o.report.Title = o.dir
	report := campaign.Analyze(read[0], read[1], o.report)
	report.Warnings = append(report.Warnings, warnings...)
	return &report, nil
}
