package harness

import (
	"math"
	"slices"
	"strconv"
	"strings"

	json "github.com/goccy/go-json"
)

// decode reads a JSON value and keeps numbers as they are written.
func decode(text string) (v any, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}

// canonical returns a text that is the same for values that are equal: names in order, no white space, 10 for 10.0 and 1e1.
func canonical(v any) string {
	var b strings.Builder
	writeCanonical(&b, v)
	return b.String()
}

func writeCanonical(b *strings.Builder, v any) {
	switch v := v.(type) {
	case map[string]any:
		b.WriteByte('{')
		for i, name := range sortedNames(v) {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strconv.Quote(name) + ":")
			writeCanonical(b, v[name])
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeCanonical(b, e)
		}
		b.WriteByte(']')
	case string:
		b.WriteString(strconv.Quote(v))
	case json.Number:
		b.WriteString(canonicalNumber(string(v)))
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case nil:
		b.WriteString("null")
	}
}

// canonicalNumber writes a number in one way, as far as a float64 holds it exactly; a larger one stands as it was written.
func canonicalNumber(text string) string {
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.Abs(f) >= 1<<53:
		return text
	case f == 0 && strings.Trim(text, "-0.eE+") == "": // no underflow, and no minus
		return "0"
	case f == 0:
		return text
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// canonicalInput returns the canonical text of a call's input; one that is no JSON stands as it is.
func canonicalInput(text string) string {
	if v, ok := decode(text); ok {
		return canonical(v)
	}
	return text
}
