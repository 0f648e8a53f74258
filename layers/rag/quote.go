package rag

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/transcript"
)

// A Quote is a code block of the answer of which a result has to hold the very lines.
type Quote struct {
	First   string  `json:"first"` // its first line
	Lines   int     `json:"lines"`
	Verdict Support `json:"verdict"`
}

// A block is a code block of an answer.
type block struct {
	lines []string
	from  []named // the files that its first line, else its fence, else the text before it names
}

// A named is a file that a text names.
type named struct {
	path string
	sure bool // it has a directory, or is marked as code
}

// split parts an answer into its prose and its code blocks. One that is not closed goes on to the end.
func split(answer string) (prose string, blocks []block) {
	var text strings.Builder
	open := fence{deep: true}
	var b block
	before, info := "", ""
	end := func() {
		if b.tidy(); len(b.lines) > 0 && !isSession(info) {
			blocks = append(blocks, b)
		}
	}
	for _, l := range lines(answer) {
		was := open.char != 0
		inside := open.inside(l)
		switch is := open.char != 0; {
		case !inside:
			text.WriteString(l + "\n")
			if strings.TrimSpace(l) != "" {
				before = l
			}
		case !was:
			info = strings.Trim(l, " `~")
			if b = (block{from: filesIn(info)}); len(b.from) == 0 {
				b.from = filesIn(before)
			}
		case !is:
			end()
			before = ""
		default:
			b.lines = append(b.lines, l)
		}
	}
	if open.char != 0 {
		end()
	}
	return text.String(), blocks
}

// filesIn returns the files that a text names.
func filesIn(text string) (list []named) {
	add := func(name string) {
		sure := strings.ContainsAny(name, `/\`) || strings.Contains(text, "`"+name)
		list = append(list, named{clean(name), sure})
	}
	if text == "" {
		return nil
	}
	for _, name := range transcript.ParseResponse([]byte(text)).Mentioned {
		add(name)
	}
	for _, c := range citations(text) {
		add(c.Path)
	}
	return list
}

// isSession reports whether a fence says that commands or their output follow, which nobody quotes from a file.
func isSession(info string) bool {
	name, _, _ := strings.Cut(info, " ")
	switch strings.ToLower(name) {
	case "sh", "bash", "shell", "console", "text", "diff":
		return true
	}
	return false
}

var (
	comment  = regexp.MustCompile(`^\s*(?://|#|--|;|/\*|<!--)\s*(.*?)\s*(?:\*/|-->)?$`)
	lineNote = regexp.MustCompile(`^(?:\S+[,:]?\s+)?\(?[Ll]ines?\s+\d+.*$`)
)

// tidy removes what is not of the file: blank lines around the block, a first line that only says where it is from, and line numbers. A block
// without a line of any substance becomes empty.
func (b *block) tidy() {
	b.lines = trimBlank(b.lines)
	if len(b.lines) > 1 {
		if m := comment.FindStringSubmatch(b.lines[0]); m != nil {
			from := filesIn(m[1])
			if len(strings.Fields(m[1])) == 1 && len(from) > 0 || lineNote.MatchString(m[1]) {
				b.lines = trimBlank(b.lines[1:])
				if len(from) > 0 {
					b.from = from
				}
			}
		}
	}
	if !slices.ContainsFunc(b.lines, func(l string) bool { return strings.TrimSpace(l) != "" && !ellipsis(l) && !isBarred(l) }) {
		for i, l := range b.lines {
			if _, text, ok := barred(l); ok {
				b.lines[i] = text
			}
		}
	}
	if !slices.ContainsFunc(b.lines, substantial) {
		b.lines = nil
	}
}

func isBarred(line string) bool {
	_, _, ok := barred(line)
	return ok
}

func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// substantial reports whether a line says more than a bracket or an ellipsis does.
func substantial(line string) bool { return len(strings.TrimSpace(line)) >= 4 && !ellipsis(line) }

// ellipsis reports whether a line stands for what was left out: three dots, alone or in a comment.
func ellipsis(line string) bool {
	dots := strings.Trim(line, " \t/#*-<!>")
	return dots == "..." || dots == "…"
}

// quote returns whether a result holds the block, one of a file that is named for it where there is one. A block that holds nowhere is held against the
// answer only where it claims to be a quotation: a file is named for it, or at least half of its lines stand in a result.
func (e *evidence) quote(b block) Support {
	files := e.claimed(b)
	switch {
	case files == nil && e.plain.holds(b.lines, nil), files != nil && e.plain.holds(b.lines, func(text int) bool { return files[text] }):
		return Supported
	case e.own.holds(b.lines, nil):
		return NotFromTool
	case e.unseen:
		return Unseen
	case files != nil && e.plain.holds(b.lines, nil):
		return OtherFile
	case len(b.from) > 0 || e.mostly(b.lines):
		return QuoteNotFound
	}
	return NoQuote
}

// claimed returns the texts that are of the files that are named for a block, or may be; nil when none is. A bare name that no tool knows may be
// that of a product, as Node.js is, unless it is marked as code.
func (e *evidence) claimed(b block) map[int]bool {
	var texts map[int]bool
	for _, name := range b.from {
		of := e.texts(name.path)
		if len(of) == 0 && !name.sure {
			continue
		}
		if texts == nil {
			texts = make(map[int]bool)
		}
		for _, i := range of {
			texts[i] = true
		}
	}
	return texts
}

// mostly reports whether at least half of the lines stand in a result.
func (e *evidence) mostly(lines []string) bool {
	stand, all := 0, 0
	for _, l := range lines {
		if substantial(l) {
			all++
			if len(e.plain.places(l)) > 0 {
				stand++
			}
		}
	}
	return 2*stand >= all
}
