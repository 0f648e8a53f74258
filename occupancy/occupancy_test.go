package occupancy_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agent-eval/feedback/occupancy"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

func analyze(t testing.TB, log *transcripttest.Log) occupancy.Block {
	return occupancy.Analyze(log.Session(t), occupancy.Options{Series: true})
}

func chars(n int) string { return strings.Repeat("x", n) }

// want are the figures that a case names; nil ones are not looked at.
type want struct {
	ratio, retrieval, read, contributed, conversation, evicted any
	final, base                                                any
}

func check(t *testing.T, b occupancy.Block, w want) {
	t.Helper()
	value := func(p *float64) any {
		if p == nil {
			return nil
		}
		return math.Round(*p*1e6) / 1e6
	}
	whole := func(p *int) any {
		if p == nil {
			return nil
		}
		return *p
	}
	for _, c := range []struct {
		name      string
		want, got any
	}{
		{"characters per token", w.ratio, math.Round(b.CharsPerToken*1e6) / 1e6}, {"retrieval residual", w.retrieval, value(b.Families.Retrieval.Residual)},
		{"read residual", w.read, value(b.Families.Read.Residual)}, {"contributed", w.contributed, value(b.Families.Retrieval.Contributed)},
		{"conversation", w.conversation, value(b.Conversation)}, {"evicted", w.evicted, math.Round(b.Evicted*1e6) / 1e6},
		{"final", w.final, whole(b.FinalContext)}, {"base", w.base, whole(b.BaseContext)},
	} {
		if c.want != nil && c.want != c.got {
			t.Errorf("%s %v, want %v", c.name, c.got, c.want)
		}
	}
	checkLaws(t, b)
}

// checkLaws checks what holds for every block.
func checkLaws(t testing.TB, b occupancy.Block) {
	t.Helper()
	if total := b.Families.Total(); b.FinalContext != nil && b.BaseContext != nil {
		if sum := float64(*b.BaseContext) + *total.Residual + *b.Conversation; math.Abs(sum-float64(*b.FinalContext)) > 1e-6*float64(*b.FinalContext) {
			t.Errorf("the parts add up to %v, not %d", sum, *b.FinalContext)
		}
	}
	if total := b.Families.Total(); total.Residual != nil {
		if sum := *total.Residual + b.Evicted + b.Cleared; math.Abs(sum-*total.Contributed) > 1e-6*(1+*total.Contributed) {
			t.Errorf("residual + evicted + cleared = %v, contributed %v", sum, *total.Contributed)
		}
		if *total.Residual < 0 || *total.Residual > *total.Contributed+1e-6 {
			t.Errorf("residual %v of %v", *total.Residual, *total.Contributed)
		}
	}
	if b.Series != nil && len(b.Series.Points) > 0 {
		last := b.Series.Points[len(b.Series.Points)-1]
		if total := b.Families.Total(); total.Residual != nil && math.Abs(last.Resident.Total()-*total.Residual) > 1e-6 {
			t.Errorf("the series ends with %v, the block with %v", last.Resident.Total(), *total.Residual)
		}
	}
	if _, err := json.Marshal(b); err != nil {
		t.Error(err)
	}
	for _, sub := range b.Threads {
		checkLaws(t, sub)
	}
}

func TestKnownAnswer(t *testing.T) {
	// 10,000 characters grew the prompt by 4,000 tokens and 5,000 by 2,000: 15,000 / 6,000 = 2.5.
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(14_000).ReadFile("a.go").Result(chars(5_000))
	log.Request(16_000).Text("done")
	check(t, analyze(t, log.End("done")), want{ratio: 2.5, retrieval: 4000.0, read: 2000.0, base: 10_000, final: 16_000, conversation: 0.0})
}

func TestThinkingAndCallOfAMessageOnTwoLines(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Thinking("hm").Explore("q").Result(chars(10_000))
	log.Request(14_000).Thinking("hm").ReadFile("a.go").Result(chars(5_000))
	log.Request(16_000).Text("done")
	check(t, analyze(t, log), want{ratio: 2.5, retrieval: 4000.0, read: 2000.0, base: 10_000, final: 16_000})
}

