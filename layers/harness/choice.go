package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/internal/strictjson"
	"github.com/agent-eval/feedback/transcript"
)

// An Expected is a tool call that should be made. Matching follows the abstract-syntax check of the Berkeley Function-Calling Leaderboard
// (Patil et al., 2025): the same tool, each argument with one of its allowed values, none beyond those.
type Expected struct {
	Tool string         `json:"tool"`
	Args map[string]Arg `json:"args"`
}

// An Arg is an argument of an expected call.
type Arg struct {
	// Allowed are the values that are right, as JSON decodes them; numbers are equal by value, so 10 and 10.0 are one. Empty
	// allows any value.
	Allowed []any `json:"allowed,omitempty"`
	// Optional means that it may be left out; if it is there, its value has to be allowed.
	Optional bool `json:"optional,omitempty"`
}

// UnmarshalJSON keeps numbers as they are written, so that large ones stay what they are.
func (a *Arg) UnmarshalJSON(text []byte) error {
	if err := strictjson.Names(text); err != nil {
		return err
	}
	type plain Arg // without this method
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	return d.Decode((*plain)(a))
}

// decode is json.Unmarshal, with numbers kept as they are written.
func decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(v)
}

// ReadExpected reads expected calls from a JSON array:
//
//	[{"tool": "Read", "args": {"file_path": {"allowed": ["a.go", "./a.go"]}, "limit": {"optional": true}}}]
//
// An empty array says that no call should be made; a file without one is an error. An element that is none costs that element, and so do a field
// that is not known and a name that stands twice, in it or anywhere within; all errors come joined, each with file and line, beside the calls
// that could be read.
func ReadExpected(r io.Reader, name string) (calls []Expected, err error) {
	calls = []Expected{}
	err = strictjson.Elements(r, name, func(_ transcript.Position, e Expected) error {
		if e.Tool == "" {
			return fmt.Errorf("an expected call without a tool")
		}
		calls = append(calls, e)
		return nil
	})
	return calls, err
}

// A Made is a tool call that was made, with its arguments as JSON decodes them.
type Made struct {
	Position transcript.Position `json:"position"`
	Tool     string              `json:"tool"`
	Args     map[string]any      `json:"args"`
}

// MadeCalls returns the calls of a thread with their arguments. It fails when the session was read without
// transcript.Options.KeepText, which drops them, and for an input that is no JSON object.
func MadeCalls(t *transcript.Thread) (made []Made, err error) {
	for _, c := range Calls(t) {
		m := Made{Position: c.Pos, Tool: c.Name}
		if c.Input == "" {
			return nil, fmt.Errorf("%v: the arguments were not kept: read the session with KeepText", c.Pos)
		}
		if err := decode([]byte(c.Input), &m.Args); err != nil {
			return nil, fmt.Errorf("%v: the input of %s is no object", c.Pos, c.Name)
		}
		made = append(made, m)
	}
	return made, nil
}

// Choice is how calls that were made compare with those expected. It is plain data.
type Choice struct {
	Expected int `json:"expected"`
	Made     int `json:"made"`
	// Matched is how many of both belong together in the best assignment, whatever the order of either.
	Matched int `json:"matched"`
	// Precision is Matched / Made, Recall is Matched / Expected, and Score their harmonic mean (F1): 2·Matched / (Made + Expected). All are from 0 to
	// 1, higher is better, and nil when there is nothing to take a share of; Score is nil when nothing was expected and nothing
	// made, which is out of any mean.
	Precision *float64 `json:"precision"`
	Recall    *float64 `json:"recall"`
	Score     *float64 `json:"score"`
	// Missing are expected calls that nothing matches, and what comes nearest; Extra are calls that match nothing.
	Missing []Mismatch `json:"missing"`
	Extra   []Made     `json:"extra"`
}

// A Mismatch is an expected call that was not made.
type Mismatch struct {
	Expected Expected `json:"expected"`
	Reason   string   `json:"reason"`
}

// Choose compares the calls that were made with those expected, which may have been made in any order.
func Choose(expected []Expected, made []Made) Choice {
	c := Choice{Expected: len(expected), Made: len(made), Missing: []Mismatch{}, Extra: []Made{}}
	pairs := assign(expected, made)
	for i, e := range expected {
		if pairs[i] < 0 {
			c.Missing = append(c.Missing, Mismatch{e, nearest(e, made, pairs)})
		} else {
			c.Matched++
		}
	}
	for j, m := range made {
		if !slices.Contains(pairs, j) {
			c.Extra = append(c.Extra, m)
		}
	}
	c.Precision, c.Recall = share(c.Matched, c.Made), share(c.Matched, c.Expected)
	c.Score = share(2*c.Matched, c.Made+c.Expected)
	return c
}

// share returns k of n, nil of none.
func share(k, n int) *float64 {
	if n == 0 {
		return nil
	}
	return new(float64(k) / float64(n))
}

