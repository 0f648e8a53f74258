package rag

import (
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

// A Grounding is how an answer stands on what the session's tools returned. It is plain data.
type Grounding struct {
	Citations []Citation `json:"citations"` // in the order of the answer; never nil
	Quotes    []Quote    `json:"quotes"`    // likewise
	// Supported is the citations and quotations that hold, of those that could be checked; from 0 to 1, higher is better.
	Supported layers.Rate `json:"supported"`
	// Unmeasured says why nothing could be checked; empty otherwise.
	Unmeasured string `json:"unmeasured,omitempty"`
}

// A Citation is a place in a file that the answer points at: lib/a.go:12, lib/a.go:120-180 or lib/a.go#L12-L20.
type Citation struct {
	Text    string  `json:"text"` // as the answer has it
	Path    string  `json:"path"`
	From    int     `json:"from"` // first line, from 1
	To      int     `json:"to"`   // last line
	Verdict Support `json:"verdict"`
}

// A Quote is a code block of the answer of which a result has to hold the very lines.
type Quote struct {
	First   string  `json:"first"` // its first line
	Lines   int     `json:"lines"`
	Verdict Support `json:"verdict"`
}

// Support says whether what the answer shows was returned by a tool.
type Support string

// The verdicts.
const (
	Supported       Support = "supported"
	FileNotReturned Support = "file not returned"  // no tool returned anything of it
	LinesNotShipped Support = "lines not shipped"  // the file was returned, some of these lines were not
	QuoteNotFound   Support = "quote not found"    // no result holds it verbatim
	LinesUnknown    Support = "lines not numbered" // the file was returned without line numbers: not measured
)

// citation matches path:12, path:12-20 and path#L12-L20. A path has a directory or an extension.
var citation = regexp.MustCompile(`([\p{L}\p{N}_.@+\[\]()/\\-]*[\p{L}\p{N}_\])-])(?::(\d+)(?:\s?[-–]\s?(\d+))?|#L(\d+)(?:-L?(\d+))?)`)

// Ground checks every citation with lines, and every code block, of the session's final answer. It needs the texts of the results: a
// session that was read without transcript.Options.KeepText is unmeasured, and so is one without an answer.
//
// A cited path names the files that are equal to it, or end in it at a slash. All cited lines have to be among the numbered lines that tools
// returned of one of them. A code block is compared line by line, its indent and white space at the ends aside, part by part between
// lines that are an ellipsis; one of a single
// line, or that is marked as a shell session, is no quotation.
func Ground(s *transcript.Session) Grounding {
	g := Grounding{Citations: []Citation{}, Quotes: []Quote{}}
	answer := s.Answer()
	switch {
	case answer == "":
		g.Unmeasured = "the session gave no answer"
		return g
	case !keepsTexts(s):
		g.Unmeasured = "the texts of the results were not kept: read the session with KeepText"
		return g
	}
	e := gather(s)
	prose, blocks := split(answer)
	for _, m := range citation.FindAllStringSubmatch(prose, -1) {
		if c, ok := parse(m); ok {
			c.Verdict = e.check(c)
			g.Citations = append(g.Citations, c)
		}
	}
	for _, b := range blocks {
		q := Quote{strings.TrimSpace(b[0]), len(b), QuoteNotFound}
		if e.holdsAll(b) {
			q.Verdict = Supported
		}
		g.Quotes = append(g.Quotes, q)
	}
	g.rate()
	return g
}

// keepsTexts reports whether some result that has a length has a text.
func keepsTexts(s *transcript.Session) bool {
	any := false
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			if r, ok := ev.(*transcript.ToolResult); ok && r.Chars > 0 {
				if r.Text != "" {
					return true
				}
				any = true
			}
		}
	}
	return !any
}