func TestACompactionLeavesOnlyWhatCameLater(t *testing.T) {
	// 4,000 tokens before it are cleared. The result after it is in a gap with a known growth: 12,000 − 8,000.
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(14_000).Text("hm")
	log.Compact(14_000, 8_000)
	log.Request(8_000).Explore("q").Result(chars(10_000))
	log.Request(12_000).Text("done")
	b := analyze(t, log)
	check(t, b, want{ratio: 2.5, retrieval: 4000.0, contributed: 8000.0, final: 12_000})
	if b.Compactions != 1 || b.Cleared != 4000 || len(b.Series.Compactions) != 1 || b.Series.Compactions[0].Cleared.Retrieval != 4000 {
		t.Errorf("%+v", b)
	}
}

func TestACompactionKeepsWhatItPreserves(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	kept := log.Request(14_000).ReadFile("a.go").Result(chars(5_000))
	log.Request(16_000).Text("hm")
	log.Compact(16_000, 8_000, kept)
	log.Request(8_000).Text("done")
	check(t, analyze(t, log), want{retrieval: 0.0, read: 2000.0, final: 8_000})
}

func TestResultsOfOneGapOnBothSidesOfACompaction(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(14_000).Explore("q").Result(chars(5_000)) // cleared before any prompt held it
	log.Compact(16_000, 0)
	log.Request(9_000).Text("done")
	check(t, analyze(t, log), want{ratio: 2.5, retrieval: 0.0, contributed: 6000.0})
}

func TestACompactionWithNoLaterRequestGivesTheFinalContext(t *testing.T) {
	for post, final := range map[int]any{8_000: 8_000, 0: nil} {
		log := transcripttest.New()
		log.Request(10_000).Explore("q").Result(chars(10_000))
		log.Request(14_000).Text("done")
		b := analyze(t, log.Compact(14_000, post))
		if got := b.FinalContext; (got == nil) != (final == nil) || got != nil && *got != final {
			t.Errorf("post %d: final context %v", post, got)
		}
		check(t, b, want{retrieval: 0.0})
	}
}

func TestShedIsTheOldest(t *testing.T) {
	// Priced at 2.5 the second result holds 4,000, but the prompt grew by 500: 3,500 of the first were shed, 500 are left.
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(14_000).ReadFile("a.go").Result(chars(10_000))
	log.Request(14_500).Text("done")
	b := analyze(t, log)
	check(t, b, want{ratio: 2.5, retrieval: 500.0, read: 4000.0, evicted: 3500.0, final: 14_500, conversation: 0.0})
	if len(b.Series.Evictions) != 1 || b.Series.Evictions[0].Cause != occupancy.CauseShed || b.Series.Evictions[0].Tokens.Retrieval != 3500 {
		t.Errorf("%+v", b.Series)
	}
}

func TestASmallShortfallIsNoShedding(t *testing.T) {
	// 5 % of 4,000 is 200: a growth of 3,800 is within the tolerance, one of 3,799 is not.
	for growth, shed := range map[int]bool{3_800: false, 3_799: true} {
		log := transcripttest.New()
		for i := range 3 {
			log.Request(10_000 + 4_000*i).Explore("q").Result(chars(10_000))
		}
		log.Request(22_000).Explore("q").Result(chars(10_000))
		log.Request(22_000 + growth).Text("done")
		b := analyze(t, log)
		// The growth also enters the pooled ratio: 40,000 characters over 12,000 + growth.
		priced := 10_000 / b.CharsPerToken
		if short := priced - float64(growth); (short > max(200, 0.05*priced)) != (b.Evicted > 0) {
			t.Errorf("growth %d: short by %v, evicted %v, want shed %v", growth, short, b.Evicted, shed)
		}
		checkLaws(t, b)
	}
}

func TestDenserTextIsNoEviction(t *testing.T) {
	// Three results at 2.5 calibrate. Then text at 12.5 characters a token grows the prompt by 800 where 4,000 were
	// expected; only 1,000 tokens were there to be shed, so it is sparser text and its growth is its price.
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(2_500))
	log.Request(11_000).ReadFile("a.go").Result(chars(10_000))
	log.Request(11_800).Text("done")
	b := analyze(t, log)
	check(t, b, want{evicted: 0.0, retrieval: 1000.0, read: 800.0})
}

