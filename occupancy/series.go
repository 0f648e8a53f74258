package occupancy

import "github.com/agent-eval/feedback/transcript"

// A Series is the course of a window over the run: what its stacked chart is drawn from.
type Series struct {
	// Points has a point per measured request, in order. One more, with an empty Request, stands for the end of the
	// run if results or compactions came after the last of them. The last point equals the block's figures.
	Points []Point `json:"points"`
	// Evictions and Compactions are what took results out of the window, in order.
	Evictions   []Eviction   `json:"evictions"`
	Compactions []Compaction `json:"compactions"`
}

// A Point is the window as one request sent it.
type Point struct {
	Position transcript.Position `json:"position"`
	Request  string              `json:"request"` // message id
	// Context is the size of the prompt in tokens; nil where it is not known, which only the end of the run can be.
	Context *int `json:"context"`
	// Resident are the tokens of the tool results in it.
	Resident Tokens `json:"resident"`
}

// An Eviction is the removal of tool results without a compaction.
type Eviction struct {
	// Position is the micro-compaction, or the request whose prompt shows that something was shed.
	Position transcript.Position `json:"position"`
	Cause    Cause               `json:"cause"`
	// Point is the index of the first point that shows it.
	Point int `json:"point"`
	// Tokens are what was evicted.
	Tokens Tokens `json:"tokens"`
}

// A Cause says how an eviction is known.
type Cause string

// The causes of evictions.
const (
	CauseNamed Cause = "microcompaction" // a micro-compaction names the results
	CauseShed  Cause = "shed"            // inferred: the prompt grew by less than was added
)

// A Compaction is the replacement of the conversation by a summary.
type Compaction struct {
	Position transcript.Position `json:"position"`
	Trigger  string              `json:"trigger"`
	// Point is the index of the first point that shows it.
	Point int `json:"point"`
	// Cleared are the tokens of the tool results that it cleared.
	Cleared Tokens `json:"cleared"`
}

// Tokens are numbers of tokens per family of tools.
type Tokens struct {
	Retrieval float64 `json:"retrieval"`
	Read      float64 `json:"read"`
	Search    float64 `json:"search"`
	Shell     float64 `json:"shell"`
	Other     float64 `json:"other"`
}

// Total returns the tokens of all families.
func (t Tokens) Total() float64 { return t.Retrieval + t.Read + t.Search + t.Shell + t.Other }

// tally counts tokens by the index of their family.
type tally [families]float64

func (t *tally) tokens() Tokens { return Tokens{t[0], t[1], t[2], t[3], t[4]} }

func (t *tally) total() float64 { return t.tokens().Total() }
