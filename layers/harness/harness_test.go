package harness_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/harness"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// session makes a session of the requests that steps add, with all texts kept.
func session(t *testing.T, steps ...func(*transcripttest.Message)) *transcript.Session {
	t.Helper()
	log := transcripttest.New()
	for i, step := range steps {
		step(log.Request(1_000 * (i + 1)))
	}
	log.Request(90_000).Text("done")
	return log.End("done").SessionWith(t, transcript.Options{KeepText: true})
}

func read(path string) func(*transcripttest.Message) {
	return func(m *transcripttest.Message) { m.ReadFile(path).Result("text of " + path) }
}

func bash(command string) func(*transcripttest.Message) {
	return func(m *transcripttest.Message) { m.Bash(command).Result("ok") }
}

func fails(command string) func(*transcripttest.Message) {
	return func(m *transcripttest.Message) { m.Bash(command).Error("Exit code 1") }
}

func poll(m *transcripttest.Message) {
	m.Call("BashOutput", transcripttest.Args{"bash_id": "1"}).Result("running")
}

func edit(path string) func(*transcripttest.Message) {
	return func(m *transcripttest.Message) { m.Call("Edit", transcripttest.Args{"file_path": path}).Result("ok") }
}

// A step put in is a distance of 1, a step changed too; ids and prompt sizes do not count.
func TestParity(t *testing.T) {
	old := session(t, read("a"), read("b"), bash("go test"))
	for _, c := range []struct {
		name     string
		now      *transcript.Session
		first    int // -1 for none
		distance int
	}{
		{"the same", session(t, read("a"), read("b"), bash("go test")), -1, 0},
		{"one more", session(t, read("a"), read("x"), read("b"), bash("go test")), 1, 1},
		{"one less", session(t, read("a"), bash("go test")), 1, 1},
		{"another file", session(t, read("a"), read("c"), bash("go test")), 1, 1},
		{"it fails now", session(t, read("a"), read("b"), fails("go test")), 2, 1},
		{"another order", session(t, read("b"), read("a"), bash("go test")), 0, 2},
		{"nothing", session(t), 0, 3},
	} {
		p := harness.Compare(old, c.now, harness.ParityOptions{})
		if p.Distance != c.distance || p.Same() != (c.first < 0) || !p.Same() && p.First.Index != c.first || len(p.Defects()) != min(1, c.first+1) {
			t.Errorf("%s: %+v", c.name, p)
		}
		if want := 1 - float64(p.Distance)/float64(max(p.Steps[0], p.Steps[1])); *p.Similarity != want {
			t.Errorf("%s: similarity %v, want %v", c.name, *p.Similarity, want)
		}
		if back := harness.Compare(c.now, old, harness.ParityOptions{}); back.Distance != p.Distance {
			t.Errorf("%s: %d there and %d back", c.name, p.Distance, back.Distance)
		}
	}
	if p := harness.Compare(&transcript.Session{}, old, harness.ParityOptions{}); *p.Similarity != 0 || p.First.Old != nil {
		t.Errorf("%+v", p)
	}
	if p := harness.Compare(&transcript.Session{}, &transcript.Session{}, harness.ParityOptions{}); !p.Same() || p.Similarity != nil {
		t.Errorf("%+v", p)
	}
	elsewhere := harness.ParityOptions{Rewrite: func(s string) string { return strings.ReplaceAll(s, "/tmp/2/", "/tmp/1/") }}
	if p := harness.Compare(session(t, read("/tmp/1/a")), session(t, read("/tmp/2/a")), elsewhere); !p.Same() {
		t.Errorf("%+v", p.First)
	}
}

// The names of an input stand in any order.
func TestParityOfInputs(t *testing.T) {
	raw := func(input string) *transcript.Session {
		log := transcripttest.New()
		log.Line(`{"type":"assistant","message":{"id":"m","usage":{"input_tokens":5},"content":[{"type":"tool_use","id":"t","name":"X","input":` + input + `}]}}`)
		return log.SessionWith(t, transcript.Options{KeepText: true})
	}
	if p := harness.Compare(raw(`{"a":1,"b":[1,2]}`), raw(`{ "b": [1,2], "a": 1 }`), harness.ParityOptions{}); !p.Same() {
		t.Errorf("%+v", p.First)
	}
	if p := harness.Compare(raw(`{"a":1}`), raw(`{"a":2}`), harness.ParityOptions{}); p.Same() {
		t.Error("1 is not 2")
	}
}

