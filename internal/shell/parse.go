package shell

import (
	"errors"
	"io"
	"runtime"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	maxText    = 256 << 10 // bytes of a script that are read; Linux accepts half of that as the command of sh -c
	maxFrames  = 10_000    // depth of the call stack at which the parser is stopped
	maxResumes = 16        // lines after a syntax error at which parsing is tried again
)

// A Reader reads command lines one after the other with the memory of the last one. The zero Reader is ready to use; it is not safe for
// concurrent use.
type Reader struct {
	bash  *syntax.Parser
	vars  map[string]string
	funcs map[string]*syntax.Stmt
}

// parser returns a parser of bash, the same each time.
func (r *Reader) parser() *syntax.Parser {
	if r.bash == nil {
		r.bash = syntax.NewParser(syntax.Variant(syntax.LangBash))
	}
	return r.bash
}

// parse returns the statements of a script. After a syntax error, which may be the parser's own, it goes on
// with the next line; what begins and never ends is lost, as it is to a shell. It reports whether a shell would not see more.
func (r *Reader) parse(text string) (list []*syntax.Stmt, whole bool) {
	whole = len(text) <= maxText
	text = text[:min(len(text), maxText)]
	list, err := statements(r.parser(), text)
	if err == nil {
		return list, whole
	}
	r.bash = nil // a parser that failed may not be as new
	if zsh, err := statements(syntax.NewParser(syntax.Variant(syntax.LangZsh)), text); err == nil {
		return zsh, whole
	}
	for range maxResumes {
		offset, ok := errorOffset(err)
		if !ok || offset >= len(text) {
			break
		}
		_, rest, _ := strings.Cut(text[offset:], "\n")
		var more []*syntax.Stmt
		text = rest
		more, err = statements(syntax.NewParser(syntax.Variant(syntax.LangBash)), text)
		list = append(list, more...)
	}
	_, more := errorOffset(err)
	return list, whole && !more && !errors.Is(err, errDeep) && !errors.Is(err, errParser)
}

// statements returns the statements before the first error, and the error.
func statements(p *syntax.Parser, text string) (list []*syntax.Stmt, err error) {
	defer func() {
		// Logs hold any text, and a fault of the parser must not cost more than the line.
		if r := recover(); r != nil {
			err = errParser
		}
	}()
	for stmt, err := range p.StmtsSeq(&guard{text}) {
		if err != nil {
			return list, err
		}
		list = append(list, stmt)
	}
	return list, nil
}

// errorOffset returns where a syntax error is; false for nil, for an unfinished script, and for other errors.
func errorOffset(err error) (int, bool) {
	var parse syntax.ParseError
	if errors.As(err, &parse) && !parse.Incomplete {
		return int(parse.Pos.Offset()), true
	}
	var lang syntax.LangError
	if errors.As(err, &lang) {
		return int(lang.Pos.Offset()), true
	}
	return 0, false
}

var (
	errDeep   = errors.New("nested too deeply")
	errParser = errors.New("parser failed")
)

// guard hands a text to the parser in small pieces, and stops it when it has recursed too deeply: it has no limit
// of its own, and a stack that overflows ends the process.
type guard struct{ text string }

func (g *guard) Read(p []byte) (int, error) {
	if g.text == "" {
		return 0, io.EOF
	}
	var pc [1]uintptr
	if runtime.Callers(maxFrames, pc[:]) > 0 {
		return 0, errDeep
	}
	n := copy(p[:min(len(p), 256)], g.text)
	g.text = g.text[n:]
	return n, nil
}
