package shell

import (
	"maps"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	maxFuel   = 50_000 // commands and words that one line may take
	maxDepth  = 60     // how deep scripts, functions and compound commands nest
	maxWord   = 64 << 10
	maxBraces = 100 // that open in one word
)

// unknown stands in a word for what cannot be told without running something.
const unknown = "\x00"

// A dryRun goes through a command line as a shell would, without running anything.
type dryRun struct {
	lines   *Reader
	names   []string   // commands that are looked for
	guarded [][]string // directories whose content is looked for, by the elements of their names
	hit     bool
	found   string

	fuel, depth int
	lost        bool // not all was gone through
	vars        map[string]string
	funcs       map[string]*syntax.Stmt
	aliases     map[string]string
	dir         string // where the line has gone to, relative to where it began
}

func (r *Reader) dryRun(names []string) *dryRun {
	if r.vars == nil {
		r.vars, r.funcs = make(map[string]string), make(map[string]*syntax.Stmt)
	}
	clear(r.vars)
	clear(r.funcs)
	return &dryRun{lines: r, names: names, fuel: maxFuel, vars: r.vars, funcs: r.funcs}
}

// input is what a command reads from its standard input.
type input struct {
	piped  bool   // another command, a here-document or a file is connected
	text   string // what it reads, if known
	known  bool
	found  bool     // what it reads are names that were looked for
	within string   // the guarded directory that they were looked for in, if any
	files  []string // what it reads is the content of these files
}

// spend takes one unit of fuel. It reports false when there is none left, or when the line nests too deeply.
func (d *dryRun) spend() bool {
	d.fuel--
	ok := d.fuel >= 0 && d.depth <= maxDepth
	d.lost = d.lost || !ok && !d.hit
	return ok
}

// cut returns a text, or what of it is kept.
func (d *dryRun) cut(text string) string {
	if len(text) <= maxWord {
		return text
	}
	d.lost = d.lost || !d.hit
	return text[:maxWord]
}

// script goes through a script with the given positional parameters.
func (d *dryRun) script(text string, args []string, in input) (e effect) {
	if !d.spend() {
		return e
	}
	d.depth++
	defer func() { d.depth-- }()
	if len(args) > 0 {
		defer func(saved map[string]string) { d.vars = saved }(maps.Clone(d.vars))
	}
	for i, a := range args {
		d.vars[string(rune('0'+min(i, 9)))] = a
	}
	list, whole := d.lines.parse(text)
	d.lost = d.lost || !whole
	return d.stmts(list, in)
}

// stmts goes through a list. What it prints is known when one command prints all.
func (d *dryRun) stmts(list []*syntax.Stmt, in input) (e effect) {
	for i, s := range list {
		o := d.stmt(s, in).settled()
		if i == 0 {
			e = o
		} else {
			e.add(o)
		}
		in.known = false
	}
	return e
}

func (d *dryRun) stmt(s *syntax.Stmt, in input) effect {
	if s == nil || !d.spend() {
		return effect{}
	}
	d.depth++
	defer func() { d.depth-- }()
	var writes, shows bool
	var words effect
	for _, r := range s.Redirs {
		w, o := d.redirect(r, &in)
		writes = writes || w
		words.merge(o)
		shows = shows || r.Op == syntax.RdrIn
	}
	e := d.command(s.Cmd, in)
	if s.Cmd == nil && shows {
		e.files = append(e.files, in.files...) // $(<file)
	}
	e.merge(words)
	if writes {
		e.acts, e.out, e.known = true, "", false
	}
	return e
}

// merge is add for what happens on the side: it leaves what is printed as it is.
func (e *effect) merge(o effect) {
	out, known := e.out, e.known
	e.add(o)
	e.out, e.known = out, known
}

// redirect applies a redirection to the input, and reports whether it writes to a file.
func (d *dryRun) redirect(r *syntax.Redirect, in *input) (writes bool, e effect) {
	fd := ""
	if r.N != nil {
		fd = r.N.Value
	}
	var word string
	if r.Word != nil {
		word, e = d.word(r.Word)
	}
	switch r.Op {
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.RdrAllClob, syntax.AppAll, syntax.AppAllClob, syntax.RdrInOut:
		return fd != "2" && !strings.HasPrefix(word, "/dev/"), e
	case syntax.RdrIn:
		d.touches(word)
		in.piped, in.known, in.files = true, false, d.file(word)
	case syntax.WordHdoc:
		in.piped, in.text, in.known = true, word, true
	case syntax.Hdoc, syntax.DashHdoc:
		*in = input{piped: true, known: true}
		if r.Hdoc != nil {
			in.text, _ = d.word(r.Hdoc)
		}
		return true, e
	}
	return false, e
}