func expected(tool string, args map[string]harness.Arg) harness.Expected {
	return harness.Expected{Tool: tool, Args: args}
}

func value(v ...any) harness.Arg { return harness.Arg{Allowed: v} }

func TestParityIgnoresIDsAndTimesInInputs(t *testing.T) {
	with := func(text string) *transcript.Session { return session(t, bash("log "+text)) }
	for _, c := range []struct {
		old, new string
		same     bool
	}{
		{"0000000a-1111-4222-8333-444444444444", "0000000b-1111-4222-8333-444444444444", true},
		{"2026-01-02T03:04:05Z", "2026-01-02T03:04:06.123Z", true},
		{"toolu_01A09q90qw90lq917835lq9", "toolu_01A09q90qw90lq917835lq8", true},
		{"msg_send", "msg_receive", false},
	} {
		if p := harness.Compare(with(c.old), with(c.new), harness.ParityOptions{}); p.Same() != c.same {
			t.Errorf("%s and %s: %+v", c.old, c.new, p.First)
		}
	}
}

func TestToolChoice(t *testing.T) {
	add := expected("add", map[string]harness.Arg{"base": value(10), "unit": {Allowed: []any{"cm", "mm"}, Optional: true}})
	made := func(args map[string]any) harness.Made { return harness.Made{Tool: "add", Args: args} }
	for _, c := range []struct {
		name     string
		expected []harness.Expected
		made     []harness.Made
		want     float64
		reason   string
	}{
		{"right", []harness.Expected{add}, []harness.Made{made(map[string]any{"base": 10.0})}, 1, ""},
		{"optional given", []harness.Expected{add}, []harness.Made{made(map[string]any{"base": 10, "unit": "mm"})}, 1, ""},
		{"optional wrong", []harness.Expected{add}, []harness.Made{made(map[string]any{"base": 10, "unit": "m"})}, 0, `argument unit is "m"`},
		{"999 for 10", []harness.Expected{add}, []harness.Made{made(map[string]any{"base": 999})}, 0, "argument base is 999"},
		{"missing", []harness.Expected{add}, []harness.Made{made(nil)}, 0, "argument base is missing"},
		{"extra", []harness.Expected{add}, []harness.Made{made(map[string]any{"base": 10, "x": 1})}, 0, "argument x is extra"},
		{"two equal ones, both made", []harness.Expected{add, add}, []harness.Made{made(map[string]any{"base": 10}), made(map[string]any{"base": 10})}, 1, ""},
		{"two equal ones, one made", []harness.Expected{add, add}, []harness.Made{made(map[string]any{"base": 10})}, 2.0 / 3, "no other call of add"},
		{"one too many", []harness.Expected{add}, []harness.Made{made(map[string]any{"base": 10}), made(map[string]any{"base": 10})}, 2.0 / 3, ""},
		{"nobody called", []harness.Expected{add}, nil, 0, "no other call of add"},
		{"any value", []harness.Expected{expected("add", map[string]harness.Arg{"base": {}})}, []harness.Made{made(map[string]any{"base": []any{1, "x"}})}, 1, ""},
	} {
		got := harness.Choose(c.expected, c.made)
		if got.Score == nil || math.Abs(*got.Score-c.want) > 1e-12 {
			t.Errorf("%s: %+v", c.name, got)
		}
		if (len(got.Missing) > 0) != (c.reason != "") || c.reason != "" && !strings.HasPrefix(got.Missing[0].Reason, c.reason) {
			t.Errorf("%s: %+v", c.name, got.Missing)
		}
	}
	nothing := harness.Choose(nil, nil)
	if nothing.Score != nil {
		t.Errorf("%+v", nothing)
	}
	mean, n := harness.MeanScore([]harness.Choice{nothing, harness.Choose([]harness.Expected{add}, nil), harness.Choose([]harness.Expected{add}, []harness.Made{made(map[string]any{"base": 10})})})
	if n != 2 || *mean != 0.5 {
		t.Errorf("mean %v of %d: nothing to judge is in no mean", mean, n)
	}
}

