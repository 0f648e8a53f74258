package transcript

import (
	"bytes"
	"errors"

	"github.com/agent-eval/feedback/internal/jsontext"
)

// A batch holds scanned lines until they are folded. It keeps its memory between uses.
type batch struct {
	lines []line
	n     int // lines in use
}

func (b *batch) reset() { b.n = 0 }

func (b *batch) add() *line {
	if b.n == len(b.lines) {
		b.lines = append(b.lines, line{})
	}
	b.n++
	l := &b.lines[b.n-1]
	l.reset()
	return l
}

// scanText scans one line of the log: usually one value, none when it is blank, several when writers
// glued them together. What follows a value that cannot be read is lost with it.
func (b *batch) scanText(text []byte, lineNo int) {
	for i := 0; ; {
		i = skipBlank(text, i)
		if i == len(text) {
			return
		}
		l := b.add()
		end, err := scanLine(l, text, i)
		l.no = lineNo
		if err != nil {
			l.fail(err)
			return
		}
		i = end
	}
}

// fail turns l into a line of which only the reason is known.
func (l *line) fail(err error) {
	no := l.no
	l.reset()
	l.no, l.bad = no, true
	reason := "not JSON: " + err.Error()
	if errors.Is(err, jsontext.ErrEnd) {
		reason = "line is cut off: " + err.Error()
	}
	l.problem(reason)
}

// byteOrderMark may stand at the start of a log, and where logs were concatenated.
const byteOrderMark = "\ufeff"

// skipBlank returns the index of the first byte from i on that is neither white space nor part of a byte order mark.
func skipBlank(text []byte, i int) int {
	for {
		i = len(text) - len(bytes.TrimLeft(text[i:], " \t\r\n"))
		if i == len(text) || text[i] != byteOrderMark[0] || !bytes.HasPrefix(text[i:], []byte(byteOrderMark)) {
			return i
		}
		i += len(byteOrderMark)
	}
}
