package transcript

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/agent-eval/feedback/internal/jsontext"
)

// A Decoder reads a log event by event, as they arrive: it can follow a run that is still writing through a pipe, such as the standard output of
// the client. A file that grows looks ended at its end: give the decoder a reader that waits there for more. The
// events and the session are its own until the end; a caller must not change them. It is not safe for concurrent use.
type Decoder struct {
	fold  *folder
	name  string
	src   source
	buf   []byte // read buffer
	text  []byte // what is left of the current piece
	line  int    // lines that were taken from the input
	mode  mode
	batch batch
	queue []Event
	err   error
}

// mode is how values are separated in a log.
type mode uint8

const (
	modeStart mode = iota // not known yet
	modeLines             // one value a line
	modeArray             // elements of one array
)

// NewDecoder returns a decoder of the log that r yields. The name is for positions and messages only. Options
// that are not valid are an error of the first call of Next.
func NewDecoder(r io.Reader, name string, opts Options) *Decoder {
	d := new(Decoder)
	d.fold, d.err = newFolder(opts)
	if d.err == nil {
		d.Append(r, name)
	}
	return d
}

// Append continues the session with its next log, once Next has returned io.EOF for the one before.
func (d *Decoder) Append(r io.Reader, name string) {
	if d.fold == nil {
		return
	}
	d.name, d.src, d.text = name, source{r: r}, nil
	d.line, d.mode, d.err = 0, modeStart, nil
	d.fold.startSegment(name)
}

// Next returns the next event, and io.EOF after the last. A log without a single event ends with a [*FileError] that
// wraps [ErrNoEvents] instead, and one that cannot be read further with the cause. Lines that cannot be used are no
// errors: they are in the session's report. After an error Next returns it again.
func (d *Decoder) Next() (Event, error) {
	for len(d.queue) == 0 {
		if d.fold == nil && d.err == nil {
			d.err = errors.New("transcript: a Decoder that NewDecoder did not make")
		}
		if d.err != nil {
			return nil, d.err
		}
		switch d.err = d.read(); {
		case d.err == io.EOF && d.fold.events == 0:
			d.err = &FileError{d.name, ErrNoEvents}
		case d.err != nil && d.err != io.EOF:
			d.err = &FileError{d.name, d.err}
		}
	}
	ev := d.queue[0]
	d.queue = d.queue[1:]
	return ev, nil
}

