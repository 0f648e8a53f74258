package rag_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/rag"
)

// plainDCG is the formula of Burges et al. or of Järvelin and Kekäläinen over a list of grades.
func plainDCG(grades []int, k int, gain rag.Gain) (sum float64) {
	for i, g := range grades {
		if i < k && g > 0 {
			worth := float64(g)
			if gain == rag.Exponential {
				worth = math.Pow(2, float64(g)) - 1
			}
			sum += worth * math.Ln2 / math.Log(float64(i)+2)
		}
	}
	return sum
}

// bestDCG tries every order.
func bestDCG(done, rest []int, k int, gain rag.Gain) float64 {
	if len(rest) == 0 {
		return plainDCG(done, k, gain)
	}
	best := 0.0
	for i := range rest {
		left := append(append([]int{}, rest[:i]...), rest[i+1:]...)
		best = max(best, bestDCG(append(done[:len(done):len(done)], rest[i]), left, k, gain))
	}
	return best
}

// oracle computes the figures of a ranking without ties by their definitions: the ideal is the best of all orders, and the rank of a document is
// looked up for each figure anew.
func oracle(grades map[string]int, docs []rag.Scored, k, relevant int, gain rag.Gain) (f [5]float64) {
	rank := func(doc string) int {
		for i, d := range docs {
			if d.Doc == doc {
				return i + 1
			}
		}
		return math.MaxInt
	}
	var judged, returned []int
	for _, d := range docs {
		returned = append(returned, grades[d.Doc])
	}
	var relevants []string
	for doc, g := range grades {
		judged = append(judged, g)
		if g >= relevant {
			relevants = append(relevants, doc)
		}
	}
	f[0] = plainDCG(returned, k, gain) / bestDCG(nil, judged, k, gain)
	for _, doc := range relevants {
		at := rank(doc)
		if at == math.MaxInt {
			continue
		}
		if at <= k {
			f[1] += 1 / float64(len(relevants))
			f[2] += 1 / float64(k)
		}
		f[3] = max(f[3], 1/float64(at))
		above := 0
		for _, other := range relevants {
			if rank(other) <= at {
				above++
			}
		}
		f[4] += float64(above) / float64(at) / float64(len(relevants))
	}
	return f
}

func TestFiguresByTheirDefinitions(t *testing.T) {
	defined := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 9))
		grades := make(map[string]int)
		for i := range 1 + r.IntN(6) {
			grades[fmt.Sprint(i)] = r.IntN(5) - 1
		}
		var docs []rag.Scored
		for i, doc := range r.Perm(10)[:r.IntN(10)] {
			docs = append(docs, rag.Scored{Doc: fmt.Sprint(doc), Score: -float64(i)})
		}
		opts := rag.Options{K: 1 + r.IntN(8), Gain: []rag.Gain{rag.Linear, rag.Exponential}[r.IntN(2)], Relevant: 1 + r.IntN(3)}
		q := rag.Evaluate(rag.Judgements{"q": grades}, rag.Rankings{"q": docs}, opts).Queries[0]
		if q.Undefined != "" {
			continue
		}
		defined++
		want := oracle(grades, docs, opts.K, opts.Relevant, opts.Gain)
		for i, got := range []*float64{q.NDCG, q.Recall, q.Precision, q.RR, q.AP} {
			if !(math.Abs(*got-want[i]) <= 1e-9) {
				t.Fatalf("figure %d is %v, want %v\n%v\n%v\n%+v", i, *got, want[i], grades, docs, opts)
			}
		}
	}
	if defined < 150 {
		t.Errorf("only %d cases had a relevant document", defined)
	}
}

// Grades of 80 and 100 in the wrong order: linear (80 + 100·0.6309)/(100 + 80·0.6309) = 143.09/150.47 = 0.9509. As powers of two the lower one is next to
// nothing, and what is left is the discount of rank 2, which is what any two grades far apart come to, however large.
func TestLargeGrades(t *testing.T) {
	r := rag.Rankings{"q": ranking("a", "b")}
	near(t, "linear", rag.Evaluate(rag.Judgements{"q": {"a": 80, "b": 100}}, r, rag.Options{Gain: rag.Linear}).Mean.NDCG, 0.9509)
	for _, high := range []int{100, 5_000, math.MaxInt} {
		near(t, "exponential", rag.Evaluate(rag.Judgements{"q": {"a": 80, "b": high}}, r, rag.Options{}).Mean.NDCG, 0.6309)
	}
	// The lowest grade there is does not turn the ideal round: b alone is worth something, and at rank 2.
	near(t, "lowest", rag.Evaluate(rag.Judgements{"q": {"a": math.MinInt, "b": 1}}, r, rag.Options{}).Mean.NDCG, 0.6309)
}

func TestARetrievalSaysHowItCounted(t *testing.T) {
	v := rag.Evaluate(rag.Judgements{"q": {"a": 1, "b": 2}, "u": {"a": 1}}, rag.Rankings{"q": ranking("b", "x")}, rag.Options{K: 3, Gain: rag.Linear, Relevant: 2})
	if v.K != 3 || v.Gain != "grade" || v.Discount != "log2(rank+1)" || v.RelevantFrom != 2 || v.Ideal != "all judgements" || v.N != 1 {
		t.Errorf("%+v", v)
	}
	data, err := json.Marshal(v)
	var back rag.Retrieval
	if err == nil {
		err = json.Unmarshal(data, &back)
	}
	if diff := cmp.Diff(v, back); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

// A miss is a defect: relevant documents, none of them in the first K. One that is found, one below K, and one that has no figures.
func TestAMissIsADefect(t *testing.T) {
	j := rag.Judgements{"found": {"a": 1}, "low": {"a": 1, "b": 1}, "hopeless": {"a": 0}, "silent": {"a": 1}}
	v := rag.Evaluate(j, rag.Rankings{"found": ranking("a"), "low": ranking("x", "a"), "hopeless": ranking("x")}, rag.Options{K: 1})
	got := make(map[string][]layers.Defect)
	for _, q := range v.Queries {
		if d := q.Defects(); d != nil {
			got[q.ID] = d
		}
	}
	miss := func(detail string) []layers.Defect {
		return []layers.Defect{{Layer: layers.RAG, Name: "nothing_relevant_retrieved", Detail: detail}}
	}
	want := map[string][]layers.Defect{
		"low":    miss("low: none of 2 relevant documents is at the top of the 2 returned"),
		"silent": miss("silent: none of 1 relevant document is at the top of the 0 returned"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
