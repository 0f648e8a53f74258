package main

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/agent-eval/feedback/arms/campaign"
)

// savings draws what the tool saves on each repository of a campaign, a row a repository.
func savings(r *campaign.Report) Picture {
	pic := Picture{
		ID: "savings", Title: "What " + short(r.With, 24) + " saves against " + short(r.Without, 24),
		Caption: "A row a repository: the change of the medians. Left of the line is less with the tool, right of it more. With few runs a repository, a single row is noise; look whether the rows agree.",
		Legend:  []Key{{"retrieval", "● time"}, {"read", "▲ tokens"}, {"search", "■ cost"}},
		Figures: Figures{Head: []string{"repository", "measure", short(r.With, 24), short(r.Without, 24), "change"}},
	}
	marksOf := map[string]draw.GlyphDrawer{"time": draw.CircleGlyph{}, "tokens": draw.TriangleGlyph{}, "cost": draw.BoxGlyph{}}
	fills := map[string]int{"time": 0, "tokens": 1, "cost": 2}
	p := newPlot("", "change with the tool", "")
	labels := make(names, len(r.Repos))
	wide := 0.1
	alt := "Change per repository."
	for i, repo := range r.Repos {
		y := len(r.Repos) - 1 - i
		labels[y] = short(repo.Name, 24)
		for _, m := range repo.Measures {
			change := "—"
			if m.Saved != nil && finite(*m.Saved) {
				change = fmt.Sprintf("%+.0f%%", -100**m.Saved)
				if shape := marksOf[m.Name]; shape != nil {
					k := fills[m.Name]
					p.Add(marks(shape, 4, []color.Color{blue, orange, green}[k], plotter.XY{X: -*m.Saved, Y: float64(y) + 0.2*float64(1-k)}))
					wide = max(wide, 1.1**m.Saved, -1.1**m.Saved)
					alt += fmt.Sprintf(" %s, %s: %s.", short(repo.Name, 60), m.Name, change)
				}
			}
			pic.Figures.add(short(repo.Name, 60), m.Name+" ("+string(m.Unit)+")", decimal(m.With), decimal(m.Without), change)
		}
	}
	top := float64(len(r.Repos)) - 0.3
	p.Add(line(1, true, plotter.XY{X: 0, Y: -0.7}, plotter.XY{X: 0, Y: top}))
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -wide, wide, -0.7, top
	p.X.Tick.Marker, p.Y.Tick.Marker = percents{}, labels
	pic.Images = []Image{{"savings", alt, render(p, 620, 70+34*float64(len(r.Repos)))}}
	return pic
}

// decimal writes a figure with as many digits as it needs.
func decimal(x *float64) string {
	switch {
	case x == nil:
		return "—"
	case *x < 10 && *x > -10:
		return fmt.Sprintf("%.3g", *x)
	}
	return whole(x)
}
