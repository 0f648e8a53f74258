package rag

import (
	"slices"
	"strings"
)

// A corpus is texts in which quotations are looked up by their lines.
type corpus struct {
	texts [][]string
	at    map[string][]place // by the line without the white space around it; built at the first look
}

// A place is a line of a text of a corpus.
type place struct{ text, line int }

// add adds a text and returns its index.
func (c *corpus) add(lines []string) int {
	c.texts = append(c.texts, lines)
	return len(c.texts) - 1
}

// places returns where a line stands.
func (c *corpus) places(line string) []place {
	if c.at == nil {
		c.at = make(map[string][]place)
		for i, text := range c.texts {
			for j, l := range text {
				l = strings.TrimSpace(l)
				c.at[l] = append(c.at[l], place{i, j})
			}
		}
	}
	return c.at[strings.TrimSpace(line)]
}

// holds reports whether each part of a quotation between ellipses stands in one of the texts for which of is true; nil means any.
func (c *corpus) holds(quote []string, of func(text int) bool) bool {
	var part []string
	for _, l := range append(slices.Clip(quote), "…") {
		if !ellipsis(l) {
			part = append(part, l)
			continue
		}
		if part = trimBlank(part); len(part) > 0 && !c.stand(part, of) {
			return false
		}
		part = nil
	}
	return true
}

// stand reports whether the lines stand one after the other in such a text, white space at their ends and a common indent aside. The line of them
// that is least common says where to look.
func (c *corpus) stand(quote []string, of func(text int) bool) bool {
	rarest := 0
	for i, l := range quote {
		if len(c.places(l)) < len(c.places(quote[rarest])) {
			rarest = i
		}
	}
	quote = level(quote)
	for _, p := range c.places(quote[rarest]) {
		first, text := p.line-rarest, c.texts[p.text]
		if first < 0 || first+len(quote) > len(text) || of != nil && !of(p.text) {
			continue
		}
		if equalTrimmed(text[first:first+len(quote)], quote) && slices.Equal(level(text[first:first+len(quote)]), quote) {
			return true
		}
	}
	return false
}

// equalTrimmed reports whether two texts of the same length are equal but for white space around lines.
func equalTrimmed(a, b []string) bool {
	for i := range a {
		if strings.TrimSpace(a[i]) != strings.TrimSpace(b[i]) {
			return false
		}
	}
	return true
}

// level returns lines without the indent that all of them share, and without white space at their ends.
func level(lines []string) []string {
	indent := -1
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if n := len(l) - len(strings.TrimLeft(l, " \t")); indent < 0 || n < indent {
			indent = n
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(l[min(len(l), max(indent, 0)):], " \t\r")
	}
	return out
}
