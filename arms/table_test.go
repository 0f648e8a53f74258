package arms_test

import (
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/sufficiency"
	"github.com/agent-eval/feedback/transcript"
)

// many returns an arm of runs with the given durations.
func many(label string, durations ...float64) arms.Arm {
	a := arms.Arm{Label: label}
	for i, d := range durations {
		r := figures{duration: d, context: 50_000, envelope: 1}.run()
		r.Name = label + "-" + strconv.Itoa(i+1)
		a.Runs = append(a.Runs, r)
	}
	return a
}

// All four of new are above all four of baseline: p is 2/70. The medians are 182 and 100, and 182/100 is 82 % higher;
// 100/182 is 45 % lower.
func TestTheDirectionIsWordedFromTheSign(t *testing.T) {
	high, low := many("new", 181, 190, 183, 180), many("baseline", 99, 101, 90, 110)
	for want, as := range map[string][]arms.Arm{"82% HIGHER p=0.029 n=4+4": {high, low}, "45% LOWER p=0.029 n=4+4": {low, high}} {
		if got := rowOf(t, arms.Compare(as, arms.Options{}), arms.SectionBehavior, "duration (s)").Compare; got.Text != want || len(got.Warnings) > 0 {
			t.Errorf("%q, want %q; %v", got.Text, want, got.Warnings)
		}
	}
}

