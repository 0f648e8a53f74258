package jsontext_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/agent-eval/feedback/internal/jsontext"
)

// texts are values and near-values: the seeds of the fuzz targets and the cases of the comparison with encoding/json.
func texts() []string {
	list := []string{
		``, ` `, `null`, `true`, `false`, `nul`, `nulll`, `tru`, `True`, `0`, `-0`, `-`, `01`, `1.`, `.5`, `1.5`, `1e5`, `1E+5`, `1e`, `1e+`,
		`1e400`, `123456789012345678901234567890`, `""`, `"a"`, `"`, `"a`, `"\n\t\"\\\/\b\f\r"`, `"\x"`, `"\u00e9"`, `"\u00g0"`, `"\u12"`, `"\`,
		`"\ud83d\ude00"`, `"\ud83d"`, `"\ude00"`, `"\ud83d\u0041"`, `"\ud83dx"`, `"é"`, `"日本語"`, `"😀"`, "\"\xff\"", "\"\xe6\x97\"", "\"\x00\"", "\"a\nb\"",
		"\"\x7f\"", `{}`, `{ }`, `{"a":1}`, `{"a":1,}`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `{"a":1,"b":[1,2,{"c":null}]}`, `[]`, `[ ]`, `[1]`, `[1,]`,
		`[,1]`, `[1 2]`, `[[]]`, `[}`, `{]`, `[1}`, `{"a":1]`, ` { "a" : [ 1 , 2 ] } `, "\t[\r\n1\n]\t", `{"a":1}{"b":2}`, `1 2`, "\x00", "{\"a\":1}\x00",
		"\ufeff{}", `"` + strings.Repeat("x", 100) + `\n` + strings.Repeat("é", 50) + `"`,
		strings.Repeat("[", 9999) + strings.Repeat("]", 9999), strings.Repeat("[", 10000) + strings.Repeat("]", 10000),
		strings.Repeat("[", 10001) + strings.Repeat("]", 10001), strings.Repeat(`{"a":`, 10000) + `1` + strings.Repeat("}", 10000),
		strings.Repeat(`{"a":`, 10001) + `1` + strings.Repeat("}", 10001), strings.Repeat("[", 100000),
	}
	for n := range 20 { // every alignment of what ends the fast path
		pad := strings.Repeat("a", n)
		list = append(list, `"`+pad+`"`, `"`+pad+`\n"`, `"`+pad+`é"`, `"`+pad+"\x01\"", `"`+pad+`😀`+pad+`"`, `"`+pad, `"`+pad+`\`, `"`+pad+`\u12`)
	}
	return list
}

func TestValidAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range texts() {
		if got, want := jsontext.Valid([]byte(text)), json.Valid([]byte(text)); got != want {
			t.Errorf("Valid(%.60q) = %v, want %v", text, got, want)
		}
	}
}

func FuzzValid(f *testing.F) {
	for _, text := range texts() {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, want := jsontext.Valid(text), json.Valid(text); got != want {
			t.Fatalf("Valid(%q) = %v, want %v", text, got, want)
		}
		if !json.Valid(text) {
			return
		}
		checkStrings(t, text)
		checkCompact(t, text)
	})
}

// checkStrings walks a valid text and compares every string with what encoding/json makes of it.
func checkStrings(t *testing.T, text []byte) {
	var s jsontext.Scanner
	s.Reset(text, 0)
	var walk func()
	walk = func() {
		switch k := s.Peek(); k {
		case jsontext.Text:
			start := s.Offset()
			compareString(t, s.Text(), s.From(start))
		case jsontext.Array, jsontext.Object:
			for more := s.Enter(); more; more = s.More(k) {
				if k == jsontext.Object {
					start := s.Offset()
					compareString(t, s.Text(), s.From(start))
					s.Colon()
				}
				walk()
			}
		default:
			s.Skip()
		}
	}
	walk()
	if s.Err() != nil {
		t.Fatalf("walking %q: %v", text, s.Err())
	}
}

func compareString(t *testing.T, got jsontext.String, raw []byte) {
	t.Helper()
	var want string
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatalf("%q: %v", raw, err)
	}
	if s := string(got.Append(nil)); s != want {
		t.Fatalf("string of %q = %q, want %q", raw, s, want)
	}
	if n := len(utf16.Encode([]rune(want))); got.Chars != n {
		t.Fatalf("length of %q = %d, want %d", raw, got.Chars, n)
	}
	if plain := string(got.Raw) == want; plain == got.Escaped {
		t.Fatalf("Escaped of %q = %v", raw, got.Escaped)
	}
	if n := jsontext.Len16([]byte(want)); n != got.Chars {
		t.Fatalf("Len16(%q) = %d, want %d", want, n, got.Chars)
	}
}

// checkCompact compares CompactLen with a rewriting of the text token by token.
func checkCompact(t *testing.T, text []byte) {
	if bytes.Contains(bytes.ToLower(text), []byte(`\ud`)) {
		return // encoding/json does not tell unpaired surrogates from U+FFFD
	}
	var s jsontext.Scanner
	s.Reset(text, 0)
	got := s.CompactLen()
	want, err := compact(text)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(utf16.Encode([]rune(want))); got != n || s.Err() != nil {
		t.Fatalf("CompactLen(%q) = %d, %v; want %d for %q", text, got, s.Err(), n, want)
	}
}