func (d *dryRun) command(cmd syntax.Command, in input) (e effect) {
	switch cmd := cmd.(type) {
	case *syntax.CallExpr:
		return d.callExpr(cmd, in)
	case *syntax.BinaryCmd:
		return d.binary(cmd, in)
	case *syntax.Block:
		return d.stmts(cmd.Stmts, in)
	case *syntax.Subshell:
		return d.subshell(cmd.Stmts, in)
	case *syntax.IfClause:
		for c := cmd; c != nil; c = c.Else {
			e.add(d.stmts(c.Cond, in))
			e.add(d.stmts(c.Then, in))
		}
	case *syntax.WhileClause:
		e.add(d.stmts(cmd.Cond, in))
		e.add(d.stmts(cmd.Do, in))
	case *syntax.ForClause:
		return d.loop(cmd, in)
	case *syntax.CaseClause:
		for _, item := range cmd.Items {
			e.add(d.stmts(item.Stmts, in))
		}
	case *syntax.FuncDecl:
		if cmd.Name != nil {
			d.funcs[cmd.Name.Value] = cmd.Body
		}
	case *syntax.TimeClause:
		return d.stmt(cmd.Stmt, in)
	case *syntax.CoprocClause:
		return d.stmt(cmd.Stmt, in)
	case *syntax.DeclClause:
		e.add(d.assign(cmd.Args))
	case *syntax.TestClause, *syntax.ArithmCmd, *syntax.LetClause:
		e.merge(d.substitutions(cmd))
	}
	return e
}

// substitutions goes through the commands that a node of another kind substitutes.
func (d *dryRun) substitutions(n syntax.Node) (e effect) {
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			e.add(d.subshell(n.Stmts, input{}))
			return false
		case *syntax.ProcSubst:
			e.add(d.subshell(n.Stmts, input{}))
			return false
		}
		return d.spend()
	})
	return e
}

// subshell goes through statements whose variables and directory end with them.
func (d *dryRun) subshell(list []*syntax.Stmt, in input) effect {
	dir, vars := d.dir, d.vars
	d.vars = maps.Clone(vars)
	e := d.stmts(list, in)
	d.dir, d.vars = dir, vars
	return e
}

func (d *dryRun) binary(cmd *syntax.BinaryCmd, in input) effect {
	left := d.stmt(cmd.X, in)
	if cmd.Op != syntax.Pipe && cmd.Op != syntax.PipeAll {
		left = left.settled()
		left.add(d.stmt(cmd.Y, in).settled())
		return left
	}
	right := d.stmt(cmd.Y, input{piped: true, text: left.out, known: left.known, found: left.search, within: left.within})
	out, known := right.out, right.known
	left.add(right)
	left.out, left.known = out, known
	return left
}

// loop goes through the body once per word, or once with an unknown one.
func (d *dryRun) loop(cmd *syntax.ForClause, in input) (e effect) {
	iter, ok := cmd.Loop.(*syntax.WordIter)
	if !ok || len(iter.Items) == 0 {
		if ok && iter.Name != nil {
			d.vars[iter.Name.Value] = unknown
		}
		return d.stmts(cmd.Do, in)
	}
	var items []string
	for _, w := range iter.Items {
		var o effect
		items, o = d.fields(items, w)
		e.add(o)
	}
	for _, item := range items {
		if d.fuel < 0 {
			break
		}
		d.vars[iter.Name.Value] = item
		e.add(d.stmts(cmd.Do, in))
	}
	return e
}

func (d *dryRun) assign(list []*syntax.Assign) (e effect) {
	for _, a := range list {
		if a.Array != nil {
			e.add(d.substitutions(a.Array))
		}
		if a.Name == nil || a.Value == nil {
			continue
		}
		value, o := d.word(a.Value)
		e.add(o)
		if a.Append {
			value = d.vars[a.Name.Value] + value
		}
		d.vars[a.Name.Value] = d.cut(value)
	}
	return e
}

func (d *dryRun) callExpr(cmd *syntax.CallExpr, in input) effect {
	var side effect
	if len(cmd.Args) == 0 {
		side = d.assign(cmd.Assigns)
	} else {
		for _, a := range cmd.Assigns {
			if a.Value != nil {
				_, o := d.word(a.Value)
				side.add(o)
			}
		}
	}
	args := make([]string, 0, len(cmd.Args))
	for _, w := range cmd.Args {
		var o effect
		args, o = d.fields(args, w)
		side.add(o)
	}
	e := d.run(args, in)
	e.merge(side)
	return e
}

// function runs the body of a function that the line declares.
func (d *dryRun) function(body *syntax.Stmt, args []string, in input) effect {
	saved := make(map[string]string, len(d.vars))
	for k, v := range d.vars {
		saved[k] = v
	}
	for i, a := range args {
		if i < 10 {
			d.vars[string(rune('0'+i))] = a
		}
	}
	d.vars["@"], d.vars["*"] = strings.Join(args[1:], " "), strings.Join(args[1:], " ")
	e := d.stmt(body, in)
	for i := range 10 {
		d.vars[string(rune('0'+i))] = saved[string(rune('0'+i))]
	}
	return e
}

// file returns the cleaned name of a file as the line's directory sees it, nothing when it is not known.
func (d *dryRun) file(name string) []string {
	if i := strings.LastIndex(name, unknown); i >= 0 {
		_, name, _ = strings.Cut(name[i+len(unknown):], "/") // of $f.go no whole name is known
		if name = strings.TrimLeft(name, "/"); name == "" {
			return nil
		}
		return []string{path.Clean(name)}
	}
	if name == "" || name == "-" || strings.HasPrefix(name, "/dev/") {
		return nil
	}
	if d.dir != "" && !path.IsAbs(name) && !strings.HasPrefix(name, "~") {
		name = d.dir + "/" + name
	}
	return []string{path.Clean(name)}
}
