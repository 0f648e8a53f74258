package budget_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/budget"
	"github.com/agent-eval/feedback/transcript"
)

func gate(t *testing.T, b budget.Budget, opts budget.GateOptions) *budget.Gate {
	t.Helper()
	g, err := budget.NewGate(b, opts)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func chars(n int) budget.Prompt { return budget.Prompt{Text: strings.Repeat("x", n)} }

func used(tokens int) *transcript.Usage { return &transcript.Usage{CacheRead: tokens - 1, Input: 1} }

// Before anything is settled a token is 3 characters: 3,000 are 1,000 tokens.
func TestGateRefusesBeforeTheCall(t *testing.T) {
	g := gate(t, per(budget.PerRun, 2500), budget.GateOptions{})
	a, err := g.Admit(chars(3000))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Admit(chars(4500)); err != nil { // 1,000 under way + 1,500 = 2,500 is within the limit
		t.Fatal(err)
	}
	_, err = g.Admit(chars(1)) // a single character is a token that is not left
	refused, ok := errors.AsType[*budget.Refused](err)
	if !ok || !errors.Is(err, budget.ErrOverBudget) || refused.Amount != 2501 || refused.Limit != 2500 || err.Error() != "tokens per run: over budget: 2,501 of 2,500 tokens" {
		t.Errorf("%v", err)
	}
	if err := g.Settle(a, used(600)); err != nil {
		t.Error(err)
	}
	want := budget.State{Spent: 600, Reserved: 1500, Admitted: 2, Refused: 1, SizePerToken: 5, Calibrated: true} // 3,000 / 600
	if diff := cmp.Diff(want, g.State()); diff != "" {
		t.Error(diff)
	}
}

func TestGateBaseIsKnownAndOnlyTheTextIsEstimated(t *testing.T) {
	g := gate(t, per(budget.PerCall, 10_000), budget.GateOptions{})
	p := chars(3000)
	p.Base = 9000
	a, err := g.Admit(p) // 9,000 + 1,000
	if err != nil {
		t.Fatal(err)
	}
	p.Text += "xxx"
	if _, err := g.Admit(p); !errors.Is(err, budget.ErrOverBudget) {
		t.Errorf("10,001 of 10,000: %v", err)
	}
	if err := g.Settle(a, used(9750)); err != nil { // the text took 750: 4 characters a token
		t.Error(err)
	}
	if s := g.State(); s.SizePerToken != 4 || s.Spent != 0 || s.Reserved != 0 {
		t.Errorf("%+v", s)
	}
	if _, err := g.Admit(p); err != nil { // now 9,000 + 751
		t.Error(err)
	}
}

// As occupancy does: the lower median of the ratios, those beyond a factor of 1.5 of it left out, the rest pooled.
func TestGateCalibratesAsOccupancyDoes(t *testing.T) {
	type settled struct{ chars, tokens int }
	many := make([]settled, 128)
	for i := range many {
		many[i] = settled{2000, 1000 - 500*(i/64)} // 64 at 2, then 64 at 4
	}
	for _, c := range []struct {
		reason     string
		calls      []settled
		want       float64
		calibrated bool
	}{
		{"2, 2.5 and 10: 10 is beyond 3.75, and 4,500 / 2,000", []settled{{2000, 1000}, {2500, 1000}, {10_000, 1000}}, 2.25, true},
		{"1, 3 and 3: 1 is beyond 2", []settled{{1000, 1000}, {3000, 1000}, {3000, 1000}}, 3, true},
		{"of 2 and 4 the lower is the median", []settled{{2000, 1000}, {4000, 1000}}, 2, true},
		{"500 characters say nothing", []settled{{500, 250}}, 3, false},
		{"20 characters are no token", []settled{{2000, 100}}, 3, false},
		{"nor is a fourth of one", []settled{{1000, 4000}}, 3, false},
		{"the latest 64 count", many, 4, true},
	} {
		t.Run(c.reason, func(t *testing.T) {
			g := gate(t, per(budget.PerCall, 1_000_000), budget.GateOptions{})
			for _, call := range c.calls {
				ticket, err := g.Admit(chars(call.chars))
				if err != nil {
					t.Fatal(err)
				}
				if err := g.Settle(ticket, used(call.tokens)); err != nil {
					t.Error(err)
				}
			}
			if s := g.State(); s.SizePerToken != c.want || s.Calibrated != c.calibrated {
				t.Errorf("%+v", s)
			}
		})
	}
}

func TestGateTakesNoCallForNothing(t *testing.T) {
	g := gate(t, per(budget.PerRun, 1), budget.GateOptions{})
	if _, err := g.Admit(budget.Prompt{}); err != nil {
		t.Error(err)
	}
	if _, err := g.Admit(budget.Prompt{}); !errors.Is(err, budget.ErrOverBudget) {
		t.Errorf("%v", err)
	}
}

func TestGateWithATokenizerAndAMargin(t *testing.T) {
	g := gate(t, per(budget.PerCall, 1000), budget.GateOptions{Count: func(s string) int { return len(s) / 2 }, Margin: 0.25})
	if _, err := g.Admit(chars(1600)); err != nil { // 800 + 25 % = 1,000
		t.Error(err)
	}
	if _, err := g.Admit(chars(1602)); !errors.Is(err, budget.ErrOverBudget) {
		t.Errorf("801 + 25 %%: %v", err)
	}
	bad := gate(t, per(budget.PerCall, 1000), budget.GateOptions{Count: func(string) int { return -1 }})
	if _, err := bad.Admit(chars(1)); !errors.Is(err, budget.ErrPrompt) {
		t.Errorf("a count below zero: %v", err)
	}
	if _, err := g.Admit(budget.Prompt{Base: -5000, Text: "x"}); !errors.Is(err, budget.ErrPrompt) {
		t.Errorf("a base below zero: %v", err)
	}
	if _, err := g.Admit(budget.Prompt{Base: math.MaxInt}); !errors.Is(err, budget.ErrOverBudget) {
		t.Errorf("the largest base: %v", err)
	}
}

func TestGateMissingUsageIsNeverZero(t *testing.T) {
	for _, c := range []struct {
		policy budget.Policy
		want   error
	}{{"", budget.ErrNoUsage}, {budget.EstimateMissing, nil}} {
		for _, usage := range []*transcript.Usage{nil, {}, {Output: 7}} {
			g := gate(t, per(budget.PerRun, 1000), budget.GateOptions{Missing: c.policy})
			ticket, _ := g.Admit(chars(2700)) // 900 tokens
			if err := g.Settle(ticket, usage); !errors.Is(err, c.want) {
				t.Errorf("%q: %v", c.policy, err)
			}
			if s := g.State(); s.Spent != 900 || s.Missing != 1 || s.Calibrated {
				t.Errorf("%q: %+v", c.policy, s)
			}
			if _, err := g.Admit(chars(600)); !errors.Is(err, budget.ErrOverBudget) { // 900 + 200
				t.Errorf("%q: let through as zero: %v", c.policy, err)
			}
		}
	}
}

func TestGateSaysWhenItsEstimateWasTooSmall(t *testing.T) {
	g := gate(t, per(budget.PerRun, 1000), budget.GateOptions{})
	ticket, _ := g.Admit(chars(2700))
	if err := g.Settle(ticket, used(1200)); !errors.Is(err, budget.ErrOverBudget) {
		t.Errorf("%v", err)
	}
	if s := g.State(); s.Through != 1 || s.Spent != 1200 {
		t.Errorf("%+v", s)
	}
	if _, err := g.Admit(chars(1)); !errors.Is(err, budget.ErrOverBudget) {
		t.Error("it admits after the limit was passed")
	}
}

func TestGateTurnsAndTickets(t *testing.T) {
	g := gate(t, per(budget.PerTurn, 1000), budget.GateOptions{})
	a, _ := g.Admit(chars(1500))
	b, _ := g.Admit(chars(1500))
	if err := g.Settle(a, used(500)); err != nil {
		t.Error(err)
	}
	if err := g.Settle(a, used(500)); !errors.Is(err, budget.ErrTicket) {
		t.Errorf("settled twice: %v", err)
	}
	if err := g.Settle(0, used(500)); !errors.Is(err, budget.ErrTicket) {
		t.Errorf("the zero ticket: %v", err)
	}
	g.EndTurn()
	if err := g.Settle(b, used(500)); err != nil { // belongs to the turn before
		t.Error(err)
	}
	if s := g.State(); s.Spent != 0 || s.Reserved != 0 {
		t.Errorf("%+v", s)
	}
	c, err := g.Admit(chars(3000))
	if err != nil {
		t.Errorf("a new turn has all of it: %v", err)
	}
	if err := g.Cancel(c); err != nil || g.State().Reserved != 0 {
		t.Errorf("%v %+v", err, g.State())
	}
	run := gate(t, per(budget.PerRun, 1000), budget.GateOptions{})
	d, _ := run.Admit(chars(1500))
	run.EndTurn() // a run goes on
	if err := run.Settle(d, used(500)); err != nil || run.State().Spent != 500 || run.State().Reserved != 0 {
		t.Errorf("%v %+v", err, run.State())
	}
}

// A call that ends after its turn is charged to that turn, and may pass its limit: 600 settled and 500 under way, which come back as 450.
func TestGateChargesACallUnderWayToItsOwnTurn(t *testing.T) {
	g := gate(t, per(budget.PerTurn, 1000), budget.GateOptions{Count: func(s string) int { return len(s) }})
	a, _ := g.Admit(chars(400))
	b, err := g.Admit(chars(500))
	if err != nil {
		t.Fatal(err)
	}
	g.Settle(a, used(600))
	g.EndTurn()
	c, err := g.Admit(chars(900)) // the next turn has all of it
	if err != nil {
		t.Fatal(err)
	}
	err = g.Settle(b, used(450))
	if refused, ok := errors.AsType[*budget.Refused](err); !ok || refused.Amount != 1050 || g.State().Through != 1 {
		t.Errorf("600 + 450 of 1,000: %v %+v", err, g.State())
	}
	if s := g.State(); s.Spent != 0 || s.Reserved < 900 {
		t.Errorf("it is none of the next turn's: %+v", s)
	}
	if err := g.Settle(c, used(900)); err != nil {
		t.Error(err)
	}
}

// What was spent is not known after a usage that is missing: under the policy to fail nothing more is admitted in that turn, or run. A
// budget per call adds nothing up.
func TestGateAdmitsNothingAfterAMissingUsage(t *testing.T) {
	for _, c := range []struct {
		scope  budget.Scope
		policy budget.Policy
		now    error // of the next call
		later  error // of the first in the next turn
	}{
		{budget.PerRun, budget.FailMissing, budget.ErrNoUsage, budget.ErrNoUsage},
		{budget.PerTurn, budget.FailMissing, budget.ErrNoUsage, nil},
		{budget.PerCall, budget.FailMissing, nil, nil},
		{budget.PerRun, budget.EstimateMissing, nil, nil},
		{budget.PerTurn, budget.EstimateMissing, nil, nil},
	} {
		g := gate(t, per(c.scope, 1000), budget.GateOptions{Missing: c.policy})
		ticket, _ := g.Admit(chars(300))
		g.Settle(ticket, nil)
		ticket, err := g.Admit(chars(300))
		if !errors.Is(err, c.now) || (ticket == 0) != (c.now != nil) {
			t.Errorf("%s, %s: %v", c.scope, c.policy, err)
		}
		g.EndTurn()
		if _, err := g.Admit(chars(300)); !errors.Is(err, c.later) {
			t.Errorf("%s, %s, next turn: %v", c.scope, c.policy, err)
		}
		if s := g.State(); s.Admitted+s.Refused != 3 || s.Missing != 1 {
			t.Errorf("%+v", s)
		}
	}
}

// A usage that is missing late is one of its own turn, whose limit the estimate passes: 900 + 200 of 1,000.
func TestGateJudgesAnEstimateThatStandsForAUsage(t *testing.T) {
	for _, policy := range []budget.Policy{budget.FailMissing, budget.EstimateMissing} {
		g := gate(t, per(budget.PerTurn, 1000), budget.GateOptions{Missing: policy, Count: func(s string) int { return len(s) }})
		a, _ := g.Admit(chars(500))
		b, _ := g.Admit(chars(200))
		g.Settle(a, used(900))
		g.EndTurn()
		err := g.Settle(b, nil)
		refused, ok := errors.AsType[*budget.Refused](err)
		if !ok || refused.Amount != 1100 || g.State().Through != 1 || errors.Is(err, budget.ErrNoUsage) != (policy == budget.FailMissing) {
			t.Errorf("%s: %v", policy, err)
		}
		if _, err := g.Admit(chars(300)); err != nil {
			t.Errorf("%s: the next turn knows what it spent: %v", policy, err)
		}
	}
}

// Turns end while calls are under way: each turn is charged with its own, and in the end nothing is reserved.
func TestGateTurnsEndUnderWay(t *testing.T) {
	g := gate(t, per(budget.PerTurn, 1_000_000), budget.GateOptions{Missing: budget.EstimateMissing})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range 200 {
				ticket, err := g.Admit(chars(30))
				if err != nil {
					t.Error(err)
				}
				if worker == 0 && i%10 == 0 {
					g.EndTurn()
				}
				switch i % 3 {
				case 0:
					err = g.Settle(ticket, nil)
				case 1:
					err = g.Settle(ticket, used(10))
				default:
					err = g.Cancel(ticket)
				}
				if s := g.State(); err != nil || s.Reserved < 0 || s.Spent < 0 || s.Spent > 16_000 {
					t.Errorf("%v %+v", err, s)
				}
			}
		})
	}
	wg.Wait()
	if s := g.State(); s.Reserved != 0 || s.Admitted != 1600 || s.Missing != 8*67 {
		t.Errorf("%+v", s)
	}
}

