package rag

import (
	"context"
	"fmt"
	"io"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
)

// A Judge says whether evidence entails a claim: a model, a person, a rule. An error means that it could not say, which is neither. It has to be
// safe for concurrent use only if its caller uses it so.
type Judge interface {
	Entails(ctx context.Context, claim, evidence string) (bool, error)
}

// A Claim is a sentence of an answer, and what it stands on.
type Claim struct {
	Text     string `json:"text"`
	Evidence string `json:"evidence"`
}

// Entailment is what a judge said of claims. It is plain data.
type Entailment struct {
	// Claims are the verdicts in the order of the claims.
	Claims []Judged `json:"claims"`
	// Rate is the entailed claims of those that were judged, from 0 to 1, higher is better.
	Rate       layers.Rate `json:"rate"`
	Unmeasured int         `json:"unmeasured"` // claims that the judge failed on
}

// Judged is one claim and its verdict.
type Judged struct {
	Claim
	Verdict layers.Outcome `json:"verdict"`          // success: entailed
	Reason  string         `json:"reason,omitempty"` // why it is unmeasured
}

// Entail asks a judge about each claim, one after the other. When ctx ends, the rest is unmeasured; so is a claim on which the judge fails: an
// outage is never a pass.
func Entail(ctx context.Context, j Judge, claims []Claim) Entailment {
	e := Entailment{Claims: []Judged{}}
	entailed := 0
	for _, c := range claims {
		v := Judged{Claim: c, Verdict: layers.Failure}
		err := ctx.Err()
		ok := false
		if err == nil {
			ok, err = j.Entails(ctx, c.Text, c.Evidence)
		}
		switch {
		case err != nil:
			v.Verdict, v.Reason = layers.Unmeasured, err.Error()
			e.Unmeasured++
		case ok:
			v.Verdict = layers.Success
			entailed++
		}
		e.Claims = append(e.Claims, v)
	}
	e.Rate = layers.NewRate(entailed, len(claims)-e.Unmeasured)
	return e
}

// WriteText writes the rate. The error is that of w.
func (e Entailment) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "  entailment: %s of %s; %d unmeasured\n", e.Rate, textutil.Count(e.Rate.Of, "claim"), e.Unmeasured)
	return err
}