// assign returns for each expected call the made one that it is paired with, or −1, so that as many as possible have one: augmenting paths, as
// Kuhn has them (Naval Research Logistics 2, 1955).
func assign(expected []Expected, made []Made) []int {
	fits := make([][]int, len(expected))
	for i, e := range expected {
		for j, m := range made {
			if e.mismatch(m) == "" {
				fits[i] = append(fits[i], j)
			}
		}
	}
	of := slices.Repeat([]int{-1}, len(made)) // made → expected
	var place func(i int, seen []bool) bool
	place = func(i int, seen []bool) bool {
		for _, j := range fits[i] {
			if seen[j] {
				continue
			}
			seen[j] = true
			if of[j] < 0 || place(of[j], seen) {
				of[j] = i
				return true
			}
		}
		return false
	}
	for i := range expected {
		place(i, make([]bool, len(made)))
	}
	pairs := slices.Repeat([]int{-1}, len(expected))
	for j, i := range of {
		if i >= 0 {
			pairs[i] = j
		}
	}
	return pairs
}

// mismatch says why a call is not the expected one; empty when it is.
func (e Expected) mismatch(m Made) string {
	if e.Tool != m.Tool {
		return "tool " + m.Tool
	}
	for _, name := range slices.Sorted(maps.Keys(e.Args)) {
		arg := e.Args[name]
		value, ok := m.Args[name]
		switch {
		case !ok && !arg.Optional:
			return "argument " + name + " is missing"
		case ok && !arg.allows(value):
			return fmt.Sprintf("argument %s is %s", name, compact(value))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Args)) {
		if _, ok := e.Args[name]; !ok {
			return "argument " + name + " is extra"
		}
	}
	return ""
}

func (a Arg) allows(value any) bool {
	return len(a.Allowed) == 0 || slices.ContainsFunc(a.Allowed, func(allowed any) bool {
		return reflect.DeepEqual(numbers(allowed), numbers(value))
	})
}

// numbers returns v with every number in one form, so that callers may give whole ones: as a float64, or, where that may not hold it
// exactly, as it is written.
func numbers(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = numbers(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name := range v {
			out[name] = numbers(v[name])
		}
		return out
	case json.Number:
		f, err := v.Float64()
		if err != nil || math.Abs(f) >= 1<<53 && !strings.ContainsAny(string(v), ".eE") {
			return v
		}
		return numbers(f)
	case float64:
		if math.Abs(v) >= 1<<53 {
			return json.Number(strconv.FormatFloat(v, 'f', -1, 64))
		}
		return v
	}
	if r := reflect.ValueOf(v); r.CanInt() {
		return numbers(json.Number(strconv.FormatInt(r.Int(), 10)))
	} else if r.CanUint() {
		return numbers(json.Number(strconv.FormatUint(r.Uint(), 10)))
	} else if r.CanFloat() {
		return numbers(r.Float())
	}
	return v
}

func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// nearest says why the unpaired call of the same tool that is made first is not the expected one.
func nearest(e Expected, made []Made, pairs []int) string {
	for j, m := range made {
		if m.Tool == e.Tool && !slices.Contains(pairs, j) {
			return e.mismatch(m) + " at " + m.Position.String()
		}
	}
	return "no other call of " + e.Tool
}

// Defects returns a defect for each expected call that is missing and each one that is extra.
func (c Choice) Defects() (defects []layers.Defect) {
	for _, m := range c.Missing {
		defects = append(defects, layers.Defect{Layer: layers.Harness, Name: "expected_call_missing", Detail: m.Expected.Tool + ": " + m.Reason})
	}
	for _, m := range c.Extra {
		defects = append(defects, layers.Defect{Layer: layers.Harness, Name: "unexpected_call", Position: m.Position, Detail: m.Tool})
	}
	return defects
}

// WriteText writes the choice as lines of a report. The error is that of w.
func (c Choice) WriteText(w io.Writer) error {
	var b strings.Builder
	if c.Score == nil {
		b.WriteString("  tool choice: nothing expected, nothing made: not measured\n")
	} else {
		fmt.Fprintf(&b, "  tool choice: %d of %d expected calls made, of %d: score %.2f\n", c.Matched, c.Expected, c.Made, *c.Score)
	}
	for _, d := range c.Defects() {
		fmt.Fprintf(&b, "    %s: %s\n", d.Name, textutil.Printable(d.Detail, 160))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// MeanScore returns the mean of the scores of several choices, and how many have one. It is nil when none has.
func MeanScore(choices []Choice) (mean *float64, n int) {
	sum := 0.0
	for _, c := range choices {
		if c.Score != nil {
			sum += *c.Score
			n++
		}
	}
	if n == 0 {
		return nil, 0
	}
	return new(sum / float64(n)), n
}
