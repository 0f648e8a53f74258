package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// ErrNoEvents says that an input holds nothing that is an event of a known log format.
var ErrNoEvents = errors.New("no transcript events")

// A FileError is an input that could not be read at all. Match its cause with errors.Is.
type FileError struct {
	File string
	Err  error
}

// Error returns file: cause.
func (e *FileError) Error() string {
	err := e.Err
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		err = pe.Err
	}
	return fmt.Sprintf("%s: %v", e.File, err)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// A Decoder reads a log event by event, as they arrive: it can follow a run that is still writing. It is
// not safe for concurrent use.
type Decoder struct {
	fold   *folder
	r      *bufio.Reader
	name   string
	lineNo int
	queue  []Event
	line   line
	err    error
}

// NewDecoder returns a decoder of the log that r yields. The name is for positions and messages only.
func NewDecoder(r io.Reader, name string, opts Options) *Decoder {
	d := &Decoder{}
	d.fold, d.err = newFolder(opts)
	if d.err == nil {
		d.Append(r, name)
	}
	return d
}

// Append continues the session with its next log, once Next has returned io.EOF for the one before.
func (d *Decoder) Append(r io.Reader, name string) {
	d.r = bufio.NewReader(r)
	d.name, d.lineNo, d.err = name, 0, nil
	d.fold.startSegment(name)
}

// Next returns the next event, and io.EOF after the last. A log without a single event ends with an error that
// is [ErrNoEvents] instead. Lines that cannot be used are no errors: they are in the session's report.
func (d *Decoder) Next() (Event, error) {
	for len(d.queue) == 0 {
		if d.err != nil {
			return nil, d.err
		}
		d.read()
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
			if err == io.EOF {
				return
			}
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}

// Session returns the session as far as it was read. The decoder goes on changing it.
func (d *Decoder) Session() *Session { return d.fold.session }

func (d *Decoder) read() {
	data, err := d.r.ReadBytes('\n')
	if len(data) > 0 {
		d.lineNo++
		data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
		if len(data) > 0 {
			if err := slowScan(&d.line, data); err != nil {
				d.fold.problem(d.lineNo, err.Error())
			} else {
				d.fold.add(&d.line, d.lineNo)
			}
		}
	}
	if err == io.EOF && d.fold.events == 0 {
		err = ErrNoEvents
	}
	if err != nil && err != io.EOF {
		err = &FileError{d.name, err}
	}
	d.err = err
	d.queue, d.fold.emitted = d.fold.emitted, nil
}

// Decode reads one log to its end.
func Decode(r io.Reader, name string, opts Options) (*Session, error) {
	d := NewDecoder(r, name, opts)
	for _, err := range d.All() {
		if err != nil {
			return nil, err
		}
	}
	return d.Session(), nil
}

// ReadFiles reads the logs of one session, in turn order. The first that cannot be read or holds no
// event ends it with a [*FileError].
func ReadFiles(opts Options, names ...string) (*Session, error) {
	var d *Decoder
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, &FileError{name, err}
		}
		defer f.Close()
		if d == nil {
			d = NewDecoder(f, name, opts)
		} else {
			d.Append(f, name)
		}
		for _, err := range d.All() {
			if err != nil {
				return nil, err
			}
		}
	}
	return d.Session(), nil
}
