package memory_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/memory"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

var keep = transcript.Options{KeepText: true}

// npm install fails, npm install --force works. The workaround's text holds plan A's.
var probe = memory.Probe{
	ID: "npm", PlanA: layers.Action{Tool: "Bash", Text: "npm install"}, Workaround: layers.Action{Tool: "Bash", Text: "npm install --force"},
}

// session builds a session of steps: A! and W! fail, A and W do not; M+ is a memory that has the workaround, M- one that does not, M! one that
// fails with it; P is a prompt with it, S a subagent that works around.
func session(t *testing.T, opts transcript.Options, steps string) *transcript.Session {
	t.Helper()
	log := transcripttest.New()
	for i, step := range strings.Fields(steps) {
		m := func() *transcripttest.Message { return log.Request(1000 + i) }
		bash := func(command string) {
			if c := m().Bash(command); strings.HasSuffix(step, "!") {
				c.Error("failed")
			} else {
				c.Result("done")
			}
		}
		switch step {
		case "A", "A!":
			bash("npm install")
		case "W", "W!":
			bash("npm install --force")
		case "M+":
			m().Call("mcp__memory__search", nil).Result("last time NPM INSTALL --FORCE helped")
		case "M-":
			m().Call("mcp__memory__search", nil).Result("nothing found")
		case "M!":
			m().Call("mcp__memory__search", nil).Error("cannot say npm install --force")
		case "R":
			m().ReadFile("notes").Result("npm install --force")
		case "P":
			log.Prompt("From memory: npm install --force works here.")
		case "S":
			call := m().Call("Agent", nil)
			call.Subagent().Request(50).Bash("npm install --force").Result("ok")
			call.Result("ok")
		case "T":
			m().Text("done")
		default:
			t.Fatalf("step %q", step)
		}
	}
	return log.SessionWith(t, opts)
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		name, later              string
		returned, used, planA, r bool
	}{
		{"found and used", "M+ W T", true, true, false, true},
		{"found, and used after plan A failed again", "A! M+ W T", true, true, true, true},
		{"found and not used", "M+ T", true, false, false, false},
		{"found, and plan A all the same", "M+ A! T", true, false, true, false},
		{"found, and the workaround fails", "M+ W! T", true, false, false, false},
		{"memory says something else, and it is found anew", "M- A! W T", false, true, true, false},
		{"memory returned it after it was used", "W M+ T", false, true, false, false},
		{"the harness put it into the prompt", "P W T", true, true, false, true},
		{"a file is no memory", "R W T", false, true, false, false},
		{"a memory that failed returned nothing", "M! W T", false, true, false, false},
		{"plan A after the workaround is no relapse", "M+ W A! T", true, true, false, true},
		{"a subagent used it", "M+ S T", true, true, false, true},
		{"none of it", "T", false, false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := memory.Score(probe, session(t, keep, "A! W T"), session(t, keep, c.later))
			if err != nil || e.Unmeasured != "" || e.Returned != c.returned || e.Used != c.used || e.PlanAFirst != c.planA || e.Recalled() != c.r {
				t.Errorf("%v %+v", err, e)
			}
			if e.Returned == e.ReturnedAt.IsZero() || e.Used == e.UsedAt.IsZero() || e.PlanAFirst == e.PlanAAt.IsZero() {
				t.Errorf("positions: %+v", e)
			}
		})
	}
}

func TestScoreUnmeasured(t *testing.T) {
	for _, c := range []struct{ first, later, want string }{
		{"A W T", "M+ W", "plan A did not fail"},
		{"A! T", "M+ W", "no workaround worked after plan A had failed"},
		{"W A! T", "M+ W", "no workaround worked after plan A had failed"},
		{"A! W! T", "M+ W", "no workaround worked after plan A had failed"},
		{"A! W", "", "made no request"},
	} {
		e, err := memory.Score(probe, session(t, keep, c.first), session(t, keep, c.later))
		if err != nil || !strings.Contains(e.Unmeasured, c.want) || e.Recalled() || e.Returned || e.Used {
			t.Errorf("%s: %v %+v", c.first, err, e)
		}
	}
	good := session(t, keep, "A! W T")
	if e, _ := memory.Score(probe, session(t, transcript.Options{}, "A! W T"), good); !strings.Contains(e.Unmeasured, "first session was read without KeepText") {
		t.Errorf("%+v", e)
	}
	if e, _ := memory.Score(probe, good, session(t, transcript.Options{}, "M+ W T")); !strings.Contains(e.Unmeasured, "later session was read without KeepText") {
		t.Errorf("%+v", e)
	}
}