// Characters are known beforehand: a rocket is two UTF-16 code units.
func TestGateInCharacters(t *testing.T) {
	g := gate(t, budget.Budget{Unit: budget.Characters, Limit: 4}, budget.GateOptions{})
	ticket, err := g.Admit(budget.Prompt{Text: "🚀🚀"})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Settle(ticket, nil); err != nil {
		t.Error(err)
	}
	if _, err := g.Admit(budget.Prompt{Text: "🚀🚀x"}); !errors.Is(err, budget.ErrOverBudget) {
		t.Error(err)
	}
}

func TestNewGateRefusesWhatItCannotKeep(t *testing.T) {
	for _, c := range []struct {
		budget budget.Budget
		opts   budget.GateOptions
		want   error
	}{
		{budget.Budget{}, budget.GateOptions{}, budget.ErrBudget},
		{budget.Budget{Limit: 1, Enforcement: budget.AfterCall}, budget.GateOptions{}, budget.ErrBudget},
		{per(budget.PerRun, 1), budget.GateOptions{Missing: "zero"}, budget.ErrOptions},
		{per(budget.PerRun, 1), budget.GateOptions{Margin: -0.1}, budget.ErrOptions},
		{per(budget.PerRun, 1), budget.GateOptions{Margin: math.NaN()}, budget.ErrOptions},
		{budget.Budget{Unit: budget.Characters, Limit: 1}, budget.GateOptions{Count: func(string) int { return 1 }}, budget.ErrOptions},
	} {
		if g, err := budget.NewGate(c.budget, c.opts); g != nil || !errors.Is(err, c.want) {
			t.Errorf("%+v %v: %v", c.budget, c.opts.Missing, err)
		}
	}
}