// The first expected call fits both that were made, the second only one: taking the first that fits would leave it out.
func TestTheBestAssignmentDoesNotDependOnTheOrder(t *testing.T) {
	wide, narrow := expected("f", map[string]harness.Arg{"x": value(1, 2)}), expected("f", map[string]harness.Arg{"x": value(1)})
	one, two := harness.Made{Tool: "f", Args: map[string]any{"x": 1}}, harness.Made{Tool: "f", Args: map[string]any{"x": 2}}
	for _, e := range [][]harness.Expected{{wide, narrow}, {narrow, wide}} {
		for _, m := range [][]harness.Made{{one, two}, {two, one}} {
			if c := harness.Choose(e, m); c.Matched != 2 {
				t.Errorf("%+v", c)
			}
		}
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		var e []harness.Expected
		var m []harness.Made
		for range r.IntN(7) {
			e = append(e, expected("f", map[string]harness.Arg{"x": value(r.IntN(4), r.IntN(4))}))
		}
		for range r.IntN(7) {
			m = append(m, harness.Made{Tool: "f", Args: map[string]any{"x": r.IntN(4)}})
		}
		want := harness.Choose(e, m).Matched
		r.Shuffle(len(e), func(i, j int) { e[i], e[j] = e[j], e[i] })
		r.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
		if got := harness.Choose(e, m).Matched; got != want {
			t.Fatalf("%d and %d", want, got)
		}
	}
}

// 2⁵³ + 1 is not 2⁵³, though as a float64 it is.
func TestLargeNumbersAreNotRounded(t *testing.T) {
	log := transcripttest.New()
	log.Request(1).Call("get", transcripttest.Args{"id": int64(9007199254740993)})
	made, err := harness.MadeCalls(log.SessionWith(t, transcript.Options{KeepText: true}).Main())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]float64{"9007199254740993": 1, "9007199254740992": 0} {
		expected, err := harness.ReadExpected(strings.NewReader(`[{"tool": "get", "args": {"id": {"allowed": [`+text+`]}}}]`), "f")
		if c := harness.Choose(expected, made); err != nil || *c.Score != want {
			t.Errorf("%s: %v %+v", text, err, c)
		}
	}
	for _, c := range []struct{ allowed, given any }{
		{int64(9007199254740993), int64(9007199254740993)}, {9007199254740992.0, uint64(9007199254740992)}, {1e300, json.RawMessage("1.0e300")}, {float32(0.5), json.RawMessage("5e-1")},
	} {
		log := transcripttest.New()
		log.Request(1).Call("get", transcripttest.Args{"id": c.given})
		made, _ := harness.MadeCalls(log.SessionWith(t, transcript.Options{KeepText: true}).Main())
		if got := harness.Choose([]harness.Expected{{Tool: "get", Args: map[string]harness.Arg{"id": {Allowed: []any{c.allowed}}}}}, made); *got.Score != 1 {
			t.Errorf("%v: %+v", c.allowed, got)
		}
	}
}

func TestMadeCallsNeedTheirInputs(t *testing.T) {
	s := session(t, read("a"))
	made, err := harness.MadeCalls(s.Main())
	if err != nil || len(made) != 1 || made[0].Args["file_path"] != "a" {
		t.Errorf("%+v, %v", made, err)
	}
	log := transcripttest.New()
	log.Request(10).ReadFile("a").Result("x")
	if _, err := harness.MadeCalls(log.Session(t).Main()); err == nil || !strings.Contains(err.Error(), "KeepText") {
		t.Errorf("%v", err)
	}
}

