package rag

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

// A Grounding is how an answer stands on what the session's tools returned. It is plain data.
type Grounding struct {
	Position  transcript.Position `json:"position"`  // of the answer
	Citations []Citation          `json:"citations"` // in the order of the answer, each place once; never nil
	Quotes    []Quote             `json:"quotes"`    // in the order of the answer; never nil
	// Supported is the citations and quotations that hold, of those that could be checked; from 0 to 1, higher is better. It has no value
	// when there are none.
	Supported layers.Rate `json:"supported"`
	Unchecked int         `json:"unchecked"` // citations and quotations that could not be checked
	// Unmeasured says why nothing could be checked; empty otherwise.
	Unmeasured string `json:"unmeasured,omitempty"`
}

// Support says whether what the answer shows was returned by a tool.
type Support string

// The verdicts that hold.
const (
	Supported Support = "supported"
	Named     Support = "named, not shown" // a result names this very line, as lib/a.go:12, without its text
)

// The verdicts that do not.
const (
	FileNotReturned Support = "file not returned"     // no tool returned anything of it
	LinesNotShipped Support = "lines not shipped"     // the file was returned, some of these lines were not
	QuoteNotFound   Support = "quote not found"       // no result holds it verbatim
	OtherFile       Support = "quote of another file" // a result holds it, and none of the file that the answer names for it
)

// The verdicts of what could not be checked, and is in no rate.
const (
	LinesUnknown Support = "lines not numbered"        // something of the file was returned, or may have been, without line numbers
	NotFromTool  Support = "not from a tool"           // the agent itself wrote it into a file, or the user gave it
	NoQuote      Support = "no quotation"              // code that is in no result and of which nothing says that it should be
	Unseen       Support = "log of a subagent missing" // it may have been shown to one
)

// Holds reports whether a tool returned it, and ok whether that could be checked.
func (s Support) Holds() (holds, ok bool) {
	switch s {
	case Supported, Named:
		return true, true
	case FileNotReturned, LinesNotShipped, QuoteNotFound, OtherFile:
		return false, true
	}
	return false, false
}

// Ground checks every citation with lines, and every code block, of the session's final answer against the results of its tools, those of its
// subagents too. It needs the texts of the results: a session that was read without transcript.Options.KeepText is unmeasured, and so is one
// without an answer. The logs of a resumed session belong together: what an earlier one showed is not in the later ones.
//
// A cited path names the files that are equal to it, or of which one ends in the other at a slash. All cited lines have to be among the numbered lines
// of one of them that the retrieval tool, a read or a search returned, or a result has to name the one line that is cited. A path without an
// extension is a citation only where a tool returned the file: postgres/postgis:16 is none. A code block is compared
// line by line, its indent and white space at the ends aside, part by part between lines that are an ellipsis. Where its first line, its fence or the
// line before it names a file, a result of that file has to hold it. One
// that is marked as a shell session is no quotation, and neither is one that holds nowhere, unless a file is named for it or half of its
// lines stand in a result: code that the answer itself proposes is held against nobody.
func Ground(s *transcript.Session) Grounding {
	g := Grounding{Position: answerAt(s), Citations: []Citation{}, Quotes: []Quote{}}
	answer := s.Answer()
	switch {
	case answer == "":
		g.Unmeasured = "the session gave no answer"
		return g
	case !keepsTexts(s):
		g.Unmeasured = "the texts of the results were not kept: read the session with KeepText"
		return g
	}
	prose, blocks := split(answer)
	g.Citations = citations(prose)
	if len(g.Citations)+len(blocks) == 0 {
		return g
	}
	e := gather(s)
	mentioned := mentions(e.results, g.Citations)
	for i := range g.Citations {
		g.Citations[i].Verdict = e.check(g.Citations[i], mentioned[i])
	}
	g.Citations = slices.DeleteFunc(g.Citations, func(c Citation) bool { return c.bare() && len(e.named(c.Path)) == 0 })
	for _, b := range blocks {
		g.Quotes = append(g.Quotes, Quote{strings.TrimSpace(b.lines[0]), len(b.lines), e.quote(b)})
	}
	g.rate()
	return g
}

// answerAt returns where the last answer stands.
func answerAt(s *transcript.Session) (pos transcript.Position) {
	for _, ev := range s.Main().Events {
		switch ev := ev.(type) {
		case *transcript.AssistantText:
			if !ev.Synthetic && !ev.Abandoned {
				pos = ev.Pos
			}
		case *transcript.Result:
			if ev.Worked && ev.Text != "" {
				pos = ev.Pos
			}
		}
	}
	return pos
}

// keepsTexts reports whether some result that has a length has a text.
func keepsTexts(s *transcript.Session) bool {
	dropped := false
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			if r, ok := ev.(*transcript.ToolResult); ok && r.Chars > 0 {
				if r.Text != "" {
					return true
				}
				dropped = true
			}
		}
	}
	return !dropped
}

// check returns whether the lines of a citation were returned; mentioned says that a result names its line.
func (e *evidence) check(c Citation, mentioned bool) Support {
	var of shown // all files that it may name
	found := false
	for _, name := range e.named(c.Path) {
		f := e.files[name]
		if f.has(c.From, c.To) {
			return Supported
		}
		found = found || len(f.lines) > 0
		of.loose = of.loose || f.loose || f.named && len(f.lines) == 0
		of.written = of.written || f.written
	}
	for _, p := range e.globs {
		of.loose = of.loose || matchesTail(p.glob, c.Path)
	}
	switch {
	case mentioned:
		return Named
	case of.written:
		return NotFromTool
	case of.loose:
		return LinesUnknown
	case e.unseen:
		return Unseen
	case found:
		return LinesNotShipped
	}
	return FileNotReturned
}

func (g *Grounding) rate() {
	holding, checked := 0, 0
	count := func(v Support) {
		holds, ok := v.Holds()
		switch {
		case !ok:
			g.Unchecked++
			return
		case holds:
			holding++
		}
		checked++
	}
	for _, c := range g.Citations {
		count(c.Verdict)
	}
	for _, q := range g.Quotes {
		count(q.Verdict)
	}
	g.Supported = layers.NewRate(holding, checked)
}

// Defects returns an unsupported_citation or unsupported_quote defect for each that does not hold.
func (g Grounding) Defects() (defects []layers.Defect) {
	add := func(name string, v Support, detail string) {
		if holds, ok := v.Holds(); ok && !holds {
			defects = append(defects, layers.Defect{Layer: layers.RAG, Name: name, Position: g.Position, Detail: detail})
		}
	}
	for _, c := range g.Citations {
		add("unsupported_citation", c.Verdict, c.Text+": "+string(c.Verdict))
	}
	for _, q := range g.Quotes {
		add("unsupported_quote", q.Verdict, q.First)
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
	fmt.Fprintf(&b, "  grounding: %s supported; %s, %s, %d of them not to be checked\n", g.Supported,
		textutil.Count(len(g.Citations), "citation"), textutil.Count(len(g.Quotes), "code block"), g.Unchecked)
	for _, d := range g.Defects() {
		fmt.Fprintf(&b, "    %s: %s\n", d.Name, textutil.Printable(d.Detail, 160))
	}
	_, err := io.WriteString(w, b.String())
	return err
}
