// Package readlogs reads the logs that a command compares, and tells its user how that goes.
package readlogs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/arms/rundir"
)

// Read reads and measures the runs that were found, with a bar on stderr where that is a terminal. What could not be found or read is written to
// stderr, and returned as warnings for the report. It is an error if ctx ended, since some runs are then missing, and if no log could be read.
func Read(ctx context.Context, found rundir.Found, opts rundir.Options, stderr io.Writer) (read []arms.Arm, warnings []string, err error) {
	opts.Progress = bar(stderr, "reading logs")
	read, errs := rundir.Read(ctx, found.Arms, opts)
	if ctx.Err() != nil {
		return nil, nil, errors.New("interrupted")
	}
	warnings = found.Warnings
	for _, err := range errs {
		warnings = append(warnings, err.Error())
	}
	for _, w := range warnings {
		fmt.Fprintln(stderr, "warning:", w)
	}
	if !slices.ContainsFunc(read, func(a arms.Arm) bool { return len(a.Runs) > 0 }) {
		return nil, nil, errors.New("no log could be read")
	}
	return read, warnings, nil
}
