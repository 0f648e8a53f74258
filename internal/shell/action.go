package shell

import (
	"cmp"
	"slices"
)

// Kind is what a command line does, from the point of view of somebody who looks for code.
type Kind int

// The kinds of command lines.
const (
	Other  Kind = iota // anything else: builds, tests, writes, talks, or cannot be understood
	Read               // shows what is in files
	Search             // looks for files, for lines in them, or for their size
)

// String returns the name of the kind in lower case.
func (k Kind) String() string {
	switch k {
	case Read:
		return "read"
	case Search:
		return "search"
	}
	return "other"
}

// Action is what a command line does.
type Action struct {
	Kind Kind
	// Files are the files that a Read shows, each once, in the order in which the line names them; nil for other
	// kinds, and for a Read of files that the line does not name (cat "$f", xargs cat). The names are cleaned and cd is
	// applied; relative ones start where the shell does. A pattern such as src/*.go stands as it was written. Of
	// a name that begins with something unknown only what follows is kept: "$ROOT/lib/a.go" is lib/a.go. In
	// git show REV:f the path f starts at the root of the repository.
	Files []string
}

// Classify says what a command line does. When it does several things, the most telling one decides: reading files
// that it names, then searching, then reading files that it does not name, then anything else. So a line that
// builds and then reads f is a Read of f. Of a pipeline that writes to a file, or that does something with
// the files that it found (find … | xargs rm), nothing counts but that it acts: it is Other. So is a line that cannot be
// parsed, except for the commands before the part that cannot.
//
// Showing a part of a file, or a form of it (sed, awk, sort, jq, diff, git blame), is reading. Showing only its size or type
// (ls, wc, stat, file, du) is searching. A command that works on what another one prints is neither.
func (r *Reader) Classify(command string) Action {
	d := r.dryRun(nil)
	return d.script(command, nil, input{}).action()
}

// effect is what commands do, as far as it matters to somebody who looks for code.
type effect struct {
	files   []string // files that are shown, in order
	unnamed bool     // files are shown that the line does not name
	search  bool     // files or lines are looked for
	within  string   // the guarded directory that was looked into, if any
	acts    bool     // something is written, or done with what was found
	runs    bool     // a program runs of which nothing is known
	out     string   // what is printed, with unknown in place of what cannot be told
	known   bool     // out says all that is printed
}

// printed is the effect of a command that prints a text and does nothing else.
func printed(out string) effect { return effect{out: out, known: true} }

// add appends what o does to e. What both print together is not known.
func (e *effect) add(o effect) {
	e.files = append(e.files, o.files...)
	e.unnamed = e.unnamed || o.unnamed
	e.search = e.search || o.search
	e.within = cmp.Or(e.within, o.within)
	e.acts = e.acts || o.acts
	e.runs = e.runs || o.runs
	e.out, e.known = "", false
}

// settled is e at the end of a pipeline: one that acts is nothing else.
func (e effect) settled() effect {
	if e.acts {
		return effect{acts: true, runs: e.runs}
	}
	return e
}

func (e effect) action() Action {
	switch {
	case len(e.files) > 0:
		return Action{Read, unique(e.files)}
	case e.search:
		return Action{Kind: Search}
	case e.unnamed:
		return Action{Kind: Read}
	}
	return Action{}
}

// unique returns the names without those that an earlier one equals.
func unique(names []string) []string {
	seen := make(map[string]bool, len(names))
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	})
}