func TestReadExpected(t *testing.T) {
	got, err := harness.ReadExpected(strings.NewReader(`[
{"tool": "Read", "args": {"file_path": {"allowed": ["a", "./a"]}, "limit": {"optional": true}}},
{"args": {}},
{"tool": "Grep", "arguments": {}}
]`), "e.json")
	want := []harness.Expected{expected("Read", map[string]harness.Arg{"file_path": value("a", "./a"), "limit": {Optional: true}})}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{"e.json:3: an expected call without a tool", "e.json:4: ", "arguments"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

// No call at all is something that can be expected; what stands twice would be one of two in silence.
func TestReadExpectedOfOddFiles(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // in the error; empty for none
		n    int
	}{
		{"[]", "", 0},
		{"\ufeff[\r\n]\r\n", "", 0},
		{"", "e.json: no entries", 0},
		{"{}", "e.json:1: want a JSON array", 0},
		{"null", "e.json:1: want a JSON array", 0},
		{`[{"tool": "f"}, {"tool": "f"}]`, "", 2},
		{`[{"tool": "f", "Tool": "g"}]`, `field "Tool" stands twice`, 0},
		{"[{\"tool\": \"f\"},\n{\"tool\": \"f\", \"args\": {\"a\": {}, \"a\": {}}}]", `e.json:2: field "a" stands twice`, 1},
		{`[{"tool": "f", "args": {"a": {}, "A": {}}}]`, "", 1}, // arguments are told apart by case
		{`[{"tool": "f", "args": {"a": {"allowed": [1], "Allowed": [2]}}}]`, `field "Allowed" stands twice`, 0},
		{`[{"tool": "f", "args": {"a": {"allowed": [{"x": 1, "x": 2}]}}}]`, `field "x" stands twice`, 0},
		{`[{"tool": "f", "args": {"a": {"alowed": [1]}}}]`, "alowed", 0},
		{`[{"tool": "f", "args": {"a": null}}]`, "want a JSON object, got null", 0},
		{`[{"tool": "f", "args": {"a": 10}}]`, "want a JSON object, got number", 0},
		{`[[{"tool": "f"}]]`, "e.json:1: want a JSON object, got array", 0},
		{`[` + strings.Repeat(`{"tool":`, 1_000_000), "e.json:1: ", 0},
	} {
		got, err := harness.ReadExpected(strings.NewReader(c.text), "e.json")
		if len(got) != c.n || (err != nil) != (c.want != "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.80s: %+v, %v; want %q", c.text, got, err, c.want)
		}
	}
}

func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []func(*transcripttest.Message)
		want  int
	}{
		{"read twice", []func(*transcripttest.Message){read("a"), read("a")}, 1},
		{"other calls that only look", []func(*transcripttest.Message){read("a"), bash("grep x lib"), read("b"), read("a"), bash("grep x lib")}, 2},
		{"an edit in between", []func(*transcripttest.Message){read("a"), edit("a"), read("a")}, 0},
		{"a command that may write", []func(*transcripttest.Message){read("a"), bash("make"), read("a")}, 0},
		{"a command that failed, again", []func(*transcripttest.Message){fails("make"), fails("make")}, 1},
		{"a command that writes and then reads", []func(*transcripttest.Message){read("a"), bash("make && cat b"), read("a")}, 0},
		{"one that looks and then writes", []func(*transcripttest.Message){read("a"), bash("ls; make"), read("a")}, 0},
		{"one pipeline of looking", []func(*transcripttest.Message){read("a"), bash("grep x lib 2>&1 | head"), read("a")}, 1},
		{"a repeated command may write too", []func(*transcripttest.Message){bash("make"), read("a"), bash("make"), read("a")}, 1},
		{"polling", []func(*transcripttest.Message){poll, poll}, 0},
		{"another argument", []func(*transcripttest.Message){read("a"), read("b")}, 0},
	} {
		r := harness.Repeats(session(t, c.steps...))
		if len(r.Repeats) != c.want || r.Calls != len(c.steps) || len(r.Defects()) != c.want {
			t.Errorf("%s: %+v", c.name, r)
		}
	}
	if r := harness.Repeats(session(t)); r.Share != nil {
		t.Errorf("%+v", r)
	}
	log := transcripttest.New()
	log.Request(1_000).ReadFile("a").Result("x")
	log.Compact(1_100, 500)
	log.Request(600).ReadFile("a").Result("x")
	log.Prompt("and now?")
	log.Request(700).ReadFile("a").Result("x")
	if r := harness.Repeats(log.Session(t)); len(r.Repeats) != 0 {
		t.Errorf("after a compaction, and for another question, a call is new: %+v", r.Repeats)
	}
}

