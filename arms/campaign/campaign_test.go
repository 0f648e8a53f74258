package campaign_test

import (
	"math"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/allocation"
	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/arms/campaign"
	"github.com/agent-eval/feedback/sufficiency"
	"github.com/agent-eval/feedback/transcript"
)

// run is a run on a repository that took some seconds, cost some dollars, and whose first prompt had some tokens.
func run(repo string, seconds, dollars float64, first int) arms.Run {
	r := arms.Run{Name: repo + "/run1/x", Task: repo, Tool: "codegraph"}
	r.OK, r.DurationS, r.CostUSD, r.Occupancy.BaseContext = true, &seconds, &dollars, &first
	return r
}

// On a the medians are 8 and 10 s: 0.8; on b they are 11 and 10: 1.1. √0.88 is 0.938: 6.2 % less. The costs are 0.30 of 0.20, 1.5, on a and the
// same on b: √1.5 is 1.225.
func TestAveragesGiveEachRepositoryTheSameWeight(t *testing.T) {
	with := arms.Arm{Label: "with", Runs: []arms.Run{run("a", 7, 0.3, 12_100), run("a", 9, 0.3, 12_000), run("b", 11, 0.2, 11_000)}}
	without := arms.Arm{Label: "without", Runs: []arms.Run{run("b", 10, 0.2, 9_500), run("a", 10, 0.2, 10_000)}}
	r := campaign.Analyze(with, without, campaign.Options{})
	if len(r.Repos) != 2 || r.Repos[0].Runs != [2]int{2, 1} || *r.Repos[0].FixedOverhead != 2_050 || *r.Repos[1].FixedOverhead != 1_500 {
		t.Fatalf("%+v", r.Repos)
	}
	for name, want := range map[string]float64{"time": 0.0619, "cost": -0.2247} {
		for _, a := range r.Averages {
			if a.Measure == name && (a.Repos != 2 || math.Abs(*a.Mean-want) > 5e-5) {
				t.Errorf("%s: %+v, want %v", name, *a.Mean, want)
			}
		}
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"time               6% LOWER  (20% LOWER to 10% HIGHER, 2 repositories)",
		"cost               22% HIGHER  (the same to 50% HIGHER, 2 repositories)",
		"8 → 10  20% less", "11 → 10  10% MORE", "0.300 → 0.200  50% MORE", "final context      not measured", "2,050 tok",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// Each bucket has one of five calls; 900 of 1,200 characters of the runs that answered were used.
func TestJudgedCallsArePooledPerRepository(t *testing.T) {
	a, b, silent := run("a", 1, 1, 1), run("a", 1, 1, 1), run("a", 1, 1, 1)
	a.Sufficiency = sufficiency.Block{Answered: 3, Counts: sufficiency.Counts{Sufficient: 1, ExploreAgain: 1, ReadReturned: 1}}
	b.Sufficiency = sufficiency.Block{Answered: 2, Counts: sufficiency.Counts{Search: 1, ReadMissed: 1}}
	a.Allocation = allocation.Block{Envelope: 1_000, Used: new(800)}
	b.Allocation = allocation.Block{Envelope: 200, Used: new(100)}
	silent.Allocation = allocation.Block{Envelope: 5_000}
	r := campaign.Analyze(arms.Arm{Runs: []arms.Run{a, b, silent}}, arms.Arm{}, campaign.Options{})
	got := r.Repos[0]
	if got.Answered != 5 || got.Counts != (sufficiency.Counts{Sufficient: 1, ExploreAgain: 1, ReadReturned: 1, ReadMissed: 1, Search: 1}) || *got.Efficiency != 0.75 {
		t.Errorf("%+v", got)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "in no average") {
		t.Errorf("%q", r.Warnings)
	}
}

// The first repository has no time without the tool, the second saves half of it.
func TestARepositoryWithoutAFigureIsInNoAverage(t *testing.T) {
	silent := run("a", 10, 1, 1)
	silent.DurationS = nil
	r := campaign.Analyze(arms.Arm{Runs: []arms.Run{run("a", 10, 1, 1), run("b", 5, 1, 1)}}, arms.Arm{Runs: []arms.Run{silent, run("b", 10, 1, 1)}}, campaign.Options{})
	if a := r.Averages[0]; a.Repos != 1 || *a.Mean != 0.5 || *a.Min != 0.5 || *a.Max != 0.5 {
		t.Errorf("%+v", a)
	}
}

// Twice the time on one repository and half on another is the same time, whichever arm is which.
func TestAveragesMirror(t *testing.T) {
	a := arms.Arm{Label: "a", Runs: []arms.Run{run("x", 200, 1, 1), run("y", 100, 2, 1)}}
	b := arms.Arm{Label: "b", Runs: []arms.Run{run("x", 100, 1, 1), run("y", 200, 1, 1)}}
	there, back := campaign.Analyze(a, b, campaign.Options{}).Averages, campaign.Analyze(b, a, campaign.Options{}).Averages
	if math.Abs(*there[0].Mean) > 1e-12 || math.Abs((1-*there[3].Mean)*(1-*back[3].Mean)-1) > 1e-12 {
		t.Errorf("time %v; cost %v there and %v back", *there[0].Mean, *there[3].Mean, *back[3].Mean)
	}
}

func TestRacedAndContaminatedRunsAreLeftOutAndListed(t *testing.T) {
	raced, reached, offered := run("a", 1, 1, 1), run("a", 1, 1, 1), run("a", 1, 1, 1)
	raced.Raced, reached.Contamination.Returned, offered.RetrievalTools = true, 1, []string{"mcp__codegraph__codegraph_explore"}
	with := arms.Arm{Label: "with", Runs: []arms.Run{raced, reached, run("a", 1, 1, 1)}}
	without := arms.Arm{Label: "without", Runs: []arms.Run{reached, offered, raced}}
	if r := campaign.Analyze(with, without, campaign.Options{}); len(r.LeftOut) != 3 || r.Repos[0].Runs != [2]int{2, 1} ||
		!strings.Contains(r.LeftOut[1].Reason, "returned output") || r.LeftOut[2].Reason != "contaminated: its init offers the tool" {
		t.Errorf("%+v, %v", r.LeftOut, r.Repos[0].Runs)
	}
	called := run("a", 1, 1, 1)
	called.Calls = []arms.Call{{Family: transcript.Retrieval}}
	if r := campaign.Analyze(arms.Arm{}, arms.Arm{Runs: []arms.Run{called}}, campaign.Options{}); len(r.LeftOut) != 1 || r.LeftOut[0].Reason != "contaminated: it called the tool" {
		t.Errorf("%+v", r.LeftOut)
	}
	r := campaign.Analyze(with, without, campaign.Options{IncludeRaced: true, IncludeContaminated: true})
	if len(r.LeftOut) != 0 || r.Repos[0].Runs != [2]int{3, 3} || len(r.Table.Warnings) < 2 {
		t.Errorf("%+v, %v, %q", r.LeftOut, r.Repos[0].Runs, r.Table.Warnings)
	}
}

func TestAnEmptyCampaignSaysSo(t *testing.T) {
	r := campaign.Analyze(arms.Arm{}, arms.Arm{}, campaign.Options{})
	var b strings.Builder
	if err := r.WriteText(&b); err != nil || !strings.Contains(b.String(), "not measured") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
