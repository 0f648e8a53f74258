package loggen_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/agent-eval/feedback/internal/loggen"
	"github.com/agent-eval/feedback/transcript"
)

func TestLogsAreReadAsTheyWereWritten(t *testing.T) {
	var b bytes.Buffer
	truth, err := loggen.Write(&b, loggen.Options{Seed: 7, Bytes: 3 << 20})
	if err != nil || int64(b.Len()) != truth.Bytes || b.Len() < 3<<20 {
		t.Fatalf("%v, %d bytes of %d", err, b.Len(), truth.Bytes)
	}
	escapes := bytes.Count(b.Bytes(), []byte(`\`))
	if per := b.Len() / escapes; per < 20 || per > 45 {
		t.Errorf("an escape every %d bytes: real logs have one every 15 to 45", per)
	}
	for line := range bytes.Lines(b.Bytes()) {
		if !json.Valid(line) {
			t.Fatalf("not JSON: %.200s", line)
		}
	}
	s, err := transcript.Decode(&b, "g", transcript.Options{})
	if err != nil || len(s.Report.Problems)+len(s.Report.Unknown) > 0 {
		t.Fatalf("%v, %v, %v", err, s.Report.Problems, s.Report.Unknown)
	}
	got := loggen.Stats{Bytes: truth.Bytes, Lines: truth.Lines}
	for _, th := range s.Threads {
		for _, ev := range th.Events {
			switch ev := ev.(type) {
			case *transcript.Request:
				if th.ID == "" {
					got.Requests++
					got.Prompt = ev.Usage.Prompt()
				}
			case *transcript.ToolResult:
				got.ToolResults++
				if ev.Family == transcript.Retrieval {
					got.RetrievalCalls++
					if len(ev.Response.Sections) == 0 {
						t.Error("a response without sections")
					}
				}
			}
		}
	}
	if got != truth {
		t.Errorf("read %+v, written %+v", got, truth)
	}
}

func TestTheSameOptionsGiveTheSameLog(t *testing.T) {
	var a, b bytes.Buffer
	loggen.Write(&a, loggen.Options{Seed: 1})
	loggen.Write(&b, loggen.Options{Seed: 1})
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two logs differ")
	}
}
