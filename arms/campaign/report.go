package campaign

import (
	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/sufficiency"
)

// A Report is a campaign summed up. It is plain data.
type Report struct {
	Schema  int    `json:"schema"`
	Title   string `json:"title,omitempty"`
	Tool    string `json:"tool"`
	With    string `json:"with"`    // label of the arm with the tool
	Without string `json:"without"` // label of the arm without
	// Repos has an entry per repository, in natural order.
	Repos []Repo `json:"repos"`
	// Averages has an entry per measure, over the repositories.
	Averages []Average `json:"averages"`
	// LeftOut are the runs that count nowhere, and why.
	LeftOut []LeftOut `json:"left_out"`
	// Warnings say what weakens the report, one sentence each.
	Warnings []string `json:"warnings"`
	// Table has all runs that count, side by side and paired by repository.
	Table arms.Table `json:"table"`
}

// A Repo is the runs on one repository.
type Repo struct {
	Name string `json:"name"`
	// Runs is how many runs count, with the tool and without.
	Runs     [2]int    `json:"runs"`
	Measures []Measure `json:"measures"`
	// FixedOverhead is what the tool's schemas and instructions add to each prompt, in tokens: the median of the first prompts with the tool less
	// that without. Nil when either was not measured.
	FixedOverhead *float64 `json:"fixed_overhead"`
	// Answered and Counts are the judged calls of the runs with the tool, pooled.
	Answered int                `json:"answered"`
	Counts   sufficiency.Counts `json:"counts"`
	// Envelope and Used are the characters that the runs with the tool returned and that their answers cite, pooled over those that
	// answered; Efficiency is Used / Envelope, nil when nothing was returned.
	Envelope   int      `json:"envelope"`
	Used       int      `json:"used"`
	Efficiency *float64 `json:"efficiency"`
	// Mix is what each run called.
	Mix []Mix `json:"mix"`
}

// A Measure is one figure with and without the tool: medians over the runs of a repository that have it, nil when none has.
type Measure struct {
	Name    string    `json:"name"`
	Unit    arms.Unit `json:"unit"`
	With    *float64  `json:"with"`
	Without *float64  `json:"without"`
	// Saved is 1 − With / Without: 0.2 is 20 % saved, −0.1 is 10 % more. Nil when Without is 0 or either is nil.
	Saved *float64 `json:"saved"`
}

// Units beside those of package arms.
const (
	Dollars  arms.Unit = "$"
	Requests arms.Unit = "requests" // of the main thread
)

// A Mix is what one run called, by family of tools, subagents included.
type Mix struct {
	Run       string `json:"run"`
	Arm       string `json:"arm"`
	Retrieval int    `json:"retrieval"`
	Read      int    `json:"read"`
	Search    int    `json:"search"`
	Shell     int    `json:"shell"`
	Other     int    `json:"other"`
}

// An Average is what the tool saves of a measure, each repository with the same weight. Mean is nil when no repository has it.
type Average struct {
	Measure string `json:"measure"`
	// Mean is 1 less the geometric mean of With / Without: half the time on one repository and twice on another is the same time, whichever
	// arm is which. A repository where either is 0 has no part in it.
	Mean  *float64 `json:"mean"`
	Min   *float64 `json:"min"`
	Max   *float64 `json:"max"`
	Repos int      `json:"repos"` // how many have it
}

// LeftOut is a run that counts nowhere.
type LeftOut struct {
	Run    string `json:"run"`
	Reason string `json:"reason"`
}
