package rag

import (
	"fmt"
	"io"
	"maps"
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

// Retrieval is the scores of rankings. It is plain data.
type Retrieval struct {
	K        int    `json:"k"`
	Gain     Gain   `json:"gain"`
	Discount string `json:"discount"`
	Ties     string `json:"ties"`
	// Ideal says what nDCG is divided by, and RelevantFrom is the least grade that is relevant to the other figures.
	Ideal        string `json:"ideal"`
	RelevantFrom int    `json:"relevant_from"`
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

// Evaluate scores rankings, which it sorts on copies by the rule of [Rank]. A judged query without a ranking scores 0, as with trec_eval -c, so that
// a retriever gains nothing by returning nothing; one without a relevant document is undefined, and in no mean. Without judgements the means are nil.
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
		Ideal: "all judgements", RelevantFrom: opts.Relevant,
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

// WriteText writes the means, and what is in no mean. The error is that of w.
func (v Retrieval) WriteText(w io.Writer) error {
	var b strings.Builder
	if v.N == 0 {
		b.WriteString("  retrieval: not measured: no judged query has a relevant document\n")
	} else {
		fmt.Fprintf(&b, "  retrieval over %s: nDCG@%d %.4f, recall@%d %.4f, precision@%d %.4f, MRR %.4f, MAP %.4f\n", queries(v.N),
			v.K, *v.Mean.NDCG, v.K, *v.Mean.Recall, v.K, *v.Mean.Precision, *v.Mean.RR, *v.Mean.AP)
	}
	fmt.Fprintf(&b, "    gain %s, discount %s, ideal from %s, relevant from grade %d, ties by %s; averaged: %s\n", v.Gain, v.Discount, v.Ideal, v.RelevantFrom, v.Ties, v.Averaged)
	var none []string
	for _, q := range v.Queries {
		if q.Undefined != "" {
			none = append(none, q.ID)
		}
	}
	writeQueries(&b, "in no mean, for "+undefined, none)
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
