package occupancy

import (
	"slices"

	"github.com/agent-eval/feedback/transcript"
)

// An entry is a tool result in the window.
type entry struct {
	call   string
	number int // of the result in the thread
	family int
	tokens float64 // what is left of it
}

// A queue holds the results that are in the window, the oldest first, and their sum.
type queue struct {
	entries []entry
	sum     tally
}

func (q *queue) total() float64 { return q.sum.total() }

func (q *queue) add(e entry) {
	q.entries = append(q.entries, e)
	q.sum[e.family] += e.tokens
}

// removed takes what is gone out of the sum, which is counted anew when nothing is left, so that no rounding stays.
func (q *queue) removed(gone tally) {
	for i := range gone {
		q.sum[i] -= gone[i]
	}
	if len(q.entries) == 0 {
		q.sum = tally{}
	}
}

// remove takes out the entries that drop reports, and returns what they held.
func (q *queue) remove(drop func(entry) bool) (t tally) {
	q.entries = slices.DeleteFunc(q.entries, func(e entry) bool {
		if !drop(e) {
			return false
		}
		t[e.family] += e.tokens
		return true
	})
	q.removed(t)
	return t
}

// shed takes out tokens from the entries before the given number, the oldest first, splitting the last one, and returns
// what they held.
func (q *queue) shed(number int, tokens float64) (t tally) {
	gone := 0
	for i := range q.entries {
		e := &q.entries[i]
		if e.number >= number || tokens <= 0 {
			break
		}
		part := min(e.tokens, tokens)
		t[e.family] += part
		e.tokens -= part
		tokens -= part
		if e.tokens == 0 {
			gone = i + 1
		}
	}
	q.entries = slices.Delete(q.entries, 0, gone)
	q.removed(t)
	return t
}

// imageTokens estimates what an image takes: width × height / 750, at most 1,600, the largest that the model is sent; 1,500 where the
// size is not known. Source: the vision guide of the Claude API.
func imageTokens(im transcript.Image) float64 {
	if im.Width <= 0 || im.Height <= 0 {
		return 1500
	}
	return min(float64(im.Width)*float64(im.Height)/750, 1600)
}
