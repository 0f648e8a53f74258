package rag_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	log.Request(3_500).Bash("cat d.txt").Result("hello")
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
		{"d.txt:1", "d.txt 1-1 lines not numbered"},
		{"z.go:5 and z.go:6", "z.go 5-5 supported, z.go 6-6 lines not shipped"},
		{"lib/zz.go:1 and e.go:4", "lib/zz.go 1-1 file not returned, e.go 4-4 file not returned"},
		{"at 10:30, http://127.0.0.1:8080/x, localhost:80, https://example.com:443, note: 12, 1.5:2, a.go:0, a.go:9-3", ""},
		{"no lines: lib/a.go", ""},
		{"lib/a.go:10,12-13 and lib/a.go:L14", "lib/a.go 10-10 supported, lib/a.go 12-13 supported, lib/a.go 14-14 supported"},
		{"in `lib/a.go` (lines 10–12), `lib/b.go`, line 2, lib/b.go at **lines 1 to 3**", "lib/a.go 10-12 supported, lib/b.go 2-2 supported, lib/b.go 1-3 lines not shipped"},
		{"lines 11-12 of `lib/a.go`; line 9 in lib/a.go; line 3 of Node.js", "lib/a.go 11-12 supported, lib/a.go 9-9 lines not shipped"},
		{"example.com:8080, res.send:12, Node.js line 4, `z.go` line 5: lib/a.go:12", "z.go 5-5 supported, lib/a.go 12-12 supported"},
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

