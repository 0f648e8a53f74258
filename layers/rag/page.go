package rag

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/shell"
	"github.com/agent-eval/feedback/transcript"
)

// A page is one result that is being read.
type page struct {
	e     *evidence
	lines []string
	plain []string // the lines; those with a number lose it
	text  int      // index of plain in the corpus
}

func newPage(e *evidence, text string) *page {
	all := lines(text)
	plain := slices.Clone(all)
	return &page{e, all, plain, e.plain.add(plain)}
}

// may says that what the page holds may be of a file.
func (p *page) may(file string) *shown {
	f := p.e.file(file)
	if n := len(f.texts); n == 0 || f.texts[n-1] != p.text {
		f.texts = append(f.texts, p.text)
	}
	return f
}

// sections reads lines under headers: what stands above the first is of the file first, if that is not empty. Headers are those of codegraph, and lines
// that end in one of the names.
func (p *page) sections(first string, number numbering, names map[string]bool) {
	var cur *shown
	numbered, text, from := false, false, 0
	start := func(name string, at int) {
		if cur != nil && text {
			cur.loose = cur.loose || !numbered
			cur.texts = append(cur.texts, p.e.plain.add(p.plain[from:at]))
		}
		cur, numbered, text, from = nil, false, false, at
		if name != "" {
			cur = p.e.file(name)
		}
	}
	start(first, 0)
	var open fence
	for i, l := range p.lines {
		inside := open.inside(l)
		if n, plain, ok := number(l); ok && cur != nil {
			p.plain[i], numbered = plain, true
			cur.add(n, plain)
			continue
		}
		switch name := sectionOf(l, names); {
		case !inside && name != "":
			start(name, i)
		case !inside && strings.HasPrefix(l, "> "): // guidance
			start("", i)
		default:
			text = text || strings.TrimSpace(l) != ""
		}
	}
	start("", len(p.lines))
}

// sectionOf returns the file of which a line is the header.
func sectionOf(line string, names map[string]bool) string {
	if name := codegraphHeader(line); name != "" {
		return name
	}
	if len(names) > 0 {
		if last := line[strings.LastIndexAny(line, " \t")+1:]; names[last] {
			return last
		}
	}
	return ""
}

// codegraphHeader returns the path in a line that begins with **`path`**.
func codegraphHeader(line string) string {
	if rest, ok := strings.CutPrefix(line, "**`"); ok {
		if name, _, ok := strings.Cut(rest, "`**"); ok {
			return name
		}
	}
	return ""
}

// retrieval reads a response. Where codegraph's sections are not to be seen, another server may have shown part of every file that it mentions.
func (p *page) retrieval(asked string, r *transcript.Response) {
	if slices.ContainsFunc(p.lines, func(l string) bool { return codegraphHeader(l) != "" }) {
		p.sections("", arrowed, nil)
		return
	}
	names := make(map[string]bool)
	if r != nil {
		for _, n := range r.Mentioned {
			names[n] = true
		}
		for _, s := range r.Sections {
			names[s.Path] = true
		}
	}
	p.sections(asked, barred, names)
	for n := range names {
		p.may(n).named = true
	}
}

// shell reads what a command line printed. It may have shown every file that the line names.
func (p *page) shell(command string) {
	act := p.e.shells.Classify(command)
	names := append(fileWords(command), act.Files...)
	switch {
	case act.Kind == shell.Read && len(act.Files) == 1:
		if from, most := printedLines(command); from > 0 && p.whole(most) {
			p.count(act.Files[0], from)
		} else {
			p.sections(act.Files[0], arrowed, nil)
		}
	case act.Kind == shell.Search:
		one := ""
		if len(names) == 1 {
			one = names[0]
		}
		p.found(one)
	default: // the retrieval tool may have been asked through its command line
		p.sections("", arrowed, nil)
	}
	p.note(act, names)
}

// note notes the files that a command line may have shown besides.
func (p *page) note(act shell.Action, names []string) {
	for _, l := range p.lines {
		for _, side := range []string{"--- a/", "+++ b/"} { // as git diff names a file
			if name, ok := strings.CutPrefix(l, side); ok {
				p.may(strings.TrimSpace(name)).loose = true
			}
		}
	}
	for _, n := range names {
		switch {
		case act.Kind == shell.Search: // it prints the names of files, or of the only one what was found in it
		case strings.ContainsAny(n, "*?["):
			p.e.globs = append(p.e.globs, pattern{clean(n), p.text})
		case act.Kind == shell.Read && len(act.Files) > 1 && slices.Contains(act.Files, n):
			p.may(n).loose = true
		case !slices.ContainsFunc(act.Files, func(f string) bool { return sameFile(clean(f), clean(n)) }): // those are dealt with
			p.may(n).named = true
		}
	}
}

// fileWords returns the words of a command line that look like files.
func fileWords(command string) (names []string) {
	for _, w := range strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`;,=(){}|<>&", r) }) {
		if ext := strings.Trim(path.Ext(w), ".*"); ext != "" && !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, `\$^`) {
			names = append(names, w)
		}
	}
	return names
}

// found reads what a search printed; in is what was searched, empty when that is not known.
func (p *page) found(in string) {
	files := make(map[string]bool)
	for _, l := range p.lines {
		if name, _, _, ok := located(l); ok {
			files[name] = true
		}
	}
	for i, l := range p.lines {
		name := in
		number, text, ok := ofOne(l)
		if !ok || in == "" {
			name, number, text, ok = located(l)
		}
		if !ok {
			name, number, text, ok = around(l, files)
		}
		switch before, behind, colon := strings.Cut(l, ":"); {
		case ok:
			p.plain[i] = text
			p.e.file(name).add(number, text)
		case colon && strings.ContainsAny(before, "./") && !strings.ContainsAny(before, " \t"): // a line without its number
			p.plain[i] = behind
			f := p.e.file(before)
			f.loose, f.texts = true, append(f.texts, p.e.plain.add(p.plain[i:i+1]))
		case path.Ext(in) != "" && strings.TrimSpace(l) != "":
			p.may(in).named = true
		}
	}
}

// A fence follows the code fences of a text.
type fence struct {
	deep   bool // fences may be indented as far as they like, as those in a list are
	char   byte // ` or ~ inside of one
	length int
	indent int
}

// inside reports whether the line belongs to a fence: opens or closes one, or stands in it.
func (f *fence) inside(line string) bool {
	rest := strings.TrimLeft(line, " ")
	indent := len(line) - len(rest)
	if rest == "" || indent > f.indent+3 && (f.char != 0 || !f.deep) || rest[0] != '`' && rest[0] != '~' {
		return f.char != 0
	}
	char := rest[0]
	info := strings.TrimLeft(rest, rest[:1])
	n := len(rest) - len(info)
	switch {
	case f.char == 0 && n >= 3 && (char == '~' || !strings.Contains(info, "`")):
		f.char, f.length = char, n
		if f.deep {
			f.indent = indent
		}
		return true
	case f.char == char && n >= f.length && strings.TrimSpace(info) == "":
		f.char = 0
		return true
	}
	return f.char != 0
}
