package harness

import (
	"errors"
	"fmt"
	"io"

	json "github.com/goccy/go-json"

	"github.com/agent-eval/feedback/layers/internal/strictjson"
	"github.com/agent-eval/feedback/transcript"
)

// An Expected is a tool call that a task asks for.
type Expected struct {
	Tool string `json:"tool"` // its whole name
	// Args are the arguments that have to be there, Optional those that may be. Each has the values that are right, of which one has to be
	// given; without any, every value is. An argument that is in neither is wrong.
	Args     map[string]Values `json:"args,omitempty"`
	Optional map[string]Values `json:"optional,omitempty"`
}

// Values are the values of an argument that are right: any JSON. 10 and 10.0 are the same number; "10" is none.
type Values []any

// UnmarshalJSON reads an array and keeps numbers as they are written.
func (v *Values) UnmarshalJSON(text []byte) error {
	list, ok := decode(string(text))
	values, isArray := list.([]any)
	if !ok || !isArray {
		return errors.New("an argument's values have to be an array")
	}
	*v = values
	return nil
}

// canonical returns the values in their canonical texts.
func (v Values) canonical() (texts []string, err error) {
	for _, value := range v {
		data, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		texts = append(texts, canonicalInput(string(data)))
	}
	return texts, nil
}

// ErrExpected is what errors about an expected call wrap.
var ErrExpected = errors.New("not an expected call")

// Validate returns an error if the call has no tool, an argument both in Args and Optional, or a value that JSON does not have.
func (e Expected) Validate() error {
	if e.Tool == "" {
		return fmt.Errorf("%w: no tool", ErrExpected)
	}
	for _, name := range sortedNames(e.Optional) {
		if _, ok := e.Args[name]; ok {
			return fmt.Errorf("%w: %s: argument %q stands in args and in optional", ErrExpected, e.Tool, name)
		}
	}
	for _, args := range []map[string]Values{e.Args, e.Optional} {
		for _, name := range sortedNames(args) {
			if _, err := args[name].canonical(); err != nil {
				return fmt.Errorf("%w: %s: argument %q: %w", ErrExpected, e.Tool, name, err)
			}
		}
	}
	return nil
}

// A Task is what is expected of one task.
type Task struct {
	ID    string     `json:"id"`
	Calls []Expected `json:"calls"` // in any order; empty means that no tool is to be called
}

// ReadTasks reads tasks from JSON lines:
//
//	{"id": "t1", "calls": [{"tool": "area", "args": {"base": [10], "height": [5]}, "optional": {"unit": ["cm", "centimeter"]}}]}
//
// A line that is none costs that line. All errors come joined, each a [transcript.Problem] with file and line, beside the tasks that
// could be read, in order.
func ReadTasks(r io.Reader, name string) (tasks []Task, err error) {
	taken := make(map[string]int)
	err = strictjson.Lines(r, name, func(pos transcript.Position, t Task) error {
		switch {
		case t.ID == "":
			return errors.New("a task without an id")
		case taken[t.ID] > 0:
			return fmt.Errorf("the task %s stands on line %d already", t.ID, taken[t.ID])
		case t.Calls == nil:
			return errors.New("a task without calls: want an empty array where none is expected")
		}
		for _, e := range t.Calls {
			if err := e.Validate(); err != nil {
				return err
			}
		}
		taken[t.ID] = pos.Line
		tasks = append(tasks, t)
		return nil
	})
	return tasks, err
}
