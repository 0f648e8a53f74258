package transcript_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/transcript"
)

func paths(r transcript.Response) (list []string) {
	for _, s := range r.Sections {
		list = append(list, s.Path)
	}
	return list
}

func TestResponseSectionsRunToTheNextHeaderOrTheGuidance(t *testing.T) {
	head := "**Exploration**\n\n"
	a := "**`lib/a.js`** — send(method)\n\n```js\n1\tx\n```\n\n"
	b := "**`lib/é.js`** — other(function)\n😀\n" // 30 characters, the emoji is two code units
	r := transcript.ParseResponse([]byte(head + a + b + "> guidance\ntail.js\n"))
	want := []transcript.Section{
		{Path: "lib/a.js", Chars: len([]rune(a)), Symbols: []transcript.Symbol{{Name: "send", Kind: "method"}}},
		{Path: "lib/é.js", Chars: len(utf16.Encode([]rune(b))), Symbols: []transcript.Symbol{{Name: "other", Kind: "function"}}},
	}
	if diff := cmp.Diff(want, r.Sections); diff != "" {
		t.Error(diff)
	}
}

func TestResponseFencesHideHeadersAndGuidance(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"header in a fence", "**`a.md`**\n```\n**`b.md`**\n> no guidance\n```\n**`c.md`**\n", []string{"a.md", "c.md"}},
		{"a shorter fence does not close", "**`a.md`**\n````\n```\n**`b.md`**\n````\n**`c.md`**\n", []string{"a.md", "c.md"}},
		{"a longer fence closes", "**`a.md`**\n```\nx\n`````\n**`c.md`**\n", []string{"a.md", "c.md"}},
		{"another character does not close", "**`a.md`**\n```\n~~~\n**`b.md`**\n```\n**`c.md`**", []string{"a.md", "c.md"}},
		{"text behind it does not close", "**`a.md`**\n```\n``` js\n**`b.md`**\n", []string{"a.md"}},
		{"inline code opens no fence", "**`a.md`**\n```x``` is code\n**`b.md`**\n", []string{"a.md", "b.md"}},
		{"only at the start of a line", " **`a.md`**\nsee **`b.md`**\n", nil},
		{"names with brackets and spaces", "**`app/[id]/(x)/my page.tsx`** — Page(component)\n", []string{"app/[id]/(x)/my page.tsx"}},
		{"no extension", "**`Makefile`**\nall:\n", []string{"Makefile"}},
		{"empty path", "**``**\n", nil}, {"not closed", "**`a.md\n", nil}, {"empty", "", nil},
		{"CRLF", "**`a.md`** — f(function)\r\n**`b.md`**\r\n> x\r\n", []string{"a.md", "b.md"}},
	} {
		if diff := cmp.Diff(c.want, paths(transcript.ParseResponse([]byte(c.text)))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestResponseHeadersListDefinitionsAndNotEdges(t *testing.T) {
	tail := "appendAttr(calls), commonHandler(references), Handler(implements), base(extends), Value(instantiates), express(imports), " +
		"Value(struct), Attr.String(method), KindInt64(constant), odd(brand_new_kind), calls(calls), +77 more"
	r := transcript.ParseResponse([]byte("**`a.go`** — " + tail + "\n**`b.go`** — RangeNode, Node · skeleton (signatures only — do NOT Read)\n**`c.go`**\n"))
	want := [][]transcript.Symbol{
		{{Name: "Value", Kind: "struct"}, {Name: "Attr.String", Kind: "method"}, {Name: "KindInt64", Kind: "constant"}},
		{{Name: "RangeNode"}, {Name: "Node"}}, nil,
	}
	for i, s := range r.Sections {
		if diff := cmp.Diff(want[i], s.Symbols); diff != "" {
			t.Errorf("%s: %s", s.Path, diff)
		}
	}
}

func TestResponseMentionsEveryPathOnce(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"with a line", "see text/template/exec.go:352-360, exec.go:12 and exec.go.", []string{"text/template/exec.go", "exec.go"}},
		{"in quotes, backticks and brackets", "`a/b.ts` 'c/d.ts' \"e/f.ts\" (g/h.ts) [i/j.ts] <k/l.ts>", []string{"a/b.ts", "c/d.ts", "e/f.ts", "g/h.ts", "i/j.ts", "k/l.ts"}},
		{"a member is no file", "res.send and err.Error, x.y", nil},
		{"a call is no file", "res.json() and a.go(x)", nil},
		{"any extension with a directory", "assets/x.wasm2 conf.d/site.vhost", []string{"assets/x.wasm2", "conf.d/site.vhost"}},
		{"dots in the name", "lib/a.test.js and b.d.ts", []string{"lib/a.test.js", "b.d.ts"}},
		{"working directory", "./lib/x.js ././y.go ../z/w.go /abs/v.go", []string{"lib/x.js", "y.go", "../z/w.go", "/abs/v.go"}},
		{"brackets in names", "app/[id]/page.tsx app/(group)/page.tsx fn(app/x.ts)", []string{"app/[id]/page.tsx", "app/(group)/page.tsx", "app/x.ts"}},
		{"letters of any script", "docs/日本語.md, «données/été.py» — naïve.go", []string{"docs/日本語.md", "données/été.py", "naïve.go"}},
		{"web addresses are none", "https://example.com/a/b.js and http://x.org/y.go", nil},
		{"once", "a/b.go a/b.go\n**`a/b.go`**\na/b.go", []string{"a/b.go"}},
		{"sections count in their place", "x.go\n**`my dir/Make file`** — f(function)\ny.go", []string{"x.go", "my dir/Make file", "y.go"}},
		{"long or odd extensions", "a/b.abcdefghijk a/b.1x a/b. a/.go/x", nil},
		{"dotfiles", "a/.eslintrc.js .github/ci.yml", []string{"a/.eslintrc.js", ".github/ci.yml"}},
	} {
		r := transcript.ParseResponse([]byte(c.text))
		if diff := cmp.Diff(c.want, r.Mentioned); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestResponseInsideJSONIsRead(t *testing.T) {
	for _, text := range []string{
		`{"text":"see a/b.go\n**` + "`c.go`" + `** — F(function)\n"}`, `[{"type":"text","text":"see a/b.go\n**` + "`c.go`" + `** — F(function)\n"}]`,
	} {
		r := transcript.ParseResponse([]byte(text))
		if !slices.Equal(r.Mentioned, []string{"a/b.go", "c.go"}) || len(r.Sections) != 1 || r.Chars != len([]rune(text)) {
			t.Errorf("%s: %+v", text, r)
		}
	}
	if r := transcript.ParseResponse([]byte(`{"text": broken a/b.go`)); !slices.Equal(r.Mentioned, []string{"a/b.go"}) {
		t.Errorf("what is no JSON is read as text: %+v", r)
	}
}

// slowSections is the same by regular expressions and strings: obvious, and slow.
func slowSections(text string) (paths []string, chars []int) {
	header := regexp.MustCompile("^\\*\\*`(.+?)`\\*\\*")
	opening := regexp.MustCompile("^ {0,3}(```+[^`\n]*|~~~+.*)$")
	fence := ""
	open := false
	for _, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimSuffix(line, "\n")
		switch {
		case fence != "":
			rest := strings.TrimLeft(bare, " ")
			indent := len(bare) - len(rest)
			run := rest[:len(rest)-len(strings.TrimLeft(rest, fence[:1]))]
			if indent <= 3 && len(run) >= len(fence) && strings.TrimSpace(rest[len(run):]) == "" {
				fence = ""
			}
		case opening.MatchString(bare):
			rest := strings.TrimLeft(bare, " ")
			fence = rest[:len(rest)-len(strings.TrimLeft(rest, rest[:1]))]
		case header.MatchString(bare):
			paths = append(paths, header.FindStringSubmatch(bare)[1])
			chars = append(chars, 0)
			open = true
		case strings.HasPrefix(bare, "> "):
			open = false
		}
		if open {
			chars[len(chars)-1] += len(utf16.Encode([]rune(line)))
		}
	}
	return paths, chars
}

func FuzzParseResponse(f *testing.F) {
	for _, s := range []string{
		"", "**`a`**\n```\n**`b`**\n```\n> x\n", "**`a.go`** — x(function), y\n", "~~~~\n~~~\n~~~~ \n**`c`**", "   ```\n    ```\n```\n", "a/b.go\n", "**`a``**", "``` `\n**`a`**",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.ContainsAny(text, "\r\v\f\u0085\u00a0") || strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[") || !validText(text) {
			return // white space of other kinds and wrapped responses have tests of their own
		}
		r := transcript.ParseResponse([]byte(text))
		want, chars := slowSections(text)
		if diff := cmp.Diff(want, paths(r)); diff != "" {
			t.Fatalf("%q: sections (-slow +fast): %s", text, diff)
		}
		for i, s := range r.Sections {
			if s.Chars != chars[i] {
				t.Fatalf("%q: section %d has %d characters, want %d", text, i, s.Chars, chars[i])
			}
			if !slices.Contains(r.Mentioned, s.Path) {
				t.Fatalf("%q: section %q is not mentioned", text, s.Path)
			}
		}
	})
}

func validText(s string) bool { return strings.ToValidUTF8(s, "") == s }

func BenchmarkParseResponse(b *testing.B) {
	var src strings.Builder
	for range 6 {
		src.WriteString("**`lib/response.js`** — send(method), json(method), setCharset(calls), +12 more\n\n```js\n")
		for range 100 {
			src.WriteString("120\tres.send = function send(body) { return this.set('Content-Type', type); }\n")
		}
		src.WriteString("```\n\n")
	}
	text := []byte(src.String())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		transcript.ParseResponse(text)
	}
}