// parse makes a citation of a match. A word before a colon and a number is no path.
func parse(m []string) (c Citation, ok bool) {
	c = Citation{Text: m[0], Path: m[1]}
	if at := strings.LastIndex(c.Path, "]("); at >= 0 { // a link
		c.Path = c.Path[at+2:]
	}
	for _, pair := range []string{"()", "[]"} {
		if strings.HasPrefix(c.Path, pair[:1]) && !strings.Contains(c.Path, pair[1:]) {
			c.Path = c.Path[1:]
		}
	}
	if !strings.ContainsAny(c.Path, "/.") || strings.Trim(c.Path, "0123456789.") == "" || strings.HasPrefix(c.Path, "//") {
		return c, false
	}
	c.Text = strings.TrimPrefix(c.Text, m[1][:len(m[1])-len(c.Path)])
	c.Path = clean(c.Path)
	from, to := m[2]+m[4], m[3]+m[5]
	if c.From, ok = line(from); !ok {
		return c, false
	}
	c.To = c.From
	if to != "" {
		if c.To, ok = line(to); !ok || c.To < c.From {
			return c, false
		}
	}
	return c, true
}

// line reads a line number that a file can have.
func line(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n > 0 && n < 10_000_000
}

func (e *evidence) check(c Citation) Support {
	files := e.of(c.Path)
	if len(files) == 0 {
		return FileNotReturned
	}
	verdict := LinesNotShipped
	for _, f := range files {
		switch {
		case f.has(c.From, c.To):
			return Supported
		case len(f.lines) == 0 && f.loose:
			verdict = LinesUnknown
		}
	}
	return verdict
}

func (f *shown) has(from, to int) bool {
	for n := from; n <= to; n++ {
		if !f.lines[n] {
			return false
		}
	}
	return true
}

// split parts an answer into its prose and its code blocks of several lines.
func split(answer string) (prose string, blocks [][]string) {
	var b strings.Builder
	open, shellBlock := "", false
	var block []string
	for _, l := range strings.Split(strings.ReplaceAll(answer, "\r\n", "\n"), "\n") {
		next := fenced(open, l)
		switch {
		case open == "" && next != "":
			block, shellBlock = nil, isShell(l)
		case open != "" && next == "":
			if len(block) > 1 && !shellBlock {
				blocks = append(blocks, block)
			}
		case open != "":
			block = append(block, l)
		default:
			b.WriteString(l + "\n")
		}
		open = next
	}
	return b.String(), blocks
}

// isShell reports whether a fence says that commands follow, which nobody quotes from a file.
func isShell(fence string) bool {
	switch strings.ToLower(strings.Trim(fence, "`~ ")) {
	case "sh", "bash", "shell", "console", "text", "diff":
		return true
	}
	return false
}

func (g *Grounding) rate() {
	holds, checked := 0, 0
	count := func(v Support) {
		if v == LinesUnknown {
			return
		}
		checked++
		if v == Supported {
			holds++
		}
	}
	for _, c := range g.Citations {
		count(c.Verdict)
	}
	for _, q := range g.Quotes {
		count(q.Verdict)
	}
	g.Supported = layers.NewRate(holds, checked)
}

// Defects returns an unsupported_citation or unsupported_quote defect for each that does not hold.
func (g Grounding) Defects() (defects []layers.Defect) {
	for _, c := range g.Citations {
		if c.Verdict == FileNotReturned || c.Verdict == LinesNotShipped {
			defects = append(defects, layers.Defect{Layer: layers.RAG, Name: "unsupported_citation", Detail: c.Text + ": " + string(c.Verdict)})
		}
	}
	for _, q := range g.Quotes {
		if q.Verdict == QuoteNotFound {
			defects = append(defects, layers.Defect{Layer: layers.RAG, Name: "unsupported_quote", Detail: q.First})
		}
	}
	return defects
}

// WriteText writes what was checked and what does not hold. The error is that of w.
func (g Grounding) WriteText(w io.Writer) error {
	if g.Unmeasured != "" {
		_, err := fmt.Fprintf(w, "  grounding: not measured: %s\n", g.Unmeasured)
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "  grounding: %s supported, of %s and %s\n", g.Supported, textutil.Count(len(g.Citations), "citation"), textutil.Count(len(g.Quotes), "quotation"))
	for _, d := range g.Defects() {
		fmt.Fprintf(&b, "    %s: %s\n", d.Name, textutil.Printable(d.Detail, 160))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