// All iterates over the events that Next returns, up to the end of the log. An error is the last pair.
func (d *Decoder) All() iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for {
			ev, err := d.Next()
			if err == io.EOF || !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

// Session returns the session as far as it was read, nil when the options were not valid. The decoder goes
// on changing it.
func (d *Decoder) Session() *Session {
	if d.fold == nil {
		return nil
	}
	return d.fold.finish()
}

// read folds the next line or element, and queues its events. The error is that of the input; io.EOF is its end.
func (d *Decoder) read() error {
	d.batch.reset()
	var err error
	if d.mode == modeStart {
		err = d.start()
	}
	switch {
	case err != nil || d.mode == modeStart:
	case d.mode == modeArray:
		err = d.readElement()
	default:
		err = d.readLine()
	}
	d.fold.emitted = d.fold.emitted[:0]
	d.fold.addBatch(&d.batch, 0)
	d.queue = d.fold.emitted
	return err
}

// fill reads the next piece once the current one is used up.
func (d *Decoder) fill() (err error) {
	if len(d.text) > 0 {
		return nil
	}
	if d.text, d.buf, err = d.src.next(d.buf, 1); err == nil && len(d.text) == 0 {
		err = io.EOF
	}
	return err
}

// start looks at the first character of the log that is no white space.
func (d *Decoder) start() error {
	if err := d.fill(); err != nil {
		return err
	}
	start := skipBlank(d.text, 0)
	blank, rest := d.text[:start], d.text[start:]
	d.line += bytes.Count(blank, []byte{'\n'})
	switch {
	case len(rest) == 0: // blank so far
		d.text = nil
	case isArray(rest):
		d.mode, d.text = modeArray, rest[1:]
	default:
		d.mode, d.text = modeLines, d.text[bytes.LastIndexByte(blank, '\n')+1:]
	}
	return nil
}

// isArray reports whether text, which starts a log, opens an array of objects rather than a line such as "[INFO] …". Its
// first line decides.
func isArray(text []byte) bool {
	if text[0] != '[' {
		return false
	}
	line, _, _ := bytes.Cut(text[1:], []byte{'\n'})
	line = bytes.TrimLeft(line, " \t\r")
	return len(line) == 0 || line[0] == '{' || line[0] == ']'
}

func (d *Decoder) readLine() error {
	if err := d.fill(); err != nil {
		return err
	}
	d.line++
	text, rest, _ := bytes.Cut(d.text, []byte{'\n'})
	d.text = rest
	d.batch.scanText(text, d.line)
	return nil
}

// readElement scans the next element of an array. One that cannot be read costs what stands before the next that can, be it
// an element or a line.
func (d *Decoder) readElement() error {
	for {
		d.skipSeparators()
		if len(d.text) == 0 {
			if err := d.fill(); err != nil {
				l := d.batch.add()
				l.no = d.line + 1
				l.fail(jsontext.ErrEnd)
				return err
			}
			continue
		}
		if d.text[0] == ']' {
			d.text, d.mode = d.text[1:], modeLines
			return nil
		}
		l := d.batch.add()
		end, err := scanLine(l, d.text, 0)
		if errors.Is(err, jsontext.ErrEnd) && !d.src.done {
			d.batch.reset()
			if err := d.extend(); err != nil {
				return err
			}
			continue
		}
		l.no = d.line + 1
		if err != nil {
			l.fail(err)
			return d.resume(err)
		}
		d.line += bytes.Count(d.text[:end], []byte{'\n'})
		d.text = d.text[end:]
		return nil
	}
}

func (d *Decoder) skipSeparators() {
	for len(d.text) > 0 {
		switch d.text[0] {
		case '\n':
			d.line++
		case ' ', '\t', '\r', ',':
		default:
			return
		}
		d.text = d.text[1:]
	}
}

// resume goes on where the next element begins, after one that cannot be read because of err.
func (d *Decoder) resume(err error) error {
	for from := max(1, errorOffset(err)-nearby); ; from = 0 {
		i, found := d.nextElement(from)
		if !found && d.src.done {
			if bytes.HasSuffix(bytes.TrimRight(d.text, " \t\r\n"), []byte{']'}) {
				d.mode = modeLines
			}
			i = len(d.text)
		}
		d.line += bytes.Count(d.text[:i], []byte{'\n'})
		d.text = d.text[i:]
		if found || d.src.done {
			return nil
		}
		if err := d.extend(); err != nil {
			return err
		}
	}
}

// nearby is how many bytes before an error the next element may begin: a string that is not closed swallows its first quote.
const nearby = 64

// errorOffset returns where the text is wrong, 0 when it only ends too early.
func errorOffset(err error) int {
	if e, ok := errors.AsType[*jsontext.SyntaxError](err); ok && !errors.Is(err, jsontext.ErrEnd) {
		return e.Offset
	}
	return 0
}

// nextElement returns where an element begins, from an index on: an object of a known type, after what may stand before an element. Without one it
// returns how much of the text nobody has to look at again.
func (d *Decoder) nextElement(from int) (at int, found bool) {
	var l line
	for i := from; i < len(d.text); i++ {
		n := bytes.IndexByte(d.text[i:], '{')
		if n < 0 {
			break
		}
		i += n
		before := bytes.TrimRight(d.text[:i], " \t\r")
		if len(before) == 0 || bytes.IndexByte([]byte(",[]{}\n"), before[len(before)-1]) < 0 {
			continue
		}
		l.reset()
		end, err := scanLine(&l, d.text, i)
		switch {
		case err == nil && knownType(string(l.typ.Raw)):
			return i, true
		case err == nil:
			i = end - 1
		case errors.Is(err, jsontext.ErrEnd) && !d.src.done:
			return max(i-nearby, 0), false
		case errors.Is(err, jsontext.ErrEnd): // it may hold a whole line
			if n = bytes.IndexByte(d.text[i:], '\n'); n < 0 {
				return len(d.text), false
			}
			i += n
		default:
			i = max(i, errorOffset(err)-nearby)
		}
	}
	return max(len(d.text)-nearby, 0), false
}

// extend reads as much again as there is, after what is left of the current piece.
func (d *Decoder) extend() error {
	left := len(d.text)
	d.src.rest = append(bytes.Clone(d.text), d.src.rest...)
	var err error
	d.text, d.buf, err = d.src.next(d.buf, 2*left)
	return err
}
