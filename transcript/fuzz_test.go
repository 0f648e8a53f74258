package transcript_test

import (
	"bytes"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/transcript"
)

const goodLine = `{"type":"assistant","message":{"id":"good","model":"x","content":[{"type":"text","text":"still here"}],"usage":{"input_tokens":7}}}`

// Whatever stands before it, a good line is read; the ways of reading agree; and the session keeps its invariants.
func FuzzDecode(f *testing.F) {
	for _, line := range []string{
		"", "null", "{", "[", "[{", `[{"type":"user"},`, `[{"a":"x`, `[{0,{"0":`, "\x00", "\ufeff", "//", `{"type":`, `{"type":"user","message":{"content":[{"type":"tool_result"}]}}`,
		`{"type":"assistant","message":{"id":"good","content":[{"type":"tool_use","id":"t","name":"mcp__codegraph__codegraph_explore","input":{}}]}}`,
		`{"type":"result","subtype":"success"}`, `{"type":"system","subtype":"compact_boundary","compact_metadata":{"preserved_messages":{"uuids":["x"]}}}`,
		"{\"type\":\"user\",\"message\":{\"content\":\"\xff\"}}", goodLine + goodLine, "[" + goodLine + "]", "]", "\n\n[\n\n",
	} {
		f.Add([]byte(line))
	}
	f.Add(sample().Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		text := append(bytes.Clone(data), "\n"+goodLine...)
		s, err := transcript.Decode(bytes.NewReader(text), "f", transcript.Options{})
		if err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		found := false
		for _, th := range s.Threads {
			for _, ev := range th.Events {
				if a, ok := ev.(*transcript.AssistantText); ok && a.Chars == len("still here") {
					found = true
				}
				if ev.At().Thread != th.ID || ev.At().Pos.Line < 1 {
					t.Errorf("%q: event out of place: %+v", data, ev.At())
				}
			}
		}
		if !found {
			t.Errorf("%q: the good line is lost; problems %v", data, s.Report.Problems)
		}
		d := transcript.NewDecoder(iotest.OneByteReader(bytes.NewReader(text)), "f", transcript.Options{})
		for _, err := range d.All() {
			if err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(s, d.Session()); diff != "" {
			t.Errorf("%q: byte by byte (-at once +decoder):\n%s", data, diff)
		}
		s.Summary()
		s.Answer()
	})
}
