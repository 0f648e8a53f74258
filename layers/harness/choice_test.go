package harness_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/harness"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// area expects a triangle of base 10 and height 5, with a unit or without.
var area = harness.Expected{
	Tool: "area", Args: map[string]harness.Values{"base": {10}, "height": {5, 5.5}}, Optional: map[string]harness.Values{"unit": {"cm", "centimeter"}},
}

func call(tool, input string) harness.Call { return harness.Call{Tool: tool, Input: input} }

func choose(t *testing.T, expected []harness.Expected, made ...harness.Call) harness.Choice {
	t.Helper()
	c, err := harness.Choose(expected, made)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOneCall(t *testing.T) {
	for _, c := range []struct {
		reason, input, wrong string
	}{
		{"as expected", `{"base": 10, "height": 5}`, ""},
		{"in another order and with white space", `{ "height" :5,"base": 10 }`, ""},
		{"another allowed value", `{"base": 10, "height": 5.5}`, ""},
		{"the same number in another form", `{"base": 1e1, "height": 5.0}`, ""},
		{"with an optional argument", `{"base": 10, "height": 5, "unit": "cm"}`, ""},
		{"an optional argument with a wrong value", `{"base": 10, "height": 5, "unit": "inch"}`, `unit is "inch", want "centimeter" or "cm"`},
		{"a wrong value", `{"base": 999, "height": 5}`, "base is 999, want 10"},
		{"a string is no number", `{"base": "10", "height": 5}`, `base is "10", want 10`},
		{"an extra argument", `{"base": 10, "height": 5, "color": "red"}`, "color is no argument"},
		{"a missing one", `{"base": 10}`, "height is missing"},
		{"null is no value", `{"base": 10, "height": null}`, "height is null, want 5 or 5.5"},
		{"several faults", `{"base": 1, "x": 1}`, "base is 1, want 10; height is missing; x is no argument"},
		{"no object", `[10, 5]`, "the input is no JSON object"},
		{"no JSON", `{"base": 10`, "the input is no JSON object"},
	} {
		t.Run(c.reason, func(t *testing.T) {
			got := choose(t, []harness.Expected{area}, call("area", c.input))
			if w := strings.Join(got.Matches[0].Wrong, "; "); w != c.wrong || len(got.Matches) != 1 {
				t.Errorf("%q, want %q", w, c.wrong)
			}
			want := 0.0
			if c.wrong == "" {
				want = 1
			}
			if *got.Score != want || got.Correct != (want == 1) {
				t.Errorf("score %v", *got.Score)
			}
		})
	}
}

func TestValuesOfAnyShape(t *testing.T) {
	e := harness.Expected{Tool: "f", Args: map[string]harness.Values{
		"list": {[]int{1, 2}}, "object": {map[string]any{"a": 1, "b": []string{"x"}}}, "flag": {true}, "none": {nil}, "any": nil, "big": {json.Number("9007199254740993")},
	}}
	right := `{"list": [1, 2.0], "object": {"b": ["x"], "a": 1}, "flag": true, "none": null, "any": {"what": "ever"}, "big": 9007199254740993}`
	if c := choose(t, []harness.Expected{e}, call("f", right)); !c.Correct {
		t.Errorf("%+v", c.Matches[0].Wrong)
	}
	for _, wrong := range []string{`[1, 2.0]→[2, 1]`, `9007199254740993→9007199254740992`, `true→"true"`, `"b": ["x"], →`} {
		from, to, _ := strings.Cut(wrong, "→")
		if c := choose(t, []harness.Expected{e}, call("f", strings.Replace(right, from, to, 1))); c.Correct || len(c.Matches[0].Wrong) != 1 {
			t.Errorf("%s: %+v", wrong, c.Matches[0].Wrong)
		}
	}
}

func TestSeveralCalls(t *testing.T) {
	right, wrong, other := call("area", `{"base": 10, "height": 5}`), call("area", `{"base": 999, "height": 5}`), call("perimeter", `{}`)
	two := []harness.Expected{area, area}
	for _, c := range []struct {
		reason   string
		expected []harness.Expected
		made     []harness.Call
		score    float64
	}{
		{"two equal calls, both made", two, []harness.Call{right, right}, 1},
		{"one of them is wrong: 2·1/4", two, []harness.Call{wrong, right}, 0.5},
		{"only one was made: 2·1/3", two, []harness.Call{right}, 2. / 3},
		{"one too many: 2·1/3", []harness.Expected{area}, []harness.Call{right, right}, 2. / 3},
		{"a call of another tool: 2·1/3", []harness.Expected{area}, []harness.Call{other, right}, 2. / 3},
		{"nothing was made", two, nil, 0},
		{"nothing was expected", nil, []harness.Call{right}, 0},
	} {
		t.Run(c.reason, func(t *testing.T) {
			if got := choose(t, c.expected, c.made...); *got.Score != c.score || got.Correct != (c.score == 1) {
				t.Errorf("%v, want %v", *got.Score, c.score)
			}
		})
	}
	none := choose(t, nil)
	if none.Score != nil || none.Correct {
		t.Errorf("nothing to judge: %+v", none)
	}
	mean, unmeasured := harness.MeanScore([]harness.Choice{none, choose(t, two, right, right), choose(t, two, wrong, right)})
	if *mean != 0.75 || unmeasured != 1 { // (1 + 0.5) / 2: what has no score is out of the mean
		t.Errorf("%v %d", *mean, unmeasured)
	}
	if mean, _ := harness.MeanScore([]harness.Choice{none}); mean != nil {
		t.Errorf("%v", *mean)
	}
}

// Taken in order, the first expected call, which allows 1 and 2, would take the call with 1, and leave 2 to the second, which allows only 1.
func TestTheBestAssignmentIsFound(t *testing.T) {
	e := func(values ...any) harness.Expected {
		return harness.Expected{Tool: "f", Args: map[string]harness.Values{"x": values}}
	}
	one, two := call("f", `{"x": 1}`), call("f", `{"x": 2}`)
	if c := choose(t, []harness.Expected{e(1, 2), e(1)}, one, two); *c.Score != 1 {
		t.Errorf("%+v", c)
	}
	// One right call outweighs two that are nearly right: the first call is all that the first expects, or three of four for the second,
	// while the second one is two of three for the first.
	loose := harness.Expected{Tool: "f", Args: map[string]harness.Values{"a": {1, 2}, "b": {1, 2}, "c": {1, 2}}}
	strict := harness.Expected{Tool: "f", Args: map[string]harness.Values{"a": {1}, "b": {1}, "c": {1}, "d": {1}}}
	if c := choose(t, []harness.Expected{loose, strict}, call("f", `{"a": 1, "b": 1, "c": 1}`), call("f", `{"a": 2, "b": 2, "c": 3}`)); c.Right != 1 {
		t.Errorf("%+v", c)
	}
	// x=1 fits only the second, and is not to be wasted on the first.
	long := harness.Expected{Tool: "f", Args: map[string]harness.Values{"x": {1}, "a": {1}, "b": {1}, "c": {1}}}
	if c := choose(t, []harness.Expected{long, e(1)}, one); c.Right != 1 || c.Matches[0].Right() == c.Matches[1].Right() {
		t.Errorf("%+v", c)
	}
}

// The score is that of the best of all assignments, and neither it nor the matches depend on the order of the lists.
func TestOrderDoesNotMatter(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		var expected []harness.Expected
		var made []harness.Call
		for range r.IntN(6) {
			values := harness.Values{}
			for range 1 + r.IntN(2) {
				values = append(values, r.IntN(3))
			}
			expected = append(expected, harness.Expected{Tool: fmt.Sprint("t", r.IntN(2)), Args: map[string]harness.Values{"x": values, "y": {r.IntN(2)}}})
		}
		for range r.IntN(6) {
			made = append(made, call(fmt.Sprint("t", r.IntN(2)), fmt.Sprintf(`{"x": %d, "y": %d}`, r.IntN(3), r.IntN(2))))
		}
		c := choose(t, expected, made...)
		if want := bestOf(t, expected, made); c.Right != want {
			t.Fatalf("seed %d: %d right, want %d", seed, c.Right, want)
		}
		if n := len(c.Matches); n > len(expected)+len(made) || n < max(len(expected), len(made)) {
			t.Fatalf("seed %d: %d matches", seed, n)
		}
		r.Shuffle(len(expected), func(i, j int) { expected[i], expected[j] = expected[j], expected[i] })
		r.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
		if diff := cmp.Diff(c, choose(t, expected, made...)); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// bestOf tries all assignments.
func bestOf(t *testing.T, expected []harness.Expected, made []harness.Call) int {
	if len(expected) == 0 {
		return 0
	}
	best := bestOf(t, expected[1:], made)
	for i, m := range made {
		if choose(t, expected[:1], m).Right == 1 {
			rest := append(append([]harness.Call{}, made[:i]...), made[i+1:]...)
			best = max(best, 1+bestOf(t, expected[1:], rest))
		}
	}
	return best
}

func TestChoiceDefects(t *testing.T) {
	made := call("area", `{"base": 999, "height": 5}`)
	made.Position = transcript.Position{File: "run.jsonl", Line: 7}
	c := choose(t, []harness.Expected{area, {Tool: "save"}}, made)
	want := []layers.Defect{
		{Layer: layers.Harness, Name: "wrong_tool_call", Position: made.Position, Detail: "area: base is 999, want 10"},
		{Layer: layers.Harness, Name: "wrong_tool_call", Detail: "save: not called"},
	}
	if diff := cmp.Diff(want, c.Defects()); diff != "" {
		t.Error(diff)
	}
}

func TestCalls(t *testing.T) {
	log := transcripttest.New()
	m := log.Request(10)
	m.Call("area", transcripttest.Args{"base": 10, "height": 5})
	m.Call("TodoWrite", transcripttest.Args{"todos": []int{}})
	agent := m.Call("Agent", nil)
	agent.Subagent().Request(5).Bash("ls")
	s := log.SessionWith(t, transcript.Options{KeepText: true})
	calls, err := harness.Calls(s)
	if err != nil || len(calls) != 3 || calls[0].Position.Line != 2 || calls[2].Thread != agent.ID {
		t.Errorf("%v %+v", err, calls)
	}
	if calls, err := harness.Calls(s, "ar*"); err != nil || len(calls) != 1 || !choose(t, []harness.Expected{area}, calls...).Correct {
		t.Errorf("%v %+v", err, calls)
	}
	if _, err := harness.Calls(log.Session(t)); !errors.Is(err, harness.ErrNoText) {
		t.Errorf("%v", err)
	}
	if _, err := harness.Calls(s, "[^a]"); err == nil {
		t.Error("a bad glob")
	}
}

const tasks = `{"id": "t1", "calls": [{"tool": "area", "args": {"base": [10], "height": [5, 5.5]}, "optional": {"unit": ["cm", "centimeter"]}}]}
{"id": "t2", "calls": []}
`

func TestReadTasks(t *testing.T) {
	bad := `{"id": "t1", "calls": []}
{"calls": []}
{"id": "t3"}
{"id": "t4", "calls": [{"args": {}}]}
{"id": "t5", "calls": [{"tool": "f", "args": {"x": 1}}]}
{"id": "t6", "calls": [{"tool": "f", "args": {"x": [1]}, "optional": {"x": [1]}}]}
{"id": "t7", "calls": [{"tol": "f"}]}
`
	got, err := harness.ReadTasks(strings.NewReader(tasks+bad), "t.jsonl")
	if len(got) != 2 || got[0].ID != "t1" || len(got[1].Calls) != 0 {
		t.Errorf("%+v", got)
	}
	if !choose(t, got[0].Calls, call("area", `{"base": 10.0, "height": 5.5, "unit": "cm"}`)).Correct {
		t.Error("the task as it was read")
	}
	want := []string{"t.jsonl:3: the task t1 stands on line 1", "t.jsonl:4: a task without an id", "t.jsonl:5: a task without calls", "t.jsonl:6: not an expected call: no tool",
		"t.jsonl:7: ", `t.jsonl:8: not an expected call: f: argument "x" stands in args and in optional`, "t.jsonl:9: "}
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != len(want) {
		t.Fatalf("%v", err)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("%s, want %s", line, want[i])
		}
	}
}

func FuzzReadTasks(f *testing.F) {
	f.Add([]byte(tasks), `{"base": 10}`)
	f.Fuzz(func(t *testing.T, data []byte, input string) {
		list, err := harness.ReadTasks(strings.NewReader(string(data)), "f")
		if err == nil && len(list) == 0 {
			t.Error("nothing, and no error")
		}
		for _, task := range list {
			made := []harness.Call{call("area", input)}
			c, err := harness.Choose(task.Calls, made)
			if err != nil || *c.Score < 0 || *c.Score > 1 || c.Right > min(c.Expected, c.Made) {
				t.Errorf("%v %+v", err, c)
			}
		}
	})
}