// Two calls of one message: the workaround was under way before the memory had answered.
func TestAWorkaroundThatWasUnderWayIsNotRecalled(t *testing.T) {
	log := transcripttest.New()
	m := log.Request(10)
	recall, use := m.Call("mcp__memory__search", nil), m.Bash("npm install --force")
	recall.Result("npm install --force")
	use.Result("ok")
	e, err := memory.Score(probe, session(t, keep, "A! W T"), log.SessionWith(t, keep))
	if err != nil || e.Returned || !e.Used {
		t.Errorf("%v %+v", err, e)
	}
}

func TestProbesThatCannotBeUsed(t *testing.T) {
	for name, p := range map[string]memory.Probe{
		"plan_a":     {Workaround: probe.Workaround},
		"workaround": {PlanA: probe.PlanA},
		"recall":     {PlanA: probe.PlanA, Workaround: layers.Action{Tool: "Edit"}},
		"memory":     {PlanA: probe.PlanA, Workaround: probe.Workaround, Memory: []string{"[^x]"}},
	} {
		p.ID = "p"
		_, err := memory.Score(p, &transcript.Session{}, &transcript.Session{})
		if err == nil || !strings.HasPrefix(err.Error(), "probe p: "+name+": ") || (name == "plan_a" || name == "workaround") != errors.Is(err, layers.ErrAction) || (name == "recall") != errors.Is(err, memory.ErrRecall) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func experiences(outcomes string) (list []memory.Experience) {
	for i, c := range outcomes {
		e := memory.Experience{Probe: string(rune('a' + i))}
		switch c {
		case '+': // found and used
			e.Returned, e.Used = true, true
		case 'r':
			e.Returned = true
		case 'u': // found anew
			e.Used, e.PlanAFirst = true, true
		case '?':
			e.Unmeasured = "the later session made no request"
		}
		list = append(list, e)
	}
	return list
}

// Of ten probes eight were returned and six of them used: 0.6, by Wilson from 0.31 to 0.83. What is unmeasured is in no rate.
func TestRecallRate(t *testing.T) {
	r := memory.Compare([]memory.Arm{{Label: "hybrid", Experiences: experiences("++++++rru-?")}, {Label: "none", Experiences: experiences("?")}})
	a := r.Arms[0]
	if a.Recall.Count != 6 || a.Recall.Of != 10 || *a.Recall.Value != 0.6 || *a.Recall.Lo < 0.312 || *a.Recall.Lo > 0.313 || *a.Recall.Hi < 0.831 || *a.Recall.Hi > 0.832 {
		t.Errorf("%+v", a.Recall)
	}
	if a.Returned.Count != 8 || a.Used.Count != 7 || a.PlanAFirst.Count != 1 || len(a.Unmeasured) != 1 {
		t.Errorf("%+v", a)
	}
	if r.Arms[1].Recall.Value != nil {
		t.Errorf("nothing to judge is unmeasured: %+v", r.Arms[1])
	}
}

func TestRetrievalHasToBeTheOnlyDifference(t *testing.T) {
	setup := memory.Setup{Retrieval: "hybrid", Model: "m", Tools: []string{"a", "b"}, TokenBudget: 1000, LatencyLimitMS: 50, Split: "test"}
	other := setup
	other.Retrieval, other.Tools = "lexical", []string{"b", "a"}
	fair := memory.Compare([]memory.Arm{{Label: "x", Setup: setup, Experiences: experiences("+")}, {Label: "y", Setup: other, Experiences: experiences("r")}})
	if len(fair.Differences) != 0 || len(fair.Unchecked) != 0 || len(fair.SameRetrieval) != 0 {
		t.Errorf("%+v", fair)
	}
	for fact, change := range map[arms.Fact]func(*memory.Setup){
		arms.FactModel:          func(s *memory.Setup) { s.Model = "n" },
		arms.FactTools:          func(s *memory.Setup) { s.Tools = []string{"a"} },
		memory.FactTokenBudget:  func(s *memory.Setup) { s.TokenBudget = 2000 },
		memory.FactLatencyLimit: func(s *memory.Setup) { s.LatencyLimitMS = 80 },
		memory.FactSplit:        func(s *memory.Setup) { s.Split = "train" },
	} {
		changed := other
		change(&changed)
		r := memory.Compare([]memory.Arm{{Label: "x", Setup: setup}, {Label: "y", Setup: changed}})
		if len(r.Differences) != 1 || r.Differences[0].Fact != fact || len(r.Differences[0].Values) != 2 {
			t.Errorf("%s: %+v", fact, r.Differences)
		}
	}
	r := memory.Compare([]memory.Arm{{Label: "x", Setup: setup, Experiences: experiences("+")}, {Label: "y", Setup: memory.Setup{Retrieval: "hybrid"}, Experiences: experiences("++")}})
	if diff := cmp.Diff([]arms.Difference{{Fact: memory.FactProbes, Values: []arms.Value{{Text: "a", Runs: []string{"x"}}, {Text: "a, b", Runs: []string{"y"}}}}}, r.Differences); diff != "" {
		t.Error(diff)
	}
	if len(r.Unchecked) != 5 || len(r.SameRetrieval) != 1 {
		t.Errorf("%+v", r)
	}
}

// What the logs say is checked by package arms: here the runs have other models.
func TestLogsAreCheckedToo(t *testing.T) {
	arm := func(label, model string) memory.Arm {
		log := transcripttest.NewBare()
		log.Init(transcripttest.Args{"model": model})
		log.Request(10).From(model).Text("x")
		log.End("x")
		run := arms.Measure(log.Session(t), arms.MeasureOptions{})
		run.Name, run.Task = label+"-1", "npm"
		return memory.Arm{Label: label, Runs: []arms.Run{run}}
	}
	r := memory.Compare([]memory.Arm{arm("x", "m"), arm("y", "n")})
	if len(r.Differences) != 1 || r.Differences[0].Fact != arms.FactModel {
		t.Errorf("%+v", r.Differences)
	}
	for _, f := range r.Unchecked {
		if f == arms.FactModel || f == arms.FactTools {
			t.Errorf("the logs say %s", f)
		}
	}
	silent := memory.Arm{Label: "z", Runs: []arms.Run{arms.Measure(&transcript.Session{}, arms.MeasureOptions{})}}
	if r := memory.Compare([]memory.Arm{silent}); !slices.Contains(r.Unchecked, arms.FactModel) {
		t.Errorf("a log that does not say the model: %v", r.Unchecked)
	}
}

func TestClassify(t *testing.T) {
	for text, want := range map[string]memory.Class{
		"": memory.Empty, " \n": memory.Empty,
		"run-17 ok":            memory.Metadata,
		"2026-01-02T03:04:05Z": memory.Metadata,
		"session=42 tool=Bash status=failed exit=1 duration=12s":                                memory.Metadata,
		`{"run": "r1", "tool": "Bash", "status": "failed", "tokens": 1200, "tags": ["a", "b"]}`: memory.Metadata,
		`{"run": "r1", "lesson": "force the install"}`:                                          memory.Learnt,
		`{"run": "r1", "lesson": ""}`:                                                           memory.Metadata,
		`{"steps": [{"note": "it failed because the lock file is old"}]}`:                       memory.Learnt,
		"npm install fails because of the lock file; npm install --force works":                 memory.Learnt,
		"Use make to build":                  memory.Learnt,
		"The agent ran the tests and passed": memory.Unclear,
		`"avoid the cache here"`:             memory.Learnt,
		"17":                                 memory.Metadata,
	} {
		if got := memory.Classify(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	list := memory.Episodes(parse(t, "write r1 k 0→1 r17\nwrite r1 k 1→2 x refused\nread r1 k 1 r17"))
	if len(list) != 1 || list[0].Class != memory.Metadata || list[0].Position.Line != 1 {
		t.Errorf("%+v", list)
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(`{"a": ["b", {"c": "because it was"}]}`)
	f.Add("use make to build")
	f.Fuzz(func(t *testing.T, text string) {
		class := memory.Classify(text)
		if (class == memory.Empty) != (strings.TrimSpace(text) == "") || memory.Classify(" "+text+"\n") != class {
			t.Errorf("%q: %s", text, class)
		}
	})
}

func TestRecallRoundTripsAndPrintsSafely(t *testing.T) {
	r := memory.Compare([]memory.Arm{{Label: "x\x1b", Setup: memory.Setup{Model: "m\u202e"}, Experiences: experiences("+?")}, {Label: "y", Setup: memory.Setup{Model: "n"}, Experiences: experiences("r")}})
	data, err := json.Marshal(r)
	var back memory.Recall
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if diff := cmp.Diff(r, back); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	var text strings.Builder
	r.WriteText(&text)
	memory.WriteEpisodes(&text, []memory.Episode{{Class: memory.Learnt}, {Class: memory.Metadata}})
	for _, want := range []string{"recall 1/1 100% [21%–100%]", "!!! model differs", "not checked: token budget", "not measured: b: ", " 50%  learnt"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if strings.ContainsAny(text.String(), "\x1b\u202e") {
		t.Errorf("%q", text.String())
	}
}
