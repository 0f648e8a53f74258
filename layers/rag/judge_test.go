package rag_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/rag"
)

// judge entails what is short, and is down for what is empty.
type judge struct{}

func (judge) Entails(_ context.Context, claim, _ string) (bool, error) {
	if claim == "" {
		return false, errors.New("the judge is down")
	}
	return len(claim) < 5, nil
}

func TestAnOutageIsNoPass(t *testing.T) {
	e := rag.Entail(context.Background(), judge{}, []rag.Claim{{Text: "yes"}, {Text: "certainly"}, {}})
	if e.Rate.Count != 1 || e.Rate.Of != 2 || e.Unmeasured != 1 || e.Claims[2].Verdict != layers.Unmeasured || e.Claims[2].Reason != "the judge is down" {
		t.Errorf("%+v", e)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if e := rag.Entail(ctx, judge{}, []rag.Claim{{Text: "yes"}}); e.Unmeasured != 1 || e.Rate.Value != nil {
		t.Errorf("%+v", e)
	}
}

func TestTextsSayWhatTheyHold(t *testing.T) {
	var b strings.Builder
	rag.Evaluate(rag.Judgements{"q\x1b": {"a": 0}}, nil, rag.Options{}).WriteText(&b)
	rag.Evaluate(rag.Judgements{"q": {"a": 1}}, rag.Rankings{"q": ranking("a")}, rag.Options{}).WriteText(&b)
	rag.TallyAbstention(cases(2, false, false, layers.Failure)).WriteText(&b)
	rag.Ground(grounded(t, "x/y.go:1\x1b", true)).WriteText(&b)
	rag.Entail(context.Background(), judge{}, nil).WriteText(&b)
	for _, want := range []string{"not measured: no judged query", "nDCG@10 1.0000", "gain 2^grade-1", "always hallucinating", "unsupported_citation: x/y.go:1: file not returned", "entailment: —"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Error("a control character was printed")
	}
}

// careless says yes beside its error.
type careless struct{}

func (careless) Entails(context.Context, string, string) (bool, error) {
	return true, errors.New("503")
}

func TestAVerdictBesideAnErrorCountsForNothing(t *testing.T) {
	for _, c := range []struct {
		judge rag.Judge
		want  string
	}{{careless{}, "503"}, {nil, rag.ErrNoJudge.Error()}} {
		e := rag.Entail(context.Background(), c.judge, []rag.Claim{{Text: "sky\x1b is blue"}})
		if e.Rate.Value != nil || e.Unmeasured != 1 || e.Claims[0].Verdict != layers.Unmeasured || e.Claims[0].Reason != c.want {
			t.Errorf("%+v", e)
		}
		var b strings.Builder
		e.WriteText(&b)
		if !strings.Contains(b.String(), "is blue: "+c.want) || strings.Contains(b.String(), "\x1b") {
			t.Errorf("%q", b.String())
		}
	}
}

// stopping ends the context with its first verdict, which still counts; what comes after is unmeasured, and not a failure.
type stopping struct{ stop context.CancelFunc }

func (s stopping) Entails(context.Context, string, string) (bool, error) {
	s.stop()
	return true, nil
}

func TestTheRestIsUnmeasuredWhenTheContextEnds(t *testing.T) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	e := rag.Entail(ctx, stopping{stop}, make([]rag.Claim, 3))
	if e.Rate.Count != 1 || e.Rate.Of != 1 || e.Unmeasured != 2 || e.Claims[1].Reason != context.Canceled.Error() {
		t.Errorf("%+v", e)
	}
}
