package budget

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/agent-eval/feedback/internal/jsontext"
	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// The errors of a [Gate].
var (
	ErrOverBudget = errors.New("over budget")
	ErrNoUsage    = errors.New("no usage")
	ErrTicket     = errors.New("no such ticket")
	ErrOptions    = errors.New("gate options")
	ErrPrompt     = errors.New("not the size of a prompt")
)

// A Refused is a call that a gate did not admit: errors.As finds it in the error of [Gate.Admit], and errors.Is matches it with
// [ErrOverBudget]. With [Options.Refused] it becomes part of a report; Position and Thread are the caller's to fill in.
type Refused struct {
	Budget   string              `json:"budget"` // its name
	Amount   int                 `json:"amount"` // what the scope would have come to with the call, in the budget's unit
	Limit    int                 `json:"limit"`
	Unit     Unit                `json:"unit"`
	Position transcript.Position `json:"position"`
	Thread   string              `json:"thread"`
}

// Error returns budget: amount of limit.
func (e *Refused) Error() string {
	return fmt.Sprintf("%s: %v: %s of %s %s", e.Budget, ErrOverBudget, textutil.Thousands(e.Amount), textutil.Thousands(e.Limit), e.Unit)
}

// Unwrap returns [ErrOverBudget].
func (e *Refused) Unwrap() error { return ErrOverBudget }

// A Policy says what a call that comes back without usage is; never zero.
type Policy string

// The policies. Under both the call is charged at its estimate.
const (
	// FailMissing makes Settle return ErrNoUsage. What the turn or the run came to is not known from then on, so Admit refuses with
	// ErrNoUsage until the turn ends; a run does not go on at all.
	FailMissing Policy = "fail"
	// EstimateMissing takes the estimate for the usage.
	EstimateMissing Policy = "estimate"
)

// GateOptions control [NewGate]. The zero value is the documented default of every field.
type GateOptions struct {
	// Missing says what a call without usage is. Default: FailMissing.
	Missing Policy
	// Count is a tokenizer: it returns how many tokens a text has, and may be called by several goroutines at once. Its counts are
	// calibrated as characters are, since what wraps a text in a prompt takes tokens too. Nil means to count characters.
	Count func(text string) int
	// Margin is added to every estimate, as a fraction of it: 0.1 admits nothing that comes within 10 % of the limit. At least 0, the
	// default.
	Margin float64
}

// A Gate keeps one budget before the call. [Gate.Admit] estimates the call and refuses it when the limit would be passed, what is under
// way taken into account; [Gate.Settle] takes the usage afterwards. What it counts is what [Analyze] counts. It is safe for concurrent
// use. Make one with [NewGate].
type Gate struct {
	budget Budget
	opts   GateOptions

	mu    sync.Mutex
	open  map[Ticket]reservation
	last  Ticket
	sum   *sum  // of the current turn, or of the run
	state State // but for what sum holds
	ratio ratio
}

// A sum is what the calls of one turn, or of the run, come to. The calls under way hold on to theirs when the turn ends.
type sum struct {
	spent, reserved int
	unknown         bool // a usage was missing, and the policy is not to estimate it
}

// A Ticket stands for an admitted call until it is settled or canceled. The zero Ticket stands for none.
type Ticket int

type reservation struct {
	sum    *sum
	base   int
	size   int // of the text, in characters or by the tokenizer
	amount int
}

// State is what a gate has done so far.
type State struct {
	// Spent is what the settled calls of the current turn or run came to, Reserved what those under way are estimated at, both in the
	// budget's unit. A budget per call adds nothing up: both stay 0.
	Spent    int `json:"spent"`
	Reserved int `json:"reserved"`
	Admitted int `json:"admitted"` // calls
	Refused  int `json:"refused"`  // calls
	Missing  int `json:"missing"`  // calls settled without usage
	// Through are the calls that turned out over budget when they were settled: their estimate was too small.
	Through int `json:"through"`
	// SizePerToken is what an estimate divides by: characters per token, or what the tokenizer counts per token. Calibrated says that
	// it comes from calls that were settled.
	SizePerToken float64 `json:"size_per_token"`
	Calibrated   bool    `json:"calibrated"`
}

// A Prompt is what is about to be sent.
type Prompt struct {
	// Base are the tokens of what was sent before and is sent again: the prompt of the previous request, as its usage gave it. 0 means
	// that Text is the whole prompt.
	Base int
	// Text is what is added to it. For a budget in characters it is what is to be shown to the model, such as a tool's result.
	Text string
}

// NewGate returns a gate for a budget whose enforcement is before the call, which an empty one is taken for. The error wraps [ErrBudget] or
// [ErrOptions].
func NewGate(b Budget, opts GateOptions) (*Gate, error) {
	if b.Enforcement == "" {
		b.Enforcement = BeforeCall
	}
	b = b.WithDefaults()
	if err := b.Validate(); err != nil {
		return nil, err
	}
	if opts.Missing == "" {
		opts.Missing = FailMissing
	}
	switch {
	case b.Enforcement != BeforeCall:
		return nil, fmt.Errorf("%w: enforcement %q: a gate enforces %s", ErrBudget, b.Enforcement, BeforeCall)
	case opts.Missing != FailMissing && opts.Missing != EstimateMissing:
		return nil, fmt.Errorf("%w: missing %q: want %s or %s", ErrOptions, opts.Missing, FailMissing, EstimateMissing)
	case !(opts.Margin >= 0) || math.IsInf(opts.Margin, 0):
		return nil, fmt.Errorf("%w: margin %v: want at least 0", ErrOptions, opts.Margin)
	case opts.Count != nil && b.Unit == Characters:
		return nil, fmt.Errorf("%w: a budget in %s takes no tokenizer", ErrOptions, b.Unit)
	}
	return &Gate{budget: b, opts: opts, open: make(map[Ticket]reservation), sum: new(sum), ratio: newRatio(opts.Count != nil)}, nil
}

