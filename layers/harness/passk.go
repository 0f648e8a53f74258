package harness

import (
	"errors"
	"fmt"

	"github.com/agent-eval/feedback/layers"
)

// ErrTooFewRuns says that a task has fewer runs than k.
var ErrTooFewRuns = errors.New("fewer runs than k")

// ErrUnmeasured says that a run of a task has no outcome.
var ErrUnmeasured = errors.New("a run without an outcome")

// PassAtK estimates the probability that at least one of k runs of a task succeeds, from n runs of which c did: 1 − C(n−c, k) / C(n, k), the
// unbiased estimator of Chen et al. (2021, "Evaluating Large Language Models Trained on Code"). It is from 0 to 1, higher is better.
// k below 1, c outside 0 to n, and n below k, which is [ErrTooFewRuns], are errors.
func PassAtK(n, c, k int) (float64, error) {
	if err := check(n, c, k); err != nil {
		return 0, err
	}
	return 1 - draw(n, n-c, k), nil
}

// PassHatK estimates the probability that all of k runs of a task succeed, pass^k: C(c, k) / C(n, k), of Yao et al. (2024, "τ-bench").
// Range, direction and errors are those of [PassAtK]. 4 of 5 give 4/10 for k = 3.
func PassHatK(n, c, k int) (float64, error) {
	if err := check(n, c, k); err != nil {
		return 0, err
	}
	return draw(n, c, k), nil
}

func check(n, c, k int) error {
	switch {
	case k < 1:
		return fmt.Errorf("k is %d: want at least 1", k)
	case c < 0 || c > n:
		return fmt.Errorf("%d successes of %d runs", c, n)
	case n < k:
		return fmt.Errorf("%w: %d of %d", ErrTooFewRuns, n, k)
	}
	return nil
}

// draw returns the probability that k drawn of n are all among c of them: C(c, k) / C(n, k), factor by factor, so that nothing
// overflows.
func draw(n, c, k int) float64 {
	p := 1.0
	for i := range k {
		p *= float64(max(c-i, 0)) / float64(n-i)
	}
	return p
}

// A Task is the outcomes of the runs of one task.
type Task struct {
	ID       string
	Outcomes []layers.Outcome
	// Runs is how many runs were made, so that one that left nothing behind is missed; 0 for as many as have an outcome.
	Runs int
}

// whole returns an error for each run that is missing or without an outcome.
func (t Task) whole() (errs []error) {
	if t.Runs > 0 && t.Runs != len(t.Outcomes) {
		errs = append(errs, fmt.Errorf("task %s: %w: %d outcomes of %d runs", t.ID, ErrUnmeasured, len(t.Outcomes), t.Runs))
	}
	for i, o := range t.Outcomes {
		if !o.Measured() {
			errs = append(errs, fmt.Errorf("task %s: run %d: %w", t.ID, i+1, ErrUnmeasured))
		}
	}
	return errs
}

// Reliability is pass@k and pass^k over tasks. It is plain data.
type Reliability struct {
	K     int `json:"k"`
	Tasks int `json:"tasks"`
	// AtLeastOne is the mean of pass@k over the tasks, All that of pass^k; from 0 to 1, higher is better.
	AtLeastOne float64 `json:"pass_at_k"`
	All        float64 `json:"pass_hat_k"`
}

// Estimate averages pass@k and pass^k over tasks, each with the same weight. A task with fewer than k runs, or with a run that is missing or has
// no outcome, is an error that names it, for leaving it out would change what is estimated; all of them come joined. So is having
// no task at all.
func Estimate(tasks []Task, k int) (Reliability, error) {
	r := Reliability{K: k, Tasks: len(tasks)}
	var errs []error
	for _, t := range tasks {
		errs = append(errs, t.whole()...)
		c := 0
		for _, o := range t.Outcomes {
			if o == layers.Success {
				c++
			}
		}
		one, err := PassAtK(len(t.Outcomes), c, k)
		if err != nil {
			errs = append(errs, fmt.Errorf("task %s: %w", t.ID, err))
			continue
		}
		all := draw(len(t.Outcomes), c, k)
		r.AtLeastOne += one / float64(len(tasks))
		r.All += all / float64(len(tasks))
	}
	if len(tasks) == 0 {
		errs = append(errs, errors.New("no tasks"))
	}
	if len(errs) > 0 {
		return Reliability{}, errors.Join(errs...)
	}
	return r, nil
}
