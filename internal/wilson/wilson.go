// Package wilson gives the confidence interval of a rate.
package wilson

import "math"

// Interval returns Wilson's score interval (JASA 22, 1927) of a rate of which k of n trials were a success, at a confidence above 0
// and below 1, such as 0.95. It lies within 0 and 1 and holds k/n; k is brought within 0 and n. Without trials it is 0 to 1.
//
// At 0.95, 0 of 10 is 0 to 0.28, and 10 of 10 is 0.72 to 1.
func Interval(k, n int, confidence float64) (lo, hi float64) {
	if n <= 0 {
		return 0, 1
	}
	k = min(max(k, 0), n)
	z := math.Sqrt2 * math.Erfinv(confidence)
	trials, rate := float64(n), float64(k)/float64(n)
	z2 := z * z / trials
	center := (rate + z2/2) / (1 + z2)
	half := z / (1 + z2) * math.Sqrt(rate*(1-rate)/trials+z2/(4*trials))
	lo, hi = max(0, min(center-half, rate)), min(1, max(center+half, rate))
	if k == 0 { // exactly, not to the last digit
		lo = 0
	}
	if k == n {
		hi = 1
	}
	return lo, hi
}
