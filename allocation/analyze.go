package allocation

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/transcript"
)

// Analyze computes the allocation of a session. The judged calls are those that the session's Tools say, as far as
// they returned something other than an error. A session without any has an empty Block.
func Analyze(s *transcript.Session, opts Options) Block {
	b := Block{Calls: []Call{}, Files: []File{}}
	c := collect(s, &b)
	answer := s.Answer()
	b.HasAnswer = answer != ""
	if b.HasAnswer {
		c.cite(answer, opts)
		b.Used, b.UsedPath = new(int), new(int)
	}
	for i := range b.Calls {
		c.fill(&b.Calls[i], c.parts[i], b.HasAnswer, opts.Parts)
	}
	for _, f := range c.files {
		if f.Via != "" {
			b.FilesUsed++
			*b.Used += f.Chars
		}
		if f.Via == ViaPath {
			*b.UsedPath += f.Chars
		}
		b.Files = append(b.Files, f.File)
	}
	b.FilesReturned = len(b.Files)
	b.Efficiency, b.EfficiencyPath = ratio(b.Used, b.Envelope), ratio(b.UsedPath, b.Envelope)
	slices.SortFunc(b.Files, func(x, y File) int {
		return cmp.Or(cmp.Compare(y.Chars, x.Chars), cmp.Compare(x.Path, y.Path))
	})
	return b
}

// ratio returns used/envelope, nil where there is none.
func ratio(used *int, envelope int) *float64 {
	if used == nil || envelope == 0 {
		return nil
	}
	return new(float64(*used) / float64(envelope))
}

// A collection is what the judged calls returned.
type collection struct {
	files []*file
	index map[string]int // cleaned path → index into files
	parts [][]part       // per call
}

// A file is a returned file and what it defines.
type file struct {
	File
	symbols []transcript.Symbol
	last    int   // number of the last call that was counted for it
	filled  *Call // last call whose figures count it
}

// A part is what one call returned of one file.
type part struct{ file, chars int }

func collect(s *transcript.Session, b *Block) *collection {
	c := &collection{index: make(map[string]int)}
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			r, ok := ev.(*transcript.ToolResult)
			if !ok || r.Role != transcript.RoleJudged || r.Response == nil {
				continue
			}
			call := Call{Position: r.Pos, Thread: r.Thread}
			parts := make([]part, 0, len(r.Response.Sections))
			for _, sec := range r.Response.Sections {
				parts = append(parts, part{c.add(sec, len(b.Calls)+1), sec.Chars})
				call.Envelope += sec.Chars
			}
			b.Envelope += call.Envelope
			b.Calls = append(b.Calls, call)
			c.parts = append(c.parts, parts)
		}
	}
	return c
}

// add enters a section that the call with the given number returned, and returns the index of its file.
func (c *collection) add(sec transcript.Section, call int) int {
	name := path.Clean(sec.Path)
	i, ok := c.index[name]
	if !ok {
		i = len(c.files)
		c.index[name] = i
		c.files = append(c.files, &file{File: File{Path: name}})
	}
	f := c.files[i]
	f.Chars += sec.Chars
	if f.last != call {
		f.last = call
		f.Calls++
	}
	f.symbols = append(f.symbols, sec.Symbols...)
	return i
}

// fill computes a call's own figures.
func (c *collection) fill(call *Call, parts []part, hasAnswer, listed bool) {
	used := 0
	for _, p := range parts {
		f := c.files[p.file]
		cited := f.Via != ""
		if cited {
			used += p.chars
		}
		if listed {
			call.Parts = append(call.Parts, Part{f.Path, p.chars, cited})
		}
		if f.filled != call {
			f.filled = call
			call.Files++
			if cited {
				call.FilesUsed++
			}
		}
	}
	if hasAnswer {
		call.Used = &used
		call.Efficiency = ratio(call.Used, call.Envelope)
	}
}

// cite notes for each file how the answer cites it.
func (c *collection) cite(answer string, opts Options) {
	a := parseAnswer(answer)
	names := make(map[string]int) // how many files end in this
	for _, f := range c.files {
		for suffix := range suffixes(f.Path) {
			names[suffix]++
		}
	}
	symbols := c.identifying(opts)
	for i, f := range c.files {
		switch {
		case a.citesPath(f.Path, names):
			f.Via = ViaPath
		default:
			for _, sym := range f.symbols {
				if symbols[sym.Name] == i+1 && a.names[sym.Name] {
					f.Via, f.Symbol = ViaSymbol, sym.Name
					break
				}
			}
		}
	}
}

// suffixes returns the ends of a path from each of its components on, the whole path first.
func suffixes(p string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for more := true; more; {
			if p == "" || !yield(p) {
				return
			}
			_, p, more = strings.Cut(p, "/")
		}
	}
}
