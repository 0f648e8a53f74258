package rag_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers/rag"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

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
		{"So:", "go\nwhere := 1", rag.NotFromTool}, // the user's
		{"1. So:", "go\n   func a() {\n   \tb()\n   }\n", rag.Supported},
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

// In a list a code block stands further right.
func TestACodeBlockInAList(t *testing.T) {
	g := rag.Ground(grounded(t, "1. first\n   - second:\n\n     ```go\n     func a() {\n     \tb()\n     }\n     ```\n   - third", true))
	if got := verdicts(g); got != "supported" {
		t.Errorf("got %s", got)
	}
}

// What stands in one file is no quotation of another, whatever says which file is meant. Who names no file, or several, means any of them.
func TestAQuotationIsOfTheFileThatIsNamed(t *testing.T) {
	const a, b = "func a() {\n\tbeta()\n}", "package b\nimport \"fmt\""
	build := func(log *transcripttest.Log) {
		log.Request(1_000).Explore("a").Result(transcripttest.Response(
			transcripttest.File{Path: "lib/a.go", Source: "10\tfunc a() {\n11\t\tbeta()\n12\t}"}, transcripttest.File{Path: "lib/c.go", Source: "package c\nvar c = 1"}))
		log.Request(2_000).ReadFile("/p/lib/b.go").Result("1\tpackage b\n2\timport \"fmt\"")
		log.Request(3_000).Bash("cat x/d.go | sort").Result("alpha()\ndelta()")
		log.Request(4_000).Call("Grep", transcripttest.Args{"path": "/p"}).Result("lib/e.go:echo()\nlib/f.go:foxtrot()")
		log.Request(5_000).Bash("tail -n 2 y/*.rs").Result("golf()\nhotel()")
		log.Request(6_000).Call("Write", transcripttest.Args{"file_path": "lib/w.go", "content": "written()"}).Result("ok")
	}
	for _, c := range []struct{ before, info, block, want string }{
		{"In `lib/a.go`:", "go", a, "supported"},
		{"In `lib/a.go`:", "go", b, "quote of another file"},
		{"In `lib/b.go`:", "go", a, "quote of another file"},
		{"So it goes:", "go", a, "supported"},
		{"In `lib/a.go` and `lib/b.go`:", "go", b, "supported"},
		{"So:", "go", "// lib/b.go\n" + a, "quote of another file"},
		{"As `lib/a.go` has it:", "go", "// lib/b.go, lines 1-2\n" + b, "supported"}, // the first line says more than the text
		{"In `lib/a.go`:", "12:14:lib/b.go", b, "supported"},
		{"In `lib/c.go`:", "go", "package c\nvar c = 1", "supported"}, // shown without numbers
		{"In `lib/a.go`:", "go", "package c\nvar c = 1", "quote of another file"},
		{"In `d.go`:", "go", "alpha()\ndelta()", "supported"},
		{"In `lib/f.go`:", "go", "foxtrot()", "supported"},
		{"In `lib/f.go`:", "go", "echo()", "quote of another file"},
		{"In `y/z.rs`:", "rs", "golf()\nhotel()", "supported"}, // the pattern may have shown it
		{"In `y/z.go`:", "go", "golf()\nhotel()", "quote of another file"},
		{"In `lib/never.go`:", "go", a, "quote of another file"},
		{"In Node.js:", "js", a, "supported"}, // no file
		{"In `lib/w.go`:", "go", "written()", "not from a tool"},
		{"In `lib/a.go`:", "go", "nowhere()\nat all()", "quote not found"},
	} {
		g := ground(t, c.before+"\n\n```"+c.info+"\n"+c.block+"\n```\nThat is it.", build)
		if got := string(g.Quotes[0].Verdict); got != c.want {
			t.Errorf("%s %q: %s, want %s", c.before, c.block, got, c.want)
		}
		if holds := c.want == "supported"; (len(g.Defects()) == 0) != (holds || c.want == "not from a tool") {
			t.Errorf("%s %q: %+v", c.before, c.block, g.Defects())
		}
	}
}

// The quotation is looked up by its rarest line: this is what a search line by line finds.
func TestQuotationsAreFoundWhereTheyStand(t *testing.T) {
	words := []string{"alpha()", "beta()", "\tbeta()", "}", "", "  alpha()"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 5))
		some := func(n int) (list []string) {
			for range 1 + r.IntN(n) {
				list = append(list, words[r.IntN(len(words))])
			}
			return list
		}
		file, quote := some(12), append(append([]string{"alpha()"}, some(3)...), "beta()") // blank lines at its ends are none of it
		want := false
		for i := range file {
			if end := i + len(quote); end <= len(file) && aligned(file[i:end]) == aligned(quote) {
				want = true
			}
		}
		var shown strings.Builder
		for i, l := range file {
			fmt.Fprintf(&shown, "%d\t%s\n", i+1, l)
		}
		g := ground(t, "In lib/a.go:\n```\n"+strings.Join(quote, "\n")+"\n```", func(log *transcripttest.Log) {
			log.Request(1_000).ReadFile("lib/a.go").Result(strings.TrimSuffix(shown.String(), "\n"))
		})
		if got := g.Quotes[0].Verdict == rag.Supported; got != want {
			t.Fatalf("seed %d: %v, want %v: %q in %q", seed, got, want, quote, file)
		}
	}
}

// aligned is lines without the indent that all have in common.
func aligned(lines []string) string {
	indent := 99
	for _, l := range lines {
		if s := strings.TrimLeft(l, " \t"); s != "" {
			indent = min(indent, len(l)-len(s))
		}
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l[min(len(l), indent):] + "\n")
	}
	return b.String()
}
