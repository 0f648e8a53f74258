package allocation

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/gobwas/glob"

	"github.com/agent-eval/feedback/internal/globs"
	"github.com/agent-eval/feedback/internal/textutil"
)

// An Envelope is how the characters of all responses were divided over files, seen from the files that answer the question.
type Envelope struct {
	Chars int `json:"chars"` // of all file sections
	// AnswerChars are those of the files that match an answer glob, AnswerShare their share of Chars from 0 to 1. Share is nil
	// when no glob was given or nothing was returned.
	AnswerChars int            `json:"answer_chars"`
	AnswerShare *float64       `json:"answer_share"`
	Files       []EnvelopeFile `json:"files"` // as in [Block].Files
}

// An EnvelopeFile is one file of an envelope.
type EnvelopeFile struct {
	Path    string  `json:"path"`
	Chars   int     `json:"chars"`
	Share   float64 `json:"share"`   // of the envelope, from 0 to 1
	Answers bool    `json:"answers"` // matches an answer glob
}

// ValidateGlob returns an error that names the pattern if [Block.Divide] would refuse it.
func ValidateGlob(pattern string) error {
	if _, err := globs.Compile(pattern, '/'); err != nil {
		return fmt.Errorf("answer glob %q: %w", pattern, err)
	}
	return nil
}

// Divide divides the characters of the envelope over the files and marks those that match one of the globs: of the path, or of the base name
// alone for a glob without a slash. In a glob, * and ? stop at a slash and **/ stands for any directories; a glob that is
// not valid is an error.
func (b Block) Divide(answers ...string) (Envelope, error) {
	patterns := make([]*glob.Pattern, len(answers))
	for i, a := range answers {
		if err := ValidateGlob(a); err != nil {
			return Envelope{}, err
		}
		patterns[i], _ = globs.Compile(a, '/')
	}
	e := Envelope{Chars: b.Envelope, Files: []EnvelopeFile{}}
	for _, f := range b.Files {
		v := EnvelopeFile{Path: f.Path, Chars: f.Chars, Share: share(f.Chars, b.Envelope)}
		for i, p := range patterns {
			v.Answers = v.Answers || p.Match(f.Path) || !strings.Contains(answers[i], "/") && p.Match(path.Base(f.Path))
		}
		if v.Answers {
			e.AnswerChars += f.Chars
		}
		e.Files = append(e.Files, v)
	}
	if len(answers) > 0 {
		e.AnswerShare = ratio(&e.AnswerChars, e.Chars)
	}
	return e, nil
}

// WriteEnvelope writes the envelope as text: the files with the most characters, then how many more there are. With globs,
// the files that match are marked with a star and their share is said. A glob that is not valid is an error, and so is one of w.
func (b Block) WriteEnvelope(w io.Writer, answers ...string) error {
	e, err := b.Divide(answers...)
	if err != nil {
		return err
	}
	var t strings.Builder
	fmt.Fprintf(&t, "  Envelope — %s chars over %s:\n", textutil.Thousands(e.Chars), textutil.Count(len(e.Files), "file"))
	if len(answers) > 0 {
		if e.AnswerShare == nil {
			t.WriteString("    files that answer  not measured: the responses show no file\n")
		} else {
			fmt.Fprintf(&t, "    files that answer %s  %s chars\n", percent(*e.AnswerShare), textutil.Thousands(e.AnswerChars))
		}
	}
	for _, f := range e.Files[:min(len(e.Files), listed)] {
		mark := " "
		if f.Answers {
			mark = "*"
		}
		fmt.Fprintf(&t, "    %s %s %6d  %s\n", mark, percent(f.Share), f.Chars, textutil.Printable(f.Path, 120))
	}
	if n := len(e.Files) - listed; n > 0 {
		fmt.Fprintf(&t, "      … and %s more\n", textutil.Count(n, "file"))
	}
	_, err = io.WriteString(w, t.String())
	return err
}
