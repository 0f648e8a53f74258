package wilson

import (
	"math"
	"testing"
)

// At 95 % z is 1.96 and z² is 3.8415. Of 10 of 10 the lower bound is n/(n+z²) = 10/13.84; of 0 of 10 the upper bound is
// z²/(n+z²) = 3.84/13.84. Of 5 of 10 the bounds are ½ ± ½·√(z²/(n+z²)).
func TestKnownIntervals(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		lo, hi float64
	}{
		{10, 10, 0.7225, 1}, {0, 10, 0, 0.2775}, {5, 10, 0.2366, 0.7634}, {0, 0, 0, 1}, {12, 10, 0.7225, 1}, {-1, 10, 0, 0.2775},
	} {
		lo, hi := Interval(c.k, c.n, 0.95)
		if !(math.Abs(lo-c.lo) <= 5e-5) || !(math.Abs(hi-c.hi) <= 5e-5) { // NaN is no answer
			t.Errorf("%d of %d: %.4f–%.4f, want %.4f–%.4f", c.k, c.n, lo, hi, c.lo, c.hi)
		}
	}
}

func TestAnIntervalHoldsItsRateAndMirrors(t *testing.T) {
	for n := 1; n < 60; n++ {
		for k := 0; k <= n; k++ {
			lo, hi := Interval(k, n, 0.95)
			if rate := float64(k) / float64(n); lo < 0 || lo > rate || hi < rate || hi > 1 {
				t.Errorf("%d of %d: %v–%v", k, n, lo, hi)
			}
			if l, h := Interval(n-k, n, 0.95); math.Abs(l-(1-hi)) > 1e-12 || math.Abs(h-(1-lo)) > 1e-12 {
				t.Errorf("%d of %d and its mirror: %v–%v, %v–%v", k, n, lo, hi, l, h)
			}
		}
	}
}
