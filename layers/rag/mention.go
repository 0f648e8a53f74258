package rag

import (
	"path"
	"strconv"
	"strings"
)

// mentions returns which of the citations name one line that a text names too: lib/a.go:12, or, in codegraph's list of what it did not show,
// lib/a.go: name:12. All are looked for in one pass over the texts.
func mentions(texts []string, citations []Citation) []bool {
	m := mention{citations: citations, wanted: make(map[namedLine][]int), bases: make(map[string]bool), found: make([]bool, len(citations))}
	for i, c := range citations {
		if c.From == c.To {
			base := path.Base(c.Path)
			at := namedLine{base, strconv.Itoa(c.From)}
			m.wanted[at], m.bases[base] = append(m.wanted[at], i), true
		}
	}
	for _, text := range texts {
		m.read(text)
	}
	return m.found
}

// A mention collects what texts name.
type mention struct {
	citations []Citation
	wanted    map[namedLine][]int // indices of citations
	bases     map[string]bool
	found     []bool
}

type namedLine struct{ base, number string }

func (m *mention) read(text string) {
	list := 0 // end of the line that has a list
	for at := strings.IndexByte(text, ':'); at >= 0; {
		name := clean(text[strings.LastIndexAny(text[:at], " \t\n\"'`([{<@:,=*")+1 : at])
		rest := text[at+1:]
		if base := path.Base(name); m.bases[base] {
			if number, _ := digits(rest); number != "" {
				m.note(name, namedLine{base, number})
			} else if strings.HasPrefix(rest, " ") && at >= list {
				line, _, _ := strings.Cut(rest, "\n")
				list = at + len(line)
				m.list(name, base, line)
			}
		}
		next := strings.IndexByte(rest, ':')
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// list reads a list of name:line.
func (m *mention) list(name, base, list string) {
	for item := range strings.SplitSeq(list, ",") {
		if symbol, number, ok := strings.Cut(strings.TrimSpace(item), ":"); ok && !strings.Contains(symbol, " ") {
			m.note(name, namedLine{base, number})
		}
	}
}

func (m *mention) note(name string, at namedLine) {
	for _, i := range m.wanted[at] {
		m.found[i] = m.found[i] || sameFile(name, m.citations[i].Path)
	}
}
