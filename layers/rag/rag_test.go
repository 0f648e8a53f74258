package rag_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/rag"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
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
	if got == nil || math.Abs(*got-want) > 5e-5 {
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

func cases(n int, answerable, abstained bool, grade layers.Outcome) (cs []rag.Case) {
	for range n {
		cs = append(cs, rag.Case{Answerable: answerable, Abstained: abstained, Grade: grade})
	}
	return cs
}

// Both agents have 0 of 4 on unanswerable questions; one answers them all, the other abstains and is graded wrong for it.
func TestAnAccuracyOfZeroIsSplit(t *testing.T) {
	liar := rag.TallyAbstention(append(cases(4, false, false, layers.Failure), cases(1, true, false, layers.Success)...))
	near(t, "hallucination", liar.Hallucination.Value, 1)
	near(t, "recall", liar.Recall.Value, 0)
	honest := rag.TallyAbstention(append(cases(4, false, true, layers.Failure), cases(1, true, true, layers.Failure)...))
	near(t, "hallucination", honest.Hallucination.Value, 0)
	near(t, "recall", honest.Recall.Value, 1)
	near(t, "precision", honest.Precision.Value, 0.8)
	near(t, "over-abstention", honest.OverAbstention.Value, 1)
	if *liar.Graded.Value != 0 || *honest.Graded.Value != 0 || !strings.HasPrefix(liar.Why(), "always hallucinating") || !strings.HasPrefix(honest.Why(), "abstaining, and graded wrong") {
		t.Errorf("%q, %q", liar.Why(), honest.Why())
	}
	if liar.Precision.Value != nil || honest.Accuracy.Value != nil {
		t.Error("nothing to take a share of")
	}
	both := rag.TallyAbstention(append(cases(1, false, false, layers.Failure), cases(2, false, true, layers.Failure)...))
	if both.Why() != "both: 1 hallucinated, 2 abstained and were graded wrong for it" {
		t.Errorf("%q", both.Why())
	}
}

func TestCasesWithoutAGradeAreUnmeasured(t *testing.T) {
	cs := append(cases(2, true, false, layers.Success), rag.Case{Answerable: true, Reason: "the judge was down"}, rag.Case{Abstained: true})
	a := rag.TallyAbstention(cs)
	if a.Answered != (rag.Grades{Right: 2, Ungraded: 1}) || a.Abstained != (rag.Grades{Ungraded: 1}) || a.Accuracy.Of != 2 || a.Graded.Value != nil || a.Recall.Of != 1 || a.Why() != "" {
		t.Errorf("%+v", a)
	}
	if diff := cmp.Diff([]rag.CaseReason{{Text: "no reason given", Cases: 1}, {Text: "the judge was down", Cases: 1}}, a.Reasons); diff != "" {
		t.Error(diff)
	}
}

// Two unanswerable questions were answered and one was not, which nobody graded: of all three it is not true that every one was answered.
func TestWhySpeaksOfGradedCases(t *testing.T) {
	a := rag.TallyAbstention(append(cases(2, false, false, layers.Failure), cases(1, false, true, layers.Unmeasured)...))
	if a.Why() != "always hallucinating: every graded unanswerable question was answered" || *a.Recall.Value != 1.0/3 {
		t.Errorf("%q, %+v", a.Why(), a)
	}
	// A hallucination that the grader takes for right makes its figure more than 0.
	if a := rag.TallyAbstention(cases(1, false, false, layers.Success)); *a.Graded.Value != 1 || *a.Hallucination.Value != 1 || a.Why() != "" {
		t.Errorf("%+v", a)
	}
}

// grounded is a session that was shown lines 10 to 14 of lib/a.go by the tool, 1 and 2 of lib/b.go by a read, line 7 of c.go by a search, and all
// of d.txt without numbers.
func grounded(t *testing.T, answer string, keep bool) *transcript.Session {
	t.Helper()
	source := "10\tfunc a() {\n11\t\tb()\n12\t}\n13\t\n14\tvar x = 1"
	log := transcripttest.New()
	log.Request(1_000).Explore("a").Result(transcripttest.Response(transcripttest.File{Path: "lib/a.go", Defines: "a(function)", Source: source}))
	log.Request(2_000).ReadFile("/home/dev/proj/lib/b.go").Result("     1→package lib\n     2→import \"fmt\"")
	log.Request(3_000).Call("Grep", transcripttest.Args{"pattern": "x"}).Result("src/c.go:7:\tx++\nsrc/c.go:99:\ty")
	log.Request(3_500).Bash("cat d.txt").Result("hello")
	log.Request(3_550).Bash("./tool explore z").Result(transcripttest.Response(transcripttest.File{Path: "z.go", Source: "5\tz()"}))
	log.Request(3_600).ReadFile("e.go").Error("File does not exist")
	log.Request(4_000).Text(answer)
	return log.End(answer).SessionWith(t, transcript.Options{KeepText: keep})
}

func TestCitations(t *testing.T) {
	for _, c := range []struct {
		answer string
		want   string // path, lines and verdict of each
	}{
		{"see lib/a.go:12", "lib/a.go 12-12 supported"},
		{"see `lib/a.go:10-14`.", "lib/a.go 10-14 supported"},
		{"see lib/a.go:10–15", "lib/a.go 10-15 lines not shipped"},
		{"see a.go:11", "a.go 11-11 supported"},
		{"[the function](lib/a.go#L10-L12), and lib/b.go#L2", "lib/a.go 10-12 supported, lib/b.go 2-2 supported"},
		{"lib/b.go:3 and src/c.go:7 (src/c.go:8)", "lib/b.go 3-3 lines not shipped, src/c.go 7-7 supported, src/c.go 8-8 lines not shipped"},
		{"d.txt:1", "d.txt 1-1 lines not numbered"},
		{"z.go:5 and z.go:6", "z.go 5-5 supported, z.go 6-6 lines not shipped"},
		{"lib/zz.go:1 and e.go:4", "lib/zz.go 1-1 file not returned, e.go 4-4 file not returned"},
		{"at 10:30, http://127.0.0.1:8080/x, localhost:80, https://example.com:443, note: 12, 1.5:2, a.go:0, a.go:9-3", ""},
		{"no lines: lib/a.go", ""},
	} {
		g := rag.Ground(grounded(t, c.answer, true))
		var got []string
		for _, x := range g.Citations {
			got = append(got, fmt.Sprintf("%s %d-%d %s", x.Path, x.From, x.To, x.Verdict))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.answer, s, c.want)
		}
	}
}

