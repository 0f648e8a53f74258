package arms

import (
	"math"
	"slices"
	"testing"
)

// All n values miss on one side with probability 2·(½)ⁿ.
func TestCoverage(t *testing.T) {
	for n, want := range map[int]float64{-1: 0, 0: 0, 1: 0, 2: 0.5, 3: 0.75, 4: 0.875, 10: 1 - 2.0/1024} {
		if got := Coverage(n); got != want {
			t.Errorf("of %d: %v, want %v", n, got, want)
		}
	}
}

// There are 20 ways to choose 3 of 6, 70 to choose 4 of 8 and 35 to choose 3 of 7; two of them are the extremes.
func TestLeastP(t *testing.T) {
	for _, c := range []struct {
		n, m int
		want float64
	}{{3, 3, 0.1}, {4, 4, 2.0 / 70}, {3, 4, 2.0 / 35}, {1, 1, 1}, {0, 5, 1}} {
		if got := LeastP(c.n, c.m); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%d against %d: %v, want %v", c.n, c.m, got, c.want)
		}
	}
	for alpha, want := range map[float64]int{0.05: 4, 0.1: 3, 0.01: 5} {
		if got := RunsNeeded(alpha); got != want {
			t.Errorf("for %v: %d, want %d", alpha, got, want)
		}
	}
}

// Of n differences each may have either sign: 2ⁿ ways. Of 5 all above 0, the sum of the ranks below 0 is 0, in one way: 2·1/32. Of
// +1, +2, −3 the sum below is 3 as is the one above, and p is 1. Of +2, +3, +4, +5, −1 it is 1: the empty sum and {1}, 2·2/32.
// Of +1, +1, +1, −1, which share the rank 2.5, it is 2.5: the empty sum and four single ones, 2·5/16.
func TestSignedRank(t *testing.T) {
	for _, c := range []struct {
		differences []float64
		want        float64
	}{
		{nil, 1}, {[]float64{0, 0}, 1}, {[]float64{7}, 1}, {[]float64{1, 2, 3, 4, 5}, 2.0 / 32}, {[]float64{-1, -2, -3, -4, -5, 0}, 2.0 / 32},
		{[]float64{1, 2, -3}, 1}, {[]float64{2, 3, -1, 4, 5}, 4.0 / 32}, {[]float64{1, 1, 1, -1}, 10.0 / 16},
	} {
		if got := signedRank(c.differences); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.differences, got, c.want)
		}
	}
}

// Beyond the limit the normal approximation takes over, which is near the exact value: here of 100 pairs, one in three below 0.
func TestSignedRankOfManyPairs(t *testing.T) {
	var d []float64
	for i := range exactPairs {
		d = append(d, float64(i+1)*float64(1-2*((i%3)/2)))
	}
	exact := signedRank(d)
	zero := append(slices.Clone(d), math.SmallestNonzeroFloat64) // one more pair, of the least rank
	if normal := signedRank(zero); exact < 0.0001 || math.Abs(exact-normal) > 0.1*exact {
		t.Errorf("%v for %d pairs, %v for one more", exact, exactPairs, normal)
	}
}

// Of 1, 1 against 2 one of the three ways to choose the lone value puts it above both others: 2·1/3, whichever sample comes first.
// Of 1, 2, 2 against 2, 3 the first wins no pair but ties two, U = 1. Of the 10 ways to choose two of the five values, the three that
// leave the 1 and two of the 2s on this side are as low: 2·3/10.
func TestMannWhitneyWithTies(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{{[]float64{1, 1}, []float64{2}, 2.0 / 3}, {[]float64{2, 1, 2}, []float64{3, 2}, 0.6}} {
		x, y := slices.Clone(c.x), slices.Clone(c.y)
		there, back := mannWhitney(x, y, 0.05), mannWhitney(y, x, 0.05)
		if math.Abs(there.P-c.want) > 1e-12 || math.Abs(back.P-c.want) > 1e-12 {
			t.Errorf("%v against %v: p %v and %v, want %v", x, y, there.P, back.P, c.want)
		}
		if !slices.Equal(x, c.x) || !slices.Equal(y, c.y) {
			t.Error("the samples were sorted in place")
		}
	}
}

// Of the C(6,3) = 20 tables with these margins two are as extreme as 0 of 3 against 3 of 3. 0 of 1 against 3 of 3 is one of four; 3 of 5 against 0 of
// 6 has 10 of C(11,3) = 165, and the tables with 0, 1 and 2 have 20, 75 and 60.
func TestFisher(t *testing.T) {
	for _, c := range []struct {
		k, n, l, m int
		want       float64
	}{{0, 3, 3, 3, 0.1}, {0, 1, 3, 3, 0.25}, {0, 2, 2, 2, 1.0 / 3}, {3, 5, 0, 6, 10.0 / 165}, {2, 5, 3, 6, 1}, {0, 0, 3, 3, 1}, {0, 4, 0, 4, 1}, {500, 1000, 500, 1000, 1}} {
		there, back := fisher(c.k, c.n, c.l, c.m), fisher(c.l, c.m, c.k, c.n)
		if math.Abs(there-c.want) > 1e-9 || math.Abs(back-c.want) > 1e-9 {
			t.Errorf("%d of %d against %d of %d: %v and %v, want %v", c.k, c.n, c.l, c.m, there, back, c.want)
		}
	}
}

func TestRunsNeededOfNoAlpha(t *testing.T) {
	if RunsNeeded(0) != 0 || RunsNeeded(-1) != 0 || RunsNeeded(math.NaN()) != 0 {
		t.Error("no number of runs is enough")
	}
}
