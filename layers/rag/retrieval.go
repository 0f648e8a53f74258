package rag

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
)

// Options control [Evaluate]. The zero value is the documented default of every field.
type Options struct {
	// K is how many documents of a ranking nDCG, recall and precision look at. 0 means 10.
	K int
	// Gain is what a grade is worth. Empty, and what is none of the gains below, means Exponential.
	Gain Gain
	// Relevant is the least grade that counts as relevant in all figures but nDCG, which knows grades. 0 means 1. A query of which no
	// document reaches it has no figures.
	Relevant int
}

// A Gain is what a grade is worth to nDCG. A grade below 0 is worth nothing, and one above 60 as much as 60, so that sums stay finite.
type Gain string

// The gains.
const (
	Exponential Gain = "2^grade-1" // Burges et al. (2005)
	Linear      Gain = "grade"     // Järvelin and Kekäläinen (2002), and trec_eval
)

func (g Gain) of(grade int) float64 {
	grade = min(grade, 60)
	switch {
	case grade <= 0:
		return 0
	case g == Linear:
		return float64(grade)
	}
	return math.Exp2(float64(grade)) - 1
}

// Figures are the scores of a ranking, each from 0 to 1, higher is better. They are nil for a query without a relevant document, which has
// no score, and for a mean over no query.
type Figures struct {
	// NDCG is the normalized discounted cumulative gain at K: Σ gain(grade at rank i) / log₂(i+1) over the first K ranks, divided by the same of
	// the best order of all judged documents, returned or not (Järvelin and Kekäläinen, ACM TOIS 20, 2002).
	NDCG *float64 `json:"ndcg"`
	// Recall is the relevant documents in the first K by all relevant ones; Precision is those by K, however few were returned.
	Recall    *float64 `json:"recall"`
	Precision *float64 `json:"precision"`
	// RR is 1 / the rank of the first relevant document in the whole ranking, 0 without one. Its mean is the MRR.
	RR *float64 `json:"rr"`
	// AP is the mean, over all relevant documents, of the precision at the rank of each in the whole ranking, 0 for those that
	// were not returned. Its mean is the MAP.
	AP *float64 `json:"ap"`
}

// A Query is the scores of one query.
type Query struct {
	ID string `json:"id"`
	Figures
	// Undefined says why there are no scores; empty when there are.
	Undefined string `json:"undefined,omitempty"`
	Returned  int    `json:"returned"` // documents in the ranking
	Relevant  int    `json:"relevant"` // relevant ones that were judged
	Unjudged  int    `json:"unjudged"` // of the first K, documents without a grade: they count as not relevant
	// Repeated counts the entries of the ranking whose document stands higher up already, as several passages of one document do. They are
	// left out, and those below move up.
	Repeated int `json:"repeated,omitempty"`
}

// Retrieval is the scores of rankings. It is plain data.
type Retrieval struct {
	K        int    `json:"k"`
	Gain     Gain   `json:"gain"`
	Discount string `json:"discount"`
	Ties     string `json:"ties"`
	// Averaged says which queries are in Mean.
	Averaged string `json:"averaged"`
	// Queries are those that were judged, in order of their ids.
	Queries []Query `json:"queries"`
	Mean    Figures `json:"mean"`
	N       int     `json:"n"` // queries in Mean
	// Unranked are the queries in Mean that have no ranking and so score 0, and Unjudged those of the rankings that nobody judged, which
	// count nowhere. Both at once may be the same queries under other names.
	Unranked []string `json:"unranked"`
	Unjudged []string `json:"unjudged"`
}

// Evaluate scores rankings, which it sorts on copies by the rule of [Rank]. A judged query without a ranking scores 0; one without a relevant
// document is undefined, and in no mean.
func Evaluate(j Judgements, r Rankings, opts Options) Retrieval {
	if opts.K <= 0 {
		opts.K = 10
	}
	if opts.Gain != Linear {
		opts.Gain = Exponential
	}
	opts.Relevant = max(opts.Relevant, 1)
	v := Retrieval{
		K: opts.K, Gain: opts.Gain, Discount: "log2(rank+1)", Ties: "score descending, then document id descending",
		Averaged: "judged queries with a relevant document; those without a ranking score 0", Queries: []Query{}, Unranked: []string{}, Unjudged: []string{},
	}
	var sums [5]float64
	for _, id := range slices.Sorted(maps.Keys(j)) {
		q := score(id, j[id], r[id], opts)
		v.Queries = append(v.Queries, q)
		if q.Undefined != "" {
			continue
		}
		v.N++
		if _, ok := r[id]; !ok {
			v.Unranked = append(v.Unranked, id)
		}
		for i, f := range q.list() {
			sums[i] += **f
		}
	}
	if v.N > 0 {
		for i, f := range v.Mean.list() {
			*f = new(sums[i] / float64(v.N))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r)) {
		if _, ok := j[id]; !ok {
			v.Unjudged = append(v.Unjudged, id)
		}
	}
	return v
}

