package rag

import (
	"path"
	"regexp"
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
}

func newPage(e *evidence, text string) *page {
	all := lines(text)
	return &page{e, all, slices.Clone(all)}
}

var (
	arrowed = regexp.MustCompile(`^\s*(\d+)(?:→|\t)(.*)$`)            // as the Read tool and codegraph show a line
	barred  = regexp.MustCompile(`^\s*(\d+)(?:→|\t|: ?| ?\| ?)(.*)$`) // as other servers do
	header  = regexp.MustCompile("^\\*\\*`([^`]+)`\\*\\*")            // of a file's section in codegraph's responses
	patched = regexp.MustCompile(`^(?:---|\+\+\+) [ab]/(\S+)`)        // as git diff names a file
	located = regexp.MustCompile(`^([^:]+):(\d+):(.*)$`)              // as grep -n shows a line
	ofOne   = regexp.MustCompile(`^(\d+)[:-](.*)$`)                   // as grep -n shows one of the only file
	loosely = regexp.MustCompile(`^([^\s:]*[./][^\s:]*):`)            // as grep shows one
)

// sections reads lines under headers: what stands above the first is of the file first, if that is not empty. Headers are those of codegraph, and lines
// that end in one of the names.
func (p *page) sections(first string, number *regexp.Regexp, names map[string]bool) {
	var cur *shown
	numbered, text := false, false
	start := func(name string) {
		if cur != nil && text && !numbered {
			cur.loose = true
		}
		cur, numbered, text = nil, false, false
		if name != "" {
			cur = p.e.file(name)
		}
	}
	start(first)
	var open fence
	for i, l := range p.lines {
		inside := open.inside(l)
		if m := number.FindStringSubmatch(l); m != nil && cur != nil {
			p.plain[i], numbered = m[2], true
			cur.add(m[1], m[2])
			continue
		}
		switch name := sectionOf(l, names); {
		case !inside && name != "":
			start(name)
		case !inside && strings.HasPrefix(l, "> "): // guidance
			start("")
		default:
			text = text || strings.TrimSpace(l) != ""
		}
	}
	start("")
}

// sectionOf returns the file of which a line is the header.
func sectionOf(line string, names map[string]bool) string {
	if strings.HasPrefix(line, "**`") {
		if m := header.FindStringSubmatch(line); m != nil {
			return m[1]
		}
	}
	if len(names) > 0 {
		if last := line[strings.LastIndexAny(line, " \t")+1:]; names[last] {
			return last
		}
	}
	return ""
}

// retrieval reads a response. Where codegraph's sections are not to be seen, another server may have shown part of every file that it mentions.
func (p *page) retrieval(asked string, r *transcript.Response) {
	if slices.ContainsFunc(p.lines, header.MatchString) {
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
		p.e.file(n).named = true
	}
}

// shell reads what a command line printed. It may have shown every file that the line names.
func (p *page) shell(command string) {
	act := p.e.shells.Classify(command)
	names := append(fileWords(command), act.Files...)
	switch {
	case act.Kind == shell.Read && len(act.Files) == 1:
		p.sections(act.Files[0], arrowed, nil)
	case act.Kind == shell.Search:
		one := ""
		if len(names) == 1 {
			one = names[0]
		}
		p.found(one)
	default: // the retrieval tool may have been asked through its command line
		p.sections("", arrowed, nil)
	}
	for _, l := range p.lines {
		if m := patched.FindStringSubmatch(l); m != nil {
			p.e.file(m[1]).loose = true
		}
	}
	for _, n := range names {
		switch {
		case act.Kind == shell.Search: // it prints the names of files, or of the only one what was found in it
		case strings.ContainsAny(n, "*?["):
			p.e.globs = append(p.e.globs, clean(n))
		case act.Kind == shell.Read && len(act.Files) > 1 && slices.Contains(act.Files, n):
			p.e.file(n).loose = true
		default:
			p.e.file(n).named = true
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
		if m := located.FindStringSubmatch(l); m != nil {
			files[m[1]] = true
		}
	}
	for i, l := range p.lines {
		name, number, text := in, "", ""
		if m := ofOne.FindStringSubmatch(l); m != nil && in != "" {
			number, text = m[1], m[2]
		} else if m := located.FindStringSubmatch(l); m != nil {
			name, number, text = m[1], m[2], m[3]
		} else {
			name, number, text = contextLine(l, files)
		}
		if number != "" {
			p.plain[i] = text
			p.e.file(name).add(number, text)
		} else if m := loosely.FindStringSubmatch(l); m != nil {
			p.e.file(m[1]).loose = true
		} else if path.Ext(in) != "" && strings.TrimSpace(l) != "" {
			p.e.file(in).named = true
		}
	}
}

// contextLine parts a line of context, path-12-text, of one of the files.
func contextLine(line string, files map[string]bool) (name, number, text string) {
	for at := range len(line) {
		if line[at] != '-' || !files[line[:at]] {
			continue
		}
		if m := ofOne.FindStringSubmatch(line[at+1:]); m != nil {
			return line[:at], m[1], m[2]
		}
	}
	return "", "", ""
}

// A fence follows the code fences of a text.
type fence struct {
	char   byte // ` or ~ inside of one
	length int
}

// inside reports whether the line belongs to a fence: opens or closes one, or stands in it.
func (f *fence) inside(line string) bool {
	rest := strings.TrimLeft(line, " ")
	if rest == "" || len(line)-len(rest) > 3 || rest[0] != '`' && rest[0] != '~' {
		return f.char != 0
	}
	char := rest[0]
	info := strings.TrimLeft(rest, rest[:1])
	n := len(rest) - len(info)
	switch {
	case f.char == 0 && n >= 3 && (char == '~' || !strings.Contains(info, "`")):
		f.char, f.length = char, n
		return true
	case f.char == char && n >= f.length && strings.TrimSpace(info) == "":
		f.char = 0
		return true
	}
	return f.char != 0
}
