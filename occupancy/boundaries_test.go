package occupancy_test

import (
	"math"
	"testing"

	"github.com/agent-eval/feedback/occupancy"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// A gap of which 78 % is tool result does not calibrate: of 1,560 characters of a result and 440 of a prompt in 1,000 tokens the ratio would be 2, and
// that of 4,000 characters in 1,000 tokens is 4.
func TestAGapCalibratesFromEightyPercentOn(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(1_560))
	log.Prompt(chars(440))
	log.Request(11_000).Explore("q").Result(chars(4_000))
	log.Request(12_000).Text("done")
	if b := analyze(t, log); !b.Calibrated || math.Abs(b.CharsPerToken-4) > 0.05 {
		t.Errorf("%.3f characters a token, calibrated %v", b.CharsPerToken, b.Calibrated)
	}
}

// A gap of which 93 % is tool result is priced at the ratio, some 4 characters a token, and not by its growth: 2,000 characters
// are some 520 tokens of the 700.
func TestAGapIsExactFromNinetyFivePercentOn(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(10_000))
	log.Request(12_500).ReadFile("a").Result(chars(2_000))
	log.Prompt(chars(130))
	log.Request(13_200).Text("done")
	if b := analyze(t, log); *b.Families.Read.Residual > 600 {
		t.Errorf("the read holds %.0f tokens at %.2f characters a token", *b.Families.Read.Residual, b.CharsPerToken)
	}
}

// Of two requests in a bridged gap one gives its output: what was written in all is not known, so nothing is subtracted.
func TestOutputIsSubtractedOnlyWhereAllOfItIsKnown(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Final(400).Explore("q").Result(chars(2_000))
	log.RequestUsage(nil).Text("")
	log.Request(11_000).Text("done")
	if b := analyze(t, log); math.Abs(*b.Families.Retrieval.Residual-1_000) > 10 {
		t.Errorf("residual %.0f, want the growth of 1,000", *b.Families.Retrieval.Residual)
	}
}

// What the client writes in the model's place never reached it: a gap of 4,000 characters of a result calibrates all the same.
func TestSyntheticTextIsInNoGap(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(4_000))
	log.RequestUsage(&transcript.Usage{}).From("<synthetic>").Text(chars(4_000))
	log.Request(11_000).Text("done")
	if b := analyze(t, log); !b.Calibrated || math.Abs(b.CharsPerToken-4) > 0.05 {
		t.Errorf("%.3f characters a token, calibrated %v", b.CharsPerToken, b.Calibrated)
	}
}

// 3,000 by 3,000 pixels would be 12,000 tokens; the model is sent 1,600 at most. 600 by 500 are 400.
func TestAnImageIsCutToWhatTheModelIsSent(t *testing.T) {
	for _, c := range []struct{ width, height, want int }{{3_000, 3_000, 1_600}, {600, 500, 400}} {
		log := transcripttest.New()
		log.Request(10_000).ReadFile("a.png").Image(c.width, c.height)
		if b := analyze(t, log); *b.Families.Read.Residual != float64(c.want) {
			t.Errorf("%d by %d: %.0f tokens, want %d", c.width, c.height, *b.Families.Read.Residual, c.want)
		}
	}
}

// Only what was resident before a gap can be shed in it: of 4,000 tokens before and 4,000 in the gap, a growth of −1,000 leaves none of the
// first, and takes none of the second beyond its own price.
func TestAGapShedsNothingOfItsOwn(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Explore("q").Result(chars(16_000))
	log.Request(14_000).ReadFile("a").Result(chars(16_000))
	log.Request(13_000).Text("done")
	b := analyze(t, log)
	if *b.Families.Retrieval.Residual > 1 || math.Abs(*b.Families.Read.Residual-4_000) > 40 {
		t.Errorf("retrieval %.0f, read %.0f", *b.Families.Retrieval.Residual, *b.Families.Read.Residual)
	}
}

// 8,000 tokens of schemas beside ten characters give a ratio that no text has: it is not used, and a response of 9,000 characters is 3,000 tokens.
func TestARatioThatCannotBeIsNotUsed(t *testing.T) {
	log := transcripttest.New()
	log.Request(10_000).Call("ToolSearch", nil).Result("ten chars.")
	log.Request(18_000).Explore("q").Result(chars(9_000))
	b := analyze(t, log)
	if b.Calibrated || b.CharsPerToken != occupancy.DefaultCharsPerToken || *b.Families.Retrieval.Residual != 3_000 || len(b.Notes) == 0 {
		t.Errorf("%v characters a token, residual %.0f, %q", b.CharsPerToken, *b.Families.Retrieval.Residual, b.Notes)
	}
}

// A micro-compaction that is written twice evicts once: of three results of 2,000 tokens one is left after two were cleared.
func TestAMicroCompactionWrittenTwiceIsOne(t *testing.T) {
	once, twice := transcripttest.New(), transcripttest.New()
	for i, log := range []*transcripttest.Log{once, twice} {
		a := log.Request(10_000).ReadFile("a").Result(chars(8_000))
		b := log.Request(12_000).ReadFile("b").Result(chars(8_000))
		log.Request(14_000).ReadFile("c").Result(chars(8_000))
		for range i + 1 {
			log.MicroCompact(4_000, a, b)
		}
		log.Request(12_000).Text("done")
	}
	x, y := analyze(t, once), analyze(t, twice)
	if math.Abs(*x.Families.Read.Residual-2_000) > 20 || math.Abs(*y.Families.Read.Residual-*x.Families.Read.Residual) > 1 {
		t.Errorf("residual %.0f, written twice %.0f", *x.Families.Read.Residual, *y.Families.Read.Residual)
	}
}