func TestMicroCompactionEvictsByName(t *testing.T) {
	log := transcripttest.New()
	a := log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(14_000).ReadFile("a.go").Result(chars(5_000))
	log.MicroCompact(4_000, a)
	log.Request(12_000).Text("done") // 14,000 − 4,000 + 2,000
	b := analyze(t, log)
	check(t, b, want{ratio: 2.5, retrieval: 0.0, read: 2000.0, evicted: 4000.0, final: 12_000, conversation: 0.0})
	if b.Shed != 0 || b.MicroCompactions != 1 {
		t.Errorf("%+v", b)
	}
}

func TestTwoSegmentsCarryTheResidualOver(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(14_000).Text("one")
	log.End("one").Resume().Request(14_100).Text("two")
	log.End("two")
	s := log.Session(t)
	check(t, occupancy.Analyze(s, occupancy.Options{}), want{retrieval: 4000.0, final: 14_100, conversation: 100.0})
	if cost := s.Summary().CostUSD; cost == nil || *cost != 0.2 {
		t.Errorf("cost %v, want 0.2: 0.1 of each process", cost)
	}
}

func TestFinalOutputIsSubtracted(t *testing.T) {
	// Of the growth of 5,000, the model wrote 1,000: 10,000 / 4,000 = 2.5, and the result holds 4,000.
	log := transcripttest.New()
	log.Request(10_000).Final(1_000).Thinking("").Explore("q").Result(chars(10_000))
	log.Request(15_000).Text("done")
	check(t, analyze(t, log), want{ratio: 2.5, retrieval: 4000.0, conversation: 1000.0})
}

// 10,000 characters beside no text are 4,000 tokens: 2.5 a token. Then 5,000 characters stand beside 4,000 that the model wrote in 2,000 tokens: of the
// growth of 4,500 the result holds the rest, and not the 2,000 that the ratio gives.
func TestBesideAFinalOutputTheRestIsTheResults(t *testing.T) {
	for _, c := range []struct {
		name                  string
		output, growth, chars int
		read                  any
	}{
		{"the rest", 2_000, 4_500, 5_000, 2_500.0},
		{"4,000 characters are no 499 tokens", 499, 4_500, 5_000, 2_000.0},
		{"5 % of the growth", 2_000, 4_000, 500, 2_000.0},
		{"less than 5 % of the growth", 2_000, 4_001, 500, 200.0},
	} {
		log := transcripttest.New()
		log.Request(10_000).Explore("q").Result(chars(10_000))
		log.Request(14_000).Final(c.output).Text(chars(4_000)).ReadFile("a.go").Result(chars(c.chars))
		log.Request(14_000 + c.growth).Text("done")
		t.Log(c.name)
		check(t, analyze(t, log), want{ratio: 2.5, retrieval: 4000.0, read: c.read})
	}
}

func TestThinkingEstimateIsSubtractedWhereNothingIsFinal(t *testing.T) {
	log := transcripttest.New()
	log.Event(transcripttest.Args{"type": "system", "subtype": "thinking_tokens", "estimated_tokens_delta": 1_000})
	log.Request(10_000).Thinking("").Explore("q").Result(chars(10_000))
	log.Request(15_000).Text("done")
	check(t, analyze(t, log), want{ratio: 2.5, retrieval: 4000.0, conversation: 1000.0})
}

// A stream says only what a turn wrote in all. Two calls that are alike wrote 1,000 of 2,000 each, the last message nothing: of each growth of
// 5,000 the result holds 4,000.
func TestTheOutputOfATurnIsSharedOut(t *testing.T) {
	for prompts, residual := range map[int]any{45_000: 8_000.0, 44_999: 10_000.0} { // a total that is not of these requests is not used
		log := transcripttest.New()
		log.Request(10_000).Explore("q").Result(chars(10_000))
		log.Request(15_000).Explore("q").Result(chars(10_000))
		log.Request(20_000).Text("")
		log.EndWith(transcripttest.Args{"usage": transcripttest.Args{"input_tokens": prompts, "output_tokens": 2_000}})
		check(t, analyze(t, log), want{retrieval: residual, final: 20_000})
	}
}

