package arms_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/sufficiency"
)

// random makes arms of some runs, a few of which measured nothing.
func random(r *rand.Rand, labels ...string) (made []arms.Arm) {
	for _, label := range labels {
		a := arms.Arm{Label: label}
		for range 1 + r.IntN(9) {
			f := figures{float64(r.IntN(60)), 50_000, float64(r.IntN(9_000)), float64(r.IntN(2_000)),
				sufficiency.Counts{ExploreAgain: r.IntN(3), Sufficient: r.IntN(3), Search: r.IntN(2)}, r.IntN(10_000), 10_000}
			run := f.run()
			run.Name = label + "-" + string(rune('a'+len(a.Runs)))
			run.Model = []string{"", "m1", "m2"}[r.IntN(3)]
			if r.IntN(6) == 0 {
				run.Occupancy.Families.Retrieval.Residual, run.DurationS = nil, nil
			}
			a.Runs = append(a.Runs, run)
		}
		made = append(made, a)
	}
	return made
}

func cloneArms(as []arms.Arm) []arms.Arm {
	as = slices.Clone(as)
	for i := range as {
		as[i].Runs = slices.Clone(as[i].Runs)
	}
	return as
}

func each(t *testing.T, law func(t *testing.T, r *rand.Rand, as []arms.Arm)) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		law(t, r, random(r, "new", "baseline"))
	}
}

func TestTheOrderOfRunsChangesNothing(t *testing.T) {
	each(t, func(t *testing.T, r *rand.Rand, as []arms.Arm) {
		want := arms.Compare(as, arms.Options{})
		shuffled := cloneArms(as)
		for i := range shuffled {
			r.Shuffle(len(shuffled[i].Runs), func(a, b int) { runs := shuffled[i].Runs; runs[a], runs[b] = runs[b], runs[a] })
		}
		got := arms.Compare(shuffled, arms.Options{})
		want.Arms, got.Arms = nil, nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func rowOf(t *testing.T, table arms.Table, section arms.Section, name string) arms.Row {
	t.Helper()
	for _, row := range table.Rows {
		if row.Section == section && row.Name == name {
			return row
		}
	}
	t.Fatalf("no row %s / %s", section, name)
	return arms.Row{}
}

func TestTwiceTheResidualIsTwiceTheSpan(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, as []arms.Arm) {
		once := rowOf(t, arms.Compare(as, arms.Options{}), arms.SectionOccupancy, "codegraph residual (tok)")
		twice := cloneArms(as)
		for i := range twice {
			for j := range twice[i].Runs {
				if p := twice[i].Runs[j].Occupancy.Families.Retrieval.Residual; p != nil {
					twice[i].Runs[j].Occupancy.Families.Retrieval.Residual = new(2 * *p)
				}
			}
		}
		doubled := rowOf(t, arms.Compare(twice, arms.Options{}), arms.SectionOccupancy, once.Name)
		for i, c := range once.Cells {
			if c.Median == nil {
				continue
			}
			if d := doubled.Cells[i]; *d.Median != 2**c.Median || *d.Min != 2**c.Min || *d.Max != 2**c.Max || d.N != c.N {
				t.Fatalf("%+v, doubled %+v", c, d)
			}
		}
		if once.Compare != nil && *once.Compare.P != *doubled.Compare.P {
			t.Fatalf("p %v and %v", *once.Compare.P, *doubled.Compare.P)
		}
	})
}

func TestSwappingTheArmsMirrorsTheChange(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, as []arms.Arm) {
		there, back := arms.Compare(as, arms.Options{}), arms.Compare([]arms.Arm{as[1], as[0]}, arms.Options{})
		for i, row := range there.Rows {
			a, b := row.Compare, back.Rows[i].Compare
			if (a == nil) != (b == nil) {
				t.Fatalf("%s: %v and %v", row.Name, a, b)
			}
			if a == nil {
				continue
			}
			if a.Difference != -b.Difference || a.Significant != b.Significant || a.P != nil && math.Abs(*a.P-*b.P) > 1e-12 || a.N != [2]int{b.N[1], b.N[0]} {
				t.Fatalf("%s: %+v and %+v", row.Name, a, b)
			}
			if a.Interval != nil && (math.Abs(a.Interval.Lo+b.Interval.Hi) > 1e-12 || math.Abs(a.Interval.Hi+b.Interval.Lo) > 1e-12) {
				t.Fatalf("%s: %+v and %+v", row.Name, a.Interval, b.Interval)
			}
			if strings.Contains(a.Text, "HIGHER") != strings.Contains(b.Text, "LOWER") {
				t.Fatalf("%s: %s and %s", row.Name, a.Text, b.Text)
			}
		}
	})
}

func TestARunWithoutRetrievalChangesNoAllocation(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, as []arms.Arm) {
		allocation := func(table arms.Table) (rows []arms.Row) {
			for _, row := range table.Rows {
				if row.Section == arms.SectionAllocation {
					rows = append(rows, row)
				}
			}
			return rows
		}
		more := cloneArms(as)
		idle := arms.Run{Tool: "codegraph"}
		idle.Allocation.HasAnswer, idle.Allocation.Used, idle.Allocation.UsedPath = true, new(0), new(0)
		more[0].Runs = append(more[0].Runs, idle)
		ignoreN := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".N" }, cmp.Ignore())
		if diff := cmp.Diff(allocation(arms.Compare(as, arms.Options{})), allocation(arms.Compare(more, arms.Options{})), ignoreN); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestCompareChangesNoRun(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, as []arms.Arm) {
		before, _ := json.Marshal(as)
		arms.Compare(as, arms.Options{})
		if after, _ := json.Marshal(as); string(before) != string(after) {
			t.Fatal("the arms are not what they were")
		}
	})
}

func TestTablesRoundTripThroughJSON(t *testing.T) {
	each(t, func(t *testing.T, _ *rand.Rand, as []arms.Arm) {
		want := arms.Compare(as, arms.Options{Title: "t"})
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got arms.Table
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
