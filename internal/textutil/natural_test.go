package textutil

import (
	"slices"
	"testing"
)

func TestNatural(t *testing.T) {
	want := []string{"", "a", "a-1", "a-2", "a-2.t2", "a-10", "a-10b", "b", "é"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, Natural)
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if Natural("x007", "x7") != 0 || Natural("x00", "x0") != 0 {
		t.Error("leading zeros say nothing")
	}
}
