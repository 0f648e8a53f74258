package budget

import (
	"slices"

	"github.com/agent-eval/feedback/occupancy"
)

// recent is how many settled calls a ratio remembers.
const recent = 64

// least is how large a text must be to say anything, as in package occupancy.
const least = 500

// A ratio is how much text makes a token, learnt from calls whose usage is known. As in package occupancy: the lower median of the calls'
// ratios, those beyond a factor of 1.5 of it left out, and the rest pooled.
type ratio struct {
	value      float64
	calibrated bool
	settled    []settled // the latest ones, in no order
	next       int
}

type settled struct{ size, tokens int }

func (s settled) ratio() float64 { return float64(s.size) / float64(s.tokens) }

// newRatio returns the ratio before anything was settled.
func newRatio(tokenizer bool) ratio {
	if tokenizer {
		return ratio{value: 1}
	}
	return ratio{value: occupancy.DefaultCharsPerToken}
}

// learn adds a call whose text took the given tokens.
func (r *ratio) learn(size, tokens int) {
	if size <= least || tokens <= 0 {
		return
	}
	if len(r.settled) < recent {
		r.settled = append(r.settled, settled{size, tokens})
	} else {
		r.settled[r.next] = settled{size, tokens}
		r.next = (r.next + 1) % recent
	}
	if pooled := pool(r.settled); pooled >= 0.5 && pooled <= 8 { // else it is no ratio of text, and the one before stands
		r.value, r.calibrated = pooled, true
	}
}

func pool(calls []settled) float64 {
	ratios := make([]float64, len(calls))
	for i, c := range calls {
		ratios[i] = c.ratio()
	}
	slices.Sort(ratios)
	median := ratios[(len(ratios)-1)/2]
	size, tokens := 0.0, 0.0
	for _, c := range calls {
		if x := c.ratio(); x <= median*1.5 && x >= median/1.5 {
			size += float64(c.size)
			tokens += float64(c.tokens)
		}
	}
	return size / tokens
}
