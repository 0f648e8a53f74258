package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fields appends the words that a word becomes: several when it has braces, or is a variable that holds several.
func (d *dryRun) fields(dst []string, w *syntax.Word) ([]string, effect) {
	if countBraces(w) > maxBraces { // splitting takes the square of their number
		d.lost = d.lost || !d.hit
		return append(dst, unknown), effect{}
	}
	if !syntax.SplitBraces(w) && !slices.ContainsFunc(w.Parts, isBraces) {
		return d.unbraced(dst, w)
	}
	var e effect
	d.alternatives(w.Parts, func(parts []syntax.WordPart) {
		var o effect
		dst, o = d.unbraced(dst, &syntax.Word{Parts: parts})
		e.add(o)
	})
	return dst, e
}

// alternatives calls yield with the parts of each word that the braces of a word stand for, in the order of bash: a{b,c} is ab ac.
func (d *dryRun) alternatives(parts []syntax.WordPart, yield func([]syntax.WordPart)) {
	i := slices.IndexFunc(parts, isBraces)
	if i < 0 {
		yield(parts)
		return
	}
	braces := parts[i].(*syntax.BraceExp)
	if braces.Sequence { // {1..9} is left unknown
		d.alternatives(parts[i+1:], func(rest []syntax.WordPart) {
			yield(slices.Concat(parts[:i], []syntax.WordPart{&syntax.Lit{Value: unknown}}, rest))
		})
		return
	}
	for _, elem := range braces.Elems {
		if !d.spend() {
			return
		}
		d.alternatives(slices.Concat(elem.Parts, parts[i+1:]), func(rest []syntax.WordPart) {
			yield(slices.Concat(parts[:i], rest))
		})
	}
}

func countBraces(w *syntax.Word) (n int) {
	for _, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			n += strings.Count(lit.Value, "{")
		}
	}
	return n
}

func isBraces(p syntax.WordPart) bool {
	_, ok := p.(*syntax.BraceExp)
	return ok
}

// unbraced appends the words that a word without braces becomes.
func (d *dryRun) unbraced(dst []string, w *syntax.Word) ([]string, effect) {
	s, e := d.word(w)
	if len(w.Parts) == 1 {
		switch w.Parts[0].(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			return append(dst, strings.Fields(s)...), e
		}
	}
	return append(dst, s), e
}

// word returns a word without its quotes, with variables filled in, and what happens on the way.
func (d *dryRun) word(w *syntax.Word) (string, effect) {
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && d.spend() { // the usual case, without a copy
			return unescape(lit.Value, false), effect{}
		}
	}
	var b strings.Builder
	var e effect
	d.parts(&b, &e, w.Parts, false)
	d.fuel -= b.Len() / 1024
	return b.String(), e
}

func (d *dryRun) parts(b *strings.Builder, e *effect, parts []syntax.WordPart, quoted bool) {
	for _, p := range parts {
		if !d.spend() {
			return
		}
		if b.Len() > maxWord {
			d.lost = d.lost || !d.hit
			return
		}
		switch p := p.(type) {
		case *syntax.Lit:
			b.WriteString(unescape(p.Value, quoted))
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			d.parts(b, e, p.Parts, true)
		case *syntax.ParamExp:
			b.WriteString(d.param(p))
		case *syntax.CmdSubst:
			o := d.subshell(p.Stmts, input{})
			e.add(o)
			if o.known {
				b.WriteString(strings.TrimRight(o.out, "\n"))
			} else {
				b.WriteString(unknown)
			}
		case *syntax.ProcSubst:
			e.add(d.subshell(p.Stmts, input{}))
			b.WriteString(unknown)
		case *syntax.ExtGlob:
			if p.Pattern != nil {
				b.WriteString(p.Op.String() + p.Pattern.Value + ")")
			}
		default: // arithmetic
			e.add(d.substitutions(p))
			b.WriteString(unknown)
		}
	}
}

// param returns the value of a variable that the line itself assigned, or its default.
func (d *dryRun) param(p *syntax.ParamExp) string {
	if p.Param == nil || p.Excl || p.Length || p.Index != nil || p.Slice != nil || p.Repl != nil {
		return unknown
	}
	value, ok := d.vars[p.Param.Value]
	if p.Exp == nil {
		if ok {
			return value
		}
		return unknown
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		if !ok && p.Exp.Word != nil {
			s, _ := d.word(p.Exp.Word)
			return s
		}
		if ok {
			return value
		}
	}
	return unknown
}

// unescape removes the backslashes of a literal.
func unescape(s string, quoted bool) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		next := s[i+1]
		switch {
		case next == '\n':
		case quoted && !strings.ContainsRune("$`\"\\", rune(next)):
			b.WriteByte('\\')
			b.WriteByte(next)
		default:
			b.WriteByte(next)
		}
		i++
	}
	return b.String()
}
