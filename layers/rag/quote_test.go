package rag_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/layers/rag"
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
