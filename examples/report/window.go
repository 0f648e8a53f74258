package main

import (
	"fmt"
	"image/color"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/occupancy"
)

// A layer is a part of the window, from the bottom up.
type layer struct {
	name, class string
	fill        color.Color
	of          func(occupancy.Point, *occupancy.Block) float64
}

// layers are the parts of a window; together they are its size.
func layers(tool string) []layer {
	family := func(of func(occupancy.Tokens) float64) func(occupancy.Point, *occupancy.Block) float64 {
		return func(p occupancy.Point, _ *occupancy.Block) float64 { return of(p.Resident) }
	}
	return []layer{
		{"fixed part", "fixed", gray, fixed},
		{short(tool, 40), "retrieval", blue, family(func(t occupancy.Tokens) float64 { return t.Retrieval })},
		{"Read", "read", orange, family(func(t occupancy.Tokens) float64 { return t.Read })},
		{"Grep/Glob", "search", green, family(func(t occupancy.Tokens) float64 { return t.Search })},
		{"Bash", "shell", purple, family(func(t occupancy.Tokens) float64 { return t.Shell })},
		{"other tools", "other", sky, family(func(t occupancy.Tokens) float64 { return t.Other })},
		{"conversation", "conversation", silver, conversation},
	}
}

// fixed is what the first prompt held, as far as the window is not smaller than that, which it can be after a compaction.
func fixed(p occupancy.Point, b *occupancy.Block) float64 {
	if b.BaseContext == nil {
		return 0
	}
	return max(0, min(float64(*b.BaseContext), float64(*p.Context)-p.Resident.Total()))
}

func conversation(p occupancy.Point, b *occupancy.Block) float64 {
	return float64(*p.Context) - p.Resident.Total() - fixed(p, b)
}

// windows draws the window of each run over its requests.
func windows(tool string, runs []shown, part string) Picture {
	pic := Picture{
		ID: "window", Small: true, Title: "The window over the run",
		Caption: "One drawing a run, all on one scale: how many tokens each request's prompt had, and what they were. The top edge is the size of the prompt. " +
			"A dashed line is a compaction; a triangle an eviction, where results left the window without one. A wide blue band at the right edge is what the tool still holds when the run ends." + part,
		Figures: Figures{Head: []string{"run", "request", "context (tok)", "event"}},
	}
	for _, l := range layers(tool) {
		pic.Legend = append(pic.Legend, Key{l.class, l.name})
		pic.Figures.Head = append(pic.Figures.Head, l.name+" (tok)")
	}
	wide, high := 1.0, 1.0
	for _, r := range runs {
		for i, p := range points(r.Run) {
			wide, high = max(wide, float64(i+1)), max(high, float64(*p.Context))
		}
	}
	for _, r := range runs {
		if len(points(r.Run)) == 0 {
			continue
		}
		pic.Images = append(pic.Images, Image{r.Name, windowText(tool, r), window(tool, r, wide, high)})
		windowFigures(&pic.Figures, tool, r)
	}
	return pic
}

// points are the points whose size is known.
func points(r *arms.Run) (known []occupancy.Point) {
	if r.Occupancy.Series == nil {
		return nil
	}
	for _, p := range r.Occupancy.Series.Points {
		if p.Context != nil {
			known = append(known, p)
		}
	}
	return known
}

// window draws one run. A request's prompt stands until the next one.
func window(tool string, r shown, wide, high float64) svg {
	p := newPlot(r.Name, "request", "tokens")
	known := points(r.Run)
	floor := make([]float64, len(known))
	for _, l := range layers(tool) {
		var up, down plotter.XYs
		empty := true
		for i, pt := range known {
			top := floor[i] + max(0, l.of(pt, &r.Occupancy))
			empty = empty && top == floor[i]
			x0, x1 := float64(i)+0.5, float64(i)+1.5
			up = append(up, plotter.XY{X: x0, Y: top}, plotter.XY{X: x1, Y: top})
			down = append(down, plotter.XY{X: x0, Y: floor[i]}, plotter.XY{X: x1, Y: floor[i]})
			floor[i] = top
		}
		if empty {
			continue
		}
		for i := len(down) - 1; i >= 0; i-- {
			up = append(up, down[i])
		}
		p.Add(area(up, l.fill))
	}
	for _, c := range r.Occupancy.Series.Compactions {
		x := float64(min(c.Point, len(known))) + 0.5
		p.Add(line(1.2, true, plotter.XY{X: x, Y: 0}, plotter.XY{X: x, Y: high}))
	}
	for _, e := range r.Occupancy.Series.Evictions {
		if i := min(e.Point, len(known)-1); i >= 0 {
			p.Add(marks(draw.TriangleGlyph{}, 4, red, plotter.XY{X: float64(i) + 0.5, Y: floor[i]}))
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0.5, wide+0.5, 0, 1.05*high
	p.X.Tick.Marker, p.Y.Tick.Marker = wholeNumbers{}, thousands{}
	return render(p, 260, 190)
}

// wholeNumbers marks an axis of requests.
type wholeNumbers struct{}

func (wholeNumbers) Ticks(lo, hi float64) (ticks []plot.Tick) {
	step := 1
	for (hi-lo)/float64(step) > 6 {
		step *= 2
		if step == 4 {
			step = 5
		}
	}
	for i := step; float64(i) < hi; i += step {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: strconv.Itoa(i)})
	}
	return ticks
}

// windowText says what a drawing shows.
func windowText(tool string, r shown) string {
	known := points(r.Run)
	last := known[len(known)-1]
	return fmt.Sprintf("%s: the prompt grows from %s to %s tokens over %s; at the end %s holds %s tokens; %s, %s.", r.Name,
		textutil.Thousands(*known[0].Context), textutil.Thousands(*last.Context), textutil.Count(len(known), "request"), short(tool, 40),
		whole(&last.Resident.Retrieval), textutil.Count(len(r.Occupancy.Series.Compactions), "compaction"), textutil.Count(len(r.Occupancy.Series.Evictions), "eviction"))
}

func windowFigures(f *Figures, tool string, r shown) {
	for i, p := range r.Occupancy.Series.Points {
		if p.Context == nil {
			continue
		}
		event := ""
		for _, c := range r.Occupancy.Series.Compactions {
			if c.Point == i {
				event = "compaction"
			}
		}
		for _, e := range r.Occupancy.Series.Evictions {
			if e.Point == i {
				event += " evicted " + whole(new(e.Tokens.Total())) + " tok"
			}
		}
		row := []string{r.Name, strconv.Itoa(i + 1), textutil.Thousands(*p.Context), event}
		for _, l := range layers(tool) {
			row = append(row, whole(new(l.of(p, &r.Occupancy))))
		}
		f.add(row...)
	}
}
