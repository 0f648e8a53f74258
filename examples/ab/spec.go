package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	json "github.com/goccy/go-json"

	"github.com/agent-eval/feedback/internal/cli"
	"github.com/agent-eval/feedback/internal/harness"
	"github.com/agent-eval/feedback/transcript"
)

// options are what check and run have in common.
type options struct {
	spec    *harness.Spec
	from    int
	arms    cli.Strings
	compare string
	json    bool
}

// maxFrom is the highest number of a first run: a higher one is a slip.
const maxFrom = 1_000_000

// parseOptions parses the command line of check or run, and reads the spec.
func parseOptions(name string, args []string, stderr io.Writer) (o options, err error) {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	file := fs.String("spec", "ab.json", "`file` that says what to run")
	fs.IntVar(&o.from, "from", 1, "`number` of the first run: adds runs to those that are there")
	fs.Var(&o.arms, "arms", "`label` of an arm to run again, repeatable; the others are compared as they are there")
	if name == "run" {
		fs.BoolVar(&o.json, "json", false, "print the comparison as JSON: an object for each task, and one for all")
	}
	if err := parseFlags(fs, args, stderr); err != nil {
		return o, err
	}
	if o.from < 1 || o.from > maxFrom {
		fmt.Fprintf(stderr, "ab %s: -from %d: runs are numbered from 1, and to %d at most\n", name, o.from, maxFrom)
		return o, errUsage
	}
	o.compare = strings.Join(fs.Args(), " ")
	o.spec, err = harness.Load(*file, o.compare)
	return o, err
}

// harness returns a harness whose hook is this program.
func (o options) harness(notify func(harness.Progress)) (*harness.Harness, error) {
	hook, err := hookCommand(o.spec)
	if err != nil {
		return nil, err
	}
	return harness.New(o.spec, harness.Options{Hook: hook, From: o.from, Arms: o.arms, Notify: notify})
}

// hookCommand returns the command line of the hook.
func hookCommand(s *harness.Spec) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	hook := []string{self, "hook"}
	for _, name := range s.Hide.CLI {
		hook = append(hook, "-cli", name)
	}
	for _, dir := range s.Hide.Index {
		hook = append(hook, "-index", dir)
	}
	if tools, err := json.Marshal(s.Tools); err == nil && string(tools) != "{}" {
		hook = append(hook, "-tools", string(tools))
	}
	return hook, nil
}

// readTools reads a transcript.Tools from a file, or from the text itself where that is an object.
func readTools(value string) (tools transcript.Tools, err error) {
	if !strings.HasPrefix(value, "{") {
		return cli.ReadTools(value)
	}
	err = json.Unmarshal([]byte(value), &tools)
	return tools, err
}
