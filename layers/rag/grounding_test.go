package rag_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/rag"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// grounded is a session that was shown lines 10 to 14 of lib/a.go by the tool, 1 and 2 of lib/b.go by a read, line 7 of c.go by a search, and all
// of d.txt without numbers.
func grounded(t *testing.T, answer string, keep bool) *transcript.Session {
	t.Helper()
	source := "10\tfunc a() {\n11\t\tb()\n12\t}\n13\t\n14\tvar x = 1"
	log := transcripttest.New()
	log.Request(1_000).Explore("a").Result(transcripttest.Response(transcripttest.File{Path: "lib/a.go", Defines: "a(function)", Source: source}))
	log.Request(2_000).ReadFile("/home/dev/proj/lib/b.go").Result("     1→package lib\n     2→import \"fmt\"")
	log.Request(3_000).Call("Grep", transcripttest.Args{"pattern": "x"}).Result("src/c.go:7:\tx++\nsrc/c.go:99:\ty")
	log.Request(3_500).Bash("cat d.txt | sort").Result("hello")
	log.Request(3_550).Bash("./tool explore z").Result(transcripttest.Response(transcripttest.File{Path: "z.go", Source: "5\tz()"}))
	log.Prompt("where := 1")
	log.Request(3_560).ReadFile("f.go").Result("1\tfunc one() {\n2\t\ttwo()")
	log.Request(3_570).ReadFile("f.go").Result("3\t\tthree()\n4\t}")
	log.Request(3_580).ReadFile("c.yaml").Result("1\tports:\n2\t  80: http")
	log.Request(3_590).ReadFile("d.md").Result("1\ttitle\n2\t```\n3\tcode\n4\t```")
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
		{"d.txt:9", "d.txt 9-9 lines not numbered"},
		{"z.go:5 and z.go:6", "z.go 5-5 supported, z.go 6-6 lines not shipped"},
		{"lib/zz.go:1 and e.go:4", "lib/zz.go 1-1 file not returned, e.go 4-4 file not returned"},
		{"at 10:30, http://127.0.0.1:8080/x, localhost:80, https://example.com:443, note: 12, 1.5:2, a.go:0, a.go:9-3", ""},
		{"no lines: lib/a.go", ""},
		{"lib/a.go:10,12-13 and lib/a.go:L14", "lib/a.go 10-10 supported, lib/a.go 12-13 supported, lib/a.go 14-14 supported"},
		{"in `lib/a.go` (lines 10–12), `lib/b.go`, line 2, lib/b.go at **lines 1 to 3**", "lib/a.go 10-12 supported, lib/b.go 2-2 supported, lib/b.go 1-3 lines not shipped"},
		{"lines 11-12 of `lib/a.go`; line 9 in lib/a.go; line 3 of Node.js", "lib/a.go 11-12 supported, lib/a.go 9-9 lines not shipped"},
		{"example.com:8080, res.send:12, Node.js line 4, `z.go` line 5: lib/a.go:12", "z.go 5-5 supported, lib/a.go 12-12 supported"},
		{"[lib/a.go:12](lib/a.go#L12), again ./lib/a.go:12", "lib/a.go 12-12 supported"},
		{`C:\proj\lib\a.go:12:5`, "proj/lib/a.go 12-12 supported"},
		{"lib/a.go:12 - 3 callers", "lib/a.go 12-12 supported"},
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

// verdicts returns path, lines and verdict of each citation, and the verdict of each quotation.
func verdicts(g rag.Grounding) string {
	var got []string
	for _, x := range g.Citations {
		got = append(got, fmt.Sprintf("%s %d-%d %s", x.Path, x.From, x.To, x.Verdict))
	}
	for _, q := range g.Quotes {
		got = append(got, string(q.Verdict))
	}
	return strings.Join(got, ", ")
}

// One of three holds, for d.txt was shown without numbers. The answer is on the last line: an init, ten calls with their results, a prompt, a text and
// the result itself are 1 + 20 + 1 + 1 + 1 lines.
func TestGroundingIsARate(t *testing.T) {
	g := rag.Ground(grounded(t, "lib/a.go:12, lib/a.go:99, d.txt:9, x/y.go:1", true))
	if d := g.Defects(); g.Supported.Count != 1 || g.Supported.Of != 3 || g.Unchecked != 1 || len(d) != 2 || d[0].Layer != layers.RAG || d[0].Position.String() != "run.jsonl:24" {
		t.Errorf("%+v, %+v", g, g.Defects())
	}
	if g := rag.Ground(grounded(t, "lib/a.go:12", false)); !strings.Contains(g.Unmeasured, "KeepText") || g.Supported.Value != nil || len(g.Defects()) > 0 {
		t.Errorf("%+v", g)
	}
	if g := rag.Ground(&transcript.Session{}); !strings.Contains(g.Unmeasured, "no answer") {
		t.Errorf("%+v", g)
	}
}

// Whatever an answer and a result hold, each citation and quotation gets one verdict, and the counts add up.
func FuzzGround(f *testing.F) {
	f.Add("see lib/a.go:12-14,3 and\n```go\na\nb\n```", "12\tx\nlib/a.go:3:y\nlib/a.go-4-z", "grep -n x lib/a.go", uint8(0))
	f.Add("lines 1 to 2 of `b.md`\n~~~\n// b.md:1\nabcd\n~~~", "**`b.md`** — x\n```\n1\tabcd\n```\n> y", "cat b.md", uint8(1))
	f.Add("a.js:1", `{"text":"# r – a.js\n1: x"}`, "", uint8(2))
	f.Fuzz(func(t *testing.T, answer, result, command string, tool uint8) {
		log := transcripttest.New()
		m := log.Request(1_000)
		switch tool % 4 {
		case 0:
			m.Bash(command).Result(result)
		case 1:
			m.Explore(command).Result(result)
		case 2:
			m.Call("Grep", transcripttest.Args{"path": command}).Result(result)
		default:
			m.Call("Write", transcripttest.Args{"file_path": command, "content": result}).Result(result)
		}
		log.Request(2_000).Text(answer)
		g := rag.Ground(log.End(answer).SessionWith(t, transcript.Options{KeepText: true}))
		failing := 0
		for _, c := range g.Citations {
			if holds, ok := c.Verdict.Holds(); ok && !holds {
				failing++
			}
			if c.From < 1 || c.To < c.From || c.Path == "" || c.Verdict == "" {
				t.Errorf("%+v", c)
			}
		}
		for _, q := range g.Quotes {
			if holds, ok := q.Verdict.Holds(); ok && !holds {
				failing++
			}
		}
		if g.Supported.Of+g.Unchecked != len(g.Citations)+len(g.Quotes) || g.Supported.Of-g.Supported.Count != failing || len(g.Defects()) != failing {
			t.Errorf("%+v", g)
		}
	})
}
