package allocation

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An answer is the final answer, prepared for looking up citations.
type answer struct {
	text  string          // with slashes for backslashes
	spans []string        // insides of the code spans
	names map[string]bool // names in them: identifiers, and chains such as Attr.String
}

func parseAnswer(text string) *answer {
	a := &answer{text: strings.ReplaceAll(text, `\`, "/"), spans: codeSpans(text), names: make(map[string]bool)}
	for _, span := range a.spans {
		a.addNames(span)
	}
	return a
}

// codeSpans returns the insides of the inline code spans of a markdown text. What stands in a fenced block is
// no span, and a span ends with its paragraph.
func codeSpans(text string) (spans []string) {
	for _, paragraph := range paragraphs(text) {
		for {
			start := strings.IndexByte(paragraph, '`')
			if start < 0 {
				break
			}
			ticks := run(paragraph[start:])
			rest := paragraph[start+ticks:]
			inside, after, ok := cutTicks(rest, ticks)
			if !ok {
				paragraph = rest
				continue
			}
			spans = append(spans, inside)
			paragraph = after
		}
	}
	return spans
}

// run returns how many backticks s starts with.
func run(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// cutTicks cuts s at the first run of exactly n backticks.
func cutTicks(s string, n int) (before, after string, ok bool) {
	for i := 0; i < len(s); {
		j := strings.IndexByte(s[i:], '`')
		if j < 0 {
			break
		}
		i += j
		k := run(s[i:])
		if k == n {
			return s[:i], s[i+k:], true
		}
		i += k
	}
	return "", "", false
}

// paragraphs returns the text outside of fenced blocks, divided at blank lines.
func paragraphs(text string) (list []string) {
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			list = append(list, b.String())
		}
		b.Reset()
	}
	fence := ""
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		mark := bare[:len(bare)-len(strings.TrimLeft(bare, "`"))]
		if mark == "" {
			mark = bare[:len(bare)-len(strings.TrimLeft(bare, "~"))]
		}
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) && mark == bare {
				fence = ""
			}
		case len(mark) >= 3 && !strings.Contains(bare[len(mark):], "`"):
			fence = mark
			flush()
		case bare == "":
			flush()
		default:
			b.WriteString(line)
		}
	}
	flush()
	return list
}

// addNames enters the identifiers of a code span, and the chains in which they stand: `(*pkg.Attr).String(x)` holds
// pkg, Attr, String, x and pkg.Attr; `Attr#String` and `Attr::String` hold Attr.String.
func (a *answer) addNames(span string) {
	if strings.ContainsAny(span, ":>#?") {
		span = strings.NewReplacer("::", ".", "->", ".", "#", ".", "?.", ".").Replace(span)
	}
	for _, chain := range strings.FieldsFunc(span, func(r rune) bool { return r != '.' && !isIdentifier(r) }) {
		parts := strings.FieldsFunc(chain, func(r rune) bool { return r == '.' })
		parts = parts[:min(len(parts), 16)]
		for i := range parts {
			for j := i + 1; j <= len(parts); j++ {
				a.names[strings.Join(parts[i:j], ".")] = true
			}
		}
	}
}

func isIdentifier(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// citesPath reports whether the answer names the file. Names holds how many returned files end in a path.
func (a *answer) citesPath(file string, names map[string]int) bool {
	base := path.Base(file)
	if base == "." || base == "/" || strings.Trim(base, ".") == "" {
		return false
	}
	extension := path.Ext(base) != "" && path.Ext(base) != base
	for i := 0; ; {
		n := strings.Index(a.text[i:], base)
		if n < 0 {
			break
		}
		at := i + n
		i = at + 1
		if !endsName(a.text[at+len(base):]) {
			continue
		}
		written, whole := writtenPath(a.text[:at+len(base)], file)
		switch {
		case written == "":
		case strings.Contains(written, "/") && (whole || names[written] < 3):
			return true
		case !strings.Contains(written, "/") && extension && names[base] < 3:
			return true
		}
	}
	return !extension && names[base] < 3 && a.spanIs(base)
}

// spanIs reports whether a code span is the name, maybe with a line behind it.
func (a *answer) spanIs(name string) bool {
	for _, span := range a.spans {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(span), name); ok && strings.Trim(rest, "0123456789:-,") == "" {
			return true
		}
	}
	return false
}

// endsName reports whether a file's name can end where rest follows.
func endsName(rest string) bool {
	r, n := utf8.DecodeRuneInString(rest)
	switch {
	case n == 0:
		return true
	case r == '.' || r == '-' || r == '+':
		next, _ := utf8.DecodeRuneInString(rest[n:])
		return !isIdentifier(next)
	}
	return r != '/' && r != '(' && !isIdentifier(r)
}

// writtenPath returns how the answer writes the file whose base name text ends with: the end of the path, by whole
// components, that stands there, or nothing when what stands there is another path. Whole reports that it is the entire
// path. An absolute path that ends with the entire path of a file in a directory is that file.
func writtenPath(text, file string) (written string, whole bool) {
	n := commonEnd(text, file)
	before := text[:len(text)-n]
	switch {
	case n == len(file):
		if startsPath(before) || strings.Contains(file, "/") && endsAbsolute(before) {
			return file, true
		}
	case file[len(file)-n-1] == '/' && startsPath(before):
		return file[len(file)-n:], false
	}
	return "", false
}

// commonEnd returns how many bytes a and b have in common at their ends.
func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// startsPath reports whether a path can start after before.
func startsPath(before string) bool {
	for strings.HasSuffix(before, "./") && !strings.HasSuffix(before, "../") {
		before = strings.TrimSuffix(before, "./")
	}
	r, n := utf8.DecodeLastRuneInString(before)
	return n == 0 || !isPathRune(r)
}

func isPathRune(r rune) bool {
	return isIdentifier(r) || r == '/' || r == '.' || r == '-' || r == '+' || r == '~'
}

// endsAbsolute reports whether before ends with the directory of an absolute path, such as "see /home/dev/proj/".
func endsAbsolute(before string) bool {
	if !strings.HasSuffix(before, "/") {
		return false
	}
	rest := strings.TrimRightFunc(before, func(r rune) bool { return isPathRune(r) || r == '@' })
	token := before[len(rest):]
	drive := strings.HasSuffix(rest, ":") && len(rest) > 1 && !strings.HasPrefix(token, "//")
	return (strings.HasPrefix(token, "/") || strings.HasPrefix(token, "~/")) && (!strings.HasSuffix(rest, ":") || drive)
}
