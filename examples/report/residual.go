package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/internal/textutil"
)

// maxDots is how many runs of an arm are drawn one by one.
const maxDots = 500

// residuals draws what retrieval and file access still hold, a dot a run.
func residuals(t *arms.Table) Picture {
	pic := Picture{
		ID: "residual", Title: "What retrieval still holds at the end",
		Caption: "A dot a run: tokens of the tool's responses and of files that are still in the window when the run ends. The thick line is the median, the thin one the range, " +
			"and a box is where the true median lies, which takes six runs an arm. Further left is less. It is good only if the answers were right.",
		Figures: Figures{Head: []string{"arm", "run", "→ retrieval residual (tok)"}},
	}
	var labels names
	p := newPlot("", "tokens still resident", "")
	high := 1.0
	alt := "Residual tokens per arm."
	for i := range t.Arms {
		a := &t.Arms[len(t.Arms)-1-i] // the first arm on top
		y := float64(i)
		labels = append(labels, short(a.Label, 24))
		cell := cellOf(t, arms.SectionOccupancy, "→ retrieval residual (tok)", len(t.Arms)-1-i)
		if cell == nil || cell.Median == nil {
			alt += fmt.Sprintf(" %s: not measured.", short(a.Label, 60))
			continue
		}
		alt += fmt.Sprintf(" %s: %s.", short(a.Label, 60), cell.Text)
		high = max(high, *cell.Max)
		if in := cell.Interval; in != nil {
			p.Add(box(in.Lo, y-0.28, in.Hi, y+0.28, color.RGBA{0x56, 0xb4, 0xe9, 0x60}))
		}
		p.Add(line(1, false, plotter.XY{X: *cell.Min, Y: y}, plotter.XY{X: *cell.Max, Y: y}))
		p.Add(line(3, false, plotter.XY{X: *cell.Median, Y: y - 0.3}, plotter.XY{X: *cell.Median, Y: y + 0.3}))
		p.Add(marks(draw.CircleGlyph{}, 3.5, blue, dots(a, y)...))
		if len(a.Runs) > maxDots {
			pic.Caption += fmt.Sprintf(" Of %s the dots are the first %d.", short(a.Label, 60), maxDots)
		}
	}
	for i := range t.Arms {
		for j := range t.Arms[i].Runs {
			pic.Figures.add(short(t.Arms[i].Label, 60), short(t.Arms[i].Runs[j].Name, 60), whole(t.Arms[i].Runs[j].RetrievalResidual()))
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1.05*high, -0.7, float64(len(t.Arms))-0.3
	p.X.Tick.Marker, p.Y.Tick.Marker = thousands{}, labels
	pic.Images = []Image{{"residual", alt, render(p, 620, 70+50*float64(len(t.Arms)))}}
	return pic
}

// dots returns a point a run, apart from the line by turns so that equal ones are seen.
func dots(a *arms.Arm, y float64) (xys []plotter.XY) {
	for i := range a.Runs {
		if x := a.Runs[i].RetrievalResidual(); x != nil && finite(*x) && len(xys) < maxDots {
			xys = append(xys, plotter.XY{X: *x, Y: y + 0.06*float64(i%5-2)})
		}
	}
	return xys
}

// cellOf returns a cell of the table, or nil.
func cellOf(t *arms.Table, section arms.Section, name string, arm int) *arms.Cell {
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Section == section && r.Name == name {
			return &r.Cells[arm]
		}
	}
	return nil
}

// actions draws what the agents did after a response, as shares of the judged calls.
func actions(t *arms.Table) Picture {
	pic := Picture{
		ID: "actions", Title: "What the agent did next",
		Caption: "Of all answered calls of an arm, which share was followed by what, with the number of calls in the bar. Green at the right is a response that was enough, " +
			"which is not the same as a right answer; orange and red at the left are calls after which the agent asked again or read what it had been given.",
		Figures: Figures{Head: []string{"arm", "next action", "calls", "share", "95% interval"}},
	}
	fills := []color.Color{red, orange, yellow, sky, green}
	classes := []string{"again", "returned", "missed", "hunt", "enough"}
	p := newPlot("", "share of answered calls", "")
	var labels names
	var at plotter.XYs
	var counts []string
	alt := "Next actions per arm."
	for i := range t.Arms {
		labels = append(labels, short(t.Arms[len(t.Arms)-1-i].Label, 24))
	}
	left := make([]float64, len(t.Arms))
	k := 0
	for _, row := range t.Rows {
		if row.Kind != arms.Rate || k == len(fills) {
			continue
		}
		pic.Legend = append(pic.Legend, Key{classes[k], row.Name})
		for arm, c := range row.Cells {
			if c.Median == nil {
				continue
			}
			y := float64(len(t.Arms) - 1 - arm)
			if *c.Median > 0 {
				p.Add(box(left[arm], y-0.3, left[arm]+*c.Median, y+0.3, fills[k]))
				at = append(at, plotter.XY{X: left[arm] + *c.Median/2, Y: y})
				counts = append(counts, textutil.Thousands(*c.Count))
				left[arm] += *c.Median
			}
			alt += fmt.Sprintf(" %s, %s: %s.", short(t.Arms[arm].Label, 60), row.Name, c.Text)
			pic.Figures.add(short(t.Arms[arm].Label, 60), row.Name, textutil.Thousands(*c.Count), fmt.Sprintf("%.0f%%", 100**c.Median),
				fmt.Sprintf("%.0f%%–%.0f%%", 100*c.Interval.Lo, 100*c.Interval.Hi))
		}
		k++
	}
	if len(at) == 0 {
		return Picture{}
	}
	p.Add(caption(at, counts))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, -0.7, float64(len(t.Arms))-0.3
	p.X.Tick.Marker, p.Y.Tick.Marker = percents{}, labels
	pic.Images = []Image{{"actions", alt, render(p, 620, 70+45*float64(len(t.Arms)))}}
	return pic
}
