package transcript

// An Event is one thing that happened in a session. Its concrete types are [*Init], [*Request],
// [*AssistantText], [*Thinking], [*ToolCall], [*ToolResult], [*UserText], [*Compaction],
// [*MicroCompaction] and [*Result]; walk them with a type switch that has a default case, for more may
// be added. The interface is sealed.
type Event interface {
	// At returns where the event came from.
	At() Origin
	origin() *Origin
}

// Origin is where an event came from: embedded in every event.
type Origin struct {
	Pos     Position // log and line
	Segment int      // index into Session.Segments
	Thread  string   // id of the thread, as in Thread.ID; empty on the main thread
	// Abandoned marks an event of a branch that the user went back before: it happened, and its tokens were spent, but
	// it is not in the window any more.
	Abandoned bool
}

// At returns o itself.
func (o Origin) At() Origin { return o }

func (o *Origin) origin() *Origin { return o }

// Init is the client's description of itself at the start of a process.
type Init struct {
	Origin
	SessionID      string
	Model          string
	ClientVersion  string
	CWD            string      // working directory
	PermissionMode string      // such as bypassPermissions
	Effort         string      // how hard the model was told to think; empty when the log does not say it
	Tools          []string    // names of the tools that the model was offered
	Retrieval      []string    // those of them that are under test, by the session's Tools
	MCPServers     []MCPServer // servers that were configured
}

// MCPServer is one configured server and what the client said of its connection.
type MCPServer struct {
	Name   string `json:"name"`
	Status string `json:"status"` // connected, pending, failed, …
	// Retrieval says that the server's tools are under test, by the session's Tools.
	Retrieval bool `json:"retrieval,omitempty"`
}

// Request is one call of the model: one assistant message, however many log lines it took.
// In a session it stands before the blocks of its message.
type Request struct {
	Origin
	ID    string // message id
	Model string
	// Usage is what the log says of the tokens, nil when it says nothing. Fields that differ between the
	// lines of one message hold the largest.
	Usage *Usage
	// StopReason is why the model stopped: tool_use, end_turn, …; empty where the log does not say.
	StopReason string
	// OutputFinal reports whether Usage.Output is the final count and not the placeholder that a stream
	// starts with: the message's lines carry a stop reason, or a streamed message_delta gave it.
	OutputFinal bool
	// ThinkingEstimate is the client's own estimate of the thinking tokens, 0 when it logged none.
	ThinkingEstimate int
}

// Measured reports whether the size of the prompt is known: the log gives a usage, and it is not zero.
func (r *Request) Measured() bool { return r.Usage != nil && r.Usage.Prompt() > 0 }

// Usage counts the tokens of one request, or of several added up.
type Usage struct {
	Input         int `json:"input"`          // prompt tokens neither read from nor written to the cache
	CacheRead     int `json:"cache_read"`     // prompt tokens read from the cache
	CacheCreation int `json:"cache_creation"` // prompt tokens written to the cache
	Output        int `json:"output"`         // tokens that the model wrote
}

// Prompt returns the exact size of the prompt in tokens: input + cache read + cache creation.
func (u Usage) Prompt() int { return u.Input + u.CacheRead + u.CacheCreation }

// AssistantText is a text block that the model wrote.
type AssistantText struct {
	Origin
	Request string // message id
	Chars   int    // length in UTF-16 code units
	// Text is kept where it may be an answer: in the last message before a turn ends. Elsewhere it is
	// dropped unless Options.KeepText is set.
	Text string
	// Synthetic marks a text that the client wrote in the model's place (an API error, an interruption).
	// It never reached the model and belongs to no request.
	Synthetic bool
}

// Thinking is a block of reasoning.
type Thinking struct {
	Origin
	Request string // message id
	Chars   int    // length of the text that the log shows, in UTF-16 code units
	Text    string // kept only with Options.KeepText
	// Hidden marks thinking whose text is not in the log (empty or redacted): it took tokens that no
	// character accounts for.
	Hidden bool
}

// ToolCall is a tool_use block.
type ToolCall struct {
	Origin
	Request string // message id
	ID      string // id that the result refers to
	Name    string // tool name, for instance mcp__codegraph__codegraph_explore
	Family  Family // what kind of tool it is, by the session's Tools
	Role    Role   // what the call means to the metrics, by the session's Tools
	Args    Args
	// InputChars is the length of the input as compact JSON, in UTF-16 code units.
	InputChars int
	// Input is the whole input as it stands in the log, kept only with Options.KeepText.
	Input string
}

