package allocation

import "github.com/agent-eval/feedback/transcript"

// A Block is the allocation of all judged calls of a session, main thread and subagents together. It is plain data. Characters
// are UTF-16 code units. A nil figure could not be measured: there was no answer, or nothing was returned.
type Block struct {
	// Envelope is the characters of all file sections returned.
	Envelope int `json:"envelope"`
	// Used are those of the files that the answer cites, from 0 to Envelope; UsedPath those that it cites by path, at most
	// Used. Both are nil without an answer.
	Used     *int `json:"used"`
	UsedPath *int `json:"used_path"`
	// Efficiency is Used / Envelope and EfficiencyPath is UsedPath / Envelope, from 0 to 1, higher is better.
	Efficiency     *float64 `json:"efficiency"`
	EfficiencyPath *float64 `json:"efficiency_path"`
	// FilesReturned counts the different files, FilesUsed those that the answer cites.
	FilesReturned int `json:"files_returned"`
	FilesUsed     int `json:"files_used"`
	// HasAnswer reports whether the session gave an answer.
	HasAnswer bool `json:"has_answer"`
	// Calls has an entry per answered call, thread by thread as in the session. Never nil after Analyze.
	Calls []Call `json:"calls"`
	// Files has an entry per file, the largest first, then by path. Never nil after Analyze.
	Files []File `json:"files"`
}

// A Call is the share of one call.
type Call struct {
	Position transcript.Position `json:"position"`
	Thread   string              `json:"thread"` // as in transcript.Thread.ID
	Envelope int                 `json:"envelope"`
	Used     *int                `json:"used"`
	// Efficiency is Used / Envelope; nil without an answer, and when the call returned no file.
	Efficiency *float64 `json:"efficiency"`
	Files      int      `json:"files"`      // different files
	FilesUsed  int      `json:"files_used"` // of those, cited ones
	// Parts are what it returned of each file, in the order of the response. Nil unless [Options.Parts] is set.
	Parts []Part `json:"parts,omitempty"`
}

// A Part is what one call returned of one file: a section of its response.
type Part struct {
	Path  string `json:"path"`  // cleaned
	Chars int    `json:"chars"` // of the section
	Cited bool   `json:"cited"` // the answer cites the file
}

// A File is one file over all calls.
type File struct {
	Path string `json:"path"` // cleaned
	// Chars are the characters of all its sections.
	Chars int `json:"chars"`
	Calls int `json:"calls"` // calls that returned it
	// Via says how the answer cites the file; empty when it does not.
	Via    Channel `json:"via"`
	Symbol string  `json:"symbol"` // the name that cites it, for ViaSymbol
}

// A Channel is a way of citing a file.
type Channel string

// The channels.
const (
	ViaPath   Channel = "path"
	ViaSymbol Channel = "symbol"
)

// Options control [Analyze]. The zero value is the documented default of every field.
type Options struct {
	// MinSymbol is how many characters a symbol must have at least. 0 means 4.
	MinSymbol int
	// StopWords are names that never cite, besides the keywords and common words that are built in.
	StopWords []string
	// Parts asks for what each call returned of each file, which takes memory.
	Parts bool
}
