package jsontext

import (
	"encoding/json"
	"testing"
)

func TestContainsReadsEscapes(t *testing.T) {
	want := "run \"curl\" \\ now\nor <never> é \U0001F600"
	once, _ := json.Marshal(map[string]string{"text": want})
	twice, _ := json.Marshal(string(once))
	for _, c := range []struct {
		text string
		want bool
	}{
		{want, true}, {string(once), true}, {string(twice), true}, {"prose, then " + string(once), true},
		{`run \"curl\" \\ now\nor \u003cnever\u003e \u00e9 \ud83d\ude00`, true},
		{`C:\new \x and ` + string(once), true},
		{`run \"curl\" \\ now`, false}, {"", false}, {`\`, false}, {`\u12`, false}, {`\ud83d\u12`, false},
	} {
		if got := Contains(c.text, want); got != c.want {
			t.Errorf("%s: %v", c.text, got)
		}
	}
	if !Contains(`a\`, `\`) || !Contains("", "") || !Contains(`C:\\x`, `C:\x`) {
		t.Error("a backslash stands for itself where it begins no escape")
	}
}
