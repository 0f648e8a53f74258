// Report writes one HTML page of the runs of one or more arms: what makes them believable or not, the arm table, pictures with the
// figures behind them, and the details of each run. The page needs no network and no JavaScript.
//
// Usage:
//
//	report [-o report.html] [-plots DIR] [-tools FILE] [-without LABEL]... [FILE... | DIR [LABEL...]]
//
// FILEs are logs, a run each, with .t2, .t3, … before the extension for later turns of the same session. DIR holds the logs of arms, as
// comparearms reads them, or of a campaign over repositories, as campaign does. Without arguments the page is about two arms of
// three runs that are built in. It exits with 1 when there are no logs or the page cannot be written, and with 2 when a flag
// is wrong; a log that cannot be read costs its run.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/agent-eval/feedback/internal/cli"
	"github.com/agent-eval/feedback/internal/textutil"
)

func main() {
	debug.SetGCPercent(400) // many short-lived sessions: memory is cheaper than collecting
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("report", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintln(stderr, "usage: report [flags] [FILE... | DIR [LABEL...]]\n\nWithout arguments, the page is about runs that are built in.")
		fs.PrintDefaults()
	}
	out := fs.String("o", "report.html", "`file` to write, - for standard output")
	plots := fs.String("plots", "", "`directory` to write the drawings into as well, as SVG")
	var without cli.Strings
	fs.Var(&without, "without", "`label` of an arm that must not have the retrieval tool, repeatable (default: one labelled without)")
	tools := fs.String("tools", "", "JSON `file` that says which tools are measured, for another retrieval server")
	if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if err := cli.Misplaced(fs); err != nil {
		fmt.Fprintln(stderr, "report:", err)
		return 2
	}
	p, err := read(ctx, *tools, without, fs.Args(), stderr)
	if err == nil {
		err = write(p, *out, *plots, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// read makes the page of what the arguments name.
func read(ctx context.Context, toolsFile string, without, args []string, stderr io.Writer) (*Page, error) {
	tools, err := cli.ReadTools(toolsFile)
	if err != nil {
		return nil, err
	}
	l := loader{stderr: stderr, without: without}
	l.opts.Transcript.Tools = tools
	l.opts.Measure.Occupancy.Series = true
	l.opts.Measure.Allocation.Parts = true
	if len(args) == 0 {
		return l.example()
	}
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
		return l.directory(ctx, args[0], args[1:])
	}
	return l.files(ctx, args)
}

// write writes the page and its drawings, and says where they are.
func write(p *Page, out, plots string, stdout io.Writer) error {
	var b bytes.Buffer
	if err := p.write(&b); err != nil {
		return err
	}
	if plots != "" {
		if err := writePlots(p, plots); err != nil {
			return err
		}
	}
	if out == "-" {
		_, err := stdout.Write(b.Bytes())
		return err
	}
	if err := os.WriteFile(out, b.Bytes(), 0o644); err != nil {
		return err
	}
	_, err := fmt.Fprintf(stdout, "%s: %s, %s\n", out, textutil.Count(len(p.Table.Head), "arm"), textutil.Count(p.Total, "run"))
	return err
}

func writePlots(p *Page, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, pic := range p.Pictures {
		for i, im := range pic.Images {
			name := pic.ID
			if len(pic.Images) > 1 {
				name = fmt.Sprintf("%s-%02d-%s", pic.ID, i+1, fileName(im.Name))
			}
			if err := os.WriteFile(filepath.Join(dir, name+".svg"), im.svg, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// fileName makes a name fit for a file on any system.
func fileName(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' {
			return r
		}
		return '_'
	}, s)
}
