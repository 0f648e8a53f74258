package harness

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	// Decodes strictly (unknown and repeated names are errors) and says by which path and at which byte it failed, which
	// encoding/json does not.
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	// Removes // comments and trailing commas, and keeps every byte in its place.
	"github.com/tailscale/hujson"
)

// A SpecError is something wrong in a spec.
type SpecError struct {
	File  string // as given to Load
	Line  int    // 0 when it is not known
	Field string // such as arms[1].prewarm.timeout; empty when it is the whole
	Err   error
}

// Error returns file:line: field: cause.
func (e *SpecError) Error() string {
	at := e.File
	if e.Line > 0 {
		at += ":" + strconv.Itoa(e.Line)
	}
	parts := slices.DeleteFunc([]string{at, e.Field, e.Err.Error()}, func(s string) bool { return s == "" })
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *SpecError) Unwrap() error { return e.Err }

// ErrUnknownField says that a spec has a field that does not exist.
var ErrUnknownField = errors.New("unknown field")

// Load reads a spec: JSON with // and /* */ comments and trailing commas. A field that does not exist is an error. Compare, unless it is empty,
// replaces the arms and the shorthand of the file. The spec has its shorthands expanded, its defaults filled in and its paths
// made absolute. The error joins a *SpecError for everything that is wrong.
func Load(file, compare string) (*Spec, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	s, err := decode(file, data)
	if err != nil {
		return nil, err
	}
	if compare != "" {
		s.Compare, s.Arms = compare, nil
	}
	dir, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	if err := s.complete(dir); err != nil {
		return nil, inFile(file, err)
	}
	return s, nil
}

// decode decodes a spec as it stands.
func decode(file string, data []byte) (*Spec, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors begin a file with it
	standard, err := hujson.Standardize(data)
	if err != nil {
		return nil, &SpecError{File: file, Err: errors.New(strings.TrimPrefix(err.Error(), "hujson: "))}
	}
	var s Spec
	if err := json.Unmarshal(standard, &s, json.RejectUnknownMembers(true)); err != nil {
		return nil, decodeError(file, data, err)
	}
	return &s, nil
}

// decodeError says where decoding failed.
func decodeError(file string, data []byte, err error) error {
	e := &SpecError{File: file, Err: err}
	if semantic, ok := errors.AsType[*json.SemanticError](err); ok {
		e.Field, e.Line = fieldPath(semantic.JSONPointer), lineAt(data, semantic.ByteOffset)
		switch {
		case errors.Is(semantic.Err, json.ErrUnknownName):
			e.Err = fmt.Errorf("%w%s", ErrUnknownField, hint(e.Field))
		case errors.Is(semantic.Err, strconv.ErrSyntax) || errors.Is(semantic.Err, strconv.ErrRange):
			e.Err = fmt.Errorf("want a whole number, not %s", semantic.JSONValue)
		case semantic.Err != nil && !(isDuration(semantic) && semantic.JSONKind != '"'):
			e.Err = semantic.Err
		default:
			e.Err = fmt.Errorf("want %s, not %s", kindOf(semantic), semantic.JSONKind)
		}
	} else if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		e.Field, e.Line, e.Err = fieldPath(syntactic.JSONPointer), lineAt(data, syntactic.ByteOffset), syntactic.Err
	}
	return e
}

// hint says why a field that one might expect does not exist.
func hint(field string) string {
	if !strings.HasPrefix(field, "arms[") && !strings.HasPrefix(field, "tool.") {
		return ""
	}
	switch name := field[strings.LastIndexByte(field, '.')+1:]; name {
	case "model", "effort", "budget", "permission_mode", "flags", "command", "limits", "turn":
		return ": model, effort, flags and limits are the same in every arm (agent, limits)"
	}
	return ""
}

// kindOf says in JSON's words what a field takes.
func kindOf(e *json.SemanticError) string {
	switch t := e.GoType; {
	case t == nil:
		return "another type"
	case isDuration(e):
		return `a duration such as "90s"`
	default:
		switch t.Kind().String() {
		case "slice":
			return "a list"
		case "struct", "map", "ptr":
			return "an object"
		case "int", "float64":
			return "a number"
		}
		return "a " + t.Kind().String()
	}
}

func isDuration(e *json.SemanticError) bool { return e.GoType == reflect.TypeFor[Duration]() }

// fieldPath writes a JSON pointer as one would in Go.
func fieldPath(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		if _, err := strconv.Atoi(token); err == nil {
			b.WriteString("[" + token + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(token)
	}
	return b.String()
}

func lineAt(data []byte, offset int64) int {
	return 1 + strings.Count(string(data[:min(int64(len(data)), max(0, offset))]), "\n")
}

// inFile sets the file of all errors that are a *SpecError.
func inFile(file string, err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, inFile(file, e))
		}
		return errors.Join(all...)
	}
	if e, ok := errors.AsType[*SpecError](err); ok {
		e.File = file
		return err
	}
	return &SpecError{File: file, Err: err}
}

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err == nil && v <= 0 {
		err = fmt.Errorf("%s is no time", text)
	}
	*d = Duration(v)
	return err
}

// MarshalText writes a duration.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String returns the duration without zero units: 30m.
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// UnmarshalJSONFrom reads a list, or a text for sh.
func (c *Command) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '"' {
		var line string
		err := json.UnmarshalDecode(d, &line)
		*c = Command{"sh", "-c", line}
		if err == nil && strings.TrimSpace(line) == "" {
			err = errors.New("an empty command")
		}
		return err
	}
	return json.UnmarshalDecode(d, (*[]string)(c))
}

// UnmarshalJSONFrom reads a question, or an object with a name and a question. Turns are separated by ||.
func (t *Task) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	var v struct {
		Name     string `json:"name"`
		Question string `json:"question"`
	}
	var err error
	if d.PeekKind() == '"' {
		err = json.UnmarshalDecode(d, &v.Question)
	} else {
		err = json.UnmarshalDecode(d, &v)
	}
	if err != nil {
		return err
	}
	t.Name = v.Name
	for turn := range strings.SplitSeq(v.Question, "||") {
		t.Turns = append(t.Turns, strings.TrimSpace(turn))
	}
	return nil
}
