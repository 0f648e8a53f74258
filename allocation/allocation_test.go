package allocation_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/allocation"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// section returns a section of a file that defines what tail lists.
func section(path, tail string, padding int) string {
	return fmt.Sprintf("**`%s`** — %s\n%s\n", path, tail, strings.Repeat("x", padding))
}

// session returns a run with a judged call per response, and an answer.
func session(t testing.TB, answer string, responses ...string) *transcript.Session {
	log := transcripttest.New()
	for i, r := range responses {
		log.Request(1000 * (i + 1)).Explore("q").Result(r)
	}
	log.Request(9000).Text(answer)
	return log.End(answer).Session(t)
}

func analyze(t testing.TB, answer string, responses ...string) allocation.Block {
	return allocation.Analyze(session(t, answer, responses...), allocation.Options{})
}

// cited returns the files that the answer cites, with the channel.
func cited(b allocation.Block) map[string]string {
	m := map[string]string{}
	for _, f := range b.Files {
		if f.Via != "" {
			m[f.Path] = strings.TrimSpace(string(f.Via) + " " + f.Symbol)
		}
	}
	return m
}

func TestOneOfThreeFilesCited(t *testing.T) {
	// Sections of equal length: the header of 20 characters, 79 x and two line feeds make 101 each.
	b := analyze(t, "It is in lib/a.js:12.", section("lib/a.js", "f()", 79)+section("lib/b.js", "g()", 79)+section("lib/c.js", "h()", 79))
	third := len([]rune(section("lib/a.js", "f()", 79)))
	if b.Envelope != 3*third || *b.Used != third || math.Abs(*b.Efficiency-1.0/3) > 1e-12 || b.FilesReturned != 3 || b.FilesUsed != 1 {
		t.Errorf("%+v", b)
	}
}

