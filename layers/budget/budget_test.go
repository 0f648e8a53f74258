package budget_test

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers/budget"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

func at(line int) transcript.Position { return transcript.Position{File: "run.jsonl", Line: line} }

// per returns a budget in tokens.
func per(scope budget.Scope, limit int) budget.Budget {
	return budget.Budget{Scope: scope, Limit: limit}
}

// judge returns the only result of one budget.
func judge(t *testing.T, log *transcripttest.Log, b budget.Budget) budget.Result {
	t.Helper()
	r := budget.Analyze(log.Session(t), []budget.Budget{b}, budget.Options{})
	if len(r.Budgets) != 1 {
		t.Fatalf("%d results", len(r.Budgets))
	}
	return r.Budgets[0]
}

// Prompts of 90, 120 and 80 thousand tokens, the second in a turn with the first.
func threeRequests() *transcripttest.Log {
	log := transcripttest.New()
	log.Request(90_000).ReadFile("a.go").Result(strings.Repeat("x", 300)) // lines 2, 3
	log.Request(120_000).Text("done")                                     // line 4
	log.End("done")                                                       // line 5
	log.Prompt("and now?")                                                // line 6
	log.Request(80_000).Text("nothing")                                   // line 7
	log.End("nothing")
	return log
}

func TestScopesAddUp(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget budget.Budget
		want   []budget.Call
		peak   int
		share  float64
	}{
		{"call: one prompt of three is above 100,000", per(budget.PerCall, 100_000), []budget.Call{{Position: at(4), Amount: 120_000}}, 120_000, 1. / 3},
		{"call: a prompt equal to the limit is within it", per(budget.PerCall, 120_000), nil, 120_000, 0},
		{"call: and one token more is not", per(budget.PerCall, 119_999), []budget.Call{{Position: at(4), Amount: 120_000}}, 120_000, 1. / 3},
		{"turn: 90+120 = 210 in the first, 80 in the second", per(budget.PerTurn, 200_000), []budget.Call{{Position: at(4), Amount: 210_000}}, 210_000, 1. / 3},
		{"run: 90, 210, 290", per(budget.PerRun, 200_000), []budget.Call{{Position: at(4), Amount: 210_000}, {Position: at(7), Amount: 290_000}}, 290_000, 2. / 3},
		{"characters: one result of 300", budget.Budget{Unit: budget.Characters, Limit: 299}, []budget.Call{{Position: at(3), Amount: 300}}, 300, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := judge(t, threeRequests(), c.budget)
			if c.want == nil {
				c.want = []budget.Call{}
			}
			if diff := cmp.Diff(c.want, r.Over); diff != "" {
				t.Error(diff)
			}
			if *r.Peak != c.peak || *r.OverShare != c.share || r.Through != len(c.want) || r.Stopped != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestCausalOnlyWhenNothingWentThroughAndNothingIsMissing(t *testing.T) {
	missing := threeRequests()
	missing.RequestUsage(nil).Text("?")
	missing.End("?")
	for _, c := range []struct {
		name   string
		log    *transcripttest.Log
		limits []budget.Budget
		why    []string
	}{
		{"within", threeRequests(), []budget.Budget{per(budget.PerCall, 150_000)}, []string{}},
		{"over", threeRequests(), []budget.Budget{per(budget.PerCall, 100_000)}, []string{"tokens per call: 1 call over budget went through"}},
		{"missing usage", missing, []budget.Budget{per(budget.PerCall, 150_000)}, []string{"1 request without usage"}},
		{"no budget", threeRequests(), nil, []string{"nothing was measured"}},
		{"empty log", transcripttest.New(), []budget.Budget{per(budget.PerCall, 1)}, []string{"nothing was measured"}},
		{"a limit of zero", threeRequests(), []budget.Budget{{Name: "z"}, per(budget.PerCall, 150_000)}, []string{"z: not a budget: limit 0: want at least 1"}},
		{"no tool result to judge is nothing against the other budget", answerOnly(),
			[]budget.Budget{per(budget.PerCall, 150_000), {Unit: budget.Characters, Limit: 1}}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := budget.Analyze(c.log.Session(t), c.limits, budget.Options{})
			if diff := cmp.Diff(c.why, r.Why); diff != "" || r.Causal != (len(c.why) == 0) {
				t.Errorf("%v %s", r.Causal, diff)
			}
		})
	}
}

func answerOnly() *transcripttest.Log {
	log := transcripttest.New()
	log.Request(1000).Text("yes")
	log.End("yes")
	return log
}

func TestMissingUsageLetThrough(t *testing.T) {
	log := transcripttest.New()
	log.RequestUsage(nil).Bash("ls").Result("a")                 // line 2: the run went on
	log.RequestUsage(&transcript.Usage{}).Bash("ls").Result("a") // line 4: zero is no usage either
	log.Request(500).Bash("ls").Result("a")
	log.RequestUsage(nil).Text("cut off") // line 8: the last one
	r := budget.Analyze(log.Session(t), []budget.Budget{per(budget.PerRun, 1000)}, budget.Options{})
	want := []budget.Missing{{Position: at(2), LetThrough: true}, {Position: at(4), LetThrough: true}, {Position: at(8)}}
	if diff := cmp.Diff(want, r.Missing); diff != "" {
		t.Error(diff)
	}
	if r.Requests != 4 || r.Budgets[0].Calls != 1 || *r.Budgets[0].Peak != 500 {
		t.Errorf("%+v", r)
	}
	log.EndWith(transcripttest.Args{"subtype": "error_max_turns"}) // a run that failed did not go on
	if r := budget.Analyze(log.Session(t), nil, budget.Options{}); r.Missing[2].LetThrough {
		t.Error("a run that failed on it let it through")
	}
	log.RequestUsage(nil).Text("once more")
	log.End("fine") // and now the session ended well with it
	if r := budget.Analyze(log.Session(t), nil, budget.Options{}); !r.Missing[3].LetThrough {
		t.Error("a run that ended well on it let it through")
	}
}

// A compaction of 170,000 tokens under a limit of 160,000 came in the place of a call; one after which the call was over the limit all the
// same did not, and neither did one that a person asked for.
func TestStoppedCalls(t *testing.T) {
	log := transcripttest.New()
	log.Request(150_000).Bash("ls").Result("x")
	log.Compact(170_000, 20_000) // lines 4 and 5
	log.Request(30_000).Bash("ls").Result("x")
	log.Compact(155_000, 20_000) // within the limit
	log.Request(30_000).Bash("ls").Result("x")
	log.Compact(175_000, 20_000)
	log.Request(161_000).Text("x") // line 14
	r := judge(t, log, per(budget.PerCall, 160_000))
	want := []budget.Call{{Position: at(4), Amount: 170_000, Stopped: true}, {Position: at(14), Amount: 161_000}}
	if diff := cmp.Diff(want, r.Over); diff != "" {
		t.Error(diff)
	}
	// 4 requests and 1 that was stopped
	if r.Calls != 5 || r.Through != 1 || r.Stopped != 1 || *r.OverShare != 2./5 || *r.ThroughShare != 1./2 {
		t.Errorf("%+v", r)
	}
	if r := judge(t, log, per(budget.PerRun, 1_000_000)); r.Stopped != 0 {
		t.Errorf("a compaction does not stop a run: %+v", r)
	}
}

func TestManualCompactionStopsNothing(t *testing.T) {
	log := transcripttest.New()
	log.Request(150_000).Text("x")
	log.Event(transcripttest.Args{"type": "system", "subtype": "compact_boundary",
		"compact_metadata": transcripttest.Args{"trigger": "manual", "pre_tokens": 170_000}})
	log.Request(30_000).Text("x")
	if r := judge(t, log, per(budget.PerCall, 160_000)); r.Stopped != 0 || r.Calls != 2 {
		t.Errorf("%+v", r)
	}
}

func TestRefusedCallsOfTheHarnessCountAsStopped(t *testing.T) {
	b := budget.Budget{Name: "window", Limit: 100_000, Enforcement: budget.BeforeCall}
	opts := budget.Options{Refused: []budget.Refused{{Budget: "window", Amount: 130_000, Limit: 100_000}, {Budget: "another", Amount: 1}}}
	r := budget.Analyze(answerOnly().Session(t), []budget.Budget{b}, opts)
	if got := r.Budgets[0]; got.Stopped != 1 || got.Calls != 2 || got.Through != 0 || !r.Causal {
		t.Errorf("%+v", got)
	}
}

// A subagent's prompts are spent in the turn and the run of the call that started it, each in a window of its own.
func TestSubagents(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(10_000).Call("Agent", nil)  // line 2
	call.Subagent().Request(50_000).Text("looking") // line 3
	call.Result("found")
	log.Request(12_000).Text("x") // line 5
	log.End("x")
	log.Prompt("more")
	log.Request(13_000).Text("y") // line 8
	log.End("y")
	turn := judge(t, log, per(budget.PerTurn, 60_000))
	if diff := cmp.Diff([]budget.Call{{Position: at(5), Amount: 72_000}}, turn.Over); diff != "" { // 10+50 = 60 is within, +12 is not
		t.Error(diff)
	}
	if r := judge(t, log, per(budget.PerRun, 1_000_000)); *r.Peak != 85_000 || r.Calls != 4 {
		t.Errorf("run: %+v", r)
	}
	if r := judge(t, log, per(budget.PerCall, 40_000)); len(r.Over) != 1 || r.Over[0].Thread != call.ID {
		t.Errorf("call: %+v", r)
	}
}

// Threads that nobody is known to have started belong to no turn, and to the run.
func TestThreadsOfNoTurn(t *testing.T) {
	request := func(tokens int) transcript.Event { return &transcript.Request{Usage: &transcript.Usage{Input: tokens}} }
	s := &transcript.Session{Threads: []transcript.Thread{
		{Events: []transcript.Event{request(10)}},
		{ID: "lost", Events: []transcript.Event{request(20), &transcript.Compaction{Trigger: "auto", PreTokens: 90}}},
		{ID: "lost too", Events: []transcript.Event{request(80)}},
	}, Auxiliary: []transcript.Thread{{ID: "summary", Events: []transcript.Event{request(40)}}}}
	r := budget.Analyze(s, []budget.Budget{per(budget.PerTurn, 5), per(budget.PerRun, 1000), per(budget.PerCall, 70)}, budget.Options{})
	if turn, run := r.Budgets[0], r.Budgets[1]; turn.Calls != 1 || *turn.Peak != 10 || run.Calls != 4 || *run.Peak != 150 {
		t.Errorf("turn %+v, run %+v", turn, run)
	}
	if call := r.Budgets[2]; call.Stopped != 1 || call.Through != 1 { // the request of another thread says nothing about the compaction
		t.Errorf("%+v", call)
	}
}

// All prompts of a subagent belong to the turn that started it.
func TestASubagentIsInOneTurn(t *testing.T) {
	log := transcripttest.New()
	sub := log.Request(10).Call("Agent", nil).Subagent()
	sub.Request(100).Text("x")
	sub.Prompt("and?")
	sub.Request(200).Text("y")
	if r := judge(t, log, per(budget.PerTurn, 1000)); *r.Peak != 310 {
		t.Errorf("%+v", r)
	}
}

// A stream has the last request of a subagent only in the usage of the delegation's result.
func TestTheLastRequestOfASubagentCounts(t *testing.T) {
	for last, want := range map[int]int{70_000: 130_000, 50_000: 60_000} { // 10 + 50 + 70; or the result repeats what is there
		log := transcripttest.New()
		call := log.Request(10_000).Call("Agent", nil)
		call.Subagent().Request(50_000).Text("looking")
		log.Event(transcripttest.Args{"type": "user", "parent_tool_use_id": nil,
			"message":         transcripttest.Args{"role": "user", "content": []any{transcripttest.Args{"type": "tool_result", "tool_use_id": call.ID, "content": "found"}}},
			"tool_use_result": transcripttest.Args{"usage": transcripttest.Args{"input_tokens": last, "output_tokens": 1}}})
		if r := judge(t, log, per(budget.PerRun, 1_000_000)); r.Peak == nil || *r.Peak != want {
			t.Errorf("%d: %+v", last, r)
		}
	}
}

// What a run came to is what its summary says was processed.
func TestRealLogs(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/transcripts/public/*.jsonl")
	more, _ := filepath.Glob("../../../shared/transcripts/*/*/*.jsonl")
	if len(files) == 0 {
		t.Skip("no real logs beside the project")
	}
	for _, file := range append(files, more...) {
		s, err := transcript.ReadFiles(transcript.Options{}, file)
		if err != nil {
			t.Fatal(err)
		}
		r := budget.Analyze(s, []budget.Budget{per(budget.PerRun, 1)}, budget.Options{}).Budgets[0]
		if want := s.Summary().ProcessedTokens; want != nil && (r.Peak == nil || *r.Peak != *want) {
			t.Errorf("%s: %v, want %d", file, r.Peak, *want)
		}
	}
}

func TestRunawayTurns(t *testing.T) {
	grow := func(log *transcripttest.Log, prompts ...int) {
		for _, p := range prompts[:len(prompts)-1] {
			log.Request(p).Bash("ls").Result("x")
		}
		log.Request(prompts[len(prompts)-1]).Text("done")
		log.End("done")
	}
	for _, c := range []struct {
		name  string
		build func(*transcripttest.Log)
		want  int
	}{
		{"crossed over three calls, never compacted", func(l *transcripttest.Log) { grow(l, 50, 90, 110, 130) }, 1},
		{"never crossed: the threshold itself is not above", func(l *transcripttest.Log) { grow(l, 50, 90, 100) }, 0},
		{"one tool call is no runaway", func(l *transcripttest.Log) { grow(l, 50, 110) }, 0},
		{"came in above: the check before the turn saw it", func(l *transcripttest.Log) { grow(l, 110, 120, 130) }, 0},
		{"compacted before it ended", func(l *transcripttest.Log) {
			l.Request(50).Bash("ls").Result("x")
			l.Request(110).Bash("ls").Result("x")
			l.Compact(115, 40)
			grow(l, 45, 60, 70)
		}, 0},
		{"compacted, and still above", func(l *transcripttest.Log) {
			l.Request(50).Bash("ls").Result("x")
			l.Request(110).Bash("ls").Result("x")
			l.Compact(115, 105)
			l.Request(105).Text("done")
			l.End("done")
		}, 0},
		{"compacted and above again by the end", func(l *transcripttest.Log) {
			l.Request(50).Bash("ls").Result("x")
			l.Request(110).Bash("ls").Result("x")
			l.Compact(115, 40)
			grow(l, 45, 60, 120)
		}, 1},
		{"compacted only after it ended", func(l *transcripttest.Log) { grow(l, 50, 90, 110, 130); l.Compact(130, 40) }, 1},
		{"compacted, and one more call brought it above", func(l *transcripttest.Log) {
			l.Request(50).Bash("ls").Result("x")
			l.Request(60).Bash("ls").Result("x")
			l.Compact(70, 20)
			grow(l, 20, 110)
		}, 0},
		{"began above, fell by itself, and crossed", func(l *transcripttest.Log) { grow(l, 110, 50, 90, 120) }, 1},
		{"compacted at its end, with calls still to be answered", func(l *transcripttest.Log) {
			l.Request(50).Bash("ls").Result("x")
			l.Request(110).Bash("ls").Result("x")
			l.Request(130).Bash("ls").Result("x")
			l.Compact(140, 40)
		}, 0},
		{"compacted when the answer had been given", func(l *transcripttest.Log) {
			l.Request(50).Bash("ls").Result("x")
			l.Request(90).Bash("ls").Result("x")
			l.Request(110).Text("done")
			l.Compact(110, 40)
			l.Prompt("and now?")
		}, 1},
		{"killed above", func(l *transcripttest.Log) {
			l.Request(50).Bash("ls").Result("x")
			l.Request(110).Bash("ls").Result("x")
		}, 1},
		{"fell below by itself", func(l *transcripttest.Log) { grow(l, 50, 110, 130, 80) }, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			log := transcripttest.New()
			c.build(log)
			r := budget.Analyze(log.Session(t), nil, budget.Options{Threshold: 100})
			if len(r.Turns.Runaway) != c.want || r.Turns.Measured != 1 || *r.Turns.Share != float64(c.want) {
				t.Errorf("%+v", r.Turns)
			}
		})
	}
	log := transcripttest.New()
	grow(log, 50, 90, 110, 140, 130)
	grow(log, 60, 70)
	r := budget.Analyze(log.Session(t), []budget.Budget{per(budget.PerCall, 100), per(budget.PerRun, 10)}, budget.Options{})
	want := []budget.Turn{{Position: at(6), Calls: 4, Start: 50, Peak: 140, End: 130}}
	if diff := cmp.Diff(want, r.Turns.Runaway); diff != "" || *r.Turns.Threshold != 100 || *r.Turns.Share != 0.5 {
		t.Errorf("the smallest limit per call is the threshold: %+v %s", r.Turns, diff)
	}
	if r := budget.Analyze(log.Session(t), nil, budget.Options{}); r.Turns.Share != nil || r.Turns.Threshold != nil {
		t.Errorf("without a threshold: %+v", r.Turns)
	}
}

// A missing usage, 0 here, hides how a turn went only where the prompt would tell.
func TestATurnWithAMissingUsage(t *testing.T) {
	for _, c := range []struct {
		name                          string
		prompts                       []int
		runaway, measured, unmeasured int
	}{
		{"in the middle: below before it, above after it", []int{50, 0, 120}, 1, 1, 0},
		{"at the start: it may have begun above", []int{0, 110, 130}, 0, 0, 1},
		{"at the start, and below later", []int{0, 50, 130}, 1, 1, 0},
		{"at the end: it may have crossed", []int{50, 90, 0}, 0, 0, 1},
		{"at the end, and above before", []int{50, 110, 120, 0}, 1, 1, 0},
		{"everywhere", []int{0, 0, 0}, 0, 0, 1},
		{"with one call there is nothing to hide", []int{50, 0}, 0, 1, 0},
	} {
		log := transcripttest.New()
		for i, p := range c.prompts {
			m := log.RequestUsage(nil)
			if p > 0 {
				m = log.Request(p)
			}
			if i < len(c.prompts)-1 {
				m.Bash("ls").Result("x")
			} else {
				m.Text("done")
			}
		}
		log.End("done")
		r := budget.Analyze(log.Session(t), nil, budget.Options{Threshold: 100})
		if got := r.Turns; len(got.Runaway) != c.runaway || got.Measured != c.measured || got.Unmeasured != c.unmeasured || (got.Share == nil) != (c.measured == 0) {
			t.Errorf("%s: %+v", c.name, got)
		}
		var text strings.Builder
		if r.WriteText(&text); strings.Contains(text.String(), "not measured: ") == (c.unmeasured == 0) {
			t.Errorf("%s:\n%s", c.name, text.String())
		}
	}
}

// Nobody knows whether the call after the compaction was within the limit.
func TestACompactionBeforeAMissingUsageStopsNothing(t *testing.T) {
	log := transcripttest.New()
	log.Request(150_000).Bash("ls").Result("x")
	log.Compact(170_000, 20_000)
	log.RequestUsage(nil).Bash("ls").Result("x")
	log.Request(30_000).Text("x")
	if r := judge(t, log, per(budget.PerCall, 160_000)); r.Stopped != 0 || r.Calls != 2 {
		t.Errorf("%+v", r)
	}
}

func TestOverlaps(t *testing.T) {
	window := budget.Budget{Name: "window", Unit: budget.Tokens, Scope: budget.PerCall, Enforcement: budget.BeforeCall, Limit: 10}
	output := budget.Budget{Name: "output", Unit: budget.Characters, Scope: budget.PerTurn, Enforcement: budget.Projection, Limit: 10}
	smaller := window
	smaller.Name, smaller.Limit = "smaller", 5
	overlaps := func(list ...budget.Budget) []budget.Overlap {
		return budget.Analyze(answerOnly().Session(t), list, budget.Options{}).Overlaps
	}
	want := []budget.Overlap{
		{Budgets: [2]string{"window", "output"}, Differ: []string{"unit", "scope", "enforcement"}},
		{Budgets: [2]string{"output", "smaller"}, Differ: []string{"unit", "scope", "enforcement"}},
	}
	if diff := cmp.Diff(want, overlaps(window, output, smaller)); diff != "" {
		t.Error(diff)
	}
	window.Authority = true
	if got := overlaps(window, output); len(got) != 0 {
		t.Errorf("one decides: %v", got)
	}
	output.Authority = true
	if got := overlaps(window, output); len(got) != 1 {
		t.Errorf("two decide, so neither does: %v", got)
	}
}

const file = `[
  {"name": "window", "unit": "tokens", "scope": "call", "enforcement": "before_call", "limit": 160000, "authority": true},
  {"name": "output", "unit": "characters", "scope": "call", "enforcement": "projection", "limit": 30000}
]`

func TestRead(t *testing.T) {
	got, err := budget.Read(strings.NewReader(file), "budgets.json")
	want := []budget.Budget{
		{Name: "window", Unit: budget.Tokens, Scope: budget.PerCall, Enforcement: budget.BeforeCall, Limit: 160_000, Authority: true},
		{Name: "output", Unit: budget.Characters, Scope: budget.PerCall, Enforcement: budget.Projection, Limit: 30_000},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestReadIsStrictAndLosesNothing(t *testing.T) {
	good := `{"name": "a", "unit": "tokens", "scope": "run", "enforcement": "report", "limit": 1}`
	for bad, want := range map[string]string{
		strings.Replace(good, `"limit"`, `"limt"`, 1):        "limt",
		strings.Replace(good, `"tokens"`, `"token"`, 1):      `unit "token": want tokens or characters`,
		strings.Replace(good, `"run"`, `"session"`, 1):       `scope "session"`,
		strings.Replace(good, `"report"`, `"strict"`, 1):     `enforcement "strict"`,
		strings.Replace(good, `: 1}`, `: 0}`, 1):             "limit 0",
		strings.Replace(good, `: 1}`, `: 1.5}`, 1):           "limit",
		strings.Replace(good, `, "limit": 1`, ``, 1):         "limit 0",
		strings.Replace(good, `"unit": "tokens", `, ``, 1):   "want name, unit",
		strings.Replace(good, `: 1}`, `: 1, "limit": 2}`, 1): "twice",
		strings.Replace(good, `"a"`, `"b"`, 1):               `"b" is taken`,
	} {
		first := strings.Replace(good, `"a"`, `"b"`, 1)
		got, err := budget.Read(strings.NewReader("["+first+",\n"+bad+",\n"+strings.Replace(good, `"a"`, `"c"`, 1)+"]"), "budgets.json")
		if err == nil || !strings.HasPrefix(err.Error(), "budgets.json:2: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", bad, err, want)
		}
		if p, ok := errors.AsType[transcript.Problem](err); !ok || p.Pos.Line != 2 {
			t.Errorf("%s: no problem with a position in %v", bad, err)
		}
		if len(got) != 2 || got[0].Name != "b" || got[1].Name != "c" {
			t.Errorf("%s: the good ones are lost: %v", bad, got)
		}
	}
}

func TestReadOfAFileWithoutABudget(t *testing.T) {
	for _, text := range []string{"", " \n", "[]", "\ufeff[\r\n]"} {
		_, err := budget.Read(strings.NewReader(text), "budgets.json")
		if fe, ok := errors.AsType[*transcript.FileError](err); !ok || fe.File != "budgets.json" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(file))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := budget.Read(strings.NewReader(string(data)), "f")
		if err == nil && len(list) == 0 {
			t.Error("nothing, and no error")
		}
		for _, b := range list {
			if b.Validate() != nil || b != b.WithDefaults() {
				t.Errorf("%+v", b)
			}
		}
	})
}

func TestReportRoundTripsAndPrintsSafely(t *testing.T) {
	log := threeRequests()
	log.RequestUsage(nil).Text("?")
	budgets := []budget.Budget{{Name: "w\x1b[31m", Limit: 100_000}, {Unit: budget.Characters, Limit: 10, Enforcement: budget.BeforeCall}, {Name: "bad", Unit: "x", Limit: 1}}
	r := budget.Analyze(log.Session(t), budgets, budget.Options{})
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back budget.Report
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, back); diff != "" {
		t.Error(diff)
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || strings.Contains(text.String(), "\x1b") {
		t.Errorf("%v %q", err, text.String())
	}
	for _, want := range []string{"NOT CAUSAL", "run.jsonl:4  120,000  went through", "bad: not measured", "without usage: 1 of 4 requests, 0 let through", "overlap: "} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is not in\n%s", want, text.String())
		}
	}
}
