// Package cli holds what the example commands do the same way.
package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/agent-eval/feedback/transcript"
)

// Strings is a flag that may be given several times.
type Strings []string

func (s *Strings) String() string { return fmt.Sprint(*s) }

// Set adds a value.
func (s *Strings) Set(value string) error { *s = append(*s, value); return nil }

// ReadTools reads a transcript.Tools from a JSON file; no name is the zero Tools. A field that does not exist is an error: it would
// be a default in silence.
func ReadTools(name string) (tools transcript.Tools, err error) {
	if name == "" {
		return tools, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return tools, &transcript.FileError{File: name, Err: err}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err = d.Decode(&tools); err == nil {
		err = tools.Validate()
	}
	if err != nil {
		err = &transcript.FileError{File: name, Err: err}
	}
	return tools, err
}

// Misplaced returns an error for an argument that is a flag of the set, which stops reading flags at the first argument that is none.
func Misplaced(fs *flag.FlagSet) error {
	for _, arg := range fs.Args() {
		name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if strings.HasPrefix(arg, "-") && fs.Lookup(name) != nil {
			return fmt.Errorf("%s: flags stand before the other arguments", arg)
		}
	}
	return nil
}
