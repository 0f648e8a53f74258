package rag

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-eval/feedback/transcript"
)

// A Citation is a place in a file that the answer points at: lib/a.go:12, lib/a.go:120-180, lib/a.go:12,40-44 (two citations),
// lib/a.go#L12-L20, lib/a.go (lines 12-20), lib/a.go L12-L20, lines 12-20 of lib/a.go.
type Citation struct {
	Text    string  `json:"text"` // as the answer has it; of a list, the path and the part
	Path    string  `json:"path"`
	From    int     `json:"from"` // first line, from 1
	To      int     `json:"to"`   // last line
	Verdict Support `json:"verdict"`
}

const (
	pathText  = "([\\p{L}\\p{N}_.@+\\[\\]()/\\\\-]*[\\p{L}\\p{N}_\\])-])"
	spanText  = `\d+(?:(?:[-–—]|\.\.)L?\d+)?`
	proseSpan = `(\d+(?:[ \t]?(?:[-–—]|to)[ \t]?L?\d+)?)`
)

var (
	// Groups: the path, then one of three ways to say the lines.
	citation = regexp.MustCompile(pathText + "(?:[`*]*:L?(" + spanText + `(?:,` + spanText + `)*)|#L(` + spanText + `)|` +
		"[`*\"')\\]]*[,:]?[ \t(*]+(?:(?:at|on)[ \t]+)?\\**(?:[Ll]ines?[ \t]+|L)" + proseSpan + `)`)
	// Groups: the lines, the path.
	linesOf = regexp.MustCompile(`\b[Ll]ines?[ \t]+` + proseSpan + "[`*]*[ \t]+(?:of|in)[ \t]+[`*]*" + pathText)
)

// citations returns the citations of a text in order.
func citations(text string) []Citation {
	type at struct {
		offset int
		Citation
	}
	var found []at
	add := func(offset int, match, path, spans string, prose bool) {
		name, ok := citedPath(path)
		if prose && !strings.Contains(name, "/") { // Node.js line 4 is no file, `node.js` line 4 is one
			ok = ok && strings.Contains(match, "`")
		}
		if !ok {
			return
		}
		for part := range strings.SplitSeq(spans, ",") {
			c := Citation{Text: match, Path: clean(name)}
			if strings.Contains(spans, ",") {
				c.Text = name + ":" + part
			}
			if c.From, c.To, ok = span(part); ok {
				found = append(found, at{offset, c})
			}
		}
	}
	for _, m := range citation.FindAllStringSubmatchIndex(text, -1) {
		group := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return text[m[2*i]:m[2*i+1]]
		}
		path := group(1)
		name, _ := citedPath(path)
		add(m[0], text[m[0]+len(path)-len(name):m[1]], path, group(2)+group(3)+group(4), m[8] >= 0)
	}
	for _, m := range linesOf.FindAllStringSubmatchIndex(text, -1) {
		add(m[0], text[m[0]:m[1]], text[m[4]:m[5]], text[m[2]:m[3]], true)
	}
	slices.SortStableFunc(found, func(a, b at) int { return a.offset - b.offset })
	list := []Citation{}
	for _, f := range found {
		list = append(list, f.Citation)
	}
	return list
}

// citedPath returns the path in what stands before line numbers. Numbers, addresses and single words are none.
func citedPath(name string) (string, bool) {
	if at := strings.LastIndex(name, "]("); at >= 0 { // a link
		name = name[at+2:]
	}
	for _, pair := range []string{"()", "[]"} {
		if strings.HasPrefix(name, pair[:1]) && !strings.Contains(name, pair[1:]) {
			name = name[1:]
		}
	}
	switch {
	case strings.Trim(name, "0123456789./-") == "" || strings.HasPrefix(name, "//"):
		return name, false
	case strings.ContainsAny(name, `/\`):
		return name, true
	}
	return name, len(transcript.ParseResponse([]byte(name)).Mentioned) > 0 // a bare name needs the extension of a source file
}

// span reads 12, 12-20 or L12-L20.
func span(s string) (from, to int, ok bool) {
	numbers := strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if len(numbers) == 0 {
		return 0, 0, false
	}
	from, err := strconv.Atoi(numbers[0])
	if err != nil {
		return 0, 0, false
	}
	to = from
	if len(numbers) > 1 {
		to, err = strconv.Atoi(numbers[1])
	}
	return from, to, err == nil && from > 0 && to >= from
}

// bare reports whether a path has no dot in its last element, as bin/run has, and postgres/postgis:16, which is no file.
func (c *Citation) bare() bool { return !strings.Contains(path.Base(c.Path), ".") }

// clean brings a path into the form in which paths are compared.
func clean(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	for strings.HasPrefix(path, "./") {
		path = path[2:]
	}
	return strings.TrimPrefix(path, "/")
}

// sameFile reports whether two cleaned paths may name one file: they are equal, or one ends in the other at a slash.
func sameFile(a, b string) bool {
	return a == b || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a)
}
