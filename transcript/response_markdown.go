package transcript

import (
	"bytes"
	"slices"

	"github.com/agent-eval/feedback/internal/jsontext"
)

// ParseResponse reads a response in codegraph's rendered markdown:
//
//	**`lib/response.js`** — send(method), json(method), +3 more
//
//	```js
//	…
//	```
//
// A section starts at a line that begins with two stars and a path in backticks and stars, lists what the file defines
// behind the dash, and runs to the next such line or to a line of guidance, which begins with "> ". Neither counts inside a
// code fence, which ends with one at least as long as it began. Of the listed names, those count as defined whose kind
// is a definition (function, struct, …) or that have none; what the file only calls, references, extends, implements
// or imports does not, and neither does a kind that is not known.
//
// A path is mentioned where the text names it with its directory, or by its base name if that has the extension of a
// well-known kind of source file; parts of web addresses are none. A response that is JSON whose member text holds the
// real one, or an array of such objects, is read as that text. An empty text yields a zero Response.
func ParseResponse(text []byte) Response {
	var p responseParser
	r := p.parse(text, new(interner))
	r.Chars = jsontext.Len16(text)
	return r
}

// A responseParser reads one response after the other and keeps its memory between them, not what it returned.
type responseParser struct {
	in        *interner // of the current response
	heads     []sectionHead
	symbols   []Symbol
	mentioned []string
	seen      map[string]struct{} // paths of the current response
	inner     []byte
}

// A sectionHead is a section under construction.
type sectionHead struct {
	start, end int    // in the text
	path       [2]int // in the text
	symbols    [2]int // in responseParser.symbols
}

// parse reads a response, all but its length; in interns its strings.
func (p *responseParser) parse(text []byte, in *interner) Response {
	p.in = in
	clear(p.seen)
	if inner, ok := unwrap(p.inner[:0], text); ok {
		p.inner, text = inner, inner
	}
	p.heads, p.symbols, p.mentioned = p.heads[:0], p.symbols[:0], p.mentioned[:0]
	p.findSections(text)
	p.findPaths(text)

	var r Response
	symbols := slices.Clone(p.symbols)
	if len(p.heads) > 0 {
		r.Sections = make([]Section, len(p.heads))
	}
	for i, h := range p.heads {
		r.Sections[i] = Section{
			Path:    p.in.bytes(text[h.path[0]:h.path[1]]),
			Chars:   jsontext.Len16(text[h.start:h.end]),
			Symbols: symbols[h.symbols[0]:h.symbols[1]:h.symbols[1]],
		}
		if h.symbols[0] == h.symbols[1] {
			r.Sections[i].Symbols = nil
		}
	}
	if len(p.mentioned) > 0 {
		r.Mentioned = slices.Clone(p.mentioned)
	}
	return r
}

// unwrap returns the text inside a response that is JSON, appended to dst.
func unwrap(dst, text []byte) ([]byte, bool) {
	if len(text) == 0 || text[0] != '{' && text[0] != '[' || !jsontext.Valid(text) {
		return dst, false
	}
	var s jsontext.Scanner
	s.Reset(text, 0)
	found := false
	object := func() {
		for more := s.Enter(); more; more = s.More(jsontext.Object) {
			if string(s.Key()) == "text" && s.Peek() == jsontext.Text {
				dst = s.Text().Append(dst)
				found = true
			} else {
				s.Skip()
			}
		}
	}
	if s.Peek() == jsontext.Object {
		object()
		return dst, found
	}
	for more := s.Enter(); more; more = s.More(jsontext.Array) {
		if s.Peek() == jsontext.Object {
			object()
		} else {
			s.Skip()
		}
	}
	return dst, found
}

// findSections fills heads and symbols.
func (p *responseParser) findSections(text []byte) {
	open := false
	var f fence
	for at := 0; at < len(text); {
		next := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		line := text[at:next]
		switch {
		case f.inside(line):
		case bytes.HasPrefix(line, []byte("**`")):
			if n := pathLen(line); n > 0 {
				p.close(open, at)
				p.open(line, at, n)
				open = true
			}
		case open && bytes.HasPrefix(line, []byte("> ")):
			p.close(open, at)
			open = false
		}
		at = next
	}
	p.close(open, len(text))
}

func (p *responseParser) close(open bool, end int) {
	if open {
		p.heads[len(p.heads)-1].end = end
	}
}

// pathLen returns the length of the path in a section's header, 0 if the line is none.
func pathLen(line []byte) int {
	rest := line[len("**`"):]
	if len(rest) == 0 {
		return 0
	}
	return bytes.Index(rest[1:], []byte("`**")) + 1
}

// open starts the section whose header is line, at offset at; its path has n bytes.
func (p *responseParser) open(line []byte, at, n int) {
	pathEnd := len("**`") + n
	h := sectionHead{start: at, path: [2]int{at + len("**`"), at + pathEnd}}
	h.symbols[0] = len(p.symbols)
	if _, tail, ok := bytes.Cut(line[pathEnd+len("`**"):], []byte("— ")); ok {
		tail, _, _ = bytes.Cut(tail, []byte(" · "))
		p.listSymbols(bytes.TrimSpace(tail))
	}
	h.symbols[1] = len(p.symbols)
	p.heads = append(p.heads, h)
}

// listSymbols appends the definitions of a header's tail: name(kind), name(kind), name, +3 more.
func (p *responseParser) listSymbols(tail []byte) {
	for len(tail) > 0 {
		var item []byte
		item, tail, _ = bytes.Cut(tail, []byte(", "))
		item = bytes.TrimSpace(item)
		name, kind := item, []byte(nil)
		if i := bytes.LastIndexByte(item, '('); i >= 0 && item[len(item)-1] == ')' {
			name, kind = item[:i], item[i+1:len(item)-1]
			if !isDefinition(string(kind)) {
				continue
			}
		}
		if len(name) == 0 || name[0] == '+' || bytes.ContainsAny(name, " \t") {
			continue
		}
		p.symbols = append(p.symbols, Symbol{p.in.bytes(name), p.in.bytes(kind)})
	}
}

// isDefinition reports whether a name of this kind in a section's header is defined in the file.
func isDefinition(kind string) bool {
	switch kind {
	case "function", "method", "constructor", "class", "struct", "interface", "trait", "protocol", "enum", "enum_member", "union", "record",
		"type", "type_alias", "constant", "variable", "field", "property", "module", "namespace", "macro", "component", "route", "object":
		return true
	}
	return false
}

// A fence follows the code fences of a text.
type fence struct {
	char   byte // ` or ~ inside of one
	length int
}

// inside reports whether the line belongs to a fence: opens or closes one, or stands in it.
func (f *fence) inside(line []byte) bool {
	i := 0
	for i < len(line) && i < 3 && line[i] == ' ' {
		i++
	}
	if i == len(line) || line[i] != '`' && line[i] != '~' || f.char != 0 && line[i] != f.char {
		return f.char != 0
	}
	n := i
	for n < len(line) && line[n] == line[i] {
		n++
	}
	switch {
	case f.char == 0 && n-i >= 3 && (line[i] == '~' || bytes.IndexByte(line[n:], '`') < 0):
		f.char, f.length = line[i], n-i
		return true
	case f.char == 0:
		return false
	}
	if n-i >= f.length && len(bytes.TrimSpace(line[n:])) == 0 {
		f.char = 0
	}
	return true
}
