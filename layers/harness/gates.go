package harness

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/transcript"
)

// A Gate is a named condition that a run must keep: consistency, sandbox, rollback, or any other.
type Gate struct {
	Name string
	// Check returns where the session breaks the condition; nothing when it keeps it. An error means that it could not be
	// checked, or not all of it, which is no pass; breaches that were found before it still count.
	Check func(*transcript.Session) ([]Breach, error)
}

// A Breach is one place where a gate broke.
type Breach struct {
	Position transcript.Position `json:"position"`
	Detail   string              `json:"detail"`
}

// A GateResult is what became of one gate.
type GateResult struct {
	Gate     string   `json:"gate"`
	Breaches []Breach `json:"breaches"` // never nil
	// Unmeasured says why the gate could not be checked, or not all of it; empty when it was.
	Unmeasured string `json:"unmeasured,omitempty"`
}

// Passed reports whether the gate was checked and kept.
func (r GateResult) Passed() bool { return r.Unmeasured == "" && len(r.Breaches) == 0 }

// Gates are what became of several gates, in their order.
type Gates []GateResult

// CheckGates checks a session. A gate without a check is unmeasured.
func CheckGates(s *transcript.Session, gates ...Gate) Gates {
	results := Gates{}
	for _, g := range gates {
		r := GateResult{Gate: g.Name, Breaches: []Breach{}}
		if g.Check == nil {
			r.Unmeasured = "the gate has no check"
		} else {
			found, err := g.Check(s)
			r.Breaches = append(r.Breaches, found...)
			if err != nil {
				r.Unmeasured = err.Error()
			}
		}
		results = append(results, r)
	}
	return results
}

// Sandbox is the gate that no tool names a file outside of roots, absolute directories, in an argument that a transcript keeps. Relative
// paths are taken from the session's working directory; where that is not known, they are unmeasured unless they stay below it. So is a path
// from a home directory, which no transcript says. It sees what tools were told, not what a shell command did: confine the process for that.
func Sandbox(roots ...string) Gate {
	return Gate{"sandbox", func(s *transcript.Session) (breaches []Breach, err error) {
		cwd := strings.ReplaceAll(s.Summary().Setup.CWD, `\`, "/")
		for i := range s.Threads {
			for _, c := range Calls(&s.Threads[i]) {
				if c.Args.Path == "" || c.failed() {
					continue
				}
				name, unknown := locate(cwd, strings.ReplaceAll(c.Args.Path, `\`, "/"))
				switch {
				case unknown != "":
					err = cmp.Or(err, fmt.Errorf("%v: %s %s", c.Pos, c.Args.Path, unknown))
				case name != "" && !below(name, roots):
					breaches = append(breaches, Breach{c.Pos, c.Name + " " + c.Args.Path})
				}
			}
		}
		return breaches, err
	}}
}

// locate returns the absolute path of a file, empty for one below a working directory that is not known, or why it cannot be told.
func locate(cwd, name string) (abs, unknown string) {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		return "", "starts at a home directory, which is not known"
	case absolute(name):
		return path.Clean(name), ""
	case cwd != "":
		return path.Clean(cwd + "/" + name), ""
	case strings.HasPrefix(path.Clean(name), ".."):
		return "", "leads outside, and the working directory is not known"
	}
	return "", ""
}

func absolute(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 2 && name[1] == ':' && name[2] == '/'
}

func below(name string, roots []string) bool {
	for _, r := range roots {
		r = path.Clean(strings.ReplaceAll(r, `\`, "/"))
		if name == r || strings.HasPrefix(name, strings.TrimSuffix(r, "/")+"/") {
			return true
		}
	}
	return false
}

// Defects returns a gate_NAME defect for each breach.
func (gs Gates) Defects() (defects []layers.Defect) {
	for _, g := range gs {
		for _, b := range g.Breaches {
			defects = append(defects, layers.Defect{Layer: layers.Harness, Name: "gate_" + g.Gate, Position: b.Position, Detail: b.Detail})
		}
	}
	return defects
}

// WriteText writes a line a gate, and one a breach. The error is that of w.
func (gs Gates) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, g := range gs {
		name := textutil.Printable(g.Gate, 40)
		switch {
		case len(g.Breaches) > 0:
			fmt.Fprintf(&b, "  gate %s: BROKEN, %d times\n", name, len(g.Breaches))
		case g.Passed():
			fmt.Fprintf(&b, "  gate %s: kept\n", name)
		}
		if g.Unmeasured != "" {
			fmt.Fprintf(&b, "  gate %s: not measured: %s\n", name, textutil.Printable(g.Unmeasured, 200))
		}
		for _, br := range g.Breaches {
			fmt.Fprintf(&b, "    %s %s\n", textutil.Printable(br.Position.String(), 120), textutil.Printable(br.Detail, 160))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
