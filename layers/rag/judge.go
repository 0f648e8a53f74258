package rag

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

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

// ErrNoJudge is why claims are unmeasured when there is nobody to ask.
var ErrNoJudge = errors.New("no judge")

// Entail asks a judge about each claim, one after the other. When ctx ends, the rest is unmeasured; so is a claim on which the judge fails, and
// all are with a nil judge: an outage is never a pass. A verdict of the judge beside an error counts for nothing.
func Entail(ctx context.Context, j Judge, claims []Claim) Entailment {
	e := Entailment{Claims: make([]Judged, len(claims))}
	entailed := 0
	for i, c := range claims {
		v := ask(ctx, j, c)
		switch v.Verdict {
		case layers.Success:
			entailed++
		case layers.Unmeasured:
			e.Unmeasured++
		}
		e.Claims[i] = v
	}
	e.Rate = layers.NewRate(entailed, len(claims)-e.Unmeasured)
	return e
}

// ask asks a judge about one claim.
func ask(ctx context.Context, j Judge, c Claim) Judged {
	err := ctx.Err()
	entailed := false
	switch {
	case err != nil:
	case j == nil:
		err = ErrNoJudge
	default:
		entailed, err = j.Entails(ctx, c.Text, c.Evidence)
	}
	switch {
	case err != nil:
		return Judged{c, layers.Unmeasured, err.Error()}
	case entailed:
		return Judged{c, layers.Success, ""}
	}
	return Judged{c, layers.Failure, ""}
}

// WriteText writes the rate, the claims that are not entailed, and why others are unmeasured. The error is that of w.
func (e Entailment) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "  entailment: %s of %s; %d unmeasured\n", e.Rate, textutil.Count(e.Rate.Of, "claim"), e.Unmeasured)
	for _, c := range e.Claims {
		text := textutil.Printable(c.Text, 120)
		switch {
		case !c.Verdict.Measured():
			fmt.Fprintf(&b, "    unmeasured: %s: %s\n", text, textutil.Printable(c.Reason, 120))
		case c.Verdict == layers.Failure:
			fmt.Fprintf(&b, "    not entailed: %s\n", text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
