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
	named bool // the text before it, its fence or its first line says which file it is from
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
			b = block{named: namesFile(info) || namesFile(before)}
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

func namesFile(text string) bool {
	return text != "" && (len(transcript.ParseResponse([]byte(text)).Mentioned) > 0 || len(citations(text)) > 0)
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
			place := len(strings.Fields(m[1])) == 1 && namesFile(m[1])
			if place || lineNote.MatchString(m[1]) {
				b.lines, b.named = trimBlank(b.lines[1:]), b.named || place
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

// quote returns whether a result holds the block. A block that holds nowhere is held against the answer only where it claims to be a quotation: a file
// is named for it, or at least half of its lines stand in a result.
func (e *evidence) quote(b block, known map[string]bool) Support {
	switch {
	case holdsAll(e.plain, b.lines):
		return Supported
	case holdsAll(e.own, b.lines):
		return NotFromTool
	case e.unseen:
		return Unseen
	case b.named || mostly(b.lines, known):
		return QuoteNotFound
	}
	return NoQuote
}

// known returns the lines of all results, without the white space around them.
func (e *evidence) known() map[string]bool {
	known := make(map[string]bool)
	for _, text := range e.plain {
		for _, l := range text {
			known[strings.TrimSpace(l)] = true
		}
	}
	return known
}

func mostly(lines []string, known map[string]bool) bool {
	stand, all := 0, 0
	for _, l := range lines {
		if substantial(l) {
			all++
			if known[strings.TrimSpace(l)] {
				stand++
			}
		}
	}
	return 2*stand >= all
}

// holdsAll reports whether each part of a quotation between ellipses stands in some text.
func holdsAll(texts [][]string, quote []string) bool {
	var part []string
	for _, l := range append(slices.Clip(quote), "…") {
		if !ellipsis(l) {
			part = append(part, l)
			continue
		}
		if part = trimBlank(part); len(part) > 0 && !holds(texts, part) {
			return false
		}
		part = nil
	}
	return true
}

// holds reports whether the lines stand one after the other in some text, white space at their ends and a common indent aside.
func holds(texts [][]string, quote []string) bool {
	quote = level(quote)
	first := strings.TrimSpace(quote[0])
	for _, text := range texts {
		for i := 0; i+len(quote) <= len(text); i++ {
			if strings.TrimSpace(text[i]) == first && slices.Equal(level(text[i:i+len(quote)]), quote) {
				return true
			}
		}
	}
	return false
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
