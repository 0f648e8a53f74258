package occupancy

import (
	"fmt"
	"math"
	"slices"

	"github.com/agent-eval/feedback/transcript"
)

// Analyze computes the occupancy of a session's main thread, and apart from it that of every subagent. It reads nothing but the
// session, and does not change it. A session without requests has a Block whose figures are nil.
func Analyze(s *transcript.Session, opts Options) Block {
	name := s.Tools.WithDefaults().Name
	b := analyzeThread(s, s.Main(), nil, name, opts)
	last := make(map[string]*transcript.Request) // thread → its last request, where its own lines lack it
	for _, r := range s.Unlogged() {
		last[r.Thread] = r
	}
	for i := 1; i < len(s.Threads); i++ {
		t := &s.Threads[i]
		b.Threads = append(b.Threads, analyzeThread(s, t, last[t.ID], name, opts))
	}
	return b
}

// A run is the analysis of one thread.
type run struct {
	*window
	calibration
	block       Block
	queue       queue
	results     int // so far
	prices      []float64
	contributed tally
	series      *Series
	unexplained unexplained
	late        *transcript.Compaction // after the last measured request
}

func analyzeThread(s *transcript.Session, t *transcript.Thread, last *transcript.Request, name string, opts Options) Block {
	w := collect(t)
	if last != nil {
		w.request(last, output{tokens: float64(last.Usage.Output), known: true})
	}
	r := &run{window: w, calibration: calibrate(w.gaps), block: Block{Thread: t.ID, Name: name}}
	r.queue.entries = make([]entry, 0, len(w.steps))
	if opts.Series {
		r.series = &Series{Points: []Point{}, Evictions: []Eviction{}, Compactions: []Compaction{}}
	}
	for i := range w.gaps {
		r.gap(&w.gaps[i])
	}
	r.finish(s, opts)
	return r.block
}

// gap prices the results of a gap, applies what removed some, and sheds what the growth does not hold.
func (r *run) gap(g *gap) {
	first := r.results // of this gap
	r.unexplained.add(g, r.ratio)
	prices, shed := r.price(g)
	named := 0.0
	for _, st := range r.of(g) {
		switch {
		case st.result != nil:
			r.add(st.result, prices[r.results-first])
		case st.compaction != nil:
			r.compact(st.compaction)
			if g.request == nil {
				r.late = st.compaction
			}
		case st.micro != nil:
			named += r.clear(st.micro)
		}
	}
	if shed -= named; shed > 0 {
		r.shed(g, first, shed)
	}
	if g.request == nil {
		for _, e := range r.queue.entries {
			if e.number >= first {
				r.block.UnsentResults++
				r.block.Unsent += e.tokens
			}
		}
	} else if r.series != nil {
		r.series.Points = append(r.series.Points, Point{
			Position: g.request.Pos, Request: g.request.ID, Context: new(g.request.Usage.Prompt()), Resident: r.queue.sum.tokens(),
		})
	}
}

// tolerance is by how many tokens priced results may outweigh the growth before something counts as shed.
func tolerance(priced float64) float64 { return max(200, 0.05*priced) }

// price returns what each result of a gap holds, in order, and how many tokens were shed, what was evicted by name included.
func (r *run) price(g *gap) (prices []float64, shed float64) {
	prices = r.prices[:0]
	byRatio := float64(g.resultChars) / r.ratio
	known := g.request != nil && g.opened && !g.compacted
	image, imagesKnown := r.imagePrice(g, known, byRatio)
	unit := 1 / r.ratio // tokens per character
	if known && !g.pictured() {
		named := r.named(g)
		short := byRatio - float64(g.growth) - named
		resident := r.queue.total() - named
		switch {
		case short > tolerance(byRatio) && (short <= resident || g.growth <= 0):
			shed = short + named
		case g.exact(byRatio) && g.net()+named > 0:
			unit = (g.net() + named) / float64(g.resultChars)
		case short > tolerance(byRatio) && float64(g.growth)+named > 0 && g.resultChars > 0:
			unit = (float64(g.growth) + named) / float64(g.resultChars) // text that is sparser than the rest
		}
	}
	for _, st := range r.of(g) {
		if st.result == nil {
			continue
		}
		p := float64(st.result.Chars) * unit
		for _, im := range st.result.Images {
			if imagesKnown {
				p += image
			} else {
				p += imageTokens(im)
			}
		}
		prices = append(prices, p)
	}
	r.block.Images += g.images
	if !imagesKnown {
		r.block.EstimatedImages += g.images
	}
	r.prices = prices
	return prices, shed
}

// imagePrice returns what one image of the gap is worth: its part of what the gap grew beyond its text.
func (r *run) imagePrice(g *gap, known bool, byRatio float64) (tokens float64, ok bool) {
	if !known || g.images == 0 || g.userImages > 0 || g.blind() {
		return 0, false
	}
	rest := float64(g.chars()-g.resultChars) / r.ratio
	beyond := g.net() - byRatio - rest
	if beyond <= 0 {
		return 0, false
	}
	return beyond / float64(g.images), true
}

// named returns what the micro-compactions of a gap take from the results that were there before it.
func (r *run) named(g *gap) (tokens float64) {
	var cleared []string // one micro-compaction may be written twice
	for _, st := range r.of(g) {
		if st.micro != nil {
			cleared = append(cleared, st.micro.Cleared...)
		}
	}
	if cleared == nil {
		return 0
	}
	for _, e := range r.queue.entries {
		if slices.Contains(cleared, e.call) {
			tokens += e.tokens
		}
	}
	return tokens
}