func TestPathChannel(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		files        []string
		want         []string
	}{
		{"whole path", "see lib/response.js", []string{"lib/response.js"}, []string{"lib/response.js"}},
		{"with lines behind it", "see lib/response.js:120-180, too", []string{"lib/response.js"}, []string{"lib/response.js"}},
		{"in a link", "[send](lib/response.js#L12)", []string{"lib/response.js"}, []string{"lib/response.js"}},
		{"suffix with a directory", "see template/exec.go", []string{"text/template/exec.go"}, []string{"text/template/exec.go"}},
		{"suffix that cuts a directory", "see late/exec.go", []string{"text/template/exec.go"}, nil},
		{"bare base name", "see response.js.", []string{"lib/response.js"}, []string{"lib/response.js"}},
		{"res.send is no file", "call res.send or `res.send`", []string{"lib/response.js"}, nil},
		{"a longer path is no bare name", "see a/index.ts", []string{"b/index.ts"}, nil},
		{"nor is it for a file at the root", "see a/index.ts", []string{"index.ts"}, nil},
		{"a longer name is another", "see myresponse.js, response.js.map, response.jsx, response.js-old", []string{"lib/response.js"}, nil},
		{"absolute path of the file", "in /home/dev/proj/lib/response.js", []string{"lib/response.js"}, []string{"lib/response.js"}},
		{"absolute path of another", "in /home/dev/proj/lib/response.js", []string{"other/response.js"}, nil},
		{"relative path that is longer", "in packages/x/lib/response.js", []string{"lib/response.js"}, nil},
		{"a web address", "https://host/lib/response.js", []string{"lib/response.js"}, nil},
		{"working directory", "./lib/response.js", []string{"lib/response.js"}, []string{"lib/response.js"}},
		{"backslashes", `lib\response.js`, []string{"lib/response.js"}, []string{"lib/response.js"}},
		{"brackets and spaces", "app/[id]/my page.tsx", []string{"app/[id]/my page.tsx"}, []string{"app/[id]/my page.tsx"}},
		{"letters of any script", "in docs/日本語.md", []string{"docs/日本語.md"}, []string{"docs/日本語.md"}},
		{"no extension: by its path", "docker/Makefile builds it", []string{"docker/Makefile"}, []string{"docker/Makefile"}},
		{"no extension: not in prose", "the Makefile builds it", []string{"docker/Makefile"}, nil},
		{"no extension: in a code span", "`Makefile` builds it", []string{"docker/Makefile"}, []string{"docker/Makefile"}},
		{"a base name of two files", "see index.ts", []string{"a/index.ts", "b/index.ts"}, []string{"a/index.ts", "b/index.ts"}},
		{"a base name of three files identifies none", "see index.ts", []string{"a/index.ts", "b/index.ts", "c/index.ts"}, nil},
		{"but the whole path does", "see a/index.ts", []string{"a/index.ts", "b/index.ts", "c/index.ts"}, []string{"a/index.ts"}},
		{"nothing", "no idea", []string{"a/index.ts"}, nil},
	} {
		text := ""
		for _, f := range c.files {
			text += section(f, "", 10)
		}
		want := map[string]string{}
		for _, f := range c.want {
			want[f] = "path"
		}
		if diff := cmp.Diff(want, cited(analyze(t, c.answer, text))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestSymbolChannel(t *testing.T) {
	for _, c := range []struct {
		name, answer string
		files        [][2]string
		want         map[string]string
	}{
		{"the definer", "`compileETag` does it", [][2]string{{"a.js", "compileETag(function)"}}, map[string]string{"a.js": "symbol compileETag"}},
		{"and not its caller", "`compileETag` does it", [][2]string{{"a.js", "compileETag(function)"}, {"b.js", "compileETag(calls)"}}, map[string]string{"a.js": "symbol compileETag"}},
		{"a definition over an import binding", "`express` does it", [][2]string{{"a.js", "express(function)"}, {"b.js", "express(variable)"}}, map[string]string{"a.js": "symbol express"}},
		{"a variable alone", "`express` does it", [][2]string{{"b.js", "express(variable)"}}, map[string]string{"b.js": "symbol express"}},
		{"two variables identify neither", "`express` does it", [][2]string{{"a.js", "express(variable)"}, {"b.js", "express(constant)"}}, nil},
		{"two definitions identify neither", "`Handle` does it", [][2]string{{"a.go", "Handle(method)"}, {"b.go", "Handle(method)"}}, nil},
		{"three files identify none", "`express` does it", [][2]string{{"a.js", "express(function)"}, {"b.js", "express(variable)"}, {"c.js", "express(variable)"}}, nil},
		{"prose is no citation", "compileETag does it", [][2]string{{"a.js", "compileETag(function)"}}, nil},
		{"a fenced block is no code span", "```\ncompileETag()\n```", [][2]string{{"a.js", "compileETag(function)"}}, nil},
		{"too short", "`set` does it", [][2]string{{"a.js", "set(function)"}}, nil},
		{"a stop word", "`return` does it", [][2]string{{"a.js", "return(function)"}}, nil},
		{"in an expression", "`(*tmpl.State).walkRange(dot)`", [][2]string{{"a.go", "walkRange(method)"}}, map[string]string{"a.go": "symbol walkRange"}},
		{"a chain", "`Attr#Equal`", [][2]string{{"a.go", "Attr.Equal(method)"}}, map[string]string{"a.go": "symbol Attr.Equal"}},
		{"part of a longer name", "`compileETagNow`", [][2]string{{"a.js", "compileETag(function)"}}, nil},
		{"a span of two ticks", "``compileETag``", [][2]string{{"a.js", "compileETag(function)"}}, map[string]string{"a.js": "symbol compileETag"}},
		{"a span that is not closed", "`compileETag", [][2]string{{"a.js", "compileETag(function)"}}, nil},
		{"a span does not cross paragraphs", "`one\n\ncompileETag` two", [][2]string{{"a.js", "compileETag(function)"}}, nil},
		{"twice in one file is once", "`Value`s `newValue`", [][2]string{{"a.go", "newValue(function)"}, {"a.go", "newValue(function)"}}, map[string]string{"a.go": "symbol newValue"}},
	} {
		text := ""
		for _, f := range c.files {
			text += section(f[0], f[1], 10)
		}
		want := c.want
		if want == nil {
			want = map[string]string{}
		}
		if diff := cmp.Diff(want, cited(analyze(t, c.answer, text))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestPathIsTheConservativeFigure(t *testing.T) {
	b := analyze(t, "lib/a.js calls `definedInB`", section("lib/a.js", "", 50)+section("lib/b.js", "definedInB(function)", 50))
	if *b.Efficiency != 1 || *b.EfficiencyPath >= 1 || *b.UsedPath != b.Files[1].Chars && *b.UsedPath != b.Files[0].Chars {
		t.Errorf("%+v", b)
	}
}

func TestPerCallAndPooled(t *testing.T) {
	// Two calls with one file of the same length each; the answer cites the first.
	b := analyze(t, "lib/a.js", section("lib/a.js", "", 50), section("lib/b.js", "", 50))
	if *b.Calls[0].Efficiency != 1 || *b.Calls[1].Efficiency != 0 || *b.Efficiency != 0.5 {
		t.Errorf("%v %v pooled %v, want 1, 0 and 0.5", *b.Calls[0].Efficiency, *b.Calls[1].Efficiency, *b.Efficiency)
	}
}

func TestReturnedTwiceIsChargedAndCreditedTwice(t *testing.T) {
	one := section("lib/a.js", "", 50)
	b := analyze(t, "lib/a.js", one+section("lib/b.js", "", 50), "**`./lib/a.js`** — \n"+strings.Repeat("x", 48)+"\n")
	n := len([]rune(one))
	if b.Files[0].Path != "lib/a.js" || b.Files[0].Calls != 2 || b.Files[0].Chars != 2*n || *b.Used != 2*n || b.Envelope != 3*n {
		t.Errorf("%+v", b)
	}
}

func TestNoAnswerIsUnmeasured(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Explore("q").Result(section("lib/a.js", "", 50))
	b := allocation.Analyze(log.Session(t), allocation.Options{})
	if b.HasAnswer || b.Efficiency != nil || b.Used != nil || b.Calls[0].Efficiency != nil || b.Envelope == 0 {
		t.Errorf("%+v", b)
	}
	var out strings.Builder
	b.WriteText(&out)
	if !strings.Contains(out.String(), "not measured") {
		t.Error(out.String())
	}
}

func TestNothingReturnedIsUnmeasured(t *testing.T) {
	b := analyze(t, "lib/a.js", "no file here")
	if b.Efficiency != nil || len(b.Calls) != 1 || b.Calls[0].Efficiency != nil {
		t.Errorf("%+v", b)
	}
}

func TestOnlyJudgedAnsweredCallsCount(t *testing.T) {
	log := transcripttest.New()
	log.Request(100).Explore("q").Error(section("lib/a.js", "", 50))
	log.Request(200).ReadFile("lib/a.js").Result(section("lib/a.js", "", 50))
	call := log.Request(300).Call("Agent", nil)
	call.Subagent().Request(50).Explore("q").Result(section("lib/b.js", "", 50))
	call.Result("done")
	log.Request(400).Text("lib/b.js")
	b := allocation.Analyze(log.End("lib/b.js").Session(t), allocation.Options{})
	if len(b.Calls) != 1 || b.Calls[0].Thread != call.ID || *b.Efficiency != 1 {
		t.Errorf("%+v", b)
	}
}

func TestOptions(t *testing.T) {
	s := session(t, "`abc` and `common`", section("a.js", "abc(function)", 5)+section("b.js", "common(function)", 5))
	b := allocation.Analyze(s, allocation.Options{MinSymbol: 3, StopWords: []string{"common"}})
	if diff := cmp.Diff(map[string]string{"a.js": "symbol abc"}, cited(b)); diff != "" {
		t.Error(diff)
	}
}

func TestDivideMarksTheFilesThatAnswer(t *testing.T) {
	text := ""
	for i := range 15 {
		text += section(fmt.Sprintf("lib/f%02d.js", i), "", 10)
	}
	b := analyze(t, "x", text)
	e, err := b.Divide("**/f00.js", "f01.*")
	if err != nil || *e.AnswerShare < 0.133 || *e.AnswerShare > 0.134 { // 2 of 15 equal ones
		t.Errorf("%v %+v", err, e)
	}
	var out strings.Builder
	if err := b.WriteEnvelope(&out, "lib/f00.js"); err != nil || !strings.Contains(out.String(), "… and 3 files more") || strings.Count(out.String(), "    * ") != 1 {
		t.Errorf("%v\n%s", err, out.String())
	}
	if _, err := b.Divide("[^a]"); err == nil || !strings.Contains(err.Error(), "[^a]") {
		t.Errorf("error %v does not name the glob", err)
	}
	if none, _ := b.Divide(); none.AnswerShare != nil {
		t.Error("a share without a glob")
	}
}

func TestBlocksRoundTripThroughJSON(t *testing.T) {
	want := analyze(t, "lib/a.js", section("lib/a.js", "f(function)", 50))
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got allocation.Block
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever is returned and answered, the figures keep their laws.
func TestLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"lib/a.js", "a.js", "b/a.js", "`compile`", "compile", "c/a.js", "d/e.go", "`walk`", "/x/lib/a.js", "see", "`lib/a.js`", "e.go:12"}
	files := []string{"lib/a.js", "b/a.js", "c/a.js", "d/e.go", "e.go", "Makefile"}
	tails := []string{"", "compile(function)", "walk(variable), compile(calls)", "walk(function)", "walk, compile"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	for range 500 {
		var responses []string
		for range r.IntN(3) + 1 {
			text := ""
			for range r.IntN(4) {
				text += section(pick(files), pick(tails), r.IntN(50))
			}
			responses = append(responses, text)
		}
		answer := "answer"
		for range r.IntN(5) {
			answer += " " + pick(words)
		}
		b := analyze(t, answer, responses...)
		chars, used := 0, 0
		for _, f := range b.Files {
			chars += f.Chars
			if f.Via != "" {
				used += f.Chars
			}
		}
		if chars != b.Envelope || used != *b.Used || *b.UsedPath > *b.Used || *b.Used > b.Envelope {
			t.Fatalf("%q: %+v", answer, b)
		}
		more := analyze(t, answer+" and lib/a.js", responses...)
		if *more.Used < *b.Used {
			t.Fatalf("%q: another citation lowers %d to %d", answer, *b.Used, *more.Used)
		}
		same := analyze(t, answer+" which is nice", responses...)
		if *same.Used != *b.Used {
			t.Fatalf("%q: prose changes %d to %d", answer, *b.Used, *same.Used)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	f.Add("see lib/a.js `f`", "**`lib/a.js`** — f(function)\n")
	f.Add("`` ` ``` \\ ./ ../", "**`.`**\n**`/`**\n**`..`**\n**`a/`**\n")
	f.Fuzz(func(t *testing.T, answer, response string) {
		b := analyze(t, answer, response)
		if b.Efficiency != nil && (*b.Efficiency < 0 || *b.Efficiency > 1 || *b.EfficiencyPath > *b.Efficiency) {
			t.Errorf("%+v", b)
		}
		var out strings.Builder
		b.WriteText(&out)
	})
}

func BenchmarkAnalyze(b *testing.B) {
	text := ""
	for i := range 40 {
		text += section(fmt.Sprintf("lib/file%d.js", i), "compileETag(function), other(calls)", 500)
	}
	s := session(b, strings.Repeat("It is `compileETag` in lib/file7.js:12 and elsewhere. ", 40), text, text, text)
	b.ReportAllocs()
	for b.Loop() {
		allocation.Analyze(s, allocation.Options{})
	}
}

// What a call returned of each file is listed in the order of the response, and only when it is asked for.
func TestParts(t *testing.T) {
	s := session(t, "see lib/a.js", section("lib/b.js", "g()", 10)+section("./lib/a.js", "f()", 20), section("lib/a.js", "f()", 5))
	if b := allocation.Analyze(s, allocation.Options{}); b.Calls[0].Parts != nil {
		t.Errorf("%+v", b.Calls[0].Parts)
	}
	b := allocation.Analyze(s, allocation.Options{Parts: true})
	want := []allocation.Part{
		{Path: "lib/b.js", Chars: len([]rune(section("lib/b.js", "g()", 10)))},
		{Path: "lib/a.js", Chars: len([]rune(section("./lib/a.js", "f()", 20))), Cited: true},
	}
	if diff := cmp.Diff(want, b.Calls[0].Parts); diff != "" || len(b.Calls[1].Parts) != 1 {
		t.Errorf("%s%+v", diff, b.Calls[1].Parts)
	}
}
