package arms_test

import (
	"strings"
	"testing"

	"github.com/agent-eval/feedback/allocation"
	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/occupancy"
	"github.com/agent-eval/feedback/sufficiency"
)

// figures are those of one run that a table shows.
type figures struct {
	duration, context, retrieval, files float64
	counts                              sufficiency.Counts
	used, envelope                      int
}

func (f figures) run() arms.Run {
	r := arms.Run{Tool: "codegraph"}
	r.OK, r.DurationS = true, &f.duration
	r.Occupancy = occupancy.Block{FinalContext: new(int(f.context)), Calibrated: true}
	r.Occupancy.Families.Retrieval.Residual = &f.retrieval
	r.Occupancy.FileAccess.Residual = &f.files
	c := f.counts
	r.Sufficiency = sufficiency.Block{Answered: c.ExploreAgain + c.ReadReturned + c.ReadMissed + c.Search + c.Sufficient, Counts: c}
	r.Allocation = allocation.Block{HasAnswer: true, Envelope: f.envelope, Used: &f.used, Efficiency: new(float64(f.used) / float64(f.envelope)),
		Calls: make([]allocation.Call, r.Sufficiency.Answered)}
	for i := range r.Allocation.Calls {
		r.Allocation.Calls[i].Envelope = 1
	}
	return r
}

func arm(label string, runs ...figures) arms.Arm {
	a := arms.Arm{Label: label}
	for _, f := range runs {
		a.Runs = append(a.Runs, f.run())
	}
	return a
}

// express is the example of a comparison: in new, one response more was enough; in baseline a file was read after each second call.
func express() []arms.Arm {
	again, enough, read := sufficiency.Counts{ExploreAgain: 1, Sufficient: 1}, sufficiency.Counts{Sufficient: 1}, sufficiency.Counts{ExploreAgain: 1, ReadReturned: 1}
	return []arms.Arm{
		arm("new", // the shares are 7,193/45,525 = 15.8 %, 11,780/50,557 = 23.3 % and 12,833/51,538 = 24.9 %
			figures{18, 45_525, 7_193, 0, enough, 10_000, 10_000},
			figures{24, 50_557, 11_549, 231, again, 10_000, 10_000},
			figures{35, 51_538, 12_591, 242, again, 12_950, 14_000}), // 92.5 %; together 32,950 of 34,000 = 96.9 %
		arm("baseline", // 11,753/50,226 = 23.4 %, 12,034/50,563 = 23.8 %, 12,051/50,422 = 23.9 %
			figures{24, 50_226, 10_447, 1_306, read, 8_190, 10_000},
			figures{26, 50_563, 10_373, 1_661, read, 8_194, 10_000},
			figures{30, 50_422, 10_388, 1_663, read, 24_612, 30_000}), // 82.04 %; together 40,996 of 50,000 = 82.0 %
	}
}

func text(t *testing.T, table arms.Table) string {
	t.Helper()
	var b strings.Builder
	if err := table.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A line is two spaces, 36 columns of label and 24 a cell. Medians are the middle one of three runs.
func TestTheTablePrintsToTheCharacter(t *testing.T) {
	got := text(t, arms.Compare(express(), arms.Options{Title: "out/ab-express"}))
	for _, want := range []string{
		"====== ARM COMPARISON — out/ab-express ======",
		"                                                           new                baseline",
		"  runs                                                       3                       3",
		"  behavior",
		"    duration (s)                                    24 [18–35]              26 [24–30]",
		"  residual context occupancy — tokens still resident at end of run",
		"    codegraph residual (tok)             11,549 [7,193–12,591]  10,388 [10,373–10,447]",
		"    file-access residual (tok)                     231 [0–242]     1,661 [1,306–1,663]",
		"    → retrieval residual (tok)           11,780 [7,193–12,833]  12,034 [11,753–12,051]",
		"    → share of final context               23.3% [15.8%–24.9%]     23.8% [23.4%–23.9%]",
		"  explore sufficiency — pooled over every answered explore call",
		"    answered explore calls                                   5                       6",
		"    explore again                                       2  40%                  3  50%",
		"    Read a file we returned                              0  0%                  3  50%",
		"    Read a file we did not return                        0  0%                   0  0%",
		"    Grep/Glob                                            0  0%                   0  0%",
		"    moved on / answered                                 3  60%                   0  0%",
		"  explore allocation efficiency — share of returned bytes the answer cited",
		"    pooled efficiency                                    96.9%                   82.0%",
		"    per-run efficiency                   100.0% [92.5%–100.0%]     81.9% [81.9%–82.0%]",
		"  contamination — the CLI must never be how codegraph is reached",
		"    CLI calls that RETURNED output                           0                       0",
		"    CLI attempts blocked                                     0                       0",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
