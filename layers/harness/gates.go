package harness

import (
	"errors"
	"fmt"
	"io"

	"github.com/agent-eval/feedback/layers"
	"github.com/agent-eval/feedback/layers/internal/strictjson"
	"github.com/agent-eval/feedback/transcript"
)

// A Gate is what a check of the harness said of a run. What the check is, its name says.
type Gate struct {
	Run  string `json:"run"`
	Name string `json:"gate"` // such as consistency, sandbox or rollback
	// Outcome is success for a gate that held, failure for one that did not, and unmeasured for one that could not be checked, which is no pass.
	Outcome  layers.Outcome      `json:"outcome"`
	Detail   string              `json:"detail,omitempty"`
	Position transcript.Position `json:"position"` // where it shows, if anywhere
}

// ReadGates reads gates from JSON lines:
//
//	{"run": "new-1", "gate": "sandbox", "outcome": "failure", "detail": "wrote /etc/hosts", "position": "new-1.jsonl:17"}
//
// of which run, gate and outcome have to be there, and each gate once a run. A line that is none costs that line. All errors come joined, each a
// [transcript.Problem] with file and line, beside the gates that could be read, in order.
func ReadGates(r io.Reader, name string) (gates []Gate, err error) {
	type key struct{ run, gate string }
	taken := make(map[key]int)
	err = strictjson.Lines(r, name, func(pos transcript.Position, g Gate) error {
		k := key{g.Run, g.Name}
		switch {
		case g.Run == "" || g.Name == "":
			return errors.New("a gate without a run or a name")
		case !g.Outcome.Measured() && g.Outcome != layers.Unmeasured:
			return fmt.Errorf("outcome %q: want success, failure or unmeasured", g.Outcome)
		case taken[k] > 0:
			return fmt.Errorf("%s has the gate %s already, on line %d", g.Run, g.Name, taken[k])
		}
		taken[k] = pos.Line
		gates = append(gates, g)
		return nil
	})
	return gates, err
}

// GateDefects returns the gates of one run that did not hold as defects by the names gate_sandbox and so on; none is an empty list. One that
// was not measured is no defect: [UnmeasuredGates] has it.
func GateDefects(gates []Gate, run string) []layers.Defect {
	list := []layers.Defect{}
	for _, g := range gates {
		if g.Run == run && g.Outcome == layers.Failure {
			list = append(list, layers.Defect{Layer: layers.Harness, Name: "gate_" + g.Name, Position: g.Position, Detail: g.Detail})
		}
	}
	return list
}

// UnmeasuredGates returns the gates of one run of which nobody knows whether they held; none is an empty list.
func UnmeasuredGates(gates []Gate, run string) []Gate {
	list := []Gate{}
	for _, g := range gates {
		if g.Run == run && !g.Outcome.Measured() {
			list = append(list, g)
		}
	}
	return list
}
