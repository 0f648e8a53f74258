package arms_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// run returns a session that retrieves, reads and answers.
func run() *transcripttest.Log {
	log := transcripttest.New()
	log.Request(10_000).Explore("res.send").Result(transcripttest.Response(
		transcripttest.File{Path: "lib/response.js", Defines: "send(method)", Source: strings.Repeat("res.send = 1\n", 500)}))
	log.Request(14_000).ReadFile("lib/response.js").Result(strings.Repeat("x", 5_000))
	log.Request(16_000).Text("It is in lib/response.js.")
	return log.End("It is in lib/response.js.")
}

func TestMeasureHoldsAllBlocks(t *testing.T) {
	r := arms.Measure(run().Session(t), arms.MeasureOptions{})
	if r.Schema != arms.Schema || r.Tool != "codegraph" || r.Turns != 3 || len(r.Calls) != 2 || r.Calls[0].Label != "res.send" {
		t.Errorf("%+v", r)
	}
	if *r.Occupancy.FinalContext != 16_000 || r.Sufficiency.Counts.ReadReturned != 1 || *r.Allocation.Efficiency != 1 || r.Contamination.Attempts != 0 {
		t.Errorf("%+v", r)
	}
}

func TestRunsRoundTripThroughJSON(t *testing.T) {
	want := arms.Measure(run().Session(t), arms.MeasureOptions{})
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got arms.Run
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnEmptySessionIsUnmeasured(t *testing.T) {
	r := arms.Measure(&transcript.Session{}, arms.MeasureOptions{})
	if r.OK || r.ProcessedTokens != nil || r.CostUSD != nil || r.Occupancy.FinalContext != nil || r.Allocation.Efficiency != nil {
		t.Errorf("%+v", r)
	}
	var out strings.Builder
	if err := r.WriteText(&out, false); err != nil || !strings.Contains(out.String(), "not measured") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestHostileNamesAreMadeSafeInTheText(t *testing.T) {
	log := transcripttest.New()
	log.Request(10).Call("evil\x1b[2J", transcripttest.Args{"query": "\u202e" + strings.Repeat("x", 10_000)}).Result("x")
	r := arms.Measure(log.Session(t), arms.MeasureOptions{})
	var out strings.Builder
	r.WriteText(&out, false)
	if strings.ContainsAny(out.String(), "\x1b\u202e") || out.Len() > 5_000 {
		t.Errorf("%.400q", out.String())
	}
}

func TestTokensOfASubagentThatAreNotInTheLogAreSaid(t *testing.T) {
	log := transcripttest.New()
	log.Request(10).Call("Agent", nil).Result("done")
	r := arms.Measure(log.Session(t), arms.MeasureOptions{})
	var out strings.Builder
	r.WriteText(&out, false)
	if !strings.Contains(out.String(), "tokens: those of 1 subagent are not all in the log") {
		t.Error(out.String())
	}
}

// The stream and the session log of one run give the same figures.
func TestStreamAndSessionLogOfRealRunsAgree(t *testing.T) {
	const dir = "../../shared/transcripts/"
	sourcegraph := transcript.Tools{Name: "sourcegraph", Retrieval: []string{"mcp__sourcegraph__*"}}
	resumed := dir + "live/06-resume/"
	for _, c := range []struct {
		name            string
		tools           transcript.Tools
		stream, session []string
	}{
		{"02", transcript.Tools{}, []string{dir + "live/02-explore-read-answer/stream.jsonl"},
			[]string{dir + "live/02-explore-read-answer/projects/-home-dev-proj/d73c0a88-f3a1-41be-a6c6-d74e97c7468b.jsonl"}},
		{"05b", transcript.Tools{}, []string{dir + "live/05b-two-subagents/stream.jsonl"},
			[]string{dir + "live/05b-two-subagents/projects/-home-dev-proj/f6e37184-0825-4ae6-8b7e-d6cbaa2b3567.jsonl"}},
		{"06", transcript.Tools{}, []string{resumed + "turn-1.jsonl", resumed + "turn-2.jsonl", resumed + "turn-3.jsonl"},
			[]string{resumed + "projects/-home-dev-proj/f1280f7f-22f6-4afd-9f89-e0a27caab309.jsonl"}},
		{"06 forked", transcript.Tools{}, []string{resumed + "turn-1.jsonl", resumed + "turn-2.jsonl", resumed + "turn-3.jsonl", resumed + "turn-4.jsonl"},
			[]string{resumed + "projects/-home-dev-proj/e9926feb-d8b2-460d-a6ca-b21e3bd6f649.jsonl"}},
		{"dep-traversal-002", sourcegraph, []string{dir + "public/dep-traversal-002/run-mcp.jsonl"}, []string{dir + "public/dep-traversal-002/session-mcp.jsonl"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(c.stream[0]); err != nil {
				t.Skip("no real logs beside the project")
			}
			var runs [2]arms.Run
			for i, names := range [][]string{c.stream, c.session} {
				s, err := transcript.ReadFiles(transcript.Options{Tools: c.tools}, names...)
				if err != nil {
					t.Fatal(err)
				}
				runs[i] = arms.Measure(s, arms.MeasureOptions{})
			}
			a, b := runs[0], runs[1]
			if a.Turns != b.Turns || *a.ProcessedTokens != *b.ProcessedTokens {
				t.Errorf("turns %d and %d, processed %d and %d", a.Turns, b.Turns, *a.ProcessedTokens, *b.ProcessedTokens)
			}
			if a.Sufficiency.Counts != b.Sufficiency.Counts || a.Sufficiency.Answered != b.Sufficiency.Answered {
				t.Errorf("sufficiency %+v and %+v", a.Sufficiency.Counts, b.Sufficiency.Counts)
			}
			if a.Allocation.Envelope != b.Allocation.Envelope || *a.Allocation.Used != *b.Allocation.Used {
				t.Errorf("allocation %d/%d and %d/%d", *a.Allocation.Used, a.Allocation.Envelope, *b.Allocation.Used, b.Allocation.Envelope)
			}
			if *a.Occupancy.FinalContext != *b.Occupancy.FinalContext || *a.Occupancy.BaseContext != *b.Occupancy.BaseContext {
				t.Errorf("final contexts %d and %d, fixed parts %d and %d", *a.Occupancy.FinalContext, *b.Occupancy.FinalContext, *a.Occupancy.BaseContext, *b.Occupancy.BaseContext)
			}
			for _, f := range transcript.Families() {
				x, y := *a.Occupancy.Families.Of(f).Residual, *b.Occupancy.Families.Of(f).Residual
				if math.Abs(x-y) > 0.03*max(x, y) {
					t.Errorf("%s residual %.0f and %.0f, %.1f %% apart", f, x, y, 100*math.Abs(x-y)/max(x, y))
				}
			}
		})
	}
}

// After the compaction of a real run only what came later is in the window: one read of 358 tokens.
func TestCompactionOfARealRun(t *testing.T) {
	const dir = "../../shared/transcripts/live/08a-compact-command/"
	if _, err := os.Stat(dir); err != nil {
		t.Skip("no real logs beside the project")
	}
	s, err := transcript.ReadFiles(transcript.Options{}, dir+"turn-1.jsonl", dir+"turn-2-compact.jsonl", dir+"turn-3.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	o := arms.Measure(s, arms.MeasureOptions{}).Occupancy
	if o.Compactions != 1 || *o.Families.Retrieval.Residual != 0 || o.Families.Retrieval.Results != 1 || o.Families.Read.Results != 2 || *o.FinalContext != 25_228 {
		t.Errorf("%+v", o)
	}
	if read := *o.Families.Read.Residual; read < 340 || read > 465 { // of a growth of 465
		t.Errorf("read residual %v", read)
	}
}
