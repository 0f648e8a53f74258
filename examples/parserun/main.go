// Parserun reads the log of one agent run and prints its four metrics: how much of the window the retrieval tool's
// responses still hold, whether a response was enough, which share of the returned bytes the answer cites, and whether
// the tool was reached by a back door.
//
// Usage:
//
//	parserun [-brief] [-json] [-envelope] [-answer GLOB]... [-window N] [-tools FILE] [FILE...]
//
// The files are one session's logs in turn order; - is standard input. Without a file it reads a sample that is built
// in. It exits with 1 when a file cannot be read or holds no event, and with 2 when a flag is wrong.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/agent-eval/feedback/allocation"
	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/internal/cli"
	"github.com/agent-eval/feedback/internal/jsonout"
	"github.com/agent-eval/feedback/transcript"
)

// sample is a run that the project's tests make: see sample_test.go.
//
//go:embed sample.jsonl
var sample []byte

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

type options struct {
	brief, json, envelope bool
	answer                cli.Strings
	window                int
	tools                 string
	files                 []string
}

// parse reads the command line. It has written what is wrong to stderr when it fails.
func parse(args []string, stderr io.Writer) (o options, err error) {
	fs := flag.NewFlagSet("parserun", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "usage: parserun [flags] [FILE...]\n\nFILEs are one session's logs in turn order, - is standard input; without one, a built-in sample is read.")
		fs.PrintDefaults()
	}
	fs.BoolVar(&o.brief, "brief", false, "leave out the list of calls")
	fs.BoolVar(&o.json, "json", false, "print one JSON object")
	fs.BoolVar(&o.envelope, "envelope", false, "print how the responses' characters were divided over files")
	fs.Var(&o.answer, "answer", "`glob` of files that answer the question, repeatable: print their share of the envelope")
	fs.IntVar(&o.window, "window", 0, "size of the model's window in `tokens` (0: what the log says, else 200000)")
	fs.StringVar(&o.tools, "tools", "", "JSON `file` that says which tools are measured, for another retrieval server")
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if o.window < 0 {
		err = fmt.Errorf("-window %d: want a number of tokens", o.window)
	}
	for _, g := range o.answer {
		if err == nil {
			err = allocation.ValidateGlob(g)
		}
	}
	if err == nil {
		err = cli.Misplaced(fs)
	}
	if err != nil {
		fmt.Fprintln(stderr, "parserun:", err)
	}
	o.files = fs.Args()
	return o, err
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	if size(o.files) > large {
		defer debug.SetGCPercent(debug.SetGCPercent(10))
	}
	s, err := read(o, stdin)
	if err == nil {
		err = print(stdout, s, o)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func read(o options, stdin io.Reader) (*transcript.Session, error) {
	var opts transcript.Options
	tools, err := cli.ReadTools(o.tools)
	if err != nil {
		return nil, err
	}
	opts.Tools = tools
	switch {
	case len(o.files) == 0:
		return transcript.Decode(bytes.NewReader(sample), "sample.jsonl", opts)
	case len(o.files) == 1 && o.files[0] == "-":
		return transcript.Decode(stdin, "-", opts)
	}
	return transcript.ReadFiles(opts, o.files...)
}

// large is from how many bytes on a log is worth a few collections more: most of what is allocated stays, and memory would grow to
// twice of that.
const large = 128 << 20

// size returns the bytes of all files together, as far as they can be seen.
func size(files []string) (n int64) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil {
			n += info.Size()
		}
	}
	return n
}

func print(w io.Writer, s *transcript.Session, o options) error {
	var opts arms.MeasureOptions
	opts.Occupancy.Window = o.window
	r := arms.Measure(s, opts)
	if o.json {
		return jsonout.Write(w, r)
	}
	if err := r.WriteText(w, o.brief); err != nil {
		return err
	}
	if !o.envelope && len(o.answer) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return r.Allocation.WriteEnvelope(w, o.answer...)
}
