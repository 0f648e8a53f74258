package occupancy

import "github.com/agent-eval/feedback/transcript"

// A gap is what happened from one measured request to the next, or to the end of the thread.
type gap struct {
	request *transcript.Request // the request that closes it; nil at the end of the thread
	growth  int                 // of the prompt, in tokens; 0 at the end and before the first request
	opened  bool                // a measured request stands before it
	steps   [2]int              // range in window.steps

	resultChars    int
	assistantChars int // texts, thinking and tool inputs that the log shows
	userChars      int
	images         int // in results
	userImages     int
	compacted      bool
	hidden         bool    // thinking whose text is not in the log
	requests       int     // requests whose output is in it: the one before, and unmeasured ones
	known          int     // those of them whose output is known
	output         float64 // sum of the known outputs
	estimate       int     // the client's estimate of thinking tokens
	schemas        int     // of tools that results made known
}

// A step is something that changes the queue of results.
type step struct {
	result     *transcript.ToolResult
	compaction *transcript.Compaction
	micro      *transcript.MicroCompaction
}

// wrote returns the tokens that the assistant is known to have written, and whether that is all it wrote.
func (g *gap) wrote() (tokens float64, all bool) {
	if g.requests > 0 && g.known == g.requests {
		return g.output, true
	}
	return float64(g.estimate), false
}

// net returns the growth less what the assistant is known to have written.
func (g *gap) net() float64 {
	tokens, _ := g.wrote()
	return float64(g.growth) - tokens
}

// chars returns the characters that stand behind net.
func (g *gap) chars() int {
	if _, all := g.wrote(); all {
		return g.resultChars + g.userChars
	}
	return g.resultChars + g.userChars + g.assistantChars
}

// share returns the tool results' part of the characters behind net, from 0 to 1; 0 when there are none.
func (g *gap) share() float64 {
	if g.resultChars == 0 {
		return 0
	}
	return float64(g.resultChars) / float64(g.resultChars+g.userChars+g.assistantChars)
}

// nearlyAll is the share from which a gap counts as all tool result, mostly the one from which it can calibrate.
const (
	nearlyAll = 0.95
	mostly    = 0.80
)

// exact reports whether the growth tells what the results hold, priced at byRatio: they are nearly all the text in the gap, or all that is left
// once the output is taken off. What the log shows of an output must fit into its tokens, and from results that are next to nothing beside
// the growth, an output that was shared out takes more than they are.
func (g *gap) exact(byRatio float64) bool {
	if g.blind() {
		return false
	}
	if g.share() >= nearlyAll {
		return true
	}
	output, all := g.wrote()
	return all && float64(g.resultChars) >= nearlyAll*float64(g.chars()) && byRatio >= (1-nearlyAll)*float64(g.growth) &&
		float64(g.assistantChars) <= output*sparsest
}

// priced returns the characters that the net growth is divided by: where a gap is nearly all tool result, the rest is left out, as
// it is when the results are priced.
func (g *gap) priced() int {
	if g.share() >= nearlyAll {
		return g.resultChars
	}
	return g.chars()
}

// blind reports whether thinking of unknown size is in the growth.
func (g *gap) blind() bool {
	_, all := g.wrote()
	return g.hidden && !all && g.estimate == 0
}

// pictured reports whether the growth holds images, which no characters account for.
func (g *gap) pictured() bool { return g.images+g.userImages > 0 }

// window collects the gaps of a thread.
type window struct {
	gaps       []gap
	steps      []step // results, compactions and micro-compactions in order
	requests   int
	unmeasured int
	first      *transcript.Request // first measured request
	last       *transcript.Request // last measured request
	before     int                 // results before the first measured request
}

func collect(t *transcript.Thread) *window {
	requests, steps := 0, 0
	for _, ev := range t.Events {
		switch ev.(type) {
		case *transcript.Request:
			requests++
		case *transcript.ToolResult, *transcript.Compaction, *transcript.MicroCompaction:
			steps++
		}
	}
	w := &window{gaps: make([]gap, 1, requests+1), steps: make([]step, 0, steps)}
	outputs := outputs(t, requests)
	next := 0
	for _, ev := range t.Events {
		if _, ok := ev.(*transcript.Request); ok {
			next++
		}
		if ev.At().Abandoned {
			continue
		}
		g := &w.gaps[len(w.gaps)-1]
		switch ev := ev.(type) {
		case *transcript.Request:
			w.request(ev, outputs[next-1])
		case *transcript.AssistantText:
			if !ev.Synthetic {
				g.assistantChars += ev.Chars
			}
		case *transcript.Thinking:
			g.assistantChars += ev.Chars
			g.hidden = g.hidden || ev.Hidden
		case *transcript.ToolCall:
			g.assistantChars += ev.InputChars
		case *transcript.ToolResult:
			g.resultChars += ev.Chars
			g.images += len(ev.Images)
			g.schemas += ev.Schemas
			w.step(step{result: ev})
			if w.first == nil {
				w.before++
			}
		case *transcript.UserText:
			g.userChars += ev.Chars
			g.userImages += len(ev.Images)
		case *transcript.Compaction:
			g.compacted = true
			w.step(step{compaction: ev})
		case *transcript.MicroCompaction:
			w.step(step{micro: ev})
		}
	}
	return w
}

// step appends to the last gap.
func (w *window) step(s step) {
	w.steps = append(w.steps, s)
	w.gaps[len(w.gaps)-1].steps[1]++
}

// of returns the steps of a gap.
func (w *window) of(g *gap) []step { return w.steps[g.steps[0]:g.steps[1]] }

// request closes the gap before a measured request and opens the next. One that is not measured bridges the gaps on both
// its sides.
func (w *window) request(r *transcript.Request, out output) {
	w.requests++
	if !r.Measured() {
		w.unmeasured++
	} else {
		g := &w.gaps[len(w.gaps)-1]
		g.request = r
		if w.last != nil {
			g.growth = r.Usage.Prompt() - w.last.Usage.Prompt()
			g.opened = true
		} else {
			w.first = r
		}
		w.last = r
		w.gaps = append(w.gaps, gap{opened: true, steps: [2]int{len(w.steps), len(w.steps)}})
	}
	g := &w.gaps[len(w.gaps)-1]
	g.requests++
	if out.known {
		g.known++
		g.output += out.tokens
	}
	g.estimate += r.ThinkingEstimate
}