// Of three errors one is recovered by the second call after it, one is made again and again, and one is left alone.
func TestRecovery(t *testing.T) {
	grep := func(m *transcripttest.Message) {
		m.Call("Grep", transcripttest.Args{"pattern": "x"}).Error("Invalid regex")
	}
	e := harness.Recoveries(session(t, fails("go test ./x"), read("a"), bash("go test ./x -v"), grep))
	want := []harness.Recovery{
		{Tool: "Bash", Failure: transcript.FailureTool, Ending: harness.Recovered, Steps: 2},
		{Tool: "Grep", Failure: transcript.FailureTool, Ending: harness.GaveUp},
	}
	for i := range e.Recoveries {
		e.Recoveries[i].Position = transcript.Position{}
	}
	if diff := cmp.Diff(want, e.Recoveries); diff != "" || *e.Rate != 0.5 || *e.Steps != 2 {
		t.Errorf("%s%+v", diff, e)
	}
	e = harness.Recoveries(session(t, fails("make"), read("a"), fails("make"), fails("make")))
	if r := e.Recoveries[0]; r.Ending != harness.Repeated || r.Same != 2 || r.Steps != 3 || e.Recoveries[2].Ending != harness.GaveUp || e.Steps != nil {
		t.Errorf("%+v", e)
	}
	if got := e.Defects(); len(got) != 3 || got[0].Name != "error_repeated" || got[2].Name != "error_abandoned" {
		t.Errorf("%+v", got)
	}
	if e := harness.Recoveries(session(t, read("a"))); e.Rate != nil {
		t.Errorf("%+v", e)
	}
	log := transcripttest.New()
	log.Request(1_000).Bash("make").Error("Exit code 2")
	log.Prompt("never mind, list the files")
	log.Request(1_100).Bash("ls").Result("a")
	if e := harness.Recoveries(log.Session(t)); e.Recoveries[0].Ending != harness.GaveUp {
		t.Errorf("what the next turn does recovers nothing: %+v", e)
	}
}

func TestRecoveryVerdicts(t *testing.T) {
	end := func(subtype string) *transcript.Session {
		log := transcripttest.New()
		log.Request(1_000).Bash("go test").Error("FAIL")
		if subtype != "" {
			log.EndWith(transcripttest.Args{"subtype": subtype})
		}
		return log.SessionWith(t, transcript.Options{KeepText: true})
	}
	parallel := transcripttest.New()
	m := parallel.Request(1_000)
	a, b := m.ReadFile("a"), m.ReadFile("b")
	a.Error("no such file")
	b.Result("ok")
	parallel.Request(1_100).Text("done")
	parallel.End("done")
	resumed := transcripttest.New()
	resumed.Request(1_000).Bash("go test").Error("FAIL")
	resumed.Resume()
	resumed.Request(1_000).Bash("go test").Result("ok")
	resumed.End("done")
	for _, c := range []struct {
		name string
		s    *transcript.Session
		want harness.Ending
	}{
		{"another program recovers nothing", session(t, fails("go test"), bash("ls")), harness.GaveUp},
		{"the same one does, wherever it runs", session(t, fails("cd x && go build"), bash("GOOS=linux timeout 60 go build -v")), harness.Recovered},
		{"again after an edit is no mere repetition", session(t, fails("go test"), edit("a"), fails("go test")), harness.GaveUp},
		{"again after a look is", session(t, fails("go test"), read("a"), fails("go test")), harness.Repeated},
		{"what was sent with it recovers nothing", parallel.Session(t), harness.GaveUp},
		{"the turn limit", end("error_max_turns"), harness.CutOff},
		{"a kill", end(""), harness.CutOff},
		{"a kill, and a new process", resumed.Session(t), harness.CutOff},
		{"the agent ends it", end("success"), harness.GaveUp},
	} {
		e := harness.Recoveries(c.s)
		if got := e.Recoveries[0]; got.Ending != c.want || e.Recovered+e.Repeated+e.GaveUp+e.CutOff != len(e.Recoveries) {
			t.Errorf("%s: %+v", c.name, e)
		}
		if (e.Rate == nil) != (c.want == harness.CutOff) {
			t.Errorf("%s: rate %v", c.name, e.Rate)
		}
	}
}

