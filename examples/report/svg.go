package main

import (
	"bytes"
	"encoding/base64"
	"html/template"
	"image/color"
	"math"
	"strconv"
	"strings"

	// Draws the pictures; this command alone imports it.
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The palette of Okabe and Ito, whose colours are told apart with any colour vision, and by their lightness in print.
var (
	blue    = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	orange  = color.RGBA{0xe6, 0x9f, 0x00, 0xff}
	green   = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	purple  = color.RGBA{0xcc, 0x79, 0xa7, 0xff}
	sky     = color.RGBA{0x56, 0xb4, 0xe9, 0xff}
	red     = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	yellow  = color.RGBA{0xf0, 0xe4, 0x42, 0xff}
	gray    = color.RGBA{0x8c, 0x8c, 0x8c, 0xff}
	silver  = color.RGBA{0xc8, 0xc8, 0xc8, 0xff}
	ink     = color.RGBA{0x11, 0x11, 0x11, 0xff} // for texts on the colours above, dark on a dark page too
	outline = vg.Points(0.5)
)

// An svg is a picture as a file of its own.
type svg []byte

// uri returns the picture for an img element, where nothing in it can run or load.
func (s svg) uri() template.URL {
	return template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(s))
}

// newPlot returns an empty plot in the page's style.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.Transparent
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, x, y
	for _, s := range []*text.Style{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.Y.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		s.Font.Variant = "Sans"
		s.Font.Size = font.Points(9)
	}
	p.Title.TextStyle.Font.Size = font.Points(10)
	p.Title.Padding = vg.Points(4)
	return p
}

// render draws a plot of the given size in points. Black, which stands for axes and text, is light on a dark page.
func render(p *plot.Plot, width, height float64) svg {
	c := vgsvg.New(vg.Points(width), vg.Points(height))
	p.Draw(draw.New(c))
	var b bytes.Buffer
	c.WriteTo(&b) // a buffer does not fail
	out := strings.ReplaceAll(b.String(), "font-family:Liberation Sans", "font-family:Liberation Sans,Arial,Helvetica,sans-serif")
	const style = `<style>@media (prefers-color-scheme: dark) { text:not([style*="fill:"]) { fill: #e8e8e8 } [style*="stroke:#000000"] { stroke: #e8e8e8 !important } }</style>`
	if at := strings.Index(out, "<g "); at >= 0 {
		out = out[:at] + style + "\n" + out[at:]
	}
	return svg(out)
}

// box returns a filled rectangle.
func box(x0, y0, x1, y1 float64, fill color.Color) *plotter.Polygon {
	return area(plotter.XYs{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}, fill)
}

// area returns a filled polygon with a thin outline, which keeps neighbours apart in print.
func area(xys plotter.XYs, fill color.Color) *plotter.Polygon {
	p := &plotter.Polygon{XYs: []plotter.XYs{xys}, Color: fill}
	p.LineStyle = draw.LineStyle{Color: color.Black, Width: outline}
	return p
}

// line returns a line through points.
func line(width float64, dashed bool, xys ...plotter.XY) *plotter.Line {
	l := &plotter.Line{XYs: xys, LineStyle: draw.LineStyle{Color: color.Black, Width: vg.Points(width)}}
	if dashed {
		l.LineStyle.Dashes = []vg.Length{vg.Points(3), vg.Points(2)}
	}
	return l
}

// marks returns a mark at each point.
func marks(shape draw.GlyphDrawer, radius float64, fill color.Color, xys ...plotter.XY) *plotter.Scatter {
	return &plotter.Scatter{XYs: xys, GlyphStyle: draw.GlyphStyle{Color: fill, Radius: vg.Points(radius), Shape: shape}}
}

// caption returns texts at points, each centered on its own.
func caption(points plotter.XYs, texts []string) *plotter.Labels {
	style := text.Style{Color: ink, Font: font.From(plot.DefaultFont, font.Points(8)), XAlign: draw.XCenter, YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
	style.Font.Variant = "Sans"
	l := &plotter.Labels{XYs: points, Labels: texts, TextStyle: make([]text.Style, len(texts))}
	for i := range texts {
		l.TextStyle[i] = style
	}
	return l
}

// names is an axis that has a name at each whole number.
type names []string

// Ticks places the names that are in range.
func (n names) Ticks(lo, hi float64) (ticks []plot.Tick) {
	for i, name := range n {
		if at := float64(i); lo <= at && at <= hi {
			ticks = append(ticks, plot.Tick{Value: at, Label: name})
		}
	}
	return ticks
}

// thousands marks an axis of tokens or characters: 20k.
type thousands struct{}

func (thousands) Ticks(lo, hi float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(lo, hi)
	for i, t := range ticks {
		switch {
		case t.Label == "":
		case math.Abs(t.Value) >= 1000:
			ticks[i].Label = strconv.FormatFloat(t.Value/1000, 'g', 6, 64) + "k"
		default:
			ticks[i].Label = strconv.FormatFloat(t.Value, 'g', 4, 64)
		}
	}
	return ticks
}

// percents marks an axis of fractions: 40%.
type percents struct{}

func (percents) Ticks(lo, hi float64) []plot.Tick {
	ticks := plot.DefaultTicks{}.Ticks(lo, hi)
	for i, t := range ticks {
		if t.Label != "" {
			ticks[i].Label = strconv.FormatFloat(100*t.Value, 'g', 4, 64) + "%"
		}
	}
	return ticks
}
