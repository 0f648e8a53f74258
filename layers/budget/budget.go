package budget

import (
	"errors"
	"fmt"
	"io"

	"github.com/agent-eval/feedback/layers/internal/strictjson"
	"github.com/agent-eval/feedback/transcript"
)

// A Budget is a limit that a harness declares. The zero value of each field but Limit is its documented default.
type Budget struct {
	// Name is what reports call the budget. Default: its unit and scope, such as "tokens per call".
	Name string `json:"name"`
	// Unit says what is counted, and so what a call is. Default: Tokens.
	Unit Unit `json:"unit"`
	// Scope says over what the count runs. Default: PerCall.
	Scope Scope `json:"scope"`
	// Enforcement says what the harness does about a call over the limit. Default: ReportOnly, which claims least.
	Enforcement Enforcement `json:"enforcement"`
	// Limit is the largest count that is within the budget, in Unit; at least 1.
	Limit int `json:"limit"`
	// Authority marks the one budget that decides where several bound the same window.
	Authority bool `json:"authority,omitempty"`
}

// A Unit is what a budget counts in.
type Unit string

// The units.
const (
	// Tokens counts prompts: a call is a request of the model, its amount the exact size of its prompt, input + cache read + cache
	// creation, as the log's usage gives it.
	Tokens Unit = "tokens"
	// Characters counts what tools return: a call is a tool call, its amount the text of its result in UTF-16 code units. The rest
	// of a prompt is not in a log character by character.
	Characters Unit = "characters"
)

// A Scope is over what a budget counts.
type Scope string

// The scopes.
const (
	PerCall Scope = "call" // each call by itself
	PerTurn Scope = "turn" // all calls from a prompt to its answer, those of its subagents with them
	PerRun  Scope = "run"  // all calls of the session
)

// An Enforcement says when a harness acts on a budget, from the weakest to the strongest.
type Enforcement string

// The enforcements. Only the last can keep a call from being made.
const (
	ReportOnly Enforcement = "report"      // it is written down
	Projection Enforcement = "projection"  // what the model is shown is cut to fit, the state behind it is not
	AfterCall  Enforcement = "after_call"  // it is checked when the usage is known
	BeforeCall Enforcement = "before_call" // it is checked before the call is made
)

// Afterwards reports whether the enforcement lets a call over the limit be made by its design.
func (e Enforcement) Afterwards() bool { return e != BeforeCall }

// ErrBudget is what every error of [Budget.Validate] wraps.
var ErrBudget = errors.New("not a budget")

// Validate returns an error that names the field if the budget, with its defaults, cannot be judged.
func (b Budget) Validate() error {
	b = b.WithDefaults()
	switch b.Unit {
	case Tokens, Characters:
	default:
		return fmt.Errorf("%w: unit %q: want %s or %s", ErrBudget, b.Unit, Tokens, Characters)
	}
	switch b.Scope {
	case PerCall, PerTurn, PerRun:
	default:
		return fmt.Errorf("%w: scope %q: want %s, %s or %s", ErrBudget, b.Scope, PerCall, PerTurn, PerRun)
	}
	switch b.Enforcement {
	case ReportOnly, Projection, AfterCall, BeforeCall:
	default:
		return fmt.Errorf("%w: enforcement %q: want %s, %s, %s or %s", ErrBudget, b.Enforcement, ReportOnly, Projection, AfterCall, BeforeCall)
	}
	if b.Limit < 1 {
		return fmt.Errorf("%w: limit %d: want at least 1", ErrBudget, b.Limit)
	}
	return nil
}

// WithDefaults returns b with every zero field replaced by its default.
func (b Budget) WithDefaults() Budget {
	if b.Unit == "" {
		b.Unit = Tokens
	}
	if b.Scope == "" {
		b.Scope = PerCall
	}
	if b.Enforcement == "" {
		b.Enforcement = ReportOnly
	}
	if b.Name == "" {
		b.Name = string(b.Unit) + " per " + string(b.Scope)
	}
	return b
}

// Read reads budgets from a JSON array of objects with the members name, unit, scope, enforcement, limit and, optionally, authority:
//
//	[{"name": "window", "unit": "tokens", "scope": "call", "enforcement": "before_call", "limit": 160000}]
//
// It is strict, for a misspelt member would be another budget in silence: unknown and missing members, unknown words, a limit below 1
// and a name that is taken are errors with the line of their element. The budgets that are right come back all the same, in order. The
// file's name is for the errors alone. A file without a budget is a [*transcript.FileError].
func Read(r io.Reader, name string) (budgets []Budget, err error) {
	taken := make(map[string]bool)
	err = strictjson.Elements(r, name, func(_ transcript.Position, b Budget) error {
		switch {
		case b.Name == "" || b.Unit == "" || b.Scope == "" || b.Enforcement == "":
			return fmt.Errorf("%w: want name, unit, scope, enforcement and limit", ErrBudget)
		case taken[b.Name]:
			return fmt.Errorf("%w: the name %q is taken", ErrBudget, b.Name)
		}
		if err := b.Validate(); err != nil {
			return err
		}
		taken[b.Name] = true
		budgets = append(budgets, b)
		return nil
	})
	if err == nil && len(budgets) == 0 {
		err = &transcript.FileError{File: name, Err: strictjson.ErrNoEntries}
	}
	return budgets, err
}