// Many goroutines draw on one budget. Their usages are what was estimated or less, so at no time may what is spent and reserved be more
// than the limit, and in the end what is spent is what was settled.
func TestGateNeverAdmitsOverTheLimit(t *testing.T) {
	const limit = 50_000
	for _, scope := range []budget.Scope{budget.PerRun, budget.PerTurn} {
		g := gate(t, per(scope, limit), budget.GateOptions{Count: func(s string) int { return len(s) }})
		var spent, refused atomic.Int64
		var wg sync.WaitGroup
		for worker := range 16 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(uint64(worker), 7))
				for range 100 {
					n := 1 + r.IntN(400)
					ticket, err := g.Admit(chars(n))
					if s := g.State(); s.Spent+s.Reserved > limit {
						t.Errorf("%d spent and %d reserved of %d", s.Spent, s.Reserved, limit)
					}
					switch {
					case err != nil:
						refused.Add(1)
					case r.IntN(10) == 0:
						err = g.Cancel(ticket)
					default:
						n = 1 + r.IntN(n)
						spent.Add(int64(n))
						err = g.Settle(ticket, used(n))
					}
					if err != nil && !errors.Is(err, budget.ErrOverBudget) {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		s := g.State()
		if s.Spent != int(spent.Load()) || s.Reserved != 0 || s.Refused != int(refused.Load()) || s.Admitted+s.Refused != 1600 || s.Refused == 0 {
			t.Errorf("%+v, settled %d, refused %d", s, spent.Load(), refused.Load())
		}
	}
}

// What is refused at the gate is a stopped call in the report.
func TestGateAndReport(t *testing.T) {
	b := budget.Budget{Name: "window", Enforcement: budget.BeforeCall, Limit: 1000}
	g := gate(t, b, budget.GateOptions{})
	_, err := g.Admit(chars(6000))
	refused, _ := errors.AsType[*budget.Refused](err)
	r := budget.Analyze(answerOnly().Session(t), []budget.Budget{b}, budget.Options{Refused: []budget.Refused{*refused}})
	if over := r.Budgets[0].Over; !r.Causal || len(over) != 1 || over[0].Amount != 2000 || !over[0].Stopped || len(r.Defects()) != 0 {
		t.Errorf("%+v", r)
	}
}

func TestDefects(t *testing.T) {
	log := threeRequests()
	log.RequestUsage(nil).Text("?") // line 9
	log.End("?")
	budgets := []budget.Budget{{Name: "soft", Limit: 100_000}, {Name: "hard", Limit: 110_000, Enforcement: budget.BeforeCall}, {Unit: budget.Characters, Limit: 1000}}
	r := budget.Analyze(log.Session(t), budgets, budget.Options{})
	want := []layers.Defect{
		{Layer: layers.Budget, Name: budget.CheckedAfterwards, Position: at(4), Detail: "soft: 120,000 of 100,000 tokens per call", BreaksCausality: true},
		{Layer: layers.Budget, Name: budget.OverBudgetThrough, Position: at(4), Detail: "hard: 120,000 of 110,000 tokens per call"},
		{Layer: layers.Budget, Name: budget.UsageMissing, Position: at(9), Detail: "a request without usage was let through as if it had cost nothing", BreaksCausality: true},
	}
	if diff := cmp.Diff(want, r.Defects()); diff != "" {
		t.Error(diff)
	}
}
