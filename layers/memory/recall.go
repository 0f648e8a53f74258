package memory

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/layers"
)

// An Arm is one way of retrieving memories, such as no memory, lexical with recency, or hybrid with embeddings, and how the probes came out
// under it.
type Arm struct {
	Label       string       `json:"label"`
	Setup       Setup        `json:"setup"`
	Experiences []Experience `json:"experiences"` // one a probe and repetition
	// Runs are the later sessions, if they are to be compared too: what their logs say of how they were made is checked as package arms
	// checks it. A run's Task should be its probe.
	Runs []arms.Run `json:"-"`
}

// A Setup is what the caller fixed for an arm. What is zero is not said.
type Setup struct {
	Retrieval string   `json:"retrieval,omitempty"` // how memories are found: what is under test
	Model     string   `json:"model,omitempty"`
	Tools     []string `json:"tools,omitempty"` // in any order
	// TokenBudget is the largest number of tokens that memories may take, LatencyLimitMS how long retrieval may take in milliseconds.
	TokenBudget    int    `json:"token_budget,omitempty"`
	LatencyLimitMS int    `json:"latency_limit_ms,omitempty"`
	Split          string `json:"split,omitempty"` // of the data: which probes are asked, and which first sessions are remembered
}

// The facts of a [Setup] that have to be the same in all arms, beside [arms.FactModel] and [arms.FactTools].
const (
	FactTokenBudget  arms.Fact = "token budget"
	FactLatencyLimit arms.Fact = "latency limit"
	FactSplit        arms.Fact = "data split"
	FactProbes       arms.Fact = "probes" // those that the arm has an experience of
)

// A Recall is the experience recall of arms, side by side. It is plain data.
type Recall struct {
	Arms []ArmRecall `json:"arms"`
	// Differences are the facts besides retrieval in which arms, or their runs, differ: with one, retrieval is not the only thing that
	// a difference in recall can come from. Unchecked are those that not all arms say.
	Differences []arms.Difference `json:"differences"`
	Unchecked   []arms.Fact       `json:"unchecked"`
	// SameRetrieval are the arms, two or more, that say they retrieve the same way: nothing is under test between them.
	SameRetrieval []arms.Value `json:"same_retrieval"`
}

// An ArmRecall is how often experience was found and used in one arm. All rates are out of the measured experiences.
type ArmRecall struct {
	Label     string `json:"label"`
	Retrieval string `json:"retrieval,omitempty"`
	// Recall is the experience recall rate: memory returned the workaround, and the agent used it. Higher is better.
	Recall layers.Rate `json:"recall"`
	// Returned and Used are its two halves, each by itself; PlanAFirst is how often plan A was tried again first, lower is better.
	Returned   layers.Rate `json:"returned"`
	Used       layers.Rate `json:"used"`
	PlanAFirst layers.Rate `json:"plan_a_first"`
	// Unmeasured are the experiences that show nothing, with the reason of each; they are in no rate.
	Unmeasured []Experience `json:"unmeasured"`
}

// Compare puts arms side by side and checks that retrieval is the only thing in which they differ. It does not change them. An arm
// without measured experiences has rates without a value.
func Compare(list []Arm) Recall {
	r := Recall{Arms: []ArmRecall{}, Differences: []arms.Difference{}, Unchecked: []arms.Fact{}, SameRetrieval: []arms.Value{}}
	var logs []arms.Arm
	for _, a := range list {
		r.Arms = append(r.Arms, a.recall())
		if len(a.Runs) > 0 {
			logs = append(logs, arms.Arm{Label: a.Label, Runs: a.Runs})
		}
	}
	r.check(list)
	if len(logs) > 0 {
		r.checkLogs(logs)
	}
	r.SameRetrieval = append(r.SameRetrieval, sameRetrieval(list)...)
	return r
}

func (a *Arm) recall() ArmRecall {
	v := ArmRecall{Label: a.Label, Retrieval: a.Setup.Retrieval, Unmeasured: []Experience{}}
	n, recalled, returned, used, planA := 0, 0, 0, 0, 0
	for _, e := range a.Experiences {
		if e.Unmeasured != "" {
			v.Unmeasured = append(v.Unmeasured, e)
			continue
		}
		n++
		recalled += one(e.Recalled())
		returned += one(e.Returned)
		used += one(e.Used)
		planA += one(e.PlanAFirst)
	}
	v.Recall, v.Returned, v.Used, v.PlanAFirst = layers.NewRate(recalled, n), layers.NewRate(returned, n), layers.NewRate(used, n), layers.NewRate(planA, n)
	return v
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// check compares what the arms say of their setup.
func (r *Recall) check(list []Arm) {
	for _, f := range []struct {
		fact arms.Fact
		of   func(*Arm) string
	}{
		{arms.FactModel, func(a *Arm) string { return a.Setup.Model }},
		{arms.FactTools, func(a *Arm) string { return strings.Join(slices.Sorted(slices.Values(a.Setup.Tools)), ", ") }},
		{FactTokenBudget, func(a *Arm) string { return figure(a.Setup.TokenBudget) }},
		{FactLatencyLimit, func(a *Arm) string { return figure(a.Setup.LatencyLimitMS) }},
		{FactSplit, func(a *Arm) string { return a.Setup.Split }},
		{FactProbes, (*Arm).probes},
	} {
		values, said := groupArms(list, f.of)
		if !said && len(list) > 0 {
			r.Unchecked = append(r.Unchecked, f.fact)
		}
		if len(values) > 1 {
			r.Differences = append(r.Differences, arms.Difference{Fact: f.fact, Values: values})
		}
	}
}

// checkLogs adds what package arms finds in the logs. What a log says of a fact, no arm has to say.
func (r *Recall) checkLogs(logs []arms.Arm) {
	t := arms.Compare(logs, arms.Options{})
	for _, d := range t.Differences {
		if !slices.ContainsFunc(r.Differences, func(known arms.Difference) bool { return known.Fact == d.Fact }) {
			r.Differences = append(r.Differences, d)
		}
	}
	r.Unchecked = slices.DeleteFunc(r.Unchecked, func(f arms.Fact) bool {
		return slices.Contains(arms.Facts(), f) && !slices.Contains(t.Unchecked, f)
	})
}

// groupArms returns the values that arms say, each with the labels of its arms, and whether all say one.
func groupArms(list []Arm, of func(*Arm) string) (values []arms.Value, all bool) {
	all = true
	for i := range list {
		text := of(&list[i])
		if text == "" {
			all = false
			continue
		}
		at := slices.IndexFunc(values, func(v arms.Value) bool { return v.Text == text })
		if at < 0 {
			at = len(values)
			values = append(values, arms.Value{Text: text})
		}
		values[at].Runs = append(values[at].Runs, list[i].Label)
	}
	return values, all
}

func sameRetrieval(list []Arm) []arms.Value {
	values, _ := groupArms(list, func(a *Arm) string { return a.Setup.Retrieval })
	return slices.DeleteFunc(values, func(v arms.Value) bool { return len(v.Runs) < 2 })
}

// probes names the probes that the arm was asked, each with how often, in order.
func (a *Arm) probes() string {
	times := make(map[string]int)
	var names []string
	for _, e := range a.Experiences {
		if times[e.Probe]++; times[e.Probe] == 1 {
			names = append(names, e.Probe)
		}
	}
	slices.SortFunc(names, cmp.Compare)
	for i, name := range names {
		if times[name] > 1 {
			names[i] += " ×" + strconv.Itoa(times[name])
		}
	}
	return strings.Join(names, ", ")
}

// figure writes a number that is said; nothing for 0.
func figure(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
