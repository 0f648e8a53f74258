// Package jsonout writes the JSON that the example commands print.
package jsonout

import (
	"io"

	json "github.com/goccy/go-json"
)

// Write writes v as one indented JSON object with a line feed after it. Text stands as it is: markup is not escaped.
func Write(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
