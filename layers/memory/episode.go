package memory

import (
	"regexp"
	"strings"
	"unicode"

	json "github.com/goccy/go-json"

	"github.com/agent-eval/feedback/transcript"
)

// A Class is what an episode holds.
type Class string

// The classes.
const (
	Learnt   Class = "learnt"   // something that helps next time: a cause, a workaround, a rule
	Metadata Class = "metadata" // only what happened: ids, times, names, counts, states
	Unclear  Class = "unclear"  // prose in which nothing shows that something was learnt
	Empty    Class = "empty"    // nothing
)

// Classes returns the classes in the order in which they are reported.
func Classes() []Class { return []Class{Learnt, Metadata, Unclear, Empty} }

// learntWords are what people and models write where they say why something failed or what to do about it.
var learntWords = regexp.MustCompile(`(?i)\b(because|root cause|caused by|due to|instead of|instead|work-?around|avoid|must|never|always|do not|don't|should|` +
	`needs? to|only works?|works? only|requires?|next time|lesson|learn(ed|t)|fix(ed)? by|use .{1,60} (to|for|when|with)|so that|prefer|make sure|before (running|calling|using))\b`)

// learntFields are the names under which structured episodes hold what was learnt.
var learntFields = map[string]bool{
	"lesson": true, "lessons": true, "insight": true, "insights": true, "workaround": true, "cause": true, "root_cause": true, "fix": true, "solution": true,
	"advice": true, "rule": true, "learned": true, "learnt": true, "takeaway": true, "next_time": true, "avoid": true, "recommendation": true,
}

// Classify says what the text of an episode holds. It goes by words, so it is a first sorting and no judge: a JSON object is learnt when a field
// such as lesson, cause, workaround or next_time holds a text, or when a text in it is; prose is when it has a word that says why or what to do
// (because, instead, must, avoid, …). What has no sentence, such as a row of ids, times and states, is metadata. Prose without such
// a word is unclear. Only English is known; other prose is unclear.
func Classify(text string) Class {
	text = strings.TrimSpace(text)
	if text == "" {
		return Empty
	}
	var v any
	if err := json.Unmarshal([]byte(text), &v); err == nil {
		return classOf("", v)
	}
	return classOfText(text)
}

// classOf classes a value of a structured episode that stands under a name.
func classOf(name string, v any) Class {
	class := Metadata
	better := func(c Class) {
		if c == Learnt || c == Unclear && class == Metadata {
			class = c
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			better(classOf(name, member))
		}
	case []any:
		for _, element := range v {
			better(classOf(name, element))
		}
	case string:
		if learntFields[strings.ToLower(name)] && words(v) > 0 {
			return Learnt
		}
		if strings.TrimSpace(v) != "" {
			better(classOfText(v))
		}
	}
	return class
}

func classOfText(text string) Class {
	switch n := words(text); {
	case n >= 3 && learntWords.MatchString(text):
		return Learnt
	case n >= 4 && sentence(text): // less is a name, a state, a time
		return Unclear
	}
	return Metadata
}

// words counts what consists of letters only, as names with dots, slashes and digits do not.
func words(text string) int {
	n := 0
	for _, w := range strings.Fields(text) {
		w = strings.Trim(w, ".,;:!?\"'()")
		if w != "" && strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) < 0 {
			n++
		}
	}
	return n
}

// sentence reports whether more than half of what is between spaces is words.
func sentence(text string) bool { return 2*words(text) > len(strings.Fields(text)) }

// An Episode is one that a memory holds.
type Episode struct {
	Position transcript.Position `json:"position"` // of the write
	Run      string              `json:"run"`
	Key      string              `json:"key"`
	Class    Class               `json:"class"`
}

// Episodes classes what the accepted writes of a log put into the memory, in order. Without any it is empty.
func Episodes(ops []Op) []Episode {
	list := []Episode{}
	for i := range ops {
		if o := &ops[i]; o.Kind == Write && o.accepted() {
			list = append(list, Episode{o.Position, o.Run, o.Key, Classify(o.Value)})
		}
	}
	return list
}
