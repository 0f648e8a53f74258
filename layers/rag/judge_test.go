package rag_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/rag"
)

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