// pass^3 of 4 in 5: C(4,3)/C(5,3) = 4/10; pass@3 is 1, since only one run failed. Of 1 in 5: pass@2 is 1 − C(4,2)/C(5,2) = 1 − 6/10.
func TestPassK(t *testing.T) {
	for _, c := range []struct {
		n, c, k int
		at, hat float64
	}{{5, 4, 3, 1, 0.4}, {5, 1, 2, 0.4, 0}, {5, 5, 5, 1, 1}, {3, 0, 1, 0, 0}, {2_000, 1_000, 1, 0.5, 0.5}} {
		at, err1 := harness.PassAtK(c.n, c.c, c.k)
		hat, err2 := harness.PassHatK(c.n, c.c, c.k)
		if err1 != nil || err2 != nil || math.Abs(at-c.at) > 1e-12 || math.Abs(hat-c.hat) > 1e-12 {
			t.Errorf("%+v: %v, %v, %v, %v", c, at, hat, err1, err2)
		}
	}
	for _, c := range [][3]int{{2, 1, 3}, {2, 3, 1}, {2, -1, 1}, {2, 1, 0}} {
		if _, err := harness.PassAtK(c[0], c[1], c[2]); err == nil {
			t.Errorf("%v is no error", c)
		}
	}
	ok, no := layers.Success, layers.Failure
	r, err := harness.Estimate([]harness.Task{{"a", []layers.Outcome{ok, ok, ok, ok, no}, 5}, {"b", []layers.Outcome{no, no, no}, 0}}, 3)
	if err != nil || r.AtLeastOne != 0.5 || r.All != 0.2 {
		t.Errorf("%+v, %v", r, err)
	}
	_, err = harness.Estimate([]harness.Task{{"a", []layers.Outcome{ok, ""}, 0}, {"b", []layers.Outcome{ok}, 0}}, 2)
	if !errors.Is(err, harness.ErrTooFewRuns) || !errors.Is(err, harness.ErrUnmeasured) || !strings.Contains(err.Error(), "task a: run 2") || !strings.Contains(err.Error(), "task b") {
		t.Errorf("%v", err)
	}
	_, err = harness.Estimate([]harness.Task{{"a", []layers.Outcome{ok, ok, no}, 4}}, 3)
	if !errors.Is(err, harness.ErrUnmeasured) || !strings.Contains(err.Error(), "task a") || !strings.Contains(err.Error(), "3 outcomes of 4 runs") {
		t.Errorf("a run that left nothing behind: %v", err)
	}
	if _, err := harness.Estimate(nil, 1); err == nil {
		t.Error("no task is an error")
	}
}

// The probability that one of k succeeds never falls with k, and that all do never rises.
func TestPassKIsMonotonic(t *testing.T) {
	for n := 1; n <= 12; n++ {
		for c := 0; c <= n; c++ {
			lastAt, lastHat := 0.0, 1.0
			for k := 1; k <= n; k++ {
				at, _ := harness.PassAtK(n, c, k)
				hat, _ := harness.PassHatK(n, c, k)
				if at < lastAt-1e-12 || hat > lastHat+1e-12 || at < hat-1e-12 || at > 1 || hat < 0 {
					t.Fatalf("%d of %d, k %d: %v after %v, %v after %v", c, n, k, at, lastAt, hat, lastHat)
				}
				lastAt, lastHat = at, hat
			}
		}
	}
}