// Each tool shows lines in its own way. What a tool may have shown without saying which lines is not measured, and never held against the answer.
func TestWhatToolsShow(t *testing.T) {
	args := func(path string) transcripttest.Args { return transcripttest.Args{"path": path} }
	for _, c := range []struct {
		name   string
		call   func(*transcripttest.Message) *transcripttest.Call
		result string
		answer string
		want   string
	}{
		{"the only file of a search", func(m *transcripttest.Message) *transcripttest.Call { return m.Call("Grep", args("/p/a.go")) },
			"7:x\n8-y\n--\n20:z", "a.go:7-8, a.go:20, a.go:9", "a.go 7-8 supported, a.go 20-20 supported, a.go 9-9 lines not shipped"},
		{"lines of context, before the match too", func(m *transcripttest.Message) *transcripttest.Call { return m.Call("Grep", args("/p")) },
			"lib-1/a.go-6-w\nlib-1/a.go:7:x\nlib-1/a.go-8-y", "lib-1/a.go:6-8, lib-1/a.go:9", "lib-1/a.go 6-8 supported, lib-1/a.go 9-9 lines not shipped"},
		{"a search without line numbers", func(m *transcripttest.Message) *transcripttest.Call { return m.Call("Grep", args("/p")) },
			"lib/a.go:func a()", "lib/a.go:7", "lib/a.go 7-7 lines not numbered"},
		{"a search of one file without line numbers", func(m *transcripttest.Message) *transcripttest.Call { return m.Call("Grep", args("/p/a.go")) },
			"func a()", "a.go:7", "a.go 7-7 lines not numbered"},
		{"a search of a directory without line numbers", func(m *transcripttest.Message) *transcripttest.Call { return m.Call("Grep", args("/p")) },
			"func a()", "p:7 p/a.go:7", "p/a.go 7-7 file not returned"},
		{"a number alone, and two colons", func(m *transcripttest.Message) *transcripttest.Call { return m.Call("Grep", args("/p/a.go")) },
			"12\nstd::a\n7:x", "a.go:7 a.go:12", "a.go 7-7 supported, a.go 12-12 lines not shipped"},
		{"names alone", func(m *transcripttest.Message) *transcripttest.Call { return m.Call("Grep", args("/p")) },
			"Found 1 file\nlib/a.go", "lib/a.go:7", "lib/a.go 7-7 file not returned"},
		{"grep of one file", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("grep -n 'a(' lib/a.go | head") },
			"7:func a()", "lib/a.go:7 lib/a.go:8", "lib/a.go 7-7 supported, lib/a.go 8-8 lines not shipped"},
		{"grep of several files", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("grep -rn 'a(' lib") },
			"lib/a.go:7:func a()", "lib/a.go:7 lib/a.go:8", "lib/a.go 7-7 supported, lib/a.go 8-8 lines not shipped"},
		{"cat of several files", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("cat a.go b.go") },
			"package p", "a.go:1 b.go:1 c.go:1", "a.go 1-1 lines not numbered, b.go 1-1 lines not numbered, c.go 1-1 file not returned"},
		{"cat -n of several files", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("cat -n a.go b.go") },
			"1\tpackage p\n1\tpackage q", "a.go:1 b.go:1", "a.go 1-1 lines not numbered, b.go 1-1 lines not numbered"},
		{"cat of a pattern", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("cat lib/*.go") },
			"package p", "lib/a.go:1 /p/lib/b.go:1 lib/c.js:1", "lib/a.go 1-1 lines not numbered, p/lib/b.go 1-1 lines not numbered, lib/c.js 1-1 file not returned"},
		{"the size of files", func(m *transcripttest.Message) *transcripttest.Call {
			return m.Bash("wc -l lib/*.go; ls lib/a.go lib/b.go")
		},
			" 502 lib/a.go\nlib/a.go\nlib/b.go", "lib/a.go:1 lib/b.go:1", "lib/a.go 1-1 file not returned, lib/b.go 1-1 file not returned"},
		{"cat -n", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("cat -n a.go") },
			"     1\tpackage p\n     2\t", "a.go:1-2 a.go:3", "a.go 1-2 supported, a.go 3-3 lines not shipped"},
		{"a script that names a file", func(m *transcripttest.Message) *transcripttest.Call {
			return m.Bash("python3 -c \"print(open('a.go').read())\"")
		},
			"package p", "a.go:1", "a.go 1-1 lines not numbered"},
		{"a difference", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("git diff") },
			"--- a/lib/a.go\n+++ b/lib/a.go\n@@ -1 +1 @@\n-x\n+y", "lib/a.go:1", "lib/a.go 1-1 lines not numbered"},
		{"an error of a compiler", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("go build ./...") },
			"lib/a.go:12:5: undefined: x", "lib/a.go:12 lib/a.go:1", "lib/a.go 12-12 named, not shown, lib/a.go 1-1 file not returned"},
		{"a response that names a line", func(m *transcripttest.Message) *transcripttest.Call { return m.Explore("a") },
			"1. a (lib/a.go:12)\n\nNot shown:\n- lib/b.go: New:59, Level:17", "lib/a.go:12 lib/a.go:1 lib/b.go:17 lib/b.go:5",
			"lib/a.go 12-12 named, not shown, lib/a.go 1-1 lines not numbered, lib/b.go 17-17 named, not shown, lib/b.go 5-5 lines not numbered"},
		{"a longer number", func(m *transcripttest.Message) *transcripttest.Call { return m.Explore("a") },
			"b (lib/a.go:120), c (lib/a.go:129)", "lib/a.go:12", "lib/a.go 12-12 lines not numbered"},
		{"what is behind the guidance, and what looks like a header in a fence", func(m *transcripttest.Message) *transcripttest.Call { return m.Explore("a") },
			"**`a.md`** — x\n\n````\n1\tone\n**`b.md`**\n```\n> quoted\n2\ttwo\n````\n\n> Guidance.\n3\tthree", "a.md:1-2 a.md:3 b.md:2",
			"a.md 1-2 supported, a.md 3-3 lines not shipped, b.md 2-2 file not returned"},
		{"a section without line numbers", func(m *transcripttest.Message) *transcripttest.Call { return m.Explore("a") },
			transcripttest.Response(transcripttest.File{Path: "a.go", Source: "package p"}), "a.go:1", "a.go 1-1 lines not numbered"},
		{"a file that was written", func(m *transcripttest.Message) *transcripttest.Call {
			return m.Call("Write", transcripttest.Args{"file_path": "/p/new.go", "content": "package p\n\nvar wrote = 1\n"})
		}, "File created successfully at: /p/new.go", "new.go:3\n```go\nvar wrote = 1\n```\n", "new.go 3-3 not from a tool, not from a tool"},
		{"the report of a subagent", func(m *transcripttest.Message) *transcripttest.Call { return m.Call("Agent", nil) },
			"a is in lib/a.go:7\nvar hearsay = 1", "lib/a.go:7\n```go\nvar hearsay = 1\n```", "lib/a.go 7-7 log of a subagent missing, log of a subagent missing"},
		{"a broken link", func(m *transcripttest.Message) *transcripttest.Call { return m.ReadFile("a.go") },
			"1\tpackage p", "[a](a.go:1) (a.go:2)", "a.go 1-1 supported, a.go 2-2 lines not shipped"},
	} {
		log := transcripttest.New()
		c.call(log.Request(1_000)).Result(c.result)
		log.Request(2_000).Text(c.answer)
		g := rag.Ground(log.End(c.answer).SessionWith(t, transcript.Options{KeepText: true}))
		if got := verdicts(g); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

// Another server wraps its text in JSON, numbers lines with a colon and names files in its own way: the file that was asked for, and lines that end in
// a path.
func TestAnotherServer(t *testing.T) {
	answer := "lib/a.js:2, package.json:73, package.json:99, other.go:1"
	log := transcripttest.New()
	log.Request(1_000).Call("mcp__sg__read_file", transcripttest.Args{"path": "lib/a.js"}).Result(`{"text":"URL: https://example.org/r/-/blob/lib/a.js\n1: {\n2:   a\n"}`)
	log.Request(2_000).Call("mcp__sg__search", nil).Result(`{"text":"# example.org/r – web/package.json\n72: x\n73: y\n\nSee also other.go"}`)
	log.Request(3_000).Text(answer)
	g := rag.Ground(log.End(answer).SessionWith(t, transcript.Options{KeepText: true, Tools: transcript.Tools{Name: "sg", Retrieval: []string{"mcp__sg__*"}}}))
	want := "lib/a.js 2-2 supported, package.json 73-73 supported, package.json 99-99 lines not shipped, other.go 1-1 lines not numbered"
	if got := verdicts(g); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A parser of responses says which files they show, and not which lines.
func TestAParserOfResponses(t *testing.T) {
	answer := "see src/shown.zz:3"
	log := transcripttest.New()
	log.Request(1_000).Explore("x").Result("<file>shown</file>")
	log.Request(2_000).Text(answer)
	parse := func([]byte) transcript.Response {
		return transcript.Response{Sections: []transcript.Section{{Path: "src/shown.zz"}}}
	}
	g := rag.Ground(log.End(answer).SessionWith(t, transcript.Options{KeepText: true, ParseResponse: parse}))
	if got := verdicts(g); got != "src/shown.zz 3-3 lines not numbered" {
		t.Errorf("got %s", got)
	}
}

// Whoever cites without a tool was shown nothing; the texts are not missing.
func TestAnAnswerWithoutTools(t *testing.T) {
	log := transcripttest.New()
	log.Request(1_000).Text("lib/a.go:1")
	if got := verdicts(rag.Ground(log.End("lib/a.go:1").Session(t))); got != "lib/a.go 1-1 file not returned" {
		t.Errorf("got %s", got)
	}
}

// What a subagent was shown counts, and what was shown on a branch that the user went back before does not.
func TestThreads(t *testing.T) {
	answer := "a.go:1, b.go:1"
	log := transcripttest.New()
	agent := log.Request(1_000).Call("Agent", transcripttest.Args{"prompt": "look"})
	agent.Subagent().Request(500).ReadFile("a.go").Result("1\tpackage a")
	agent.Result("it is in b.go:1")
	log.Request(2_000).Text(answer)
	s := log.End(answer).SessionWith(t, transcript.Options{KeepText: true})
	if got, want := verdicts(rag.Ground(s)), "a.go 1-1 supported, b.go 1-1 file not returned"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	for _, ev := range s.Threads[1].Events {
		if r, ok := ev.(*transcript.ToolResult); ok {
			r.Abandoned = true
		}
	}
	if got := verdicts(rag.Ground(s)); strings.Contains(got, "supported") {
		t.Errorf("got %s", got)
	}
}

func TestQuotes(t *testing.T) {
	const fence = "```"
	for _, c := range []struct {
		before, block string
		want          rag.Support // empty for no code block
	}{
		{"So:", "go\nfunc a() {\n\tb()\n}", rag.Supported},
		{"So:", "go\n    func a() {\n    \tb()\n    }", rag.Supported}, // indented as a whole
		{"So:", "go\nfunc a() {\n\t// ...\n}\n…\nvar x = 1", rag.Supported},
		{"So:", "go\n\nvar x = 1\n\n", rag.Supported},
		{"So:", "go\n// lib/a.go:10-12\nfunc a() {\n\tb()\n}", rag.Supported},
		{"So:", "go\n// lines 10-12\nfunc a() {\n\tb()\n}", rag.Supported},
		{"So:", "go\n10\tfunc a() {\n11\t\tb()\n12\t}", rag.Supported},
		{"So:", "\npackage lib\nimport \"fmt\"", rag.Supported},
		{"So:", "go\nfunc one() {\n\ttwo()\n\tthree()\n}", rag.Supported},  // over two reads
		{"So:", "go\nfunc a() {\n\t// ...\n\tccc()\n}", rag.QuoteNotFound}, // half of it stands
		{"So:", "go\nfunc a() {\n\tccc()\n}", rag.QuoteNotFound},
		{"So:", "go\nfunc a() {\n}", rag.QuoteNotFound},
		{"So:", "go\nfunc made() {\n\tup()\n}", rag.NoQuote}, // nothing says that it should be in a file
		{"In `lib/a.go`:", "go\nfunc made() {\n\tup()\n}", rag.QuoteNotFound},
		{"In lib/a.go:10:\n", "go\nfunc made() {\n\tup()\n}", rag.QuoteNotFound},
		{"So:", "12:14:lib/a.go\nfunc made() {\n\tup()\n}", rag.QuoteNotFound},
		{"So:", "go\n// lib/a.go\nfunc made() {\n\tup()\n}", rag.QuoteNotFound},
		{"So:", "go\nwhere := 1", rag.NotFromTool},           // the user's
		{"So:", "yaml\nports:\n  80: http", rag.Supported},   // 80 is no line number
		{"So:", "`md\ntitle\n```\ncode\n```", rag.Supported}, // in a fence of four
		{"So:", "bash\ngo test\ngo vet", ""},
		{"So:", "go\n}\n...\n}", ""}, // nothing of substance
	} {
		end := fence
		if c.block[0] == '`' {
			end += "`"
		}
		open := rag.Ground(grounded(t, c.before+"\n"+fence+c.block, true)) // as far as an answer goes that is cut off
		g := rag.Ground(grounded(t, c.before+"\n"+fence+c.block+"\n"+end+"\nThat is it.", true))
		if diff := cmp.Diff(g.Quotes, open.Quotes); diff != "" {
			t.Errorf("%q: %s", c.block, diff)
		}
		if c.want == "" && len(g.Quotes) > 0 || c.want != "" && (len(g.Quotes) != 1 || g.Quotes[0].Verdict != c.want) {
			t.Errorf("%s %q: %+v, want %s", c.before, c.block, g.Quotes, c.want)
		}
	}
}

// One of three holds, for d.txt was shown without numbers. The answer is on the last line: an init, ten calls with their results, a prompt, a text and
// the result itself are 1 + 20 + 1 + 1 + 1 lines.
func TestGroundingIsARate(t *testing.T) {
	g := rag.Ground(grounded(t, "lib/a.go:12, lib/a.go:99, d.txt:1, x/y.go:1", true))
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
