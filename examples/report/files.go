package main

import (
	"fmt"
	"strconv"

	"gonum.org/v1/plot/plotter"

	"github.com/agent-eval/feedback/internal/textutil"
)

// maxBars is how many calls the picture of files holds.
const maxBars = 40

// files draws what each call returned, a bar a call, cut into files.
func files(runs []shown, part string) Picture {
	pic := Picture{
		ID: "files", Title: "Where the returned characters went",
		Caption: "A bar a retrieval call, cut into the files that it returned, in the order of the response; blue is a file that the answer cites, gray one that it does not. " +
			"Gray is not waste by itself: compare builds on the same question." + part,
		Legend:  []Key{{"retrieval", "cited by the answer"}, {"conversation", "not cited"}},
		Figures: Figures{Head: []string{"run", "call", "file", "characters", "cited"}},
	}
	var bars []bar
	more := 0
	for _, r := range runs {
		for i, c := range r.Allocation.Calls {
			if c.Envelope == 0 {
				continue
			}
			b := bar{label: r.Name + " #" + strconv.Itoa(i+1)}
			for _, part := range c.Parts {
				b.parts = append(b.parts, segment{part.Chars, part.Cited})
				pic.Figures.add(r.Name, strconv.Itoa(i+1), short(part.Path, 120), textutil.Thousands(part.Chars), yes(part.Cited))
			}
			if len(bars) == maxBars {
				more++
				continue
			}
			bars = append(bars, b)
		}
	}
	if len(bars) == 0 {
		return Picture{}
	}
	alt := fmt.Sprintf("Characters per file of %s.", textutil.Count(len(bars), "call"))
	if more > 0 {
		pic.Caption += fmt.Sprintf(" The bars are %d of %s.", len(bars), textutil.Count(len(bars)+more, "call"))
	}
	pic.Images = []Image{{"files", alt, drawBars(bars)}}
	return pic
}

// A bar is one call.
type bar struct {
	label string
	parts []segment
}

type segment struct {
	chars int
	cited bool
}

func drawBars(bars []bar) svg {
	p := newPlot("", "characters", "")
	labels := make(names, len(bars))
	wide := 1.0
	for i, b := range bars {
		y := float64(len(bars) - 1 - i)
		labels[len(bars)-1-i] = b.label
		x := 0.0
		for _, part := range b.parts {
			fill := silver
			if part.cited {
				fill = blue
			}
			p.Add(box(x, y-0.35, x+float64(part.chars), y+0.35, fill))
			x += float64(part.chars)
		}
		wide = max(wide, x)
	}
	p.Add(line(0.5, false, plotter.XY{X: 0, Y: -0.6}, plotter.XY{X: 0, Y: float64(len(bars)) - 0.4}))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1.02*wide, -0.6, float64(len(bars))-0.4
	p.X.Tick.Marker, p.Y.Tick.Marker = thousands{}, labels
	return render(p, 620, 60+18*float64(len(bars)))
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
