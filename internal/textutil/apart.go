package textutil

import "unicode/utf8"

// Apart makes names printable and at most limit characters long, as Printable does, and keeps different ones apart as far as it can: where cutting
// the end would make two of them equal, the start is cut instead.
func Apart(names []string, limit int) []string {
	cut := make([]string, len(names))
	first := make(map[string]string) // cut name → name
	clash := false
	for i, n := range names {
		cut[i] = Printable(n, limit)
		other, ok := first[cut[i]]
		clash = clash || ok && other != n
		first[cut[i]] = n
	}
	if !clash {
		return cut
	}
	for i, n := range names {
		whole := Printable(n, len(n)+1)
		if extra := utf8.RuneCountInString(whole) - limit; extra > 0 {
			runes := []rune(whole)
			cut[i] = "…" + string(runes[extra+1:])
		}
	}
	return cut
}