func compact(text []byte) (string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var b strings.Builder
	var write func() error
	write = func() error {
		tok, err := d.Token()
		if err != nil {
			return err
		}
		delim, ok := tok.(json.Delim)
		if !ok {
			b.WriteString(stringify(tok))
			return nil
		}
		b.WriteString(delim.String())
		for first := true; d.More(); first = false {
			if !first {
				b.WriteByte(',')
			}
			if delim == '{' {
				key, err := d.Token()
				if err != nil {
					return err
				}
				b.WriteString(stringify(key) + ":")
			}
			if err := write(); err != nil {
				return err
			}
		}
		_, err = d.Token()
		b.WriteByte("]}"[delim/'{'])
		return err
	}
	err := write()
	return b.String(), err
}

// stringify writes a scalar as JavaScript does.
func stringify(v any) string {
	if n, ok := v.(json.Number); ok {
		f, err := n.Float64()
		if err != nil {
			return "null" // beyond the range of a float64: Infinity
		}
		if f == 0 {
			return "0"
		}
		v = f
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(v)
	s := strings.TrimSuffix(b.String(), "\n")
	s = strings.ReplaceAll(s, `\u2028`, "\u2028")
	return strings.ReplaceAll(s, `\u2029`, "\u2029")
}

func TestStringsAndCompactLenAgreeWithEncodingJSON(t *testing.T) {
	for _, text := range texts() {
		if json.Valid([]byte(text)) {
			checkStrings(t, []byte(text))
			checkCompact(t, []byte(text))
		}
	}
}

// The lengths are those that a JavaScript engine gives for JSON.stringify(JSON.parse(text)).length.
func TestCompactLenIsThatOfJavaScript(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{`{"query": "res.send"}`, 20},
		{`{"a": [1, 2.50, true, null]}`, 23}, // {"a":[1,2.5,true,null]}
		{`"\u0041\/"`, 4},                    // "A/"
		{`"\u0001"`, 8},                      // kept as \u0001
		{`"\u000a"`, 4},                      // \n
		{`"\ud83d"`, 8},                      // unpaired: \ud83d
		{`"\ud83d\ude00"`, 4},                // one emoji, two code units
		{`"\ude00\ud83d"`, 14},               // two unpaired ones
		{`"\u2028"`, 3},
		{`1E2`, 3},       // 100
		{`1e21`, 5},      // 1e+21
		{`1e-7`, 4},      // 1e-7
		{`0.0000010`, 8}, // 0.000001
		{`-0`, 1},
		{`1e999`, 4},                 // null
		{`12345678901234567890`, 20}, // 12345678901234567000
	} {
		var s jsontext.Scanner
		s.Reset([]byte(c.text), 0)
		if got := s.CompactLen(); got != c.want {
			t.Errorf("CompactLen(%s) = %d, want %d", c.text, got, c.want)
		}
	}
}

func TestIntTakesWholeNumbersOnly(t *testing.T) {
	for _, c := range []struct {
		raw  string
		want int
		ok   bool
	}{
		{"0", 0, true}, {"42", 42, true}, {"1e3", 1000, true}, {"2.0", 2, true}, {"9007199254740992", 1 << 53, true},
		{"9007199254740994", 0, false}, {"-1", 0, false}, {"1.5", 0, false}, {"1e400", 0, false}, {"99999999999999999999", 0, false},
	} {
		if got, ok := jsontext.Int([]byte(c.raw)); got != c.want || ok != c.ok {
			t.Errorf("Int(%s) = %d, %v; want %d, %v", c.raw, got, ok, c.want, c.ok)
		}
	}
}

func TestErrorsSayWhereAndWhetherMoreBytesCouldHelp(t *testing.T) {
	for _, c := range []struct {
		text   string
		offset int
		end    bool
	}{
		{`{"a":1`, 6, true}, {`{"a"`, 4, true}, {`{"a":"x`, 7, true}, {`[1,`, 3, true}, {`tru`, 3, true}, {`1e`, 2, true}, {`"\u1`, 1, true},
		{`{"a" 1}`, 5, false}, {`[1 2]`, 3, false}, {`{"a":tRue}`, 6, false}, {"\"a\nb\"", 2, false}, {`"\q"`, 1, false},
	} {
		var s jsontext.Scanner
		s.Reset([]byte(c.text), 0)
		s.Skip()
		var se *jsontext.SyntaxError
		if err := fmt.Errorf("wrapped: %w", s.Err()); !errors.As(err, &se) {
			t.Errorf("%s: %v is no SyntaxError", c.text, s.Err())
			continue
		}
		if se.Offset != c.offset || errors.Is(se, jsontext.ErrEnd) != c.end {
			t.Errorf("%s: offset %d, end %v; want %d, %v", c.text, se.Offset, errors.Is(se, jsontext.ErrEnd), c.offset, c.end)
		}
	}
}

func TestScannerStandsAfterTheValue(t *testing.T) {
	var s jsontext.Scanner
	s.Reset([]byte(`  {"a":[1]}  {"b":2}`), 0)
	if got := string(s.Skip()); got != `{"a":[1]}` || s.Offset() != 11 {
		t.Errorf("Skip = %s at %d", got, s.Offset())
	}
	if s.Skip(); s.Err() != nil || s.Offset() != 20 {
		t.Errorf("second value ends at %d, %v", s.Offset(), s.Err())
	}
}

func BenchmarkSkip(b *testing.B) {
	var source strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&source, "%d\tfunc (s *state) walk%d(dot reflect.Value) { s.at(\"node\") }\n", i, i)
	}
	line, _ := json.Marshal(map[string]any{"type": "user", "text": source.String()})
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		var s jsontext.Scanner
		s.Reset(line, 0)
		if s.Skip(); s.Err() != nil {
			b.Fatal(s.Err())
		}
	}
}
