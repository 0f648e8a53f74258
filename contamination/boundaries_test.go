package contamination_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-eval/feedback/contamination"
)

// What other tools name as the client's own do may be of any type: it is no attempt, and no bad input.
func TestOtherToolsMayNameTheirInputAsTheyLike(t *testing.T) {
	for _, input := range []string{`{"path":["src"]}`, `{"command":7,"pattern":{"a":1}}`, `"text"`, `null`, `[]`} {
		var out strings.Builder
		err := contamination.Guard{}.Hook(strings.NewReader(`{"tool_name":"mcp__cg__search","tool_input":`+input+`}`), &out)
		if err != nil || out.Len() > 0 {
			t.Errorf("%s: %v, %q", input, err, out.String())
		}
	}
}

// A link to a link to the command line is hidden as it is.
func TestAShieldFollowsLinksToTheirEnd(t *testing.T) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	for _, d := range []string{bin, filepath.Join(dir, "shield")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	elsewhere := filepath.Join(dir, "codegraph")
	for _, err := range []error{os.WriteFile(elsewhere, []byte("#!/bin/sh\n"), 0o700), os.Symlink(elsewhere, filepath.Join(dir, "mid")), os.Symlink("../mid", filepath.Join(bin, "cg")), os.WriteFile(filepath.Join(bin, "node"), nil, 0o700)} {
		if err != nil {
			t.Skip(err)
		}
	}
	s, err := contamination.NewShield(filepath.Join(dir, "shield"), contamination.ShieldOptions{Hook: []string{"/bin/true"}, Path: bin})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(filepath.Join(s.Path, "cg")); err == nil {
		t.Error("cg is still on the search path")
	}
	if _, err := os.Lstat(filepath.Join(s.Path, "node")); err != nil {
		t.Error(err)
	}
}
