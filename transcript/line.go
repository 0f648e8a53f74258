package transcript

import "github.com/agent-eval/feedback/internal/jsontext"

// A line is one JSON value of a log, taken apart but not yet understood: what [scanLine] fills and [folder] reads. Its
// slices point into the read buffer and are valid until the next scan.
type line struct {
	no  int    // line in the log or in its chunk, from 1
	bad bool   // nothing but problems
	raw []byte // the whole value

	typ, subtype str
	uuid         str
	parentTool   str // parent_tool_use_id, or parentToolUseID of a progress line
	synthetic    bool
	meta         bool
	summary      bool // isCompactSummary
	session      sessionFields
	innerType    str // type inside a stream_event, an attachment, or a progress line's data
	innerLine    str // type of the line that a progress line copies
	innerUUID    str // and its uuid
	subagent     subagentFields
	rejected     str   // who rejected the call that the line answers
	notes        []str // texts of an attachment

	hasMessage bool
	msgID      str
	model      str
	stopReason str
	hasUsage   bool
	usage      Usage
	blocks     []block

	texts    []str        // texts of the blocks
	images   []imageBlock // images of the blocks
	unknown  []str        // types of blocks inside tool results that have no rule
	problems []string
}

// sessionFields are what only the lines of a session log have.
type sessionFields struct {
	id                     str // sessionId
	version                str // of the client
	cwd                    str
	permissionMode, effort str
	parent                 str  // parentUuid
	root                   bool // parentUuid is null, not absent
	logicalParent          str  // logicalParentUuid: what a compaction boundary follows
	agent                  str  // agentId
	sidechain              bool
}

// subagentFields are what the structured copy of a delegation's result says, and nothing else does.
type subagentFields struct {
	agent    str // agentId
	hasUsage bool
	usage    Usage // of the subagent's last request
}

// reset empties l and keeps its memory.
func (l *line) reset() {
	*l = line{blocks: l.blocks[:0], texts: l.texts[:0], images: l.images[:0], notes: l.notes[:0], unknown: l.unknown[:0], problems: l.problems[:0]}
}

func (l *line) problem(reason string) { l.problems = append(l.problems, reason) }

// A str is a JSON string of the log. The zero str is an absent one.
type str = jsontext.String

type blockKind uint8

const (
	blockUnknown blockKind = iota
	blockText
	blockThinking
	blockRedacted
	blockToolUse
	blockToolResult
	blockImage
)

// A block is one content block of a message.
type block struct {
	kind       blockKind
	name       str // type as the log writes it
	toolName   str
	id         str // id of the call
	input      []byte
	inputChars int
	args       [argCount]str
	isError    bool
	chars      int      // sum over its texts
	texts      [2]int32 // range in line.texts
	images     [2]int32 // range in line.images
	schemas    int      // tools that it refers to
}

// An imageBlock is an image block of a tool result or of the user.
type imageBlock struct {
	mediaType str
	data      str // base64
}

// The arguments of a tool call that [Args] holds. Several spellings of one are in order of preference.
const (
	argFilePath = iota
	argNotebookPath
	argPath
	argCommand
	argQuery
	argQuestion
	argSymbol
	argPattern
	argGlob
	argDescription
	argCount
)
