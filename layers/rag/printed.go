package rag

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
)

var (
	sedLines = regexp.MustCompile(`^(?:cd [^;&|]+ && )?sed -n ['"]?(\d+)(?:,(\d+))?p['"]? [^;&|<>]+$`)
	headOf   = regexp.MustCompile(`^(?:cd [^;&|]+ && )?head (?:-n ?|-)(\d+) [^;&|<>]+$`)
	catOf    = regexp.MustCompile(`^(?:cd [^;&|]+ && )?cat [^-;&|<>][^;&|<>]*$`)
)

// printedLines returns from which line on a command prints a file, and how many lines at most, when that is all that it does: sed -n 10,20p f, head -n 20 f,
// cat f. The first line is 0 when it is not.
func printedLines(command string) (from, most int) {
	command = strings.TrimSpace(command)
	if m := sedLines.FindStringSubmatch(command); m != nil {
		from, to, ok := span(m[1] + "-" + cmp.Or(m[2], m[1]))
		if !ok {
			return 0, 0
		}
		return from, to - from + 1
	}
	if m := headOf.FindStringSubmatch(command); m != nil {
		_, n, ok := span("1-" + m[1])
		if !ok {
			return 0, 0
		}
		return 1, n
	}
	if catOf.MatchString(command) {
		return 1, math.MaxInt
	}
	return 0, 0
}

// whole reports whether the lines can be all that a command printed: not more than it prints, and nothing in them that says that the client cut
// them.
func (p *page) whole(most int) bool {
	return len(p.lines) <= most && !slices.ContainsFunc(p.lines, func(l string) bool {
		return strings.Contains(l, "truncated") || strings.HasPrefix(l, "<persisted-output>") || strings.HasPrefix(l, "Error: result (")
	})
}

// count adds the lines as those of a file from a line on.
func (p *page) count(name string, from int) {
	f := p.e.file(name)
	for i, l := range p.lines {
		f.lines[from+i] = l
	}
}
