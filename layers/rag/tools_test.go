package rag_test

import (
	"strings"
	"testing"

	"github.com/agent-eval/feedback/layers/rag"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

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
		{"sed of some lines", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("cd lib && sed -n '7,9p' a.go") },
			"x\ny", "lib/a.go:7-8 lib/a.go:9", "lib/a.go 7-8 supported, lib/a.go 9-9 lines not shipped"},
		{"sed and more", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("sed -n 7,9p a.go; date") },
			"x\ny\nz", "a.go:7", "a.go 7-7 lines not numbered"},
		{"sed that prints more than it says", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("sed -n 7p a.go") },
			"x\ny", "a.go:7", "a.go 7-7 lines not numbered"},
		{"head", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("head -2 a.go") },
			"x\ny", "a.go:2 a.go:3", "a.go 2-2 supported, a.go 3-3 lines not shipped"},
		{"cat", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("cat a.go") },
			"x\ny", "a.go:2 a.go:3", "a.go 2-2 supported, a.go 3-3 lines not shipped"},
		{"cat of a file that was cut", func(m *transcripttest.Message) *transcripttest.Call { return m.Bash("cat a.go") },
			"x\n... [7 lines truncated] ...\ny", "a.go:3", "a.go 3-3 lines not numbered"},
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