// list returns the figures in a fixed order.
func (f *Figures) list() [5]**float64 {
	return [5]**float64{&f.NDCG, &f.Recall, &f.Precision, &f.RR, &f.AP}
}

func score(id string, grades map[string]int, docs []Scored, opts Options) Query {
	q := Query{ID: id, Returned: len(docs)}
	for _, g := range grades {
		if g >= opts.Relevant {
			q.Relevant++
		}
	}
	docs = distinct(docs)
	q.Repeated = q.Returned - len(docs)
	for _, d := range docs[:min(len(docs), opts.K)] {
		if _, ok := grades[d.Doc]; !ok {
			q.Unjudged++
		}
	}
	if q.Relevant == 0 {
		q.Undefined = "no relevant document was judged"
		return q
	}
	found, precisions, first := 0, 0.0, 0
	atK := 0
	for i, d := range docs {
		if g, ok := grades[d.Doc]; !ok || g < opts.Relevant {
			continue
		}
		found++
		precisions += float64(found) / float64(i+1)
		if first == 0 {
			first = i + 1
		}
		if i < opts.K {
			atK++
		}
	}
	q.NDCG = new(ndcg(grades, docs, opts))
	q.Recall, q.Precision = new(float64(atK)/float64(q.Relevant)), new(float64(atK)/float64(opts.K))
	q.RR, q.AP = new(0.0), new(precisions/float64(q.Relevant))
	if first > 0 {
		*q.RR = 1 / float64(first)
	}
	return q
}

// distinct returns the documents in the order of [Rank], each where it stands first.
func distinct(docs []Scored) []Scored {
	docs = slices.Clone(docs)
	Rank(docs)
	seen := make(map[string]bool, len(docs))
	return slices.DeleteFunc(docs, func(d Scored) bool {
		again := seen[d.Doc]
		seen[d.Doc] = true
		return again
	})
}

func ndcg(grades map[string]int, docs []Scored, opts Options) float64 {
	var returned []int
	for _, d := range docs {
		returned = append(returned, grades[d.Doc])
	}
	ideal := slices.Collect(maps.Values(grades))
	slices.SortFunc(ideal, func(a, b int) int { return b - a })
	return dcg(returned, opts) / dcg(ideal, opts)
}

func dcg(grades []int, opts Options) (sum float64) {
	for i, g := range grades[:min(len(grades), opts.K)] {
		sum += opts.Gain.of(g) / math.Log2(float64(i+2))
	}
	return sum
}

// WriteText writes the means, and what is in no mean. The error is that of w.
func (v Retrieval) WriteText(w io.Writer) error {
	var b strings.Builder
	if v.N == 0 {
		b.WriteString("  retrieval: not measured: no judged query has a relevant document\n")
	} else {
		fmt.Fprintf(&b, "  retrieval over %s: nDCG@%d %.4f, recall@%d %.4f, precision@%d %.4f, MRR %.4f, MAP %.4f\n", queries(v.N),
			v.K, *v.Mean.NDCG, v.K, *v.Mean.Recall, v.K, *v.Mean.Precision, *v.Mean.RR, *v.Mean.AP)
	}
	fmt.Fprintf(&b, "    gain %s, discount %s, ties by %s; averaged: %s\n", v.Gain, v.Discount, v.Ties, v.Averaged)
	for _, q := range v.Queries {
		if q.Undefined != "" {
			fmt.Fprintf(&b, "    in no mean: %s, %s\n", textutil.Printable(q.ID, 60), q.Undefined)
		}
	}
	writeQueries(&b, "without a ranking, scored 0", v.Unranked)
	writeQueries(&b, "in no mean, for nobody judged them", v.Unjudged)
	_, err := io.WriteString(w, b.String())
	return err
}

func queries(n int) string {
	if n == 1 {
		return "1 query"
	}
	return textutil.Thousands(n) + " queries"
}

// writeQueries writes how many queries there are of a kind, and the first of them.
func writeQueries(b *strings.Builder, kind string, ids []string) {
	if len(ids) == 0 {
		return
	}
	fmt.Fprintf(b, "    %s: %s:", kind, queries(len(ids)))
	for _, id := range ids[:min(len(ids), 5)] {
		b.WriteString(" " + textutil.Printable(id, 60))
	}
	if len(ids) > 5 {
		b.WriteString(" …")
	}
	b.WriteByte('\n')
}
