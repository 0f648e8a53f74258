package jsontext

// Valid reports whether text is one JSON value and nothing else, as encoding/json does.
func Valid(text []byte) bool {
	var s Scanner
	s.Reset(text, 0)
	s.Skip()
	s.space()
	return s.err == nil && s.i == len(text)
}

// skipValue returns the index after the value that starts at b[i], or where it went wrong.
func skipValue(b []byte, i, depth int) (int, error) {
	if i >= len(b) {
		return i, ErrEnd
	}
	switch c := b[i]; {
	case c == '"':
		end, _, _, err := scanString(b, i+1)
		if err != nil {
			return end, err
		}
		return end + 1, nil
	case c == '{':
		return skipObject(b, i+1, depth+1)
	case c == '[':
		return skipArray(b, i+1, depth+1)
	case c == 't':
		return skipLiteral(b, i, "true")
	case c == 'f':
		return skipLiteral(b, i, "false")
	case c == 'n':
		return skipLiteral(b, i, "null")
	case c == '-' || '0' <= c && c <= '9':
		return skipNumber(b, i)
	}
	return i, errToken
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

func skipObject(b []byte, i, depth int) (int, error) {
	if depth > MaxDepth {
		return i, errDepth
	}
	i = skipSpace(b, i)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	for {
		i = skipSpace(b, i)
		if i >= len(b) {
			return i, ErrEnd
		}
		if b[i] != '"' {
			return i, errToken
		}
		end, _, _, err := scanString(b, i+1)
		if err != nil {
			return end, err
		}
		i = skipSpace(b, end+1)
		if i >= len(b) {
			return i, ErrEnd
		}
		if b[i] != ':' {
			return i, errToken
		}
		if i, err = skipValue(b, skipSpace(b, i+1), depth); err != nil {
			return i, err
		}
		i = skipSpace(b, i)
		if i >= len(b) {
			return i, ErrEnd
		}
		if b[i] == '}' {
			return i + 1, nil
		}
		if b[i] != ',' {
			return i, errToken
		}
		i++
	}
}

func skipArray(b []byte, i, depth int) (int, error) {
	if depth > MaxDepth {
		return i, errDepth
	}
	i = skipSpace(b, i)
	if i < len(b) && b[i] == ']' {
		return i + 1, nil
	}
	for {
		var err error
		if i, err = skipValue(b, skipSpace(b, i), depth); err != nil {
			return i, err
		}
		i = skipSpace(b, i)
		if i >= len(b) {
			return i, ErrEnd
		}
		if b[i] == ']' {
			return i + 1, nil
		}
		if b[i] != ',' {
			return i, errToken
		}
		i++
	}
}

func skipLiteral(b []byte, i int, word string) (int, error) {
	for k := range len(word) {
		if i+k >= len(b) {
			return i + k, ErrEnd
		}
		if b[i+k] != word[k] {
			return i + k, errLiteral
		}
	}
	return i + len(word), nil
}

func skipNumber(b []byte, i int) (int, error) {
	if b[i] == '-' {
		i++
	}
	end := skipDigits(b, i)
	if end == i || b[i] == '0' && end > i+1 {
		return numberError(b, i, end)
	}
	i = end
	if i < len(b) && b[i] == '.' {
		if end = skipDigits(b, i+1); end == i+1 {
			return numberError(b, end, end)
		}
		i = end
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if end = skipDigits(b, i); end == i {
			return numberError(b, end, end)
		}
		i = end
	}
	return i, nil
}

func numberError(b []byte, at, end int) (int, error) {
	if end >= len(b) {
		return end, ErrEnd
	}
	return at, errNumber
}

func skipDigits(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}