func TestQuotes(t *testing.T) {
	fence := "```"
	for _, c := range []struct {
		block string
		want  rag.Support // empty for no quotation
	}{
		{"go\nfunc a() {\n\tb()\n}", rag.Supported},
		{"go\n    func a() {\n    \tb()\n    }", rag.Supported}, // indented as a whole
		{"go\nfunc a() {\n\t// ...\n}\n…\nvar x = 1", rag.Supported},
		{"go\nfunc a() {\n\t// ...\n\tc()\n}", rag.QuoteNotFound},
		{"go\nfunc a() {\n\tc()\n}", rag.QuoteNotFound},
		{"go\nfunc a() {\n}", rag.QuoteNotFound},
		{"\npackage lib\nimport \"fmt\"", rag.Supported},
		{"bash\ngo test\ngo vet", ""},
		{"go\nvar x = 1", ""}, // a line alone
	} {
		g := rag.Ground(grounded(t, "So:\n"+fence+c.block+"\n"+fence+"\n", true))
		if c.want == "" && len(g.Quotes) > 0 || c.want != "" && (len(g.Quotes) != 1 || g.Quotes[0].Verdict != c.want) {
			t.Errorf("%q: %+v", c.block, g.Quotes)
		}
	}
}

func TestGroundingIsARate(t *testing.T) {
	g := rag.Ground(grounded(t, "lib/a.go:12, lib/a.go:99, d.txt:1, x/y.go:1", true))
	if g.Supported.Count != 1 || g.Supported.Of != 3 || len(g.Defects()) != 2 || g.Defects()[0].Layer != layers.RAG {
		t.Errorf("%+v, %+v", g, g.Defects())
	}
	if g := rag.Ground(grounded(t, "lib/a.go:12", false)); !strings.Contains(g.Unmeasured, "KeepText") || g.Supported.Value != nil || len(g.Defects()) > 0 {
		t.Errorf("%+v", g)
	}
	if g := rag.Ground(&transcript.Session{}); !strings.Contains(g.Unmeasured, "no answer") {
		t.Errorf("%+v", g)
	}
}

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

func FuzzGround(f *testing.F) {
	f.Add("see lib/a.go:12-14 and\n```go\na\nb\n```")
	f.Fuzz(func(t *testing.T, answer string) {
		g := rag.Ground(grounded(t, answer, true))
		if g.Supported.Count > g.Supported.Of || g.Supported.Of > len(g.Citations)+len(g.Quotes) {
			t.Errorf("%+v", g)
		}
	})
}
