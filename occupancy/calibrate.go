package occupancy

import (
	"fmt"
	"math"
	"slices"
)

// DefaultCharsPerToken is what results are priced at when nothing in the log shows it, or what it shows cannot be.
const DefaultCharsPerToken = 3.0

// densest and sparsest are the fewest and the most characters per token that a text can have.
const (
	densest  = 0.5
	sparsest = 8.0
)

// A calibration is the characters per token of a thread.
type calibration struct {
	ratio      float64
	calibrated bool
	dispersion *float64
	note       string
}

// calibrate takes the characters per token from the gaps that are mostly tool result; without any, from every gap
// that grew.
func calibrate(gaps []gap) calibration {
	usable := candidates(gaps, false)
	if len(usable) == 0 {
		usable = candidates(gaps, true)
	}
	c := calibration{ratio: pool(usable), calibrated: true}
	switch {
	case c.ratio == 0:
		c.calibrated = false
		if c.ratio = poolAll(gaps); c.ratio == 0 {
			c.ratio = DefaultCharsPerToken
			c.note = "characters per token not measured: no gap grew by text"
			return c
		}
		c.note = "characters per token not calibrated: no gap is mostly tool result"
	}
	if c.ratio < densest || c.ratio > sparsest { // what grew was not the text that the log shows
		c.note = fmt.Sprintf("characters per token not calibrated: the gaps give %.3g, outside %v–%v", c.ratio, densest, sparsest)
		c.calibrated, c.ratio = false, DefaultCharsPerToken
	}
	c.dispersion = dispersion(usable, c.ratio)
	return c
}

// candidates returns the gaps that can calibrate; with blind, also those that hide thinking of unknown size.
func candidates(gaps []gap, blind bool) (list []*gap) {
	for i := range gaps {
		g := &gaps[i]
		if g.request != nil && g.opened && !g.compacted && !g.pictured() && g.growth > 0 && g.net() > 0 &&
			g.chars() > 500 && g.share() >= mostly && (blind || !g.blind()) {
			list = append(list, g)
		}
	}
	return list
}

func (g *gap) ratio() float64 { return float64(g.priced()) / g.net() }

// pool returns the ratio of the gaps together, less those beyond a factor of 1.5 of their lower median; 0 without gaps.
func pool(gaps []*gap) float64 {
	if len(gaps) == 0 {
		return 0
	}
	ratios := make([]float64, len(gaps))
	for i, g := range gaps {
		ratios[i] = g.ratio()
	}
	median := lowerMedian(ratios)
	chars, tokens := 0, 0.0
	for _, g := range gaps {
		if r := g.ratio(); r <= median*1.5 && r >= median/1.5 {
			chars += g.priced()
			tokens += g.net()
		}
	}
	return float64(chars) / tokens
}

// poolAll returns the ratio of every gap that grew by text; 0 without any.
func poolAll(gaps []gap) float64 {
	chars, tokens := 0, 0.0
	for i := range gaps {
		g := &gaps[i]
		if g.request != nil && g.opened && !g.compacted && !g.pictured() && g.growth > 0 && g.net() > 0 && g.chars() > 0 {
			chars += g.chars()
			tokens += g.net()
		}
	}
	if tokens == 0 {
		return 0
	}
	return float64(chars) / tokens
}

// dispersion returns the lower median of how far off the ratio is in the gaps that are nearly all tool result.
func dispersion(gaps []*gap, ratio float64) *float64 {
	var off []float64
	for _, g := range gaps {
		if g.share() >= nearlyAll {
			off = append(off, math.Abs(float64(g.resultChars)/ratio-g.net())/g.net())
		}
	}
	if len(off) == 0 {
		return nil
	}
	return new(lowerMedian(off))
}

// lowerMedian sorts xs and returns the lower of its middle values.
func lowerMedian(xs []float64) float64 {
	slices.Sort(xs)
	return xs[(len(xs)-1)/2]
}
