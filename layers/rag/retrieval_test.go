package rag_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers/rag"
	"github.com/agent-eval/feedback/transcript"
)

// ranking returns documents in order, each with a score below the one before.
func ranking(docs ...string) []rag.Scored {
	var r []rag.Scored
	for i, d := range docs {
		r = append(r, rag.Scored{Doc: d, Score: float64(100 - i)})
	}
	return r
}

func near(t *testing.T, what string, got *float64, want float64) {
	t.Helper()
	if got == nil || !(math.Abs(*got-want) <= 5e-5) { // NaN is near nothing
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// One relevant document: at rank 2 the gain is 1/log₂3 of the ideal, at rank 3 1/log₂4. Of five documents of grade 3 the ideal has Σ 1/log₂(i+1)
// = 1 + 0.6309 + 0.5 + 0.4307 + 0.3869 = 2.9485 gains and the ranking has one: 0.3392, whatever a grade is worth.
func TestNDCG(t *testing.T) {
	for _, gain := range []rag.Gain{"", rag.Exponential, rag.Linear} {
		for _, c := range []struct {
			name   string
			grades map[string]int
			docs   []rag.Scored
			want   float64
		}{
			{"rank 2 of 2", map[string]int{"a": 1}, ranking("x", "a"), 0.6309},
			{"rank 3", map[string]int{"a": 1, "x": 0}, ranking("x", "y", "a"), 0.5},
			{"one of five", map[string]int{"a": 3, "b": 3, "c": 3, "d": 3, "e": 3}, ranking("a"), 0.3392},
			{"beyond k", map[string]int{"a": 1}, ranking("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a"), 0},
			{"nothing returned", map[string]int{"a": 1}, nil, 0},
			{"ideal", map[string]int{"a": 3, "b": 1, "c": -1}, ranking("a", "b"), 1},
		} {
			v := rag.Evaluate(rag.Judgements{"q": c.grades}, rag.Rankings{"q": c.docs}, rag.Options{Gain: gain})
			near(t, c.name, v.Mean.NDCG, c.want)
		}
	}
	// Grades 1 and 3 in the wrong order: gains 1 and 7 give (1 + 7·0.6309)/(7 + 0.6309) = 0.7098; grades themselves (1 + 3·0.6309)/(3 + 0.6309) = 0.7967.
	j, r := rag.Judgements{"q": {"a": 1, "b": 3}}, rag.Rankings{"q": ranking("a", "b")}
	near(t, "exponential", rag.Evaluate(j, r, rag.Options{}).Mean.NDCG, 0.7098)
	near(t, "linear", rag.Evaluate(j, r, rag.Options{Gain: rag.Linear}).Mean.NDCG, 0.7967)
}

// Relevant are a, b and c; returned are x, a, y, b. At 3: one of three found, precision 1/3; the first at rank 2; AP (1/2 + 2/4)/3.
func TestOtherFigures(t *testing.T) {
	v := rag.Evaluate(rag.Judgements{"q": {"a": 1, "b": 1, "c": 2, "y": 0}}, rag.Rankings{"q": ranking("x", "a", "y", "b")}, rag.Options{K: 3})
	q := v.Queries[0]
	near(t, "recall", q.Recall, 1.0/3)
	near(t, "precision", q.Precision, 1.0/3)
	near(t, "reciprocal rank", q.RR, 0.5)
	near(t, "average precision", q.AP, 1.0/3)
	if q.Relevant != 3 || q.Returned != 4 || q.Unjudged != 1 {
		t.Errorf("%+v", q)
	}
	// With grades from 2 only c counts, which was not returned.
	near(t, "recall of grade 2", rag.Evaluate(rag.Judgements{"q": {"a": 1, "c": 2}}, rag.Rankings{"q": ranking("a")}, rag.Options{Relevant: 2}).Mean.Recall, 0)
}

// Where all is tied the document ids decide, the last of the alphabet first, so b is at rank 2 of c, b, a, whatever the file says.
func TestTies(t *testing.T) {
	r, err := rag.ReadRankings(strings.NewReader("q Q0 a 1 0.5 tag\nq Q0 c 2 0.5 tag\nq Q0 b 3 0.5 tag\n"), "run")
	if err != nil {
		t.Fatal(err)
	}
	v := rag.Evaluate(rag.Judgements{"q": {"b": 1}}, r, rag.Options{})
	near(t, "reciprocal rank", v.Mean.RR, 0.5)
	if v.Ties != "score descending, then document id descending" {
		t.Errorf("%q", v.Ties)
	}
}

func TestWhichQueriesAreAveraged(t *testing.T) {
	j := rag.Judgements{"found": {"a": 1}, "missed": {"a": 1}, "hopeless": {"a": 0}}
	v := rag.Evaluate(j, rag.Rankings{"found": ranking("a"), "hopeless": ranking("a"), "nobody's": ranking("a")}, rag.Options{})
	near(t, "mean", v.Mean.NDCG, 0.5)
	if v.N != 2 || v.Queries[1].ID != "hopeless" || v.Queries[1].Undefined == "" || v.Queries[1].NDCG != nil || !cmp.Equal(v.Unjudged, []string{"nobody's"}) {
		t.Errorf("%+v", v)
	}
	if v := rag.Evaluate(nil, nil, rag.Options{}); v.Mean.NDCG != nil || v.N != 0 {
		t.Errorf("%+v", v)
	}
}

// Three passages of a and then b: without the repeats b is at rank 2, and nothing is above 1.
func TestADocumentCountsOnce(t *testing.T) {
	v := rag.Evaluate(rag.Judgements{"q": {"a": 1, "b": 1}}, rag.Rankings{"q": ranking("a", "a", "a", "b")}, rag.Options{K: 2})
	near(t, "nDCG", v.Mean.NDCG, 1)
	near(t, "recall", v.Mean.Recall, 1)
	near(t, "average precision", v.Mean.AP, 1)
	if q := v.Queries[0]; q.Repeated != 2 || q.Returned != 4 {
		t.Errorf("%+v", q)
	}
}

// A gain that does not exist is the default, and says so.
func TestAnUnknownGainIsTheDefault(t *testing.T) {
	if v := rag.Evaluate(nil, nil, rag.Options{Gain: "logarithmic"}); v.Gain != rag.Exponential {
		t.Errorf("%+v", v)
	}
}

// A ranking whose queries have other names than the judgements scores 0, and that is seen.
func TestQueriesUnderOtherNamesAreSeen(t *testing.T) {
	v := rag.Evaluate(rag.Judgements{"q1": {"a": 1}, "q2": {"a": 0}}, rag.Rankings{"1": ranking("a")}, rag.Options{})
	if !cmp.Equal(v.Unranked, []string{"q1"}) || !cmp.Equal(v.Unjudged, []string{"1"}) {
		t.Errorf("%+v", v)
	}
	var b strings.Builder
	v.WriteText(&b)
	for _, want := range []string{"over 1 query:", "without a ranking, scored 0: 1 query: q1\n", "nobody judged them: 1 query: 1\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

func TestAnEmptyFileIsAnError(t *testing.T) {
	for _, text := range []string{"", " \n\n", "\ufeff"} {
		_, err := rag.ReadRankings(strings.NewReader(text), "run.txt")
		if fe, ok := errors.AsType[*transcript.FileError](err); !ok || fe.File != "run.txt" {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := rag.ReadJudgements(strings.NewReader(text), "qrels"); err == nil || err.Error() != "qrels: no line to read" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestRetrievalLaws(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		grades := make(map[string]int)
		var docs []rag.Scored
		for i := range 12 {
			id := fmt.Sprint(i)
			if r.IntN(2) == 0 {
				grades[id] = r.IntN(4)
			}
			if r.IntN(2) == 0 {
				docs = append(docs, rag.Scored{Doc: id, Score: float64(r.IntN(5))})
			}
		}
		v := rag.Evaluate(rag.Judgements{"q": grades}, rag.Rankings{"q": docs}, rag.Options{K: 1 + r.IntN(8)})
		q := v.Queries[0]
		if q.Undefined != "" {
			continue
		}
		for _, f := range []*float64{q.NDCG, q.Recall, q.Precision, q.RR, q.AP} {
			if *f < 0 || *f > 1+1e-12 {
				t.Fatalf("%+v", q)
			}
		}
		shuffled := append([]rag.Scored{}, docs...)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		if w := rag.Evaluate(rag.Judgements{"q": grades}, rag.Rankings{"q": shuffled}, rag.Options{K: v.K}); !cmp.Equal(v, w) {
			t.Fatal(cmp.Diff(v, w))
		}
	}
}

func TestReadersNameTheLine(t *testing.T) {
	j, err := rag.ReadJudgements(strings.NewReader("q1 0 a 1\nq1 0 b\nq1 0 c high\nq1 0 a 2\n\n q2\t0 d -1\r\n"), "qrels")
	if diff := cmp.Diff(rag.Judgements{"q1": {"a": 1}, "q2": {"d": -1}}, j); diff != "" {
		t.Error(diff)
	}
	var p transcript.Problem
	for _, want := range []string{"qrels:2: 3 fields", `qrels:3: grade "high"`, "qrels:4: query q1 has a grade for a already"} {
		if !errors.As(err, &p) || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	r, err := rag.ReadRankings(strings.NewReader("q Q0 a 1 NaN t\nq Q0 b 2 x t\nq Q0 c 3 1e2 t\nq Q0 c 4 1 t\nq Q0 d 5\nq Q0 e 1 200 t"), "run")
	if diff := cmp.Diff(rag.Rankings{"q": {{Doc: "e", Score: 200}, {Doc: "c", Score: 100}}}, r); diff != "" {
		t.Error(diff)
	}
	for _, want := range []string{"run:1: score", "run:2: score", "run:4: query q has c already", "run:5: 4 fields"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

func FuzzReaders(f *testing.F) {
	f.Add([]byte("q 0 a 1\nq Q0 a 1 0.5 t\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		text := string(data)
		j, _ := rag.ReadJudgements(strings.NewReader(text+"\n\u0001 0 good 1"), "f")
		r, _ := rag.ReadRankings(strings.NewReader(text), "f")
		if !strings.Contains(text, "good") && j["\u0001"]["good"] != 1 {
			t.Errorf("a good line after %q was lost", data)
		}
		for _, q := range rag.Evaluate(j, r, rag.Options{}).Queries {
			if q.NDCG != nil && !(*q.NDCG >= 0 && *q.NDCG <= 1+1e-9) {
				t.Errorf("%+v", q)
			}
		}
	})
}
