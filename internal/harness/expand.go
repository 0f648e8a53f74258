package harness

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

var placeholder = regexp.MustCompile(`\{(workspace|engine)\}`)

// places are what the placeholders stand for.
type places struct{ workspace, engine string }

func (p places) text(s string) string {
	return placeholder.ReplaceAllStringFunc(s, func(m string) string {
		if m == "{workspace}" {
			return p.workspace
		}
		return p.engine
	})
}

func (p places) command(c Command) Command {
	out := make(Command, len(c))
	for i, s := range c {
		out[i] = p.text(s)
	}
	return out
}

// value replaces the placeholders in all texts of a JSON value.
func (p places) value(v any) any {
	switch v := v.(type) {
	case string:
		return p.text(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = p.value(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = p.value(v[k])
		}
		return out
	}
	return v
}

// env returns the variables of an arm's environment, sorted, in the form of os.Environ.
func (p places) env(vars map[string]string) (env []string) {
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		env = append(env, name+"="+p.text(vars[name]))
	}
	return env
}

// uses reports whether a text of the arm holds the placeholder.
func (a *Arm) uses(mark string) bool {
	found := false
	p := func(s string) { found = found || strings.Contains(s, mark) }
	for _, c := range a.Setup {
		p(strings.Join(c, " "))
	}
	if a.Prewarm != nil {
		p(strings.Join(a.Prewarm.Command, " ") + a.Prewarm.Socket + a.Prewarm.File)
	}
	for _, v := range a.Environment {
		p(v)
	}
	texts(a.MCP, p)
	return found
}

// texts calls f with every text of a JSON value.
func texts(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case []any:
		for i := range v {
			texts(v[i], f)
		}
	case map[string]any:
		for k := range v {
			texts(v[k], f)
		}
	}
}
