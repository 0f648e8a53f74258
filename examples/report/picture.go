package main

import (
	"html/template"
	"math"

	"github.com/agent-eval/feedback/internal/textutil"
)

// A Picture is one figure of the page: images on a common scale, how to read them, and the numbers behind them.
type Picture struct {
	ID      string // for the file name and the page's own links
	Title   string
	Caption string
	Legend  []Key
	Images  []Image
	Figures Figures
	Small   bool // many small images side by side
}

// A Key is an entry of a legend; Class names its colour in the style sheet.
type Key struct{ Class, Text string }

// An Image is one drawing. Alt says what it shows to who does not see it.
type Image struct {
	Name string // for the file name
	Alt  string
	svg  svg
}

// URI returns the drawing for the page.
func (i Image) URI() template.URL { return i.svg.uri() }

// Figures is a table of numbers.
type Figures struct {
	Head []string
	Rows [][]string
	More int // rows that were left out
}

// maxFigures is how many rows a table has at most: a page has to open.
const maxFigures = 400

func (f *Figures) add(cells ...string) {
	if len(f.Rows) == maxFigures {
		f.More++
		return
	}
	f.Rows = append(f.Rows, cells)
}

// short makes a text of a log or a label fit to be shown.
func short(s string, limit int) string { return textutil.Printable(s, limit) }

// whole writes a figure of tokens or characters; a dash for one that was not measured.
func whole(x *float64) string {
	if x == nil || !finite(*x) || math.Abs(*x) >= 1<<53 {
		return "—"
	}
	return textutil.Thousands(int(math.Round(*x)))
}

// finite reports whether a number can be drawn.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
