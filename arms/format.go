package arms

import (
	"fmt"
	"math"

	"github.com/agent-eval/feedback/internal/textutil"
)

// noData stands for a figure that no run has.
const noData = "—"

// format writes a figure as its unit asks: a fraction as percent with one decimal, few seconds and the half calls of a median with one
// too, all else as a whole number.
func format(x float64, unit Unit) string {
	switch {
	case unit == Fraction:
		return fmt.Sprintf("%.1f%%", 100*x)
	case unit == Seconds && math.Abs(x) < 9.95 && x != math.Trunc(x), unit == Calls && x != math.Trunc(x):
		return fmt.Sprintf("%.1f", x)
	case math.Abs(x) >= 1<<53:
		return fmt.Sprintf("%.3g", x)
	}
	return textutil.Thousands(int(math.Round(x)))
}

// spanText writes median [min–max], or one figure when they look the same.
func spanText(median, least, greatest float64, unit Unit) string {
	m, lo, hi := format(median, unit), format(least, unit), format(greatest, unit)
	if lo == hi {
		return m
	}
	return m + " [" + lo + "–" + hi + "]"
}

// rateText writes a count and its share.
func rateText(k, n int) string {
	return fmt.Sprintf("%s  %.0f%%", textutil.Thousands(k), 100*float64(k)/float64(n))
}
