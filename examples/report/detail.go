package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// A RunView is the details of one run.
type RunView struct {
	Name, Arm, Outcome string
	Facts              [][2]string
	Calls, Files       Figures
	Shell, Problems    []string
}

// maxListed is how many entries a list of a run's details has.
const maxListed = 60

// first calls add for the first entries of a list, and says how many more there are.
func first[T any](list []T, more int, add func(T)) string {
	for _, x := range list[:min(len(list), maxListed)] {
		add(x)
	}
	if more += max(0, len(list)-maxListed); more > 0 {
		return fmt.Sprintf("… and %s more", textutil.Thousands(more))
	}
	return ""
}

func detail(r shown) RunView {
	v := RunView{Name: r.Name, Arm: r.Arm, Outcome: "ended well"}
	if !r.OK {
		v.Outcome = "did not end well: " + short(strings.Join(r.Outcomes, ", "), 100)
	}
	v.Facts = [][2]string{
		{"logs", short(strings.Join(r.Segments, " + "), 300)}, {"model", short(r.Model, 60)}, {"client", short(r.ClientVersion, 40)},
		{"final context (tok)", whole(float(r.Occupancy.FinalContext))}, {"fixed part (tok)", whole(float(r.Occupancy.BaseContext))},
		{short(r.Tool, 40) + " residual (tok)", whole(r.Occupancy.Families.Retrieval.Residual)}, {"characters a token", fmt.Sprintf("%.2f", r.Occupancy.CharsPerToken)},
		{"tokens processed", whole(float(r.ProcessedTokens))},
	}
	v.Calls.Head = []string{"query", "files", "characters", "next", "", "position"}
	for _, c := range r.Sufficiency.Calls {
		verdict := string(c.Bucket)
		if c.Reason != "" {
			verdict = "no verdict: " + string(c.Reason)
		}
		v.Calls.add(short(c.Query, 160), textutil.Thousands(c.Files), textutil.Thousands(c.Chars), short(c.Next, 100), strings.ReplaceAll(verdict, "_", " "), short(c.Position.String(), 120))
	}
	v.Files.Head = []string{"file", "characters", "share", "calls", "cited by"}
	for _, f := range r.Allocation.Files[:min(len(r.Allocation.Files), maxListed)] {
		via := string(f.Via)
		if f.Via != "" && f.Symbol != "" {
			via += " " + short(f.Symbol, 80)
		}
		v.Files.add(short(f.Path, 160), textutil.Thousands(f.Chars), fmt.Sprintf("%.1f%%", 100*float64(f.Chars)/float64(max(1, r.Allocation.Envelope))), textutil.Thousands(f.Calls), cmp.Or(via, "—"))
	}
	v.Files.More = max(0, len(r.Allocation.Files)-maxListed)
	if more := first(r.Contamination.Calls, 0, func(c contamination.Call) {
		v.Shell = append(v.Shell, fmt.Sprintf("%s — %s (%s)", verdictText(c.Verdict), short(c.Command, 300), short(c.Position.String(), 120)))
	}); more != "" {
		v.Shell = append(v.Shell, more)
	}
	if more := first(r.Problems, r.MoreProblems, func(p transcript.Problem) { v.Problems = append(v.Problems, short(p.Error(), 300)) }); more != "" {
		v.Problems = append(v.Problems, more)
	}
	for _, n := range r.Occupancy.Notes {
		v.Problems = append(v.Problems, "occupancy: "+short(n, 300))
	}
	return v
}

func verdictText(v contamination.Verdict) string {
	switch v {
	case contamination.Returned:
		return "RETURNED output"
	case contamination.Blocked:
		return "blocked"
	}
	return "result not in the log"
}

func float(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}
