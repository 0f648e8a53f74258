package harness

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/layers"
)

// A Choice says how the tool calls that were made fit those that were expected. It is plain data.
type Choice struct {
	// Score is 2·Right / (Expected + Made), the F1 of the calls: from 0 to 1, higher is better, 1 when all that was expected was called and
	// nothing else. Nil when nothing was expected and nothing was called: there is nothing to judge.
	Score *float64 `json:"score"`
	// Correct is the all-or-nothing verdict on the task; false when there is nothing to judge.
	Correct  bool `json:"correct"`
	Expected int  `json:"expected"`
	Made     int  `json:"made"`
	Right    int  `json:"right"` // made as expected
	// Matches are all calls of both sides, each once, ordered by tool and arguments.
	Matches []Match `json:"matches"`
}

// A Match is an expected call and the one that was made for it.
type Match struct {
	Expected *Expected `json:"expected"` // nil for a call that nobody expected
	Call     *Call     `json:"call"`     // nil for an expected call that was not made
	// Wrong says what is not as expected; it is empty when all is right.
	Wrong []string `json:"wrong"`
}

// Right reports whether the call is as expected.
func (m *Match) Right() bool { return len(m.Wrong) == 0 }

// Choose compares calls by name and arguments, in the manner of the Berkeley function-calling leaderboard (BFCL): each argument has a list of
// allowed values, optional ones may be left out, extra ones are wrong, and parallel calls may come in any order. Each call counts for one expected
// call at most; of all ways to assign them it takes one with the most right calls, then with the most right arguments, whatever the order of
// either list. The error wraps [ErrExpected]. Neither list is changed.
func Choose(expected []Expected, made []Call) (Choice, error) {
	c := Choice{Expected: len(expected), Made: len(made), Matches: []Match{}}
	for _, e := range expected {
		if err := e.Validate(); err != nil {
			return Choice{}, err
		}
	}
	want, got := byTool(wanted(expected)), byTool(given(made))
	tools := make(map[string]bool)
	for tool := range want {
		tools[tool] = true
	}
	for tool := range got {
		tools[tool] = true
	}
	for _, tool := range sortedNames(tools) {
		c.Matches = append(c.Matches, pair(want[tool], got[tool])...)
	}
	for i := range c.Matches {
		if c.Matches[i].Right() {
			c.Right++
		}
	}
	if n := c.Expected + c.Made; n > 0 {
		c.Score = new(2 * float64(c.Right) / float64(n))
		c.Correct = 2*c.Right == n
	}
	return c, nil
}

// MeanScore returns the mean score of the choices that have one, and how many have none. Without any it is nil.
func MeanScore(choices []Choice) (mean *float64, unmeasured int) {
	sum := 0.0
	for _, c := range choices {
		if c.Score == nil {
			unmeasured++
			continue
		}
		sum += *c.Score
	}
	if n := len(choices) - unmeasured; n > 0 {
		return new(sum / float64(n)), unmeasured
	}
	return nil, unmeasured
}

// WrongToolCall is the name of the defects of a [Choice].
const WrongToolCall = "wrong_tool_call"

// Defects returns a defect for each call that is not as expected, missing ones included; none is an empty list.
func (c *Choice) Defects() []layers.Defect {
	list := []layers.Defect{}
	for _, m := range c.Matches {
		if m.Right() {
			continue
		}
		d := layers.Defect{Layer: layers.Harness, Name: WrongToolCall}
		if m.Call != nil {
			d.Position, d.Detail = m.Call.Position, m.Call.Tool
		} else {
			d.Detail = m.Expected.Tool
		}
		d.Detail += ": " + strings.Join(m.Wrong, "; ")
		list = append(list, d)
	}
	return list
}

// A side is one call of either list, with its arguments in canonical form and its key for an order that does not depend on the input.
type side struct {
	tool     string
	key      string
	expected *Expected
	call     *Call
	required map[string][]string // name → allowed values
	optional map[string][]string
	args     map[string]string
	broken   bool // the input is no object
}

func wanted(expected []Expected) (list []side) {
	for _, e := range expected {
		s := side{tool: e.Tool, expected: &e, required: canonicalArgs(e.Args), optional: canonicalArgs(e.Optional)}
		s.key = fmt.Sprint(s.required, s.optional, e.Args, e.Optional) // maps print in order
		list = append(list, s)
	}
	return list
}

func canonicalArgs(args map[string]Values) map[string][]string {
	list := make(map[string][]string, len(args))
	for name, values := range args {
		list[name], _ = values.canonical()
		slices.Sort(list[name])
	}
	return list
}

func given(made []Call) (list []side) {
	for _, c := range made {
		s := side{tool: c.Tool, key: fmt.Sprint(canonicalInput(c.Input), c.Input, c.Position), call: &c, args: make(map[string]string)}
		v, _ := decode(c.Input)
		object, ok := v.(map[string]any)
		s.broken = !ok
		for name, value := range object {
			s.args[name] = canonical(value)
		}
		list = append(list, s)
	}
	return list
}

// byTool groups calls by tool, in the order of their keys.
func byTool(list []side) map[string][]side {
	groups := make(map[string][]side)
	for _, s := range list {
		groups[s.tool] = append(groups[s.tool], s)
	}
	for _, group := range groups {
		slices.SortStableFunc(group, func(a, b side) int { return cmp.Compare(a.key, b.key) })
	}
	return groups
}

// pair assigns the calls of one tool.
func pair(want, got []side) (matches []Match) {
	all := min(len(want), len(got)) + 1
	weights := make([][]int, len(want))
	wrong := make([][][]string, len(want))
	for i := range want {
		weights[i], wrong[i] = make([]int, len(got)), make([][]string, len(got))
		for j := range got {
			w, share := want[i].check(&got[j])
			wrong[i][j] = w
			weights[i][j] = share
			if len(w) == 0 {
				weights[i][j] = all * precision * 2 // one more right call outweighs all arguments
			}
		}
	}
	to := assign(weights, len(got))
	taken := make([]bool, len(got))
	for i, j := range to {
		m := Match{Expected: want[i].expected, Wrong: []string{"not called"}}
		if j >= 0 {
			taken[j] = true
			m.Call, m.Wrong = got[j].call, wrong[i][j]
		}
		matches = append(matches, m)
	}
	for j := range got {
		if !taken[j] {
			matches = append(matches, Match{Call: got[j].call, Wrong: []string{"nobody expects this call"}})
		}
	}
	return matches
}

// precision is what a call all of whose arguments but for a vanishing part are right is worth.
const precision = 1000

// check returns what is wrong with a call, and the right share of its arguments, from 1 to precision.
func (s *side) check(call *side) (wrong []string, share int) {
	wrong = []string{}
	if call.broken {
		return append(wrong, "the input is no JSON object"), 1
	}
	right := 0
	judge := func(name string, allowed []string) {
		switch value := call.args[name]; {
		case len(allowed) == 0 || slices.Contains(allowed, value):
			right++
		default:
			wrong = append(wrong, fmt.Sprintf("%s is %s, want %s", name, value, strings.Join(allowed, " or ")))
		}
	}
	for _, name := range sortedNames(s.required) {
		if _, ok := call.args[name]; ok {
			judge(name, s.required[name])
		} else {
			wrong = append(wrong, name+" is missing")
		}
	}
	for _, name := range sortedNames(call.args) {
		allowed, optional := s.optional[name]
		_, required := s.required[name]
		switch {
		case optional:
			judge(name, allowed)
		case !required:
			wrong = append(wrong, name+" is no argument")
		}
	}
	return wrong, 1 + (precision-1)*right/max(1, right+len(wrong))
}
