package occupancy

import "github.com/agent-eval/feedback/transcript"

// A Block is what one window held at the end of the run: the main thread's, or a subagent's. It is plain data. Token
// figures may be fractions. A nil figure could not be measured; Notes says why.
type Block struct {
	// Thread is the id of the call that started the subagent; empty for the main thread.
	Thread string `json:"thread,omitempty"`
	// Name is what the session's Tools call the retrieval tool.
	Name string `json:"name"`
	// FinalContext is the size of the window at the end in tokens, at least 1: the prompt of the last measured request,
	// or what the boundary says of a compaction after it. Nil without either.
	FinalContext *int `json:"final_context"`
	// BaseContext is the fixed part in tokens: the prompt of the first request, so system prompt, tool schemas and
	// question. Nil without a measured request, and when a tool had answered before the first one.
	BaseContext *int `json:"base_context"`
	// Conversation is the rest of the final context, in tokens: prose, thinking and tool inputs. It is not
	// clamped: below zero, something was priced too high, or the prompt lost what is no tool result. Nil when
	// FinalContext or BaseContext is.
	Conversation *float64 `json:"conversation"`
	// Window is the size of the model's window in tokens, above 0.
	Window     int          `json:"window"`
	WindowFrom WindowSource `json:"window_from"`
	// CharsPerToken is the characters (UTF-16 code units) per token that results are priced at, above 0. It is
	// [DefaultCharsPerToken] when no gap could be used, or when they give a ratio outside 0.5–8.
	CharsPerToken float64 `json:"chars_per_token"`
	// Calibrated reports whether CharsPerToken was measured on gaps that are mostly tool result and lies within 0.5–8.
	Calibrated bool `json:"calibrated"`
	// Dispersion is the error bar of CharsPerToken as a fraction, at least 0 and smaller is better: the lower median
	// of |characters/CharsPerToken − growth| / growth over the gaps that are at least 95 % tool result. Nil without such a gap.
	Dispersion *float64 `json:"dispersion"`
	// Requests counts the thread's requests; UnmeasuredRequests those of them whose prompt size the log does
	// not give. The gaps on both sides of one are taken as one.
	Requests           int `json:"requests"`
	UnmeasuredRequests int `json:"unmeasured_requests"`
	Compactions        int `json:"compactions"`
	MicroCompactions   int `json:"microcompactions"`
	// Evicted are the tokens of tool results that micro-compactions named or that were shed without notice; Shed
	// is the latter part, which is inferred. Cleared are those that compactions cleared.
	Evicted float64 `json:"evicted"`
	Shed    float64 `json:"shed"`
	Cleared float64 `json:"cleared"`
	// UnsentResults are the tool results after the last measured request that are still in the window, Unsent their
	// tokens. They count as residual but are no part of FinalContext, so Conversation is too small by Unsent.
	UnsentResults int     `json:"unsent_results"`
	Unsent        float64 `json:"unsent"`
	// Images counts the images in tool results, EstimatedImages those of them whose price comes from their size in
	// pixels, because no growth shows it.
	Images          int `json:"images"`
	EstimatedImages int `json:"estimated_images"`
	// Unexplained are tokens that the prompts grew by and that no text of the log can be, for it would have fewer than 0.5
	// characters a token: the schemas of tools that a search made known, for instance. They are in Conversation, or in the residual of the
	// results that came with them. At least 0.
	Unexplained float64 `json:"unexplained"`
	// Families are the shares of each family of tools; FileAccess is read, search and shell together.
	Families   Families `json:"families"`
	FileAccess Share    `json:"file_access"`
	// Notes say what weakens the figures, one sentence each; none when nothing does.
	Notes []string `json:"notes,omitempty"`
	// Threads are the windows of the subagents, in the order in which they started. Nothing of them is in the
	// figures above. They have no Threads themselves.
	Threads []Block `json:"threads,omitempty"`
	// Series is the course of the window; nil unless [Options.Series] is set.
	Series *Series `json:"series,omitempty"`
}

// WindowSource says where the size of a window comes from.
type WindowSource string

// The sources of a window's size.
const (
	WindowFromOptions WindowSource = "options" // the caller said it
	WindowFromModel   WindowSource = "model"   // the log's results say it of the model
	WindowAssumed     WindowSource = "assumed" // DefaultWindow
)

// A Share is what the results of one family of tools hold.
type Share struct {
	// Residual are the tokens still in the window at the end, from 0 to Contributed. Contributed are the tokens of all
	// results there were. Both are nil when no request of the thread was measured.
	Residual    *float64 `json:"residual"`
	Contributed *float64 `json:"contributed"`
	// Chars is the length of all results in UTF-16 code units, images not counted; Results is their number.
	Chars   int `json:"chars"`
	Results int `json:"results"`
}

// plus returns the two shares as one.
func (s Share) plus(t Share) Share {
	return Share{add(s.Residual, t.Residual), add(s.Contributed, t.Contributed), s.Chars + t.Chars, s.Results + t.Results}
}

// add returns a + b, nil when either is.
func add(a, b *float64) *float64 {
	if a == nil || b == nil {
		return nil
	}
	return new(*a + *b)
}

// Families holds a [Share] per family of tools.
type Families struct {
	Retrieval Share `json:"retrieval"`
	Read      Share `json:"read"`
	Search    Share `json:"search"`
	Shell     Share `json:"shell"`
	Other     Share `json:"other"`
}

// Of returns the share of the family f; a family that is none of the known ones counts as Other.
func (fs *Families) Of(f transcript.Family) *Share {
	return [families]*Share{&fs.Retrieval, &fs.Read, &fs.Search, &fs.Shell, &fs.Other}[indexOf(f)]
}

// Total returns the shares of all families as one.
func (fs *Families) Total() Share {
	return fs.Retrieval.plus(fs.Read).plus(fs.Search).plus(fs.Shell).plus(fs.Other)
}

// Remainder returns the tokens of the final context that no tool result accounts for: the fixed part and the
// conversation, known even where the line between the two is not. It is nil when FinalContext or the residuals are.
func (b *Block) Remainder() *float64 {
	residual := b.Families.Total().Residual
	if b.FinalContext == nil || residual == nil {
		return nil
	}
	return new(float64(*b.FinalContext) - *residual)
}

// families is the number of families of tools.
const families = 5

// indexOf returns the place of f in transcript.Families.
func indexOf(f transcript.Family) int {
	switch f {
	case transcript.Retrieval:
		return 0
	case transcript.Read:
		return 1
	case transcript.Search:
		return 2
	case transcript.Shell:
		return 3
	}
	return 4
}