// What is final is taken off first, and each turn has its own total: the second message of the first turn wrote 400 − 100, that of the second
// turn 1,000 less a text three times as long as the call.
func TestTheOutputOfATurnIsSharedOutByWhatTheLogShows(t *testing.T) {
	usage := func(prompts, output int) transcripttest.Args {
		return transcripttest.Args{"usage": transcripttest.Args{"input_tokens": prompts, "output_tokens": output}}
	}
	log := transcripttest.New()
	log.Request(10_000).Final(100).Text("hm")
	log.Request(10_500).Explore("q").Result(chars(10_000))
	log.EndWith(usage(20_500, 400))
	call := len("mcp__codegraph__codegraph_explore") + len("toolu_0001") + len(`{"query":"q"}`)
	log.Request(14_800).Explore("q").Result(chars(10_000)) // 10,500 + 4,000 + 300
	log.Request(19_050).Text(chars(3 * call))              // 14,800 + 4,000 + 250
	log.EndWith(usage(33_850, 1_000))
	check(t, analyze(t, log), want{ratio: 2.5, retrieval: 8_000.0, final: 19_050})
}

func TestHiddenThinkingCalibratesOnlyWithoutAnyOther(t *testing.T) {
	// The first gap hides thinking of unknown size: alone it gives 10,000 / 5,000 = 2.0; beside another, that one gives 2.5, and
	// the hidden one's result is priced at it: 4,000 of its 5,000.
	log := transcripttest.New()
	log.Request(10_000).Thinking("").Explore("q").Result(chars(10_000))
	log.Request(15_000).Text("done")
	check(t, analyze(t, log), want{ratio: 2.0})
	log = transcripttest.New()
	log.Request(10_000).Thinking("").Explore("q").Result(chars(10_000))
	log.Request(15_000).ReadFile("a.go").Result(chars(10_000))
	log.Request(19_000).Text("done")
	check(t, analyze(t, log), want{ratio: 2.5, retrieval: 4000.0, read: 4000.0, conversation: 1000.0})
}

func TestOutliersDoNotCalibrate(t *testing.T) {
	// Ratios 2.5, 2.5, 2.5, 5 and 1: the last two are beyond a factor of 1.5 of the median.
	log := transcripttest.New()
	prompt := 10_000
	for _, growth := range []int{4_000, 4_000, 4_000, 2_000, 10_000} {
		log.Request(prompt).Explore("q").Result(chars(10_000))
		prompt += growth
	}
	log.Request(prompt).Text("done")
	check(t, analyze(t, log), want{ratio: 2.5})
}

func TestWithoutAGapToCalibrateOn(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(300)) // too short, but the only one: 300 / 100
	log.Request(10_100).Text("done")
	if b := analyze(t, log); b.Calibrated || len(b.Notes) == 0 || b.CharsPerToken < 3 || b.CharsPerToken > 3.2 {
		t.Errorf("%+v", b)
	}
	log = transcripttest.New()
	log.Request(10_000).Text("done")
	if b := analyze(t, log); b.Calibrated || b.CharsPerToken != occupancy.DefaultCharsPerToken {
		t.Errorf("%+v", b)
	}
	log = transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(10_100).Text("done") // 100 characters a token
	if b := analyze(t, log); b.Calibrated {
		t.Errorf("a ratio of %v counts as calibrated", b.CharsPerToken)
	}
}

func TestDispersionIsTheErrorBar(t *testing.T) {
	// 10,000 characters grew the prompt by 4,000, 4,400 and 3,600: pooled 30,000 / 12,000 = 2.5, off by 0, 400/4,400 and
	// 400/3,600. The lower median is 1/11.
	log := transcripttest.New()
	prompt := 10_000
	for _, growth := range []int{4_000, 4_400, 3_600} {
		log.Request(prompt).Explore("q").Result(chars(10_000))
		prompt += growth
	}
	log.Request(prompt).Text("done")
	if b := analyze(t, log); b.Dispersion == nil || math.Abs(*b.Dispersion-1.0/11) > 1e-9 {
		t.Errorf("dispersion %v", *b.Dispersion)
	}
}

