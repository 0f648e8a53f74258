package harness

import (
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
	// checked, which is no pass.
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
	// Unmeasured says why the gate could not be checked; empty when it was.
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
		} else if found, err := g.Check(s); err != nil {
			r.Unmeasured = err.Error()
		} else {
			r.Breaches = append(r.Breaches, found...)
		}
		results = append(results, r)
	}
	return results
}

// Sandbox is the gate that no tool names a file outside of roots, absolute directories, in an argument that a transcript keeps. Relative
// paths are taken from the session's working directory; where that is not known, they are unmeasured unless they stay below it. It sees what
// tools were told, not what a shell command did: confine the process for that.
func Sandbox(roots ...string) Gate {
	return Gate{"sandbox", func(s *transcript.Session) (breaches []Breach, err error) {
		cwd := s.Summary().Setup.CWD
		for i := range s.Threads {
			for _, c := range Calls(&s.Threads[i]) {
				name := strings.ReplaceAll(c.Args.Path, `\`, "/")
				if name == "" || c.failed() {
					continue
				}
				if !absolute(name) {
					if cwd == "" && strings.HasPrefix(path.Clean(name), "..") {
						return nil, fmt.Errorf("%v: %s leads outside, and the working directory is not known", c.Pos, name)
					}
					if cwd == "" {
						continue
					}
					name = strings.ReplaceAll(cwd, `\`, "/") + "/" + name
				}
				if !below(path.Clean(name), roots) {
					breaches = append(breaches, Breach{c.Pos, c.Name + " " + c.Args.Path})
				}
			}
		}
		return breaches, nil
	}}
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
		case g.Unmeasured != "":
			fmt.Fprintf(&b, "  gate %s: not measured: %s\n", name, textutil.Printable(g.Unmeasured, 200))
		case g.Passed():
			fmt.Fprintf(&b, "  gate %s: kept\n", name)
		default:
			fmt.Fprintf(&b, "  gate %s: BROKEN, %d times\n", name, len(g.Breaches))
		}
		for _, br := range g.Breaches {
			fmt.Fprintf(&b, "    %s %s\n", textutil.Printable(br.Position.String(), 120), textutil.Printable(br.Detail, 160))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
