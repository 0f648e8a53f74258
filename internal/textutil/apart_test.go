package textutil

import (
	"slices"
	"testing"
)

func TestApart(t *testing.T) {
	for _, c := range []struct {
		names, want []string
		limit       int
	}{
		{[]string{"new", "baseline"}, []string{"new", "basel…"}, 6},
		{[]string{"codegraph-new", "codegraph-old"}, []string{"…h-new", "…h-old"}, 6},
		{[]string{"same-name", "same-name", "x"}, []string{"same…", "same…", "x"}, 5},
		{[]string{"é\x1béééé1", "é\x1béééé2", "ok"}, []string{"…éé1", "…éé2", "ok"}, 4},
	} {
		if got := Apart(c.names, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.names, got, c.want)
		}
	}
}
