// Layers asks why runs succeeded: it reads logs, what graders said of them and the budgets that the harness declares, labels every run with the
// contracts that it broke, and prints the cross table of contract and capability.
//
// Usage:
//
//	layers [-outcomes FILE] [-budgets FILE] [-sandbox ROOT]... [-harness] [-grounding] [-json] [-tools FILE] [DIR [LABEL...]]
//
// DIR holds the logs of arms, as comparearms reads them, outcomes.jsonl and budgets.json. An outcome is a line {"id": "new-1", "outcome":
// "success"}, or failure, or unmeasured with a reason; the id is the run's name. Without a directory it reads runs that are built in,
// in which a fifth of the successes are tainted. It exits with 1 when there are no logs, or a file is missing or wrong, and with 2 when a flag
// is wrong; a log that cannot be read costs its run, which is unmeasured.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/agent-eval/feedback/internal/cli"
	"github.com/agent-eval/feedback/internal/jsonout"
	"github.com/agent-eval/feedback/layers"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

type options struct {
	outcomes, budgets, tools string
	sandbox                  cli.Strings
	harness, grounding, json bool
	dir                      string
	labels                   []string
}

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	fs := flag.NewFlagSet("layers", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "usage: layers [flags] [DIR [LABEL...]]\n\nWithout a directory, runs that are built in are read.")
		fs.PrintDefaults()
	}
	fs.StringVar(&o.outcomes, "outcomes", "", "JSON-lines `file` with the outcomes (default DIR/outcomes.jsonl)")
	fs.StringVar(&o.budgets, "budgets", "", "JSON `file` with the budgets (default DIR/budgets.json, if it is there)")
	fs.Var(&o.sandbox, "sandbox", "`directory` that no tool may name a file outside of, repeatable")
	fs.BoolVar(&o.harness, "harness", false, "count calls made again for nothing, and errors not recovered from, as defects too")
	fs.BoolVar(&o.grounding, "grounding", false, "count citations and quotations of the answer that no tool result supports as defects too")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	fs.StringVar(&o.tools, "tools", "", "JSON `file` that says which tools are measured, for another retrieval server")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if fs.NArg() > 0 {
		o.dir, o.labels = fs.Arg(0), fs.Args()[1:]
	} else if o.outcomes != "" || o.budgets != "" {
		fmt.Fprintln(stderr, "layers: which directory has the logs?")
		return 2
	}
	table, err := o.table(stderr)
	switch {
	case err != nil:
	case o.json:
		err = jsonout.Write(stdout, table)
	default:
		if err = writeRuns(stdout, table); err == nil {
			err = table.WriteText(stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// table reads everything and joins it.
func (o *options) table(stderr io.Writer) (*layers.Table, error) {
	in, err := o.open()
	if err != nil {
		return nil, err
	}
	runs, err := in.runs(o, stderr)
	if err != nil {
		return nil, err
	}
	t := layers.CrossTab(runs)
	return &t, nil
}

// file returns the name of a file of the directory, unless another is given.
func (o *options) file(given, name string) string {
	if given != "" {
		return given
	}
	return filepath.Join(o.dir, name)
}
