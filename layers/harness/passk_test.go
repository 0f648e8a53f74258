package harness_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/harness"
)

func TestKnownAnswers(t *testing.T) {
	for _, c := range []struct {
		n, c, k int
		at, hat float64
	}{
		{5, 4, 3, 1, 0.4},         // C(4,3)/C(5,3) = 4/10; of any three runs at least two are among the four
		{5, 2, 1, 0.4, 0.4},       // k = 1 is the success rate
		{5, 2, 3, 0.9, 0},         // 1 − C(3,3)/C(5,3) = 1 − 1/10; three cannot all be among two
		{10, 10, 10, 1, 1},        // all succeed
		{10, 0, 1, 0, 0},          // none does
		{200, 199, 200, 1, 0},     // one failure among all of them
		{4, 2, 2, 5. / 6, 1. / 6}, // C(2,2)/C(4,2) = 1/6 both ways
	} {
		at, err := harness.PassAtK(c.n, c.c, c.k)
		hat, err2 := harness.PassHatK(c.n, c.c, c.k)
		if err != nil || err2 != nil || math.Abs(at-c.at) > 1e-12 || math.Abs(hat-c.hat) > 1e-12 {
			t.Errorf("%+v: %v %v, %v %v", c, at, hat, err, err2)
		}
	}
	for _, c := range []struct {
		n, c, k int
		want    error
	}{{2, 1, 3, harness.ErrTooFewRuns}, {0, 0, 1, harness.ErrTooFewRuns}, {5, 6, 1, harness.ErrCounts}, {5, -1, 1, harness.ErrCounts}, {5, 1, 0, harness.ErrCounts}} {
		if _, err := harness.PassAtK(c.n, c.c, c.k); !errors.Is(err, c.want) {
			t.Errorf("pass@k %+v: %v", c, err)
		}
		if _, err := harness.PassHatK(c.n, c.c, c.k); !errors.Is(err, c.want) {
			t.Errorf("pass^k %+v: %v", c, err)
		}
	}
}

// Against the definition: of all ways to take k of n runs, the share with a success, and that with nothing else.
func TestPassAgainstCounting(t *testing.T) {
	for n := 1; n <= 9; n++ {
		for c := 0; c <= n; c++ {
			for k := 1; k <= n; k++ {
				ways, some, all := 0.0, 0.0, 0.0
				for set := range 1 << n {
					size, good := 0, 0
					for i := range n {
						if set>>i&1 == 1 {
							size++
							if i < c {
								good++
							}
						}
					}
					if size == k {
						ways++
						if good > 0 {
							some++
						}
						if good == k {
							all++
						}
					}
				}
				at, _ := harness.PassAtK(n, c, k)
				hat, _ := harness.PassHatK(n, c, k)
				if math.Abs(at-some/ways) > 1e-12 || math.Abs(hat-all/ways) > 1e-12 || math.Signbit(hat) || math.Signbit(at) {
					t.Fatalf("n=%d c=%d k=%d: %v %v, want %v %v", n, c, k, at, hat, some/ways, all/ways)
				}
			}
		}
	}
}

func trials(task, outcomes string) (list []harness.Trial) {
	for i, c := range outcomes {
		o := map[rune]layers.Outcome{'+': layers.Success, '-': layers.Failure, '?': layers.Unmeasured}[c]
		if c != '.' { // the run is missing
			list = append(list, harness.Trial{Task: task, Run: i + 1, Outcome: o})
		}
	}
	return list
}

// Task a gives pass^3 = 4/10 and task b 1; the unmeasured run of b is left out. The means are 1 and 0.7.
func TestReliable(t *testing.T) {
	r, err := harness.Reliable(append(trials("b", "+++?+"), trials("a", "++-++")...), 5, 3)
	if err != nil || *r.PassAtK != 1 || math.Abs(*r.PassHatK-0.7) > 1e-12 || r.Tasks[0].Task != "a" || r.Tasks[1].Runs != 4 || r.Tasks[1].Unmeasured != 1 {
		t.Errorf("%v %+v", err, r)
	}
	if r, err := harness.Reliable(nil, 5, 3); err != nil || r.PassAtK != nil || r.PassHatK != nil {
		t.Errorf("without a task: %v %+v", err, r)
	}
}

func TestReliableFailsLoudly(t *testing.T) {
	twice := append(trials("a", "+++"), harness.Trial{Task: "a", Run: 2, Outcome: layers.Success})
	for name, c := range map[string]struct {
		trials []harness.Trial
		want   error
		text   string
	}{
		"missing":    {append(trials("a", "+.+"), trials("b", "+++")...), harness.ErrMissingRun, "task a: missing run: run 2 of 3"},
		"unmeasured": {trials("a", "+??"), harness.ErrTooFewRuns, "1 runs, k = 2, 2 unmeasured"},
		"twice":      {twice, harness.ErrCounts, "run 2 is there twice"},
		"beyond":     {trials("a", "++++"), harness.ErrCounts, "run 4 of 3"},
	} {
		r, err := harness.Reliable(c.trials, 3, 2)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || r.PassAtK != nil {
			t.Errorf("%s: %v %+v", name, err, r)
		}
	}
	if _, err := harness.Reliable(nil, 2, 3); !errors.Is(err, harness.ErrTooFewRuns) {
		t.Errorf("%v", err)
	}
}