func TestARequestWithoutUsageBridgesItsGaps(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.RequestUsage(nil).ReadFile("a.go").Result(chars(5_000))
	log.Request(16_000).Text("done") // 15,000 characters in a gap of 6,000
	b := analyze(t, log)
	check(t, b, want{ratio: 2.5, retrieval: 4000.0, read: 2000.0})
	if b.UnmeasuredRequests != 1 || b.Requests != 3 {
		t.Errorf("%d of %d unmeasured", b.UnmeasuredRequests, b.Requests)
	}
}

func TestNothingMeasuredIsNil(t *testing.T) {
	log := transcripttest.New()
	log.RequestUsage(nil).Explore("q").Result(chars(10_000))
	log.RequestUsage(nil).Text("done")
	b := analyze(t, log)
	if b.FinalContext != nil || b.BaseContext != nil || b.Conversation != nil || b.Families.Retrieval.Residual != nil || b.Families.Retrieval.Chars != 10_000 {
		t.Errorf("%+v", b)
	}
	var out strings.Builder
	b.WriteText(&out)
	if !strings.Contains(out.String(), "not measured") {
		t.Error(out.String())
	}
	checkLaws(t, b)
}

func TestAnImageIsWorthWhatItsGapGrewBeyondItsText(t *testing.T) {
	// 2.5 characters a token from the first gap; the second grew by 2,600, of which 2,500 characters of text are 1,000. The
	// call itself wrote 26 characters, which are 10.4.
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(14_000).ReadFile("a.png").Blocks(transcripttest.TextBlock(chars(2_500)), transcripttest.ImageBlock(4, 4))
	log.Request(16_600).Text("done")
	b := analyze(t, log)
	input := float64(len(`{"file_path":"a.png"}`)) / 2.5
	check(t, b, want{ratio: 2.5, retrieval: 4000.0, read: 2600 - input})
	if b.Images != 1 || b.EstimatedImages != 0 {
		t.Errorf("%d of %d images estimated", b.EstimatedImages, b.Images)
	}
}

func TestASubagentHasItsOwnWindow(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(10_000).Call("Agent", nil)
	sub := call.Subagent()
	sub.Request(5_000).Explore("q").Result(chars(10_000))
	sub.Request(9_000).Text("report")
	call.Result(chars(1_000))
	log.Request(10_400).Text("done")
	b := analyze(t, log)
	check(t, b, want{retrieval: 0.0, final: 10_400})
	if len(b.Threads) != 1 || b.Threads[0].Thread != call.ID || *b.Threads[0].Families.Retrieval.Residual != 4000 || *b.Threads[0].FinalContext != 9_000 {
		t.Errorf("%+v", b.Threads)
	}
}

// A stream does not have a subagent's last request, but the delegation's result says its usage.
func TestTheLastRequestOfASubagentClosesItsWindow(t *testing.T) {
	log := transcripttest.New()
	call := log.Request(10_000).Call("Agent", nil)
	call.Subagent().Request(5_000).Explore("q").Result(chars(10_000))
	log.Event(transcripttest.Args{"type": "user", "parent_tool_use_id": nil,
		"tool_use_result": transcripttest.Args{"usage": transcripttest.Args{"input_tokens": 1_000, "cache_read_input_tokens": 8_000, "output_tokens": 50}},
		"message":         transcripttest.Args{"content": []any{transcripttest.Args{"type": "tool_result", "tool_use_id": call.ID, "content": "report"}}}})
	log.Request(10_400).Text("done")
	sub := analyze(t, log).Threads[0]
	check(t, sub, want{ratio: 2.5, retrieval: 4000.0, base: 5_000, final: 9_000})
	if sub.UnsentResults != 0 || sub.Requests != 2 {
		t.Errorf("%d results unsent, %d requests; want 0 and 2", sub.UnsentResults, sub.Requests)
	}
}