// Args are the arguments of a tool call that metrics and listings read; those that a call does not have
// are empty. Everything else in the input is only measured.
type Args struct {
	Path        string // the file or directory: file_path, notebook_path, path
	Command     string // the command line of a shell: command
	Query       string // what a retrieval call asks: query, question, symbol, …
	Pattern     string // what a search looks for: pattern
	Glob        string // the files that it looks in: glob
	Description string // a few words on a delegation or a command: description
}

// Label returns the argument that says most about a call: its query, command, pattern, path or
// description, the first of them that is there.
func (a Args) Label() string {
	for _, s := range []string{a.Query, a.Command, a.Pattern, a.Path, a.Description} {
		if s != "" {
			return s
		}
	}
	return ""
}

// ToolResult is what a tool returned to the model.
type ToolResult struct {
	Origin
	CallID string // id of the call
	Tool   string // name of the tool; empty when the log does not show the call
	Family Family // the call's family; Other when the log does not show the call
	Role   Role   // the call's role
	// Chars is the length of the text that the model saw, in UTF-16 code units. Images count nothing here.
	Chars  int
	Images []Image
	// Schemas is how many tools the result made known to the model. Their definitions are in the prompt from then on, and their text
	// is not in the log.
	Schemas int
	IsError bool
	Failure Failure // what kind of error it is; empty when it is none
	// SubagentUsage is the usage of the last request of the subagent that the call started, where the result says it. A
	// stream does not have that request otherwise.
	SubagentUsage *Usage
	// Response is what the response parser found in a retrieval result; nil for other tools and errors.
	Response *Response
	Text     string // kept only with Options.KeepText
}

// A Failure says what kind of error a result is.
type Failure string

// The kinds of errors.
const (
	FailureTool    Failure = "tool"    // the tool ran and failed
	FailureRefused Failure = "refused" // the client refused the call: bad input, no such tool
	DeniedByHook   Failure = "hook"    // a hook denied it
	DeniedByMode   Failure = "mode"    // the permission mode or a rule denied it
	DeniedByUser   Failure = "user"    // the user denied it
)

// Image is an image block in a tool result. Its size is never a number of characters.
type Image struct {
	MediaType string
	Bytes     int // size of the decoded data
	Width     int // in pixels; 0 where the header could not be read
	Height    int // in pixels; 0 where the header could not be read
}

// UserText is what stands on the user's side and is no tool result: a prompt, a summary, a note of the client.
type UserText struct {
	Origin
	// Attached marks what the client put beside the messages: a reminder, a listing, a file. Only session logs hold it.
	Attached bool
	Chars    int    // length in UTF-16 code units
	Text     string // kept for the prompts of the main thread, and for all with Options.KeepText
	// Prompt marks what a person (or the delegating agent) asked: it ends the turn before it. Notes that
	// the client adds and the summary after a compaction are no prompts.
	Prompt bool
	Images []Image // what the user sent beside the text, or without one
}

// Compaction is the point where the conversation so far was replaced by a summary.
type Compaction struct {
	Origin
	Trigger    string // auto or manual
	PreTokens  int    // size of the context before it; 0 when not said
	PostTokens int    // size of the context after it; 0 when not said
	// Preserved are the ids of the calls whose results the boundary says it kept.
	Preserved []string
}

// MicroCompaction is the point where single tool results were cleared from the window.
type MicroCompaction struct {
	Origin
	Trigger     string   // auto; placeholder where only the text in place of the results shows it
	PreTokens   int      // size of the context before it; 0 when not said
	TokensSaved int      // 0 when not said
	Cleared     []string // ids of the calls whose results were cleared
}

// Result is the row that ends a turn of a headless run.
type Result struct {
	Origin
	SessionID  string
	Subtype    string // success, error_max_turns, …
	IsError    bool
	Text       string   // the final answer as the client reports it; may be empty or cut
	Turns      int      // num_turns, which is not the number of requests
	DurationMS *float64 // wall time, milliseconds; nil when the row has none
	CostUSD    *float64 // running total of the process, US dollars; nil when the row has none
	Usage      *Usage   // the main thread's tokens of this turn; nil when the row has none
	// ModelUsage are the tokens of all threads by model; running totals like CostUSD.
	ModelUsage map[string]ModelUsage
	Denials    []string // ids of the calls that were denied
	// Worked is false for a row that follows another one with nothing in between: it ends no turn.
	Worked bool
}

// OK reports whether the row says success and no error.
func (r *Result) OK() bool { return r.Subtype == "success" && !r.IsError }

// ModelUsage is one model's share in a result.
type ModelUsage struct {
	Usage
	ContextWindow int // size of the model's window in tokens; 0 when not said
}