// Admit reserves what the call is estimated at, and returns the ticket to settle it with. A call that would pass the limit is refused with
// a [*Refused], and one after a usage that was missing, under [FailMissing], with [ErrNoUsage]: nothing is reserved, and it must not be made. A
// base or a tokenizer's count below 0 is [ErrPrompt].
func (g *Gate) Admit(p Prompt) (Ticket, error) {
	size := g.size(p.Text) // before the lock: a tokenizer takes its time
	if size < 0 || p.Base < 0 {
		return 0, fmt.Errorf("%s: %w: a prompt of base %d and size %d", g.budget.Name, ErrPrompt, p.Base, size)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	r := reservation{sum: g.sum, base: p.Base, size: size}
	r.amount = g.estimate(r)
	switch total := add(add(r.sum.spent, r.sum.reserved), r.amount); {
	case total > g.budget.Limit:
		g.state.Refused++
		return 0, g.over(total)
	case r.sum.unknown:
		g.state.Refused++
		return 0, fmt.Errorf("%s: %w of a call before: what was spent is not known", g.budget.Name, ErrNoUsage)
	}
	g.last++
	g.open[g.last] = r
	g.state.Admitted++
	if g.addsUp() {
		r.sum.reserved += r.amount
	}
	return g.last, nil
}

func (g *Gate) over(total int) *Refused {
	return &Refused{Budget: g.budget.Name, Amount: total, Limit: g.budget.Limit, Unit: g.budget.Unit}
}

// Settle ends an admitted call with the usage that came back. Without one (nil, or a prompt of 0) the estimate is charged, and the error is
// [ErrNoUsage] unless the policy is EstimateMissing. When the turn or run of the call turns out to have passed the limit with it, the error is a
// [*Refused] that came too late, and the usage is charged; it may be both. A ticket that is not open, settled before for instance, is [ErrTicket]. A budget in characters knows
// the amount beforehand and reads no usage.
func (g *Gate) Settle(t Ticket, usage *transcript.Usage) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	r, err := g.close(t)
	if err != nil {
		return err
	}
	amount := r.amount
	missing := g.budget.Unit == Tokens && (usage == nil || usage.Prompt() <= 0)
	if g.budget.Unit == Tokens && !missing {
		amount = usage.Prompt()
		g.ratio.learn(r.size, amount-r.base)
	}
	total := amount
	if g.addsUp() {
		r.sum.spent = add(r.sum.spent, amount)
		total = r.sum.spent
	}
	var errs []error
	if missing {
		g.state.Missing++
		if g.opts.Missing == FailMissing {
			r.sum.unknown = g.addsUp()
			errs = append(errs, fmt.Errorf("%s: %w: charged at the estimate of %s tokens", g.budget.Name, ErrNoUsage, textutil.Thousands(amount)))
		}
	}
	if total > g.budget.Limit {
		g.state.Through++
		errs = append(errs, g.over(total))
	}
	return errors.Join(errs...)
}

// Cancel gives back what an admitted call reserved, because it was never made. One that was made and failed is settled instead.
func (g *Gate) Cancel(t Ticket) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, err := g.close(t)
	return err
}

// EndTurn starts the next turn: a budget per turn is whole again. Calls under way belong to the turn that admitted them, and are charged to it.
// A budget of another scope knows no turns.
func (g *Gate) EndTurn() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.budget.Scope == PerTurn {
		g.sum = new(sum)
	}
}

// State returns what the gate has done so far.
func (g *Gate) State() State {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.state
	s.Spent, s.Reserved = g.sum.spent, g.sum.reserved
	if g.budget.Unit == Tokens {
		s.SizePerToken, s.Calibrated = g.ratio.value, g.ratio.calibrated
	}
	return s
}

// close takes a ticket and its reservation out.
func (g *Gate) close(t Ticket) (reservation, error) {
	r, ok := g.open[t]
	if !ok {
		return r, fmt.Errorf("%s: %w: %d", g.budget.Name, ErrTicket, t)
	}
	delete(g.open, t)
	if g.addsUp() {
		r.sum.reserved -= r.amount
	}
	return r, nil
}

// addsUp reports whether calls add up, over a turn or the run.
func (g *Gate) addsUp() bool { return g.budget.Scope != PerCall }

func (g *Gate) size(text string) int {
	if g.opts.Count != nil {
		return g.opts.Count(text)
	}
	return jsontext.Len16([]byte(text))
}

// estimate returns what a call is taken for, at least 1.
func (g *Gate) estimate(r reservation) int {
	amount := float64(r.base) + float64(r.size)
	if g.budget.Unit == Tokens {
		amount = float64(r.base) + float64(r.size)/g.ratio.value
	}
	amount = math.Ceil(amount * (1 + g.opts.Margin))
	if amount >= math.MaxInt {
		return math.MaxInt
	}
	return max(1, int(amount))
}

// add returns a + b, or the largest int where that does not fit; neither is negative.
func add(a, b int) int {
	if a > math.MaxInt-b {
		return math.MaxInt
	}
	return a + b
}