// The schemas of two tools came in where the log shows a call and no text: 8,000 tokens less the 100 that the model wrote.
func TestSchemasThatASearchLoadedAreSaid(t *testing.T) {
	schema := transcripttest.Args{"type": "tool_reference", "tool_name": "mcp__codegraph__codegraph_explore"}
	log := transcripttest.New()
	log.Request(10_000).Final(100).Call("ToolSearch", nil).Blocks(schema, schema)
	log.Request(18_000).Explore("q").Result(chars(10_000))
	log.Request(22_000).Text("done")
	b := analyze(t, log)
	check(t, b, want{ratio: 2.5, retrieval: 4000.0, conversation: 8000.0})
	const note = "run.jsonl:4: the prompt grew by 8,000 tok, of which the log explains 1%: the schemas of 2 tools came in, whose text is not in the log"
	if b.Unexplained != 7_900 || len(b.Notes) != 1 || b.Notes[0] != note {
		t.Errorf("unexplained %v, %q", b.Unexplained, b.Notes)
	}
}

// 1,000 characters can be 2,000 tokens, not more, and 200 are not worth a note.
func TestWhatNoTextCanBeIsUnexplained(t *testing.T) {
	for growth, unexplained := range map[int]float64{2_200: 0, 2_201: 2_201 - 400} { // at 2.5, 1,000 characters are 400
		log := transcripttest.New()
		log.Request(10_000).Explore("q").Result(chars(10_000))
		log.Request(14_000).Explore("q").Result(chars(10_000))
		log.Request(18_000).Explore("q").Result(chars(10_000))
		log.Request(22_000).Final(50).ReadFile("a").Result(chars(1_000))
		log.Request(22_050 + growth).Text("done")
		if b := analyze(t, log); b.CharsPerToken != 2.5 || b.Unexplained != unexplained || (len(b.Notes) > 0) != (unexplained > 0) {
			t.Errorf("growth %d: unexplained %v, %q", growth, b.Unexplained, b.Notes)
		}
	}
}

// An image, a summary and thinking that is not in the log have no characters, and are no riddle.
func TestWhatHasNoCharactersIsNotUnexplained(t *testing.T) {
	for name, fill := range map[string]func(*transcripttest.Log){
		"image": func(log *transcripttest.Log) { log.Request(10_000).ReadFile("a.png").Image(800, 800) },
		"user image": func(log *transcripttest.Log) {
			log.Request(10_000).Text("x")
			log.Event(transcripttest.Args{"type": "user", "message": transcripttest.Args{
				"role": "user", "content": []any{transcripttest.ImageBlock(800, 800)},
			}})
		},
		"compaction": func(log *transcripttest.Log) { log.Request(10_000).Text("x"); log.Compact(10_000, 0) },
		"thinking":   func(log *transcripttest.Log) { log.Request(10_000).Thinking("").Text("x") },
	} {
		log := transcripttest.New()
		fill(log)
		log.Request(12_000).Text("done")
		if b := analyze(t, log); b.Unexplained != 0 {
			t.Errorf("%s: %v tokens unexplained", name, b.Unexplained)
		}
	}
}

// What the client attached is in the gap, and no part of what the result beside it is worth: 10,000 characters of 4,000 tokens before, 5,000 of
// 2,000 beside 2,500 that were attached.
func TestAnAttachmentIsNoPartOfAResult(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Final(50).Explore("q").Result(chars(10_000))
	log.Request(14_050).Final(50).ReadFile("a").Result(chars(5_000))
	log.Event(transcripttest.Args{"type": "attachment", "attachment": transcripttest.Args{"type": "skill_listing", "content": chars(2_500)}})
	log.Request(17_100).Text("done")
	check(t, analyze(t, log), want{ratio: 2.5, retrieval: 4000.0, read: 2000.0})
}

func TestConversationIsNotClamped(t *testing.T) {
	// The prompt lost 3,000 tokens that are no tool result.
	log := transcripttest.New()
	log.Request(10_000).Text("a")
	log.Request(7_000).Text("done")
	check(t, analyze(t, log), want{conversation: -3000.0, final: 7_000})
}