func (r *run) add(res *transcript.ToolResult, price float64) {
	f := indexOf(res.Family)
	r.queue.add(entry{res.CallID, r.results, f, price})
	r.results++
	r.contributed[f] += price
	share := r.block.Families.Of(res.Family)
	share.Chars += res.Chars
	share.Results++
}

func (r *run) compact(c *transcript.Compaction) {
	gone := r.queue.remove(func(e entry) bool { return !slices.Contains(c.Preserved, e.call) })
	r.block.Compactions++
	r.block.Cleared += gone.total()
	if r.series != nil {
		r.series.Compactions = append(r.series.Compactions, Compaction{c.Pos, c.Trigger, len(r.series.Points), gone.tokens()})
	}
}

// clear evicts the results that a micro-compaction names.
func (r *run) clear(m *transcript.MicroCompaction) float64 {
	gone := r.queue.remove(func(e entry) bool { return slices.Contains(m.Cleared, e.call) })
	r.block.MicroCompactions++
	r.block.Evicted += gone.total()
	if r.series != nil {
		r.series.Evictions = append(r.series.Evictions, Eviction{m.Pos, CauseNamed, len(r.series.Points), gone.tokens()})
	}
	return gone.total()
}

// shed evicts what a gap's growth shows to be gone, from the results that were there before it.
func (r *run) shed(g *gap, first int, tokens float64) {
	gone := r.queue.shed(first, tokens)
	r.block.Evicted += gone.total()
	r.block.Shed += gone.total()
	if r.series != nil && gone.total() > 0 {
		r.series.Evictions = append(r.series.Evictions, Eviction{g.request.Pos, CauseShed, len(r.series.Points), gone.tokens()})
	}
}

// finish fills the block from what is left.
func (r *run) finish(s *transcript.Session, opts Options) {
	b := &r.block
	b.Requests, b.UnmeasuredRequests = r.requests, r.unmeasured
	b.CharsPerToken, b.Calibrated, b.Dispersion = r.ratio, r.calibrated, r.dispersion
	b.Unexplained = r.unexplained.tokens
	b.Window, b.WindowFrom = windowSize(s, r.last, opts)
	r.context()
	residual := r.queue.sum
	if r.last != nil {
		for i, f := range transcript.Families() {
			share := b.Families.Of(f)
			share.Residual, share.Contributed = new(max(0, clean(residual[i]))), new(clean(r.contributed[i]))
		}
	}
	b.FileAccess = b.Families.Read.plus(b.Families.Search).plus(b.Families.Shell)
	if rest := b.Remainder(); rest != nil && b.BaseContext != nil {
		b.Conversation = new(clean(*rest - float64(*b.BaseContext)))
	}
	if r.series != nil {
		r.endSeries(residual)
	}
	b.notes(r)
}

// clean rounds away what floating point leaves of a difference that is zero.
func clean(x float64) float64 {
	if math.Abs(x) < 1e-6 {
		return 0
	}
	return x
}

// context fills the sizes of the first and the last prompt.
func (r *run) context() {
	b := &r.block
	if r.last == nil {
		return
	}
	if r.before == 0 {
		b.BaseContext = new(r.first.Usage.Prompt())
	}
	switch {
	case r.late == nil:
		b.FinalContext = new(r.last.Usage.Prompt())
	case r.late.PostTokens > 0:
		b.FinalContext = new(r.late.PostTokens)
	}
}

// endSeries adds a point for the end of the run if something came after the last request.
func (r *run) endSeries(residual tally) {
	if last := r.of(&r.gaps[len(r.gaps)-1]); len(last) > 0 {
		p := Point{Context: r.block.FinalContext, Resident: residual.tokens()}
		switch st := last[len(last)-1]; {
		case st.result != nil:
			p.Position = st.result.Pos
		case st.compaction != nil:
			p.Position = st.compaction.Pos
		case st.micro != nil:
			p.Position = st.micro.Pos
		}
		r.series.Points = append(r.series.Points, p)
	}
	r.block.Series = r.series
}

// windowSize returns the size of the model's window and where it comes from.
func windowSize(s *transcript.Session, last *transcript.Request, opts Options) (int, WindowSource) {
	if opts.Window > 0 {
		return opts.Window, WindowFromOptions
	}
	if last != nil {
		for i := len(s.Segments) - 1; i >= 0; i-- {
			for _, r := range s.Segments[i].Results {
				if w := r.ModelUsage[last.Model].ContextWindow; w > 0 {
					return w, WindowFromModel
				}
			}
		}
	}
	return DefaultWindow, WindowAssumed
}

func (b *Block) notes(r *run) {
	note := func(format string, args ...any) { b.Notes = append(b.Notes, fmt.Sprintf(format, args...)) }
	if b.Requests > 0 && r.last == nil {
		note("not measured: no request has a usage")
		return
	}
	if r.last == nil {
		return
	}
	if r.calibration.note != "" {
		note("%s", r.calibration.note)
	}
	if b.UnmeasuredRequests > 0 {
		note("%d of %d requests have no usage: the gaps on their sides are taken as one", b.UnmeasuredRequests, b.Requests)
	}
	if b.BaseContext == nil {
		note("fixed part not known: a tool had answered before the first request with a usage")
	}
	if b.FinalContext == nil {
		note("final context not known: the run ends with a compaction that does not say what is left")
	}
	if b.UnsentResults > 0 {
		note("%d results came after the last request: they count as resident, and no prompt holds them", b.UnsentResults)
	}
	if b.EstimatedImages > 0 {
		note("%d of %d images are priced by their pixels", b.EstimatedImages, b.Images)
	}
	if n := r.unexplained.note(); n != "" {
		note("%s", n)
	}
	if b.Shed > 0 {
		note("%.0f tokens were shed without notice: inferred from prompts that grew by less than was added", b.Shed)
	}
}
