// Ab runs an agent on the same task under two or more arms, fairly, and prints the comparison.
//
// Usage:
//
//	ab init [-campaign] [FILE]
//	ab check [-spec FILE] [-from N] [-arms LABEL]... [new-vs-baseline REF | with-vs-without]
//	ab run [-spec FILE] [-from N] [-arms LABEL]... [-json] [new-vs-baseline REF | with-vs-without]
//	ab hook [-cli NAME]... [-index DIR]... [-tools FILE]
//
// Init writes an example of a spec, with comments: JSON in which // begins one. Check says what is wrong with a spec, and what would be run; it tries
// the shield, and starts no agent. Run makes the runs that are not there yet, and prints each run's brief block and the comparison. When it is
// interrupted, the next run goes on from there. Hook is the pre-tool-use hook of the runs: it reads a tool call from
// standard input and denies those that reach for the tool by a back door.
//
// It exits with 1 when a run was lost or could not be made, and with 2 when a flag is wrong; the hook exits with 2, which denies the call, when it
// cannot tell.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/internal/cli"
)

func main() { os.Exit(process(os.Args[1:])) }

// process runs a command that signals end cleanly, and so does a reader of its output that goes away.
func process(args []string) int {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // or cleaning up would be cut off by the next line that nobody reads
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	context.AfterFunc(ctx, stop) // a second signal ends it at once
	return run(ctx, args, os.Stdin, os.Stdout, os.Stderr)
}

const usage = `usage: ab init [-campaign] [FILE]
       ab check [-spec FILE] [-from N] [-arms LABEL]... [new-vs-baseline REF | with-vs-without]
       ab run [-spec FILE] [-from N] [-arms LABEL]... [-json] [new-vs-baseline REF | with-vs-without]
       ab hook [-cli NAME]... [-index DIR]... [-tools FILE]
`

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	commands := map[string]func() error{
		"init":  func() error { return initialize(args[1:], stdout, stderr) },
		"check": func() error { return check(ctx, args[1:], stdout, stderr) },
		"run":   func() error { return runAll(ctx, args[1:], stdout, stderr) },
		"hook":  func() error { return hook(args[1:], stdin, stdout, stderr) },
	}
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return 2
	}
	command, ok := commands[args[0]]
	if !ok {
		fmt.Fprint(stderr, usage)
		if args[0] == "-h" || args[0] == "-help" || args[0] == "--help" || args[0] == "help" {
			return 0
		}
		return 2
	}
	err := command()
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	}
	fmt.Fprintln(stderr, "ab:", strings.ReplaceAll(err.Error(), "\n", "\nab: "))
	if args[0] == "hook" {
		return 2 // any other status lets the call pass
	}
	return 1
}

// errUsage is a wrong command line; what is wrong is on stderr.
var errUsage = errors.New("usage")

// parseFlags parses a command's flags.
func parseFlags(fs *flag.FlagSet, args []string, stderr io.Writer) error {
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	err := fs.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		return errUsage
	}
	return err
}

// hook decides on one tool call.
func hook(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	fs := flag.NewFlagSet("hook", flag.ContinueOnError)
	var names, index cli.Strings
	fs.Var(&names, "cli", "`name` of a command to deny, repeatable (default: that of the tool)")
	fs.Var(&index, "index", "`directory` whose content must not be read, repeatable")
	toolsFile := fs.String("tools", "", "JSON `file` that says which tools are which, or the object itself")
	if err := parseFlags(fs, args, stderr); err != nil {
		return err
	}
	tools, err := readTools(*toolsFile)
	if err != nil {
		fmt.Fprintln(stderr, "ab:", err)
		return errUsage // denies
	}
	g := contamination.Guard{Tools: tools, Options: contamination.Options{CLI: names, Index: index}}
	return g.Hook(stdin, stdout)
}
