package transcripttest

import (
	"fmt"
	"strings"
)

// A File is a file's section in a retrieval response.
type File struct {
	Path string
	// Defines is the tail of the section's header: name(kind), name(kind), …
	Defines string
	// Source is the text inside the section's code fence.
	Source string
}

// Response returns the text of a codegraph response that shows the given files.
func Response(files ...File) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Exploration: test**\n\nFound %d symbols across %d files.\n\n**Source Code**\n\n", len(files), len(files))
	for _, f := range files {
		fmt.Fprintf(&b, "**`%s`** — %s\n\n```\n%s\n```\n\n", f.Path, f.Defines, f.Source)
	}
	b.WriteString("> Guidance that belongs to no file.\n")
	return b.String()
}
