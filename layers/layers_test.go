package layers_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

var (
	late    = layers.Defect{Layer: layers.Budget, Name: "over_budget_through"}
	missing = layers.Defect{Layer: layers.Budget, Name: "usage_missing", BreaksCausality: true}
)

// runs returns n runs of an arm with an outcome and defects.
func runs(n int, arm string, o layers.Outcome, defects ...layers.Defect) (made []layers.Run) {
	for i := range n {
		made = append(made, layers.Run{ID: fmt.Sprintf("%s-%s-%d-%d", arm, o, len(defects), i), Arm: arm, Outcome: o, Defects: defects})
	}
	return made
}

func concat(parts ...[]layers.Run) (all []layers.Run) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || !(math.Abs(*got-want) <= 0.005) { // NaN is near nothing
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// Eight of ten measured runs succeed, three of them with a defect. Of the six clean ones five succeed: 83 %, by Wilson from 44 % to
// 97 %. With the defect 3 of 4 succeed, without it 5 of 6. The two runs without an outcome are in no rate.
func TestTheSuccessRateSplitsInTwo(t *testing.T) {
	table := layers.CrossTab(concat(runs(5, "", layers.Success), runs(3, "", layers.Success, late, late), runs(1, "", layers.Failure, late),
		runs(1, "", layers.Failure), runs(1, "", layers.Unmeasured, missing), runs(1, "", "")))
	if want := (layers.Counts{CleanSuccess: 5, TaintedSuccess: 3, TaintedFailure: 1, CleanFailure: 1, Unmeasured: 2}); table.Counts != want {
		t.Errorf("%+v, want %+v", table.Counts, want)
	}
	near(t, "success", table.Success.Value, 0.8)
	near(t, "clean", table.Clean.Value, 0.5)
	near(t, "tainted", table.Tainted.Value, 0.3)
	near(t, "capability", table.Capability.Value, 0.833)
	near(t, "its lower bound", table.Capability.Lo, 0.436)
	near(t, "its upper bound", table.Capability.Hi, 0.970)
	d := table.Defects[0]
	if d.Name != late.Name || d.Runs != 4 || d.Count != 7 || d.With != (layers.NewRate(3, 4)) && *d.With.Value != 0.75 || d.Without.Count != 5 || d.Without.Of != 6 {
		t.Errorf("%+v", d)
	}
	if m := table.Defects[1]; m.Runs != 1 || m.With.Value != nil || !m.BreaksCausality || table.Indistinct != 0 {
		t.Errorf("an unmeasured run has no part in a rate: %+v", m)
	}
	if len(table.Reasons) != 1 || table.Reasons[0] != (layers.Reason{Text: "no reason given", Runs: 2}) {
		t.Errorf("%+v", table.Reasons)
	}
}

// 10 of 10 is n/(n+z²) = 10/13.84 to 1, and 0 of 10 is 0 to z²/(n+z²) = 3.84/13.84.
func TestWilson(t *testing.T) {
	near(t, "10 of 10", layers.NewRate(10, 10).Lo, 0.72)
	near(t, "10 of 10", layers.NewRate(10, 10).Hi, 1)
	near(t, "0 of 10", layers.NewRate(0, 10).Lo, 0)
	near(t, "0 of 10", layers.NewRate(0, 10).Hi, 0.28)
	if r := layers.NewRate(0, 0); r.Value != nil || r.Lo != nil {
		t.Errorf("0 of 0: %+v", r)
	}
}

// New succeeds in 6 of 8 runs, baseline in 4 of 8. Without a defect both succeed in 4: the 25 points are all in runs that had one,
// whichever arm comes first.
func TestAGainThatIsAllTaintedIsSeen(t *testing.T) {
	tainted := concat(runs(4, "new", layers.Success), runs(2, "new", layers.Success, late), runs(2, "new", layers.Failure))
	baseline := concat(runs(4, "baseline", layers.Success), runs(4, "baseline", layers.Failure))
	const all = " All that new is better by is in runs in which a control failed."
	for _, c := range []struct {
		runs []layers.Run
		want layers.Gain
		text string
	}{
		{concat(tainted, baseline), layers.Gain{First: "new", Second: "baseline", Success: 0.25, Tainted: 0.25},
			"new against baseline: success +25 points, of which 0 without a defect and +25 with one." + all},
		{concat(baseline, tainted), layers.Gain{First: "baseline", Second: "new", Success: -0.25, Tainted: -0.25},
			"baseline against new: success -25 points, of which 0 without a defect and -25 with one." + all},
	} {
		table := layers.CrossTab(c.runs)
		if diff := cmp.Diff([]layers.Gain{c.want}, table.Gains); diff != "" || !table.Gains[0].AllTainted() {
			t.Error(diff)
		}
		if text := text(t, &table); !strings.Contains(text, c.text+"\n") {
			t.Errorf("no %q in\n%s", c.text, text)
		}
	}
}

// Of three arms the first is set against both others. Without a defect it succeeds in 3 of 4, the second in 1 of 4; the third has no
// measured run.
func TestTheFirstArmAgainstEachOther(t *testing.T) {
	table := layers.CrossTab(concat(runs(3, "new", layers.Success), runs(1, "new", layers.Failure), runs(1, "b", layers.Success), runs(3, "b", layers.Failure),
		runs(2, "c", layers.Unmeasured), runs(4, "d", layers.Success)))
	want := []layers.Gain{{First: "new", Second: "b", Success: 0.5, Clean: 0.5}, {First: "new", Second: "d", Success: -0.25, Clean: -0.25}}
	if diff := cmp.Diff(want, table.Gains); diff != "" {
		t.Error(diff)
	}
	for _, g := range table.Gains {
		if g.AllTainted() {
			t.Errorf("%v", g)
		}
	}
}

// What could not be checked is said once a run, however often the run lists it.
func TestWhatWasNotCheckedIsSaid(t *testing.T) {
	all := runs(3, "", layers.Success)
	for i := range 2 {
		all[i].Unchecked = []string{"grounding: no answer", "grounding: no answer"}
	}
	table := layers.CrossTab(all)
	if want := (layers.Reason{Text: "grounding: no answer", Runs: 2}); len(table.Unchecked) != 1 || table.Unchecked[0] != want || table.Counts.CleanSuccess != 3 {
		t.Errorf("%+v", table.Group)
	}
	if text := text(t, &table); !strings.Contains(text, "not checked in 2 runs, which may have such a defect all the same: grounding: no answer") {
		t.Error(text)
	}
}

func text(t *testing.T, table *layers.Table) string {
	t.Helper()
	var b strings.Builder
	if err := table.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestBrokenCausalityIsSaid(t *testing.T) {
	table := layers.CrossTab(concat(runs(2, "", layers.Success, missing), runs(1, "", layers.Failure, missing, late), runs(1, "", layers.Success)))
	var b strings.Builder
	table.WriteText(&b)
	if table.Indistinct != 3 || !strings.Contains(b.String(), "in 3 runs nobody can tell capability from a control that failed") || !strings.Contains(b.String(), "budget: usage_missing *") {
		t.Errorf("%d\n%s", table.Indistinct, b.String())
	}
}

// A defect of one layer is not that of another with the same name.
func TestDefectsAreCountedByLayerAndName(t *testing.T) {
	other := late
	other.Layer = layers.Harness
	if d := layers.CrossTab(concat(runs(1, "", layers.Success, late, other))).Defects; len(d) != 2 {
		t.Errorf("%+v", d)
	}
}

func TestLaws(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		var all []layers.Run
		for i := range r.IntN(30) {
			run := layers.Run{ID: fmt.Sprint(i), Reason: fmt.Sprint(r.IntN(3)), Unchecked: [][]string{nil, {"x"}, {"y", "x"}}[r.IntN(3)], Arm: []string{"a", "b"}[r.IntN(2)], Outcome: []layers.Outcome{layers.Success, layers.Failure, layers.Unmeasured}[r.IntN(3)], Defects: []layers.Defect{}}
			for range r.IntN(3) {
				run.Defects = append(run.Defects, []layers.Defect{late, missing}[r.IntN(2)])
			}
			all = append(all, run)
		}
		table := layers.CrossTab(all)
		c := table.Counts
		if c.Measured()+c.Unmeasured != len(all) || table.Clean.Count+table.Tainted.Count != table.Success.Count || table.Indistinct > c.TaintedSuccess+c.TaintedFailure {
			t.Fatalf("%+v", table)
		}
		for _, d := range table.Defects {
			if d.With.Of+d.Without.Of != c.Measured() || d.With.Count+d.Without.Count != table.Success.Count || d.Count < d.Runs {
				t.Fatalf("%+v", d)
			}
		}
		shuffled := append([]layers.Run{}, all...)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if got := layers.CrossTab(shuffled); !cmp.Equal(got.Group, table.Group) {
			t.Fatal(cmp.Diff(table.Group, got.Group))
		}
		data, err := json.Marshal(table)
		var back layers.Table
		if err == nil {
			err = json.Unmarshal(data, &back)
		}
		if err != nil || !cmp.Equal(table, back) {
			t.Fatalf("%v\n%s", err, cmp.Diff(table, back))
		}
	}
}

func TestReadOutcomes(t *testing.T) {
	text := `{"id": "a", "outcome": "success", "score": 0.9}
{"id": "b", "outcome": "unmeasured", "reason": "the judge was down"}

{"id": "c", "outcome": "passed"}
{"outcome": "success"}
{"id": "a", "outcome": "failure"}
{"id": "d", "outcome": "failure", "scroe": 1}
not json
{"id": "e", "outcome": "failure"}`
	got, err := layers.ReadOutcomes(strings.NewReader(text), "o.jsonl")
	want := layers.Outcomes{
		"a": {ID: "a", Outcome: layers.Success, Score: new(0.9)}, "b": {ID: "b", Outcome: layers.Unmeasured, Reason: "the judge was down"}, "e": {ID: "e", Outcome: layers.Failure},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var p transcript.Problem
	if !errors.As(err, &p) {
		t.Errorf("%v", err)
	}
	for _, want := range []string{`o.jsonl:4: outcome "passed": want success, failure or unmeasured`, "o.jsonl:5: an outcome without an id", "o.jsonl:6: a has an outcome already, on line 1", "o.jsonl:7: ", "scroe", "o.jsonl:8: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if r := got.Grade("b", "new", nil); r.Outcome != layers.Unmeasured || r.Reason != "the judge was down" || r.Arm != "new" || !r.Clean() {
		t.Errorf("%+v", r)
	}
	if r := got.Grade("z", "", []layers.Defect{late}); r.Outcome.Measured() || r.Reason != "no outcome was given" || r.Clean() {
		t.Errorf("%+v", r)
	}
}

func FuzzReadOutcomes(f *testing.F) {
	f.Add([]byte(`{"id": "a", "outcome": "success"}` + "\nx\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		before, _ := layers.ReadOutcomes(strings.NewReader(string(data)), "f")
		after, _ := layers.ReadOutcomes(strings.NewReader(string(data)+"\n"+`{"id": "\u0001good", "outcome": "failure"}`), "f")
		if _, taken := before["\u0001good"]; !taken && after["\u0001good"].Outcome != layers.Failure {
			t.Errorf("a good line after %q was lost", data)
		}
	})
}
