package strictjson

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-eval/feedback/transcript"
)

type entry struct {
	Name  string `json:"name"`
	Limit int    `json:"limit"`
}

func TestObjectRefusesWhatWouldBeSilent(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"a","limt":1}`:                     "limt",
		`{"name":"a","limit":1,"limit":2}`:          "twice",
		`{"name":"a","limit":1,"Limit":2}`:          "twice",
		`{"name":"a","limit":[{"x":1,"x":1}]}`:      `"x" stands twice`,
		`{"name":{"y":{"z":1,"\u007a":2}}}`:         `"z" stands twice`,
		`{"name":"a","limit":"1"}`:                  "limit",
		`{"name":"a","limit":1.5}`:                  "limit",
		`{"name":"a"} {"name":"b"}`:                 "after the object",
		`[]`:                                        "got array",
		`nonsense`:                                  "invalid literal",
		`{"name":"a"`:                               "unexpected end",
		`{"name":"a","limit":99999999999999999999}`: "limit",
	} {
		var e entry
		if err := Object([]byte(text), &e); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	var e entry
	if err := Object([]byte(` {"limit": 3, "name": "é"} `), &e); err != nil || e != (entry{"é", 3}) {
		t.Errorf("%v %v", e, err)
	}
}

func collect(list *[]string) func(transcript.Position, entry) error {
	return func(p transcript.Position, e entry) error {
		*list = append(*list, p.String()+" "+e.Name)
		if e.Limit < 0 {
			return errors.New("limit below 0")
		}
		return nil
	}
}

func TestBadLinesCostThemselves(t *testing.T) {
	log := "\ufeff{\"name\":\"a\"}\r\n\n{\"nme\":\"b\"}\n{\"name\":\"c\",\"limit\":-1}\n{\"name\":\"d\"}"
	for name, r := range map[string]io.Reader{"whole": strings.NewReader(log), "bytewise": iotest.OneByteReader(strings.NewReader(log))} {
		var got []string
		err := Lines(r, "ops.jsonl", collect(&got))
		if diff := cmp.Diff([]string{"ops.jsonl:1 a", "ops.jsonl:4 c", "ops.jsonl:5 d"}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		want := "ops.jsonl:3: unknown field \"nme\"\nops.jsonl:4: limit below 0"
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestElementsSayTheirLine(t *testing.T) {
	var got []string
	err := Elements(strings.NewReader("[\n {\"name\":\"a\"},\n {\n  \"nme\":\"b\"},\n\n {\"name\":\"c\"} ]\n"), "b.json", collect(&got))
	if diff := cmp.Diff([]string{"b.json:2 a", "b.json:6 c"}, got); diff != "" {
		t.Error(diff)
	}
	if p, ok := errors.AsType[transcript.Problem](err); !ok || p.Pos.Line != 3 {
		t.Errorf("%v", err)
	}
	for text, want := range map[string]string{
		"":                          "f: no entries",
		" \n":                       "f: no entries",
		"\n{}":                      "f:2: want a JSON array",
		"[{\"name\":\"a\"}\n] x":    "f:2: text after the array",
		"[{\"name\":\"a\"},\n{\"na": "f:2: unexpected end of JSON",
		"[1]":                       "f:1: want a JSON object, got number",
	} {
		if err := Elements(strings.NewReader(text), "f", collect(&got)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if err := Elements(strings.NewReader("[ ]"), "f", collect(&got)); err != nil {
		t.Errorf("an empty array: %v", err)
	}
}

func TestEmptyAndBrokenReaders(t *testing.T) {
	var got []string
	if err := Lines(strings.NewReader("\n \n"), "f", collect(&got)); !errors.Is(err, ErrNoEntries) {
		t.Errorf("empty: %v", err)
	}
	broken := io.MultiReader(strings.NewReader("{\"name\":\"a\"}\n{\"na"), iotest.ErrReader(io.ErrClosedPipe))
	if err := Lines(broken, "f", collect(&got)); !errors.Is(err, io.ErrClosedPipe) || len(got) != 1 {
		t.Errorf("broken: %v %v", err, got)
	}
}

func FuzzReaders(f *testing.F) {
	f.Add([]byte("[{\"name\":\"a\"}]"))
	f.Add([]byte("{\"name\":\"a\"}\n{\"limit\":1}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func(io.Reader, string, func(transcript.Position, entry) error) error{Lines[entry], Elements[entry]} {
			lines := strings.Count(string(data), "\n") + 1
			last, n := 0, 0
			err := read(strings.NewReader(string(data)), "f", func(p transcript.Position, _ entry) error {
				if p.Line < last || p.Line > lines {
					t.Errorf("line %d after %d of %d", p.Line, last, lines)
				}
				last, n = p.Line, n+1
				return nil
			})
			if empty := strings.TrimSpace(strings.Trim(strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff")), "[]")) == ""; n == 0 && err == nil && !empty {
				t.Error("nothing read, and no error")
			}
		}
	})
}
