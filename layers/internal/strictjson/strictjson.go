// Package strictjson reads the JSON files that people hand to the layers: budgets, memory logs, expected calls. What is misspelt
// there would be a default in silence, so an unknown field, a field given twice and text after the value are errors. An
// error says file and line, and costs only the entry that it is in.
package strictjson

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"

	json "github.com/goccy/go-json"

	"github.com/agent-eval/feedback/internal/jsontext"
	"github.com/agent-eval/feedback/transcript"
)

// ErrNoEntries says that a file has not one entry that could be read.
var ErrNoEntries = errors.New("no entries")

// Object decodes one JSON object into the struct that v points to. When it fails, v holds nothing to rely on.
func Object(data []byte, v any) error {
	if err := Names(data); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(v)
	if te, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: a JSON %s does not fit", te.Field, te.Value)
	}
	if err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// Names checks that the text is one object in which no name stands twice, nor in one within it. Those of the object itself are the same
// in any case, as they are to a struct.
func Names(data []byte) error {
	var s jsontext.Scanner
	s.Reset(data, 0)
	k := s.Peek()
	err := unique(&s, strings.ToLower)
	switch {
	case s.Err() != nil:
		return s.Err()
	case k != jsontext.Object:
		return fmt.Errorf("want a JSON object, got %s", k)
	case err != nil:
		return err
	case len(bytes.TrimSpace(data[s.Offset():])) > 0:
		return errors.New("text after the object")
	}
	return nil
}

// unique walks over a value, and returns an error about the first name that stands twice in an object. Same brings names into the form in which those
// of the outermost one are compared.
func unique(s *jsontext.Scanner, same func(string) string) (err error) {
	switch k := s.Peek(); k {
	case jsontext.Object:
		seen := make(map[string]bool)
		for more := s.Enter(); more; more = s.More(k) {
			name := string(s.Key())
			if seen[same(name)] && err == nil {
				err = fmt.Errorf("field %q stands twice", name)
			}
			seen[same(name)] = true
			err = cmp.Or(err, unique(s, exactly))
		}
	case jsontext.Array:
		for more := s.Enter(); more; more = s.More(k) {
			err = cmp.Or(err, unique(s, exactly))
		}
	default:
		s.Skip()
	}
	return err
}

func exactly(name string) string { return name }

// Lines reads one object a line and calls each for all that can be decoded, in order; what each returns is an error of that
// line. Empty lines are passed over. All errors come joined, each a [transcript.Problem]; one of r itself, and [ErrNoEntries] for a file
// that is empty, are a [*transcript.FileError].
func Lines[T any](r io.Reader, name string, each func(transcript.Position, T) error) error {
	var errs []error
	in := bufio.NewReader(r)
	entries := 0
	for no := 1; ; no++ {
		line, err := in.ReadBytes('\n')
		if no == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if text := bytes.TrimSpace(line); len(text) > 0 && (err == nil || err == io.EOF) {
			pos := transcript.Position{File: name, Line: no}
			entry, problem := decode[T](text)
			if problem == nil {
				entries++
				problem = each(pos, entry)
			}
			if problem != nil {
				errs = append(errs, transcript.Problem{Pos: pos, Reason: problem.Error()})
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return errors.Join(append(errs, &transcript.FileError{File: name, Err: err})...)
		}
	}
	if entries == 0 && len(errs) == 0 {
		errs = append(errs, &transcript.FileError{File: name, Err: ErrNoEntries})
	}
	return errors.Join(errs...)
}

func decode[T any](text []byte) (v T, err error) {
	err = Object(text, &v)
	return v, err
}

// Elements is [Lines] for the elements of one JSON array, whatever lines they stand on: the line of an error is that on which its
// element starts. Text that is no array, or ends within it, is an error too; what stands before that is read. An array without elements is none.
func Elements[T any](r io.Reader, name string, each func(transcript.Position, T) error) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return &transcript.FileError{File: name, Err: err}
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var errs []error
	problem := func(offset int, err error) {
		line := 1 + bytes.Count(data[:offset], []byte("\n"))
		errs = append(errs, transcript.Problem{Pos: transcript.Position{File: name, Line: line}, Reason: err.Error()})
	}
	var s jsontext.Scanner
	s.Reset(data, 0)
	switch k := s.Peek(); {
	case s.Offset() == len(data):
		return &transcript.FileError{File: name, Err: ErrNoEntries}
	case k != jsontext.Array:
		problem(s.Offset(), errors.New("want a JSON array"))
		return errors.Join(errs...)
	}
	line, counted := 1, 0
	for more := s.Enter(); more; more = s.More(jsontext.Array) {
		s.Peek() // steps over white space
		start := s.Offset()
		text := s.Skip()
		if s.Err() != nil {
			break
		}
		line, counted = line+bytes.Count(data[counted:start], []byte("\n")), start
		entry, err := decode[T](text)
		if err == nil {
			err = each(transcript.Position{File: name, Line: line}, entry)
		}
		if err != nil {
			errs = append(errs, transcript.Problem{Pos: transcript.Position{File: name, Line: line}, Reason: err.Error()})
		}
	}
	if se, ok := errors.AsType[*jsontext.SyntaxError](s.Err()); ok {
		problem(min(se.Offset, len(data)), se.Err)
	} else if rest := bytes.TrimSpace(data[s.Offset():]); len(rest) > 0 {
		problem(s.Offset(), errors.New("text after the array"))
	}
	return errors.Join(errs...)
}
