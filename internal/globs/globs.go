// Package globs compiles the glob patterns that users write, within bounds that keep every match fast: what github.com/gobwas/glob
// takes for some patterns grows with a power of the input.
package globs

import (
	"errors"
	"strings"

	"github.com/gobwas/glob"
)

// Compile compiles a pattern in which * and ? stop at the separators and **/ stands for any number of directories. A
// pattern may have at most 256 bytes, five stars and two alternations; [^ is refused, because it does not negate.
func Compile(pattern string, separators ...rune) (*glob.Pattern, error) {
	switch {
	case len(pattern) > 256:
		return nil, errors.New("longer than 256 bytes")
	case strings.Count(pattern, "*") > 5:
		return nil, errors.New("more than five stars")
	case strings.Count(pattern, "{") > 2:
		return nil, errors.New("more than two alternations")
	case strings.Contains(pattern, "[^"):
		return nil, errors.New("[^ is no negation here, but [! is")
	}
	return glob.Compiler{Separators: separators, Globstar: true}.Compile(pattern)
}

// MatchAny reports whether one of the patterns matches s.
func MatchAny(patterns []*glob.Pattern, s string) bool {
	for _, p := range patterns {
		if p.Match(s) {
			return true
		}
	}
	return false
}
