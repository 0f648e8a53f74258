package main

import (
	"io"
	"strings"
	"unicode"

	// The format that benchstat reads, from the module that reads it.
	"golang.org/x/perf/benchfmt"

	"github.com/agent-eval/feedback/arms"
)

// writeBench writes each run as a Go benchmark line, with its arm as a configuration: benchstat -col arm compares them.
func writeBench(out io.Writer, t *arms.Table) error {
	w := benchfmt.NewWriter(out)
	for _, a := range t.Arms {
		for i := range a.Runs {
			one := arms.Compare([]arms.Arm{{Label: a.Label, Runs: a.Runs[i : i+1]}}, arms.Options{})
			r := benchfmt.Result{
				Config: []benchfmt.Config{{Key: "tool", Value: []byte(oneLine(t.Tool)), File: true}, {Key: "arm", Value: []byte(oneLine(a.Label)), File: true}},
				Name:   benchfmt.Name("Run"), Iters: 1,
			}
			for _, row := range one.Rows {
				if c := row.Cells[0]; c.Median != nil && row.Section != arms.SectionRuns {
					r.Values = append(r.Values, benchfmt.Value{Value: *c.Median, Unit: unit(row)})
				}
			}
			if err := w.Write(&r); err != nil {
				return err
			}
		}
	}
	return nil
}

// unit makes a unit of a row's name: it has no space, and the quantity stands at its end.
func unit(row arms.Row) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return '-'
	}, strings.TrimSuffix(row.Name, " ("+string(row.Unit)+")"))
	for strings.Contains(name, "--") {
		name = strings.ReplaceAll(name, "--", "-")
	}
	suffix := string(row.Unit)
	if row.Unit == arms.Fraction || row.Kind == arms.Rate {
		suffix = "fraction"
	}
	return strings.TrimSuffix(strings.Trim(name, "-"), "-"+suffix) + "-" + suffix
}

// oneLine makes a configuration's value of any text.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, s))
}
