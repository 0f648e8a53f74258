package arms_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/transcript"
)

// Whatever a log holds, every metric keeps its laws.
func FuzzMeasure(f *testing.F) {
	f.Add(run().Bytes())
	session, _ := run().SessionLog()
	f.Add(session)
	for _, line := range []string{
		`{"type":"assistant","message":{"id":"a","usage":{"input_tokens":9007199254740992,"cache_read_input_tokens":9007199254740992},"content":[]}}`,
		`{"type":"system","subtype":"compact_boundary","compact_metadata":{"post_tokens":-5}}`,
		`{"type":"result","total_cost_usd":-1e308,"duration_ms":1e308,"num_turns":-1,"modelUsage":{"":{"contextWindow":-1}}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"","content":"x"}]}}`,
	} {
		f.Add(append(run().Bytes(), line...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := transcript.Decode(bytes.NewReader(data), "f", transcript.Options{})
		if err != nil {
			return
		}
		r := arms.Measure(s, arms.MeasureOptions{})
		if _, err := json.Marshal(r); err != nil {
			t.Fatalf("%v", err)
		}
		o := r.Occupancy
		if o.Conversation != nil {
			sum := float64(*o.BaseContext) + *o.Families.Total().Residual + *o.Conversation
			if math.Abs(sum-float64(*o.FinalContext)) > 1e-6*(1+math.Abs(sum)) {
				t.Errorf("parts add up to %v of %d", sum, *o.FinalContext)
			}
		}
		if o.Window <= 0 || !(o.CharsPerToken > 0) {
			t.Errorf("window %d, %v characters a token", o.Window, o.CharsPerToken)
		}
		b := r.Sufficiency
		if c := b.Counts; c.ExploreAgain+c.ReadReturned+c.ReadMissed+c.Search+c.Sufficient != b.Answered || b.Answered+b.Errors+b.CutOff != len(b.Calls) {
			t.Errorf("%+v", b)
		}
		a := r.Allocation
		chars := 0
		for _, file := range a.Files {
			chars += file.Chars
		}
		if chars != a.Envelope || a.Used != nil && (*a.Used > a.Envelope || *a.UsedPath > *a.Used) {
			t.Errorf("%+v", a)
		}
		if c := r.Contamination; c.Blocked+c.Returned+c.Unknown != c.Attempts {
			t.Errorf("%+v", c)
		}
		var text strings.Builder
		if err := r.WriteText(&text, false); err != nil {
			t.Error(err)
		}
	})
}
