package harness

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/agent-eval/feedback/layers"
)

// The errors of pass@k and pass^k.
var (
	ErrTooFewRuns = errors.New("fewer runs than k")
	ErrMissingRun = errors.New("missing run")
	ErrCounts     = errors.New("not counts of runs")
)

// PassAtK estimates pass@k: the chance that at least one of k runs succeeds, from c successes in n runs. It is the unbiased estimator
// 1 − C(n−c, k) / C(n, k) of Chen et al., "Evaluating Large Language Models Trained on Code" (2021): from 0 to 1, higher is better. Of 5 runs with 2
// successes pass@1 is 0.4 and pass@3 is 1 − 1/10 = 0.9. The error is [ErrTooFewRuns] when n is below k, [ErrCounts] when k is below
// 1 or c not within 0 and n.
func PassAtK(n, c, k int) (float64, error) {
	if err := checkCounts(n, c, k); err != nil {
		return 0, err
	}
	return 1 - chosen(n-c, n, k), nil
}

// PassHatK estimates pass^k: the chance that all of k runs succeed, from c successes in n runs, as C(c, k) / C(n, k), the estimator of Yao et al.,
// "τ-bench" (2024): from 0 to 1, higher is better. Of 5 runs with 4 successes pass^3 is 4/10. Errors are as those of [PassAtK].
func PassHatK(n, c, k int) (float64, error) {
	if err := checkCounts(n, c, k); err != nil {
		return 0, err
	}
	return chosen(c, n, k), nil
}

func checkCounts(n, c, k int) error {
	switch {
	case k < 1 || c < 0 || c > n:
		return fmt.Errorf("%w: %d of %d, k = %d", ErrCounts, c, n, k)
	case n < k:
		return fmt.Errorf("%w: %d runs, k = %d", ErrTooFewRuns, n, k)
	}
	return nil
}

// chosen returns C(m, k) / C(n, k), m being at most n: the chance that k of n are all among m of them.
func chosen(m, n, k int) float64 {
	if m < k {
		return 0
	}
	p := 1.0
	for i := range k {
		p *= float64(m-i) / float64(n-i)
	}
	return p
}

// A Trial is one run of a task.
type Trial struct {
	Task    string         `json:"task"`
	Run     int            `json:"run"` // from 1
	Outcome layers.Outcome `json:"outcome"`
}

// A Reliability is pass@k and pass^k over tasks: the mean of what each task gives. It is plain data.
type Reliability struct {
	K int `json:"k"`
	// PassAtK and PassHatK are the means over the tasks, from 0 to 1, higher is better. Nil without a task.
	PassAtK  *float64 `json:"pass_at_k"`
	PassHatK *float64 `json:"pass_hat_k"`
	// Tasks are those of the figures, in order of name.
	Tasks []TaskReliability `json:"tasks"`
}

// A TaskReliability is one task's.
type TaskReliability struct {
	Task      string `json:"task"`
	Runs      int    `json:"runs"` // measured ones
	Successes int    `json:"successes"`
	// Unmeasured are the runs whose outcome nobody knows. They are no failures, and are left out.
	Unmeasured int     `json:"unmeasured"`
	PassAtK    float64 `json:"pass_at_k"`
	PassHatK   float64 `json:"pass_hat_k"`
}

// Reliable computes pass@k and pass^k of trials, of which each task has to have the runs 1 to n. A run that is missing, or there twice, is
// [ErrMissingRun] or [ErrCounts], for what is left out is seldom left out by chance; a task of which fewer than k runs are measured is
// [ErrTooFewRuns]. All errors come joined, each with its task, and there are no figures then.
func Reliable(trials []Trial, n, k int) (Reliability, error) {
	if err := checkCounts(n, 0, k); err != nil {
		return Reliability{}, err
	}
	r := Reliability{K: k, Tasks: []TaskReliability{}}
	var errs []error
	at, hat := 0.0, 0.0
	tasks := make(map[string][]Trial)
	for _, t := range trials {
		tasks[t.Task] = append(tasks[t.Task], t)
	}
	for _, name := range slices.Sorted(maps.Keys(tasks)) {
		t, err := reliability(name, tasks[name], n, k)
		if err != nil {
			errs = append(errs, fmt.Errorf("task %s: %w", name, err))
		}
		r.Tasks = append(r.Tasks, t)
		at, hat = at+t.PassAtK, hat+t.PassHatK
	}
	if len(errs) > 0 {
		return Reliability{}, errors.Join(errs...)
	}
	if len(r.Tasks) > 0 {
		r.PassAtK, r.PassHatK = new(at/float64(len(r.Tasks))), new(hat/float64(len(r.Tasks)))
	}
	return r, nil
}

func reliability(name string, trials []Trial, n, k int) (t TaskReliability, err error) {
	t.Task = name
	there := make([]bool, n)
	for _, x := range trials {
		switch {
		case x.Run < 1 || x.Run > n:
			return t, fmt.Errorf("%w: run %d of %d", ErrCounts, x.Run, n)
		case there[x.Run-1]:
			return t, fmt.Errorf("%w: run %d is there twice", ErrCounts, x.Run)
		}
		there[x.Run-1] = true
		switch x.Outcome {
		case layers.Success:
			t.Runs++
			t.Successes++
		case layers.Failure:
			t.Runs++
		default:
			t.Unmeasured++
		}
	}
	if i := slices.Index(there, false); i >= 0 {
		return t, fmt.Errorf("%w: run %d of %d", ErrMissingRun, i+1, n)
	}
	if t.PassAtK, err = PassAtK(t.Runs, t.Successes, k); err != nil {
		return t, fmt.Errorf("%w, %d unmeasured", err, t.Unmeasured)
	}
	t.PassHatK, err = PassHatK(t.Runs, t.Successes, k)
	return t, err
}