func TestTooFewRunsSayHowManyItTakes(t *testing.T) {
	table := arms.Compare([]arms.Arm{many("new", 1, 2, 3), many("baseline", 7, 8, 9)}, arms.Options{})
	if got := rowOf(t, table, arms.SectionBehavior, "duration (s)").Compare; got.Significant || got.Text != "~ p=0.100 n=3+3" {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{
		"[min–max] holds the true median 75% of the time with 3 runs.",
		"With 3 against 3 runs no two-sided rank test goes below p = 0.10, so every row of runs has ~: it would take 4 runs an arm.",
		"¹ need >= 4 samples to detect a difference at alpha level 0.05",
	} {
		if !strings.Contains(text(t, table), want) {
			t.Errorf("no %q in\n%s", want, text(t, table))
		}
	}
}

// The order-statistic interval of a median needs 6 values at 95 %: 1 − 2·(½)⁶ is 0.969, 1 − 2·(½)⁵ only 0.9375.
func TestTheIntervalOfAMedianNeedsSixRuns(t *testing.T) {
	for n, want := range map[int]bool{1: false, 5: false, 6: true} {
		d := []float64{1, 2, 3, 4, 5, 6}[:n]
		c := rowOf(t, arms.Compare([]arms.Arm{many("new", d...)}, arms.Options{}), arms.SectionBehavior, "duration (s)").Cells[0]
		if (c.Interval != nil) != want {
			t.Errorf("%d runs: %+v", n, c.Interval)
		}
		if want && (c.Interval.Lo != 1 || c.Interval.Hi != 6 || math.Abs(c.Interval.Confidence-0.96875) > 1e-9) {
			t.Errorf("%+v", c.Interval)
		}
	}
}

// Question by question new takes 10 s less of 100, 200, … 600: no overlap would show unpaired, but all six differences are below 0, p is
// 2/64. The ratios are 0.9, 0.95, … 590/600; the two in the middle 290/300 and 390/400: 2.9 % lower.
func TestPairedRunsAreComparedWithinPairs(t *testing.T) {
	var a, b []float64
	for i := range 6 {
		b = append(b, float64(100*(i+1)))
		a = append(a, b[i]-10)
	}
	fresh, base := many("new", a...), many("baseline", b...)
	unpaired := rowOf(t, arms.Compare([]arms.Arm{fresh, base}, arms.Options{}), arms.SectionBehavior, "duration (s)").Compare
	if unpaired.Test != arms.MannWhitney || unpaired.Significant {
		t.Errorf("%+v", unpaired)
	}
	for i := range fresh.Runs {
		fresh.Runs[i].Task, base.Runs[5-i].Task = "q"+strconv.Itoa(i), "q"+strconv.Itoa(5-i)
		fresh.Runs[i].Setup.Prompts, base.Runs[i].Setup.Prompts = []string{"q" + strconv.Itoa(i)}, []string{"q" + strconv.Itoa(i)}
	}
	slices.Reverse(base.Runs)
	table := arms.Compare([]arms.Arm{fresh, base}, arms.Options{})
	c := rowOf(t, table, arms.SectionBehavior, "duration (s)").Compare
	if c.Test != arms.SignedRank || c.Difference != -10 || c.Text != "2.9% LOWER p=0.031 n=6 pairs" {
		t.Errorf("%+v", c)
	}
	if len(table.Differences) > 0 {
		t.Errorf("the questions of different pairs are no difference: %+v", table.Differences)
	}
	if got := text(t, table); strings.Contains(got, "so few pairs") {
		t.Error(got)
	}
	if got := text(t, arms.Compare([]arms.Arm{{Label: "new", Runs: fresh.Runs[:5]}, base}, arms.Options{})); !strings.Contains(got, "no two-sided signed-rank test goes below p = 0.06") ||
		!strings.Contains(got, "it would take 6 pairs") {
		t.Error(got)
	}
	fresh.Runs[0].Task = "nobody else's"
	if w := arms.Compare([]arms.Arm{fresh, base}, arms.Options{}).Warnings; len(w) != 1 || !strings.Contains(w[0], "baseline-1, new-1") {
		t.Errorf("%q", w)
	}
}

func TestOneDifferenceOnly(t *testing.T) {
	setUp := func(as []arms.Arm) []arms.Arm {
		for i := range as {
			for j := range as[i].Runs {
				r := &as[i].Runs[j]
				r.Model, r.ClientVersion = "sonnet", "2.1.332"
				r.Setup = transcript.Setup{CWD: "/tmp/" + r.Name + "/repo", PermissionMode: "bypassPermissions", Effort: "high", Turns: 1,
					Tools: []string{"Read", "Bash"}, MCPServers: []transcript.MCPServer{}, Prompts: []string{"why?"}}
				if as[i].Label == "new" { // the treatment
					r.RetrievalTools = []string{"mcp__codegraph__codegraph_explore"}
					r.Setup.Tools = append(r.Setup.Tools, r.RetrievalTools...)
					r.Setup.MCPServers = []transcript.MCPServer{{Name: "codegraph", Retrieval: true}}
				}
			}
		}
		return as
	}
	two := func() []arms.Arm { return setUp([]arms.Arm{many("new", 1, 2), many("baseline", 3, 4)}) }
	if table := arms.Compare(two(), arms.Options{}); len(table.Differences) > 0 || len(table.Unchecked) > 0 {
		t.Errorf("%+v, unchecked %v", table.Differences, table.Unchecked)
	}
	for fact, change := range map[arms.Fact]func(*arms.Run){
		arms.FactModel:         func(r *arms.Run) { r.Model = "opus" },
		arms.FactClientVersion: func(r *arms.Run) { r.ClientVersion = "2.0.76" },
		arms.FactTools:         func(r *arms.Run) { r.Setup.Tools = append(r.Setup.Tools, "Grep") },
		arms.FactServers: func(r *arms.Run) {
			r.Setup.MCPServers = append(r.Setup.MCPServers, transcript.MCPServer{Name: "other"})
		},
		arms.FactPermissionMode: func(r *arms.Run) { r.Setup.PermissionMode = "plan" },
		arms.FactEffort:         func(r *arms.Run) { r.Setup.Effort = "low" },
		arms.FactPrompt:         func(r *arms.Run) { r.Setup.Prompts = []string{"how?"} },
		arms.FactTurns:          func(r *arms.Run) { r.Setup.Turns = 2 },
		arms.FactDirectory:      func(r *arms.Run) { r.Setup.CWD = `C:\x\other` },
		arms.FactTool:           func(r *arms.Run) { r.Tool = "sourcegraph" },
		arms.FactRetrieval:      func(r *arms.Run) { r.Setup.MCPServers, r.RetrievalTools = []transcript.MCPServer{}, nil },
	} {
		as := two()
		change(&as[0].Runs[1])
		got := arms.Compare(as, arms.Options{}).Differences
		if len(got) == 0 || !slices.ContainsFunc(got, func(d arms.Difference) bool {
			return d.Fact == fact && len(d.Values) == 2 && slices.ContainsFunc(d.Values, func(v arms.Value) bool { return slices.Equal(v.Runs, []string{"new-2"}) })
		}) {
			t.Errorf("%s: %+v", fact, got)
		}
	}
	as := two()
	as[0].Runs[0].Model, as[0].Runs[1].Model = "opus", "opus"
	if got := arms.Compare(as, arms.Options{Treatment: []arms.Fact{arms.FactModel}}).Differences; len(got) > 0 {
		t.Errorf("the treatment is no difference: %+v", got)
	}
	as[0].Runs[1].Model, as[0].Runs[1].Setup.Effort = "", ""
	got := arms.Compare(as[:1], arms.Options{})
	if len(got.Differences) > 0 || !slices.Contains(got.Warnings, "not in the logs of new-2, so nobody knows whether they differ there: model, effort") {
		t.Errorf("what a log does not say is no difference: %+v, %q", got.Differences, got.Warnings)
	}
}

func TestContaminatedArmsAreNamed(t *testing.T) {
	as := []arms.Arm{many("new", 1, 2), many("without", 3, 4)}
	as[0].Runs[1].Contamination = contamination.Block{Attempts: 1, Returned: 1}
	as[1].Runs[0].RetrievalTools = []string{"mcp__codegraph__codegraph_explore"}
	if got := text(t, arms.Compare(as, arms.Options{Without: []string{"new"}})); strings.Contains(got, "without is CONTAMINATED") {
		t.Error(got)
	}
	got := text(t, arms.Compare(as, arms.Options{}))
	for _, want := range []string{
		"!!! new is CONTAMINATED: the codegraph CLI was run through the shell and returned output in new-2.",
		"!!! without is CONTAMINATED: it must not have codegraph, and the init of without-1 offers it.",
		"    CLI calls that RETURNED output                           1                       0",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := text(t, arms.Compare([]arms.Arm{many("new", 1, 2), many("without", 3, 4)}, arms.Options{Without: []string{"without"}})); strings.Contains(got, "!!!") {
		t.Errorf("a clean comparison warns:\n%s", got)
	}
}

func TestRowsThatHaveNothingToSayAreNotThere(t *testing.T) {
	as := []arms.Arm{many("new", 1, 2)}
	quiet := []string{"non-success", "cold-start", "cut off", "errored/unanswered", "unmeasured", "uncalibrated", "without an answer"}
	for _, name := range quiet {
		if got := text(t, arms.Compare(as, arms.Options{})); strings.Contains(got, name) {
			t.Errorf("%q in\n%s", name, got)
		}
	}
	bad := arms.Run{Tool: "codegraph"}
	bad.Raced, bad.Sufficiency.CutOff, bad.Sufficiency.Errors, bad.Occupancy.UnmeasuredRequests = true, 1, 2, 3
	as[0].Runs = append(as[0].Runs, bad)
	for _, name := range quiet {
		if got := text(t, arms.Compare(as, arms.Options{})); !strings.Contains(got, name) {
			t.Errorf("no %q in\n%s", name, got)
		}
	}
}

func TestAnArmWithoutRunsHasNoFigures(t *testing.T) {
	table := arms.Compare([]arms.Arm{many("new", 1, 2), {Label: "baseline"}}, arms.Options{})
	for _, row := range table.Rows {
		if c := row.Cells[1]; row.Name != "runs" && (c.Text != "—" || c.Median != nil) || row.Compare != nil {
			t.Errorf("%s: %+v", row.Name, c)
		}
	}
	if !slices.Contains(table.Warnings, "baseline has no runs") {
		t.Errorf("%q", table.Warnings)
	}
	if got := text(t, arms.Compare(nil, arms.Options{})); !strings.Contains(got, "ARM COMPARISON") {
		t.Errorf("%q", got)
	}
}

// A pooled share stands on the runs that returned something and answered: two of three here, 30 of 40 characters.
func TestPooledSharesCountTheirRuns(t *testing.T) {
	a := arm("new", figures{used: 10, envelope: 20}, figures{used: 20, envelope: 20})
	silent := figures{envelope: 1_000}.run()
	silent.Allocation.Used = nil
	a.Runs = append(a.Runs, silent)
	if c := rowOf(t, arms.Compare([]arms.Arm{a}, arms.Options{}), arms.SectionAllocation, "pooled efficiency").Cells[0]; c.N != 2 || *c.Median != 0.75 {
		t.Errorf("%+v", c)
	}
}

func TestFewSecondsHaveADecimal(t *testing.T) {
	table := arms.Compare([]arms.Arm{many("new", 0.31, 9.96), many("b", 2, 3)}, arms.Options{})
	if c := rowOf(t, table, arms.SectionBehavior, "duration (s)").Cells; c[0].Text != "5.1 [0.3–10]" || c[1].Text != "2.5 [2–3]" {
		t.Errorf("%q, %q", c[0].Text, c[1].Text)
	}
}

func TestEveryArmIsWarnedOf(t *testing.T) {
	got := arms.Compare([]arms.Arm{{Label: "a"}, {Label: "b"}, many("c", 1)}, arms.Options{}).Warnings
	if !slices.Equal(got, []string{"a has no runs", "b has no runs", "c has one run: it shows no range"}) {
		t.Errorf("%q", got)
	}
}

// Perfectly apart, three calls against three are still 1 in 10 by chance.
func TestFewCallsAreNoDifference(t *testing.T) {
	yes, no := figures{counts: sufficiency.Counts{Sufficient: 3}, envelope: 1}, figures{counts: sufficiency.Counts{Search: 3}, envelope: 1}
	c := rowOf(t, arms.Compare([]arms.Arm{arm("new", yes), arm("b", no)}, arms.Options{}), arms.SectionSufficiency, "moved on / answered").Compare
	if c.Significant || c.Test != arms.Fisher || c.Text != "~ p=0.100 [+21 to +100 points]" {
		t.Errorf("%+v", c)
	}
	yes.counts.Sufficient, no.counts.Search = 8, 8
	if c := rowOf(t, arms.Compare([]arms.Arm{arm("new", yes), arm("b", no)}, arms.Options{}), arms.SectionSufficiency, "moved on / answered").Compare; c.Text != "100 points HIGHER p<0.001 [+54 to +100 points]" {
		t.Errorf("%+v", c)
	}
}

// Question by question new is enough in 1 of 1 call and baseline in 0 of 1: six pairs, 2/64. The calls of what has no partner are in no comparison.
func TestRatesOfPairedRunsAreComparedWithinPairs(t *testing.T) {
	fresh, base := arms.Arm{Label: "new"}, arms.Arm{Label: "baseline"}
	for i := range 6 {
		a, b := figures{counts: sufficiency.Counts{Sufficient: 1}, envelope: 1}.run(), figures{counts: sufficiency.Counts{Search: 1}, envelope: 1}.run()
		a.Task, b.Task = strconv.Itoa(i), strconv.Itoa(i)
		fresh.Runs, base.Runs = append(fresh.Runs, a), append(base.Runs, b)
	}
	c := rowOf(t, arms.Compare([]arms.Arm{fresh, base}, arms.Options{}), arms.SectionSufficiency, "moved on / answered").Compare
	if c.Test != arms.SignedRank || c.Text != "100 points HIGHER p=0.031 n=6 pairs" {
		t.Errorf("%+v", c)
	}
}

func TestACellSaysWhenNotAllRunsHaveTheFigure(t *testing.T) {
	a := many("new", 11, 12, 13, 14, 15)
	a.Runs[0].DurationS, a.Runs[1].DurationS, a.Runs[2].DurationS = nil, nil, nil
	table := arms.Compare([]arms.Arm{a, many("b", 1, 2, 3, 4)}, arms.Options{})
	if c := rowOf(t, table, arms.SectionBehavior, "duration (s)").Cells[0]; c.Text != "15 [14–15] (2 of 5)" {
		t.Errorf("%q", c.Text)
	}
	got := text(t, table)
	for _, want := range []string{"50% of the time with 2 runs", "94% of the time with 5 runs", "A row with as few as 2 against 4 measured runs cannot go below p = 0.13."} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestOptionsOutOfRangeAreTheDefault(t *testing.T) {
	as := []arms.Arm{many("new", 1, 2), many("b", 1, 2)}
	for _, o := range []arms.Options{{Alpha: -1, Confidence: 1}, {Alpha: 1, Confidence: -3}, {Alpha: math.NaN(), Confidence: math.NaN()}} {
		if got := arms.Compare(as, o); got.Alpha != 0.05 || got.Confidence != 0.95 {
			t.Errorf("%v, %v", got.Alpha, got.Confidence)
		}
	}
}

func TestMediansOfAnEvenNumberOfCallsAreHalf(t *testing.T) {
	a := many("new", 1, 2)
	a.Runs[0].Calls = []arms.Call{{}}
	if c := rowOf(t, arms.Compare([]arms.Arm{a}, arms.Options{}), arms.SectionBehavior, "tool calls").Cells[0]; c.Text != "0.5 [0–1]" {
		t.Errorf("%q", c.Text)
	}
}

func TestCSVHasFullPrecision(t *testing.T) {
	var b strings.Builder
	table := arms.Compare([]arms.Arm{many(`a,"b`, 1.0/3, 2), many("baseline", 3, 4)}, arms.Options{})
	if err := table.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(records) != 1+2*len(table.Rows) {
		t.Fatalf("%d records, %v", len(records), err)
	}
	i := slices.IndexFunc(records, func(r []string) bool { return r[1] == "duration (s)" })
	if r := records[i]; r[4] != `a,"b` || r[5] != "2" || r[8] != "0.3333333333333333" || r[9] != "2" {
		t.Errorf("%q", records[i])
	}
}

func TestHostileLabelsStayText(t *testing.T) {
	table := arms.Compare([]arms.Arm{many("<script>|\x1b[2J\u202e`", 1), many(strings.Repeat("long", 100), 2)}, arms.Options{Title: "a\nb|c"})
	got := text(t, table)
	var md strings.Builder
	if err := table.WriteMarkdown(&md); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(got+md.String(), "\x1b\u202e") || strings.Contains(got, "a\nb") {
		t.Errorf("%s\n%s", got, md.String())
	}
	if !strings.HasPrefix(md.String(), `## Arm comparison — a b\|c`) {
		t.Errorf("%.80q", md.String())
	}
	for line := range strings.Lines(md.String()) {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|")-strings.Count(line, `\|`) != 5 || strings.Contains(strings.ReplaceAll(line, `\<`, ""), "<") {
			t.Errorf("%q", line)
		}
	}
}
