package rag_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers/rag"
	"github.com/agent-eval/feedback/transcript"
)

// An id may hold white space that is not ASCII, and a line may be long.
func TestIDsAreKeptAsTheyAre(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, id := range []string{"a\u00a0b", "\u3000", "a\u0085", long} {
		j, err := rag.ReadJudgements(strings.NewReader("q 0 "+id+" 1\n"), "qrels")
		if err != nil || j["q"][id] != 1 {
			t.Errorf("%.20q: %v", id, err)
		}
		r, err := rag.ReadRankings(strings.NewReader("q Q0 "+id+" 1 2 t\n"), "run")
		if err != nil || len(r["q"]) != 1 || r["q"][0].Doc != id {
			t.Errorf("%.20q: %v", id, err)
		}
	}
}

func TestAnyReaderWillDo(t *testing.T) {
	const text = "\ufeffq Q0 a 1 1 t\r\nq Q0 b 2 0.5 t\n\nbad\np Q0 a 1 -3 t"
	want := rag.Rankings{"q": {{Doc: "a", Score: 1}, {Doc: "b", Score: 0.5}}, "p": {{Doc: "a", Score: -3}}}
	for name, wrap := range map[string]func(io.Reader) io.Reader{"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "data with EOF": iotest.DataErrReader} {
		got, err := rag.ReadRankings(wrap(strings.NewReader(text)), "run")
		if diff := cmp.Diff(want, got); diff != "" || err == nil || !strings.Contains(err.Error(), "run:4: 1 field:") {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

// What was read before a disk failed is kept, and a half line is not taken for a whole one.
func TestAFailingReaderKeepsWhatItRead(t *testing.T) {
	broken := errors.New("the disk is gone")
	r, err := rag.ReadRankings(io.MultiReader(strings.NewReader("q Q0 a 1 1 t\nq Q0 b 2 0.5 t"), iotest.ErrReader(broken)), "run")
	if !errors.Is(err, broken) || len(r["q"]) != 1 {
		t.Errorf("%v, %v", r, err)
	}
	if fe, ok := errors.AsType[*transcript.FileError](err); !ok || fe.File != "run" {
		t.Errorf("%v", err)
	}
}

func TestErrorsPrint(t *testing.T) {
	_, err := rag.ReadJudgements(strings.NewReader("q\x1b 0 d 1\nq\x1b 0 d 2\n"), "qrels")
	if err == nil || strings.Contains(err.Error(), "\x1b") || !strings.HasPrefix(err.Error(), "qrels:2: ") {
		t.Errorf("%q", err)
	}
}

// Every line that reads alone reads in a file too, whatever stands around it, unless an earlier one has its query and document.
func FuzzRankings(f *testing.F) {
	f.Add("q Q0 a 1 0.5 t\nbad\nq Q0 a 2 0.4 t\r\n\tq Q0 b 3 1e-3 t")
	f.Add("q Q0 a 1 Inf t\nq Q0 b 1 0x1p-2 t\n\xff Q0 \x00 1 1 t")
	f.Fuzz(func(t *testing.T, text string) {
		all, _ := rag.ReadRankings(strings.NewReader(text), "run")
		scores := make(map[[2]string]float64)
		for query, docs := range all {
			for i, d := range docs {
				scores[[2]string{query, d.Doc}] = d.Score
				if i > 0 && (docs[i-1].Score < d.Score || docs[i-1].Score == d.Score && docs[i-1].Doc <= d.Doc) {
					t.Errorf("%v is out of order", docs)
				}
			}
		}
		good := 0
		seen := make(map[[2]string]bool)
		for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
			one, err := rag.ReadRankings(strings.NewReader("\n"+line), "line") // a mark at the start of a later line is part of it
			if err != nil {
				continue
			}
			for query, docs := range one {
				key := [2]string{query, docs[0].Doc}
				if seen[key] {
					continue
				}
				seen[key] = true
				good++
				if got, ok := scores[key]; !ok || got != docs[0].Score {
					t.Errorf("line %q was lost", line)
				}
			}
		}
		if good != len(scores) {
			t.Errorf("%d good lines, %d read", good, len(scores))
		}
	})
}

func ExampleReadRankings() {
	r, err := rag.ReadRankings(strings.NewReader("q1 Q0 lib/a.go 1 0.9 new\nq1 Q0 lib/b.go 2 high new\nq1 Q0 lib/c.go 3 0.9 new\n"), "new.run")
	fmt.Println(r["q1"])
	fmt.Println(err)
	// Output:
	// [{lib/c.go 0.9} {lib/a.go 0.9}]
	// new.run:2: score "high": want a number
}