func TestGates(t *testing.T) {
	s := session(t, read("/home/dev/proj/a"), read("lib/b"), edit("/etc/passwd"), read("../other/c"), read("/home/dev/project2/d"))
	broken := harness.Gate{Name: "rollback", Check: func(*transcript.Session) ([]harness.Breach, error) { return nil, errors.New("no snapshot") }}
	gates := harness.CheckGates(s, harness.Sandbox("/home/dev/proj/"), broken, harness.Gate{Name: "none"})
	var outside []string
	for _, b := range gates[0].Breaches {
		outside = append(outside, b.Detail)
	}
	if !slices.Equal(outside, []string{"Edit /etc/passwd", "Read ../other/c", "Read /home/dev/project2/d"}) {
		t.Errorf("%q", outside)
	}
	if gates[1].Passed() || gates[1].Unmeasured != "no snapshot" || gates[2].Passed() {
		t.Errorf("%+v", gates[1:])
	}
	if d := gates.Defects(); len(d) != 3 || d[0].Name != "gate_sandbox" || d[0].Layer != layers.Harness {
		t.Errorf("%+v", d)
	}
	windows := session(t, read(`C:\Users\dev\proj\a`), read(`D:\x`), read("c:d"))
	if b := harness.CheckGates(windows, harness.Sandbox(`C:\Users\dev`))[0].Breaches; len(b) != 2 || b[0].Detail != `Read D:\x` {
		t.Errorf("%+v", b)
	}
	if !harness.CheckGates(s, harness.Sandbox("/"))[0].Passed() {
		t.Error("all is below the root")
	}
}

// Where home is, no transcript says: such a path is no pass, and takes nothing from a breach that is certain.
func TestSandboxDoesNotKnowHome(t *testing.T) {
	for _, c := range []struct {
		path     string
		breaches int
		unknown  bool
	}{
		{"~/.ssh/id_rsa", 0, true},
		{"~", 0, true},
		{"~$report.doc", 0, false}, // a name as any other
		{"lib/~/a", 0, false},
		{"/etc/passwd", 1, false},
	} {
		g := harness.CheckGates(session(t, read(c.path)), harness.Sandbox("/home/dev/proj"))[0]
		if len(g.Breaches) != c.breaches || (g.Unmeasured != "") != c.unknown {
			t.Errorf("%s: %+v", c.path, g)
		}
	}
	both := harness.CheckGates(session(t, edit("/etc/passwd"), read("~/a"), read("/etc/group")), harness.Sandbox("/home/dev/proj"))
	if len(both[0].Breaches) != 2 || both[0].Unmeasured == "" {
		t.Errorf("%+v", both)
	}
	var b strings.Builder
	both.WriteText(&b)
	if !strings.Contains(b.String(), "gate sandbox: BROKEN, 2 times") || !strings.Contains(b.String(), "gate sandbox: not measured: ") {
		t.Error(b.String())
	}
}

func TestTextsSayWhatTheyHold(t *testing.T) {
	s := session(t, read("a"), read("a"), fails("make"), edit("/etc/x\x1b[2J"))
	var b strings.Builder
	harness.Compare(s, session(t, read("b")), harness.ParityOptions{}).WriteText(&b)
	harness.Repeats(s).WriteText(&b)
	harness.Recoveries(s).WriteText(&b)
	harness.CheckGates(s, harness.Sandbox("/home")).WriteText(&b)
	harness.Choose(nil, nil).WriteText(&b)
	harness.TallySecurity(nil).WriteText(&b)
	for _, want := range []string{"parity: BROKEN", "step 1 was Read", "repeats: 1 of 4 calls (25%)", "tool errors: 1, recovered 0 (0%), repeated 0, gave up 1", "gate sandbox: BROKEN", "not measured", "utility —"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("a control character was printed")
	}
}

func FuzzReadExpected(f *testing.F) {
	f.Add([]byte(`[{"tool": "Read", "args": {"a": {"allowed": [1, [2, {"b": null}]]}}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		expected, _ := harness.ReadExpected(strings.NewReader(string(data)), "f")
		made := []harness.Made{{Tool: "Read", Args: map[string]any{"a": 1}}}
		c := harness.Choose(expected, made)
		if c.Matched > min(c.Expected, c.Made) || len(c.Missing)+c.Matched != c.Expected || len(c.Extra)+c.Matched != c.Made {
			t.Errorf("%+v", c)
		}
		fmt.Fprint(&strings.Builder{}, c)
	})
}