func TestResultsAfterTheLastRequestAreSaidToBeUnsent(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(14_000).ReadFile("a.go").Result(chars(5_000))
	b := analyze(t, log)
	check(t, b, want{ratio: 2.5, read: 2000.0, final: 14_000})
	if b.UnsentResults != 1 || b.Unsent != 2000 || len(b.Notes) == 0 {
		t.Errorf("%+v", b)
	}
}

func TestWindow(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Text("a")
	log.EndWith(transcripttest.Args{"modelUsage": transcripttest.Args{transcripttest.Model: transcripttest.Args{"contextWindow": 1_000_000}, "other": transcripttest.Args{"contextWindow": 5}}})
	s := log.Session(t)
	if b := occupancy.Analyze(s, occupancy.Options{}); b.Window != 1_000_000 || b.WindowFrom != occupancy.WindowFromModel {
		t.Errorf("%d %s", b.Window, b.WindowFrom)
	}
	if b := occupancy.Analyze(s, occupancy.Options{Window: 7}); b.Window != 7 || b.WindowFrom != occupancy.WindowFromOptions || b.Series != nil {
		t.Errorf("%d %s", b.Window, b.WindowFrom)
	}
	if b := occupancy.Analyze(&transcript.Session{}, occupancy.Options{}); b.Window != occupancy.DefaultWindow || b.FinalContext != nil {
		t.Errorf("%+v", b)
	}
}

