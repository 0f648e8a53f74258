package rag

import (
	"fmt"
	"slices"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
)

// Figures are the scores of a ranking, each from 0 to 1, higher is better. They are nil for a query without a relevant document, which has
// no score, and for a mean over no query.
type Figures struct {
	// NDCG is the normalized discounted cumulative gain at K: Σ gain(grade at rank i) / log₂(i+1) over the first K ranks, divided by the same of
	// the best order of all judged documents, returned or not (Järvelin and Kekäläinen, ACM TOIS 20, 2002).
	NDCG *float64 `json:"ndcg"`
	// Recall is the relevant documents in the first K by all relevant ones; Precision is those by K, however few were returned (recall_K and P_K of
	// trec_eval).
	Recall    *float64 `json:"recall"`
	Precision *float64 `json:"precision"`
	// RR is 1 / the rank of the first relevant document in the whole ranking, 0 without one. Its mean is the MRR (Voorhees, TREC-8 question answering
	// track, 1999; recip_rank of trec_eval).
	RR *float64 `json:"rr"`
	// AP is the mean, over all relevant documents, of the precision at the rank of each in the whole ranking, 0 for those that
	// were not returned. Its mean is the MAP (map of trec_eval).
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

const undefined = "no relevant document was judged"

// Defects returns nothing_relevant_retrieved when there are relevant documents and none is in the first K: a run that succeeds all the same owes it to
// something else. A query without scores has none.
func (q Query) Defects() []layers.Defect {
	if q.Recall == nil || *q.Recall > 0 {
		return nil
	}
	detail := fmt.Sprintf("%s: none of %s is at the top of the %d returned", q.ID, textutil.Count(q.Relevant, "relevant document"), q.Returned)
	return []layers.Defect{{Layer: layers.RAG, Name: "nothing_relevant_retrieved", Detail: detail}}
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
		q.Undefined = undefined
		return q
	}
	q.NDCG = new(ndcg(grades, docs, opts))
	q.binary(grades, docs, opts)
	return q
}

// binary computes the figures that know a document as relevant or not.
func (q *Query) binary(grades map[string]int, docs []Scored, opts Options) {
	found, atK := 0, 0
	rr, precisions := 0.0, 0.0
	for i, d := range docs {
		if grades[d.Doc] < opts.Relevant { // which is at least 1, and no grade is 0
			continue
		}
		found++
		precisions += float64(found) / float64(i+1)
		if found == 1 {
			rr = 1 / float64(i+1)
		}
		if i < opts.K {
			atK++
		}
	}
	q.Recall, q.Precision = new(float64(atK)/float64(q.Relevant)), new(float64(atK)/float64(opts.K))
	q.RR, q.AP = new(rr), new(precisions/float64(q.Relevant))
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
