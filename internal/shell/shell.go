// Package shell reads a shell command line as a shell reads it.
package shell

// Kind is what a command line does, from the point of view of somebody who looks for code.
type Kind int

// The kinds of command lines.
const (
	Other  Kind = iota // anything else: it builds, writes, runs, or cannot be read
	Read               // shows the contents of files
	Search             // looks for files, or for lines in them
)

// Action is what a command line does.
type Action struct {
	Kind Kind
	// Files are the files that a Read reads, in order, cleaned; a Search may list where it looks.
	Files []string
}

// Classify says what a command line does.
func Classify(command string) Action { return Action{} }

// Runs reports whether the command line runs one of the named commands, and how the invocation is written.
func Runs(command string, names []string) (invocation string, ok bool) { return "", false }