func TestSeriesHasAPointPerMeasuredRequest(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.RequestUsage(nil).Text("hm")
	log.Request(14_000).ReadFile("a.go").Result(chars(5_000))
	log.Request(16_000).Text("done")
	var got []string
	for _, p := range analyze(t, log).Series.Points {
		got = append(got, fmt.Sprintf("%s %d: %.0f + %.0f", p.Position, *p.Context, p.Resident.Retrieval, p.Resident.Read))
	}
	if diff := cmp.Diff([]string{"run.jsonl:2 10000: 0 + 0", "run.jsonl:5 14000: 4000 + 0", "run.jsonl:7 16000: 4000 + 2000"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestBlocksRoundTripThroughJSON(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(14_000).Text("done")
	want := analyze(t, log)
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got occupancy.Block
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

func TestLaws(t *testing.T) {
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 3))
		log := transcripttest.New()
		var calls []*transcripttest.Call
		prompt := r.IntN(20_000)
		for range r.IntN(20) {
			prompt = max(0, prompt+r.IntN(8_000)-1_500)
			m := log.Request(prompt)
			switch r.IntN(8) {
			case 0:
				m = log.RequestUsage(nil)
			case 1:
				m.Final(r.IntN(2_000))
			}
			m.Thinking([]string{"", "hm"}[r.IntN(2)])
			for range r.IntN(3) {
				c := []func() *transcripttest.Call{func() *transcripttest.Call { return m.Explore("q") }, func() *transcripttest.Call { return m.ReadFile("a") },
					func() *transcripttest.Call { return m.Bash("ls") }, func() *transcripttest.Call { return m.Call("Edit", nil) }}[r.IntN(4)]()
				if r.IntN(9) == 0 {
					c.Image(3, 3)
				} else {
					c.Result(chars(r.IntN(12_000)))
				}
				calls = append(calls, c)
			}
			switch r.IntN(10) {
			case 0:
				log.Compact(prompt, r.IntN(2)*1_000, calls[:min(len(calls), r.IntN(2))]...)
			case 1:
				log.MicroCompact(100, calls[:min(len(calls), r.IntN(3))]...)
			case 2:
				log.Prompt("more")
			}
		}
		b := analyze(t, log)
		checkLaws(t, b)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestRealLogsKeepTheLaws(t *testing.T) {
	names, _ := filepath.Glob("../../shared/transcripts/*/*/*.jsonl")
	if len(names) == 0 {
		t.Skip("no real logs beside the project")
	}
	for _, name := range names {
		s, err := transcript.ReadFiles(transcript.Options{}, name)
		if err != nil {
			t.Fatal(err)
		}
		checkLaws(t, occupancy.Analyze(s, occupancy.Options{Series: true}))
	}
}

func TestTheRatioOfARealRunWithHiddenThinking(t *testing.T) {
	tools := transcript.Tools{Name: "sourcegraph", Retrieval: []string{"mcp__sourcegraph__*"}}
	name := "../../shared/transcripts/public/dep-traversal-002/run-mcp.jsonl"
	if _, err := os.Stat(name); err != nil {
		t.Skip("no real logs beside the project")
	}
	s, err := transcript.ReadFiles(transcript.Options{Tools: tools}, name)
	if err != nil {
		t.Fatal(err)
	}
	if b := occupancy.Analyze(s, occupancy.Options{}); b.CharsPerToken < 1.2 || b.CharsPerToken > 2.6 || !b.Calibrated {
		t.Errorf("%v characters a token, calibrated %v", b.CharsPerToken, b.Calibrated)
	}
}

// The run of the package documentation.
func ExampleAnalyze() {
	t := new(testing.T) // in a test, its own
	log := transcripttest.New()
	log.Request(10_000).Explore("res.send").Result(chars(10_000))
	log.Request(14_000).ReadFile("lib/response.js").Result(chars(5_000))
	log.Request(16_000).Text("done")
	log.End("done")

	b := occupancy.Analyze(log.Session(t), occupancy.Options{})
	fmt.Printf("%.0f tokens at %.1f characters a token\n", *b.Families.Retrieval.Residual, b.CharsPerToken)
	b.WriteText(os.Stdout)
	// Output:
	// 4000 tokens at 2.5 characters a token
	//   Residual context occupancy at end of run:
	//     final context       16,000 tok    8.0% of 200k window
	//       of which fixed    10,000 tok  system + tool schemas + question, before any tool answered
	//     codegraph            4,000 tok   25.0% of ctx    2.0% of 200k win   (10,000 chars, 1 result)
	//     Read                 2,000 tok   12.5% of ctx    1.0% of 200k win   (5,000 chars, 1 result)
	//     Grep/Glob                0 tok    0.0% of ctx    0.0% of 200k win   (0 chars, 0 results)
	//     Bash                     0 tok    0.0% of ctx    0.0% of 200k win   (0 chars, 0 results)
	//     → file-access        2,000 tok   12.5% of ctx    1.0% of 200k win   (5,000 chars, 1 result)
	//     other tools              0 tok    0.0% of ctx    0.0% of 200k win   (0 chars, 0 results)
	//     base (prompt+prose) 10,000 tok   62.5% of ctx    5.0% of 200k win
	//     measure: 2.50 chars/tok measured ±0.0% · turns 3 · compactions 0
	//     note: the window of 200k is assumed: the log does not say how large it is
}

func BenchmarkAnalyze(b *testing.B) {
	log := transcripttest.New()
	for i := range 2000 {
		log.Request(10_000 + i*400).ReadFile("a.go").Result(chars(1_000))
	}
	s := log.Session(b)
	b.ReportAllocs()
	for b.Loop() {
		occupancy.Analyze(s, occupancy.Options{})
	}
}

// 10,000 characters grew the prompt by 4,000: 2.5 a token. The image that the user sent is in the next growth, 3,600, and no part of what the
// 5,000 characters beside it are worth: 2,000.
func TestAnImageOfTheUserIsNoPartOfAResult(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(strings.Repeat("x", 10_000))
	log.Request(14_000).ReadFile("a.go").Result(strings.Repeat("x", 5_000))
	log.User(transcripttest.ImageBlock(1000, 1000))
	log.Request(17_600).Text("done")
	b := occupancy.Analyze(log.Session(t), occupancy.Options{})
	if b.CharsPerToken != 2.5 || *b.Families.Retrieval.Residual != 4_000 || *b.Families.Read.Residual != 2_000 {
		t.Errorf("%.2f characters a token, residual %.0f and %.0f; want 2.50, 4000 and 2000", b.CharsPerToken, *b.Families.Retrieval.Residual, *b.Families.Read.Residual)
	}
}
