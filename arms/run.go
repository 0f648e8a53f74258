package arms

import (
	"slices"

	"github.com/agent-eval/feedback/allocation"
	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/occupancy"
	"github.com/agent-eval/feedback/sufficiency"
	"github.com/agent-eval/feedback/transcript"
)

// Schema is the version of the JSON form of a [Run]. Within one version fields are only added.
const Schema = 1

// A Run is one session's facts and blocks. It is plain data; its JSON form is one flat object.
type Run struct {
	Schema int `json:"schema"`
	// Name is what reports call the run, such as new-1; empty after Measure. It is the caller's, and so is Task.
	Name string `json:"name,omitempty"`
	// Task names the question that the run answers, where runs of several arms are paired by it.
	Task string `json:"task,omitempty"`
	// Tool is what reports call the retrieval tool: the name that the session's Tools carry.
	Tool string `json:"tool"`
	transcript.Summary
	// Calls are the tool calls of all threads, thread by thread, in order. Never nil after Measure.
	Calls         []Call              `json:"calls"`
	Occupancy     occupancy.Block     `json:"occupancy"`
	Sufficiency   sufficiency.Block   `json:"sufficiency"`
	Allocation    allocation.Block    `json:"allocation"`
	Contamination contamination.Block `json:"contamination"`
}

// A Call is one tool call in a listing.
type Call struct {
	Position transcript.Position `json:"position"`
	Thread   string              `json:"thread"` // as in transcript.Thread.ID
	Tool     string              `json:"tool"`
	Family   transcript.Family   `json:"family"`
	Label    string              `json:"label"` // the argument that says most; may be empty
}

// MeasureOptions are those of the metrics. The zero value is the documented default of each.
type MeasureOptions struct {
	Occupancy     occupancy.Options
	Sufficiency   sufficiency.Options
	Allocation    allocation.Options
	Contamination contamination.Options
}

// Measure computes all blocks of a session. It does not change the session, and is safe for concurrent use with others that
// do not.
func Measure(s *transcript.Session, opts MeasureOptions) Run {
	r := Run{
		Schema:        Schema,
		Tool:          s.Tools.WithDefaults().Name,
		Summary:       s.Summary(),
		Calls:         []Call{},
		Occupancy:     occupancy.Analyze(s, opts.Occupancy),
		Sufficiency:   sufficiency.Analyze(s, opts.Sufficiency),
		Allocation:    allocation.Analyze(s, opts.Allocation),
		Contamination: contamination.Analyze(s, opts.Contamination),
	}
	n := 0
	for _, calls := range r.ToolCounts {
		n += calls
	}
	r.Calls = slices.Grow(r.Calls, n)
	for i := range s.Threads {
		for _, ev := range s.Threads[i].Events {
			if c, ok := ev.(*transcript.ToolCall); ok {
				r.Calls = append(r.Calls, Call{c.Pos, c.Thread, c.Name, c.Family, c.Args.Label()})
			}
		}
	}
	return r
}
