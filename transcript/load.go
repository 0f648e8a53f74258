package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
)

// ErrNoEvents says that an input holds nothing that is an event of a known log format.
var ErrNoEvents = errors.New("no transcript events")

// A FileError is an input that could not be read at all. Match its cause with errors.Is.
type FileError struct {
	File string // as given to the reader
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

// ReadFiles reads the logs of one session, in turn order. The first that cannot be read, or that holds no
// event, ends it with a [*FileError]. Without a name it returns an empty session.
func ReadFiles(opts Options, names ...string) (*Session, error) {
	f, err := newFolder(opts)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := f.readFile(name); err != nil {
			return nil, err
		}
	}
	return f.finish(), nil
}

// Decode reads one log to its end. The name is for positions and messages only.
func Decode(r io.Reader, name string, opts Options) (*Session, error) {
	f, err := newFolder(opts)
	if err != nil {
		return nil, err
	}
	f.startSegment(name)
	if err := f.readLog(r, name, chunkSize); err != nil {
		return nil, err
	}
	return f.finish(), nil
}

func (f *folder) readFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return &FileError{name, err}
	}
	defer file.Close()
	size := chunkSize
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		size = int(min(info.Size()+1, chunkSize))
	}
	f.startSegment(name)
	if err := f.readSubagents(name); err != nil {
		return err
	}
	if err := f.readLog(file, name, size); err != nil {
		return err
	}
	return f.readNeighbours(name)
}

// chunkSize is how much of a log one worker takes at a time.
const chunkSize = 1 << 20

// batchSize is how many lines a worker scans before it folds them. It bounds memory when lines are short.
const batchSize = 256

// readLog reads the log of the current segment, which must hold an event.
func (f *folder) readLog(r io.Reader, name string, size int) error {
	if err := f.readLines(r, name, size); err != nil {
		return err
	}
	if f.events == 0 {
		return &FileError{name, ErrNoEvents}
	}
	return nil
}

// readLines folds a whole log.
func (f *folder) readLines(r io.Reader, name string, size int) error {
	f.emitted, f.quiet = nil, true
	src := &source{r: r}
	piece, buf, err := src.next(make([]byte, 0, size), size)
	if err != nil {
		return &FileError{name, err}
	}
	piece = bytes.TrimPrefix(piece, byteOrderMark)
	if text := bytes.TrimLeft(piece, " \t\r\n"); len(text) > 0 && isArray(text) {
		return f.readArray(io.MultiReader(bytes.NewReader(piece), bytes.NewReader(src.rest), r), name)
	}
	p := &pipeline{fold: f, src: src}
	p.turn.L = &p.mu
	p.run(piece, buf)
	if p.err != nil {
		return &FileError{name, p.err}
	}
	return nil
}

// readArray reads a log that is one array, whose elements have to be cut one after the other.
func (f *folder) readArray(r io.Reader, name string) error {
	d := &Decoder{fold: f, name: name, src: source{r: r}}
	for {
		if err := d.read(); err == io.EOF {
			return nil
		} else if err != nil {
			return &FileError{name, err}
		}
	}
}

// A pipeline scans the chunks of a log on several workers and folds them in order.
type pipeline struct {
	fold *folder
	src  *source

	mu     sync.Mutex
	taken  int // chunks that were read
	err    error
	folded int // chunks that were folded
	lines  int // lines in those
	turn   sync.Cond
}

// run works on the log whose first chunk is given, until it ends. It leaves no goroutine behind.
func (p *pipeline) run(piece, buf []byte) {
	p.taken = 1
	var others sync.WaitGroup
	if !p.src.done {
		for range min(2, runtime.GOMAXPROCS(0)) - 1 {
			others.Go(func() {
				w := worker{pipeline: p}
				if w.take() {
					w.work()
				}
			})
		}
	}
	w := worker{pipeline: p, buf: buf, chunk: piece, seq: 0}
	w.work()
	others.Wait()
}

// A worker scans one chunk at a time.
type worker struct {
	*pipeline
	buf, chunk []byte
	seq        int // number of the chunk
	batch      batch
	line       int // lines of the chunk so far
}

func (w *worker) work() {
	for {
		w.scan()
		if !w.take() {
			return
		}
	}
}

// take reads the next chunk. It reports false when there is none.
func (w *worker) take() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return false
	}
	if w.buf == nil {
		w.buf = make([]byte, 0, chunkSize)
	}
	w.chunk, w.buf, w.err = w.src.next(w.buf, chunkSize)
	if w.err != nil || len(w.chunk) == 0 {
		return false
	}
	w.seq = w.taken
	w.taken++
	return true
}

// scan scans the chunk's lines and folds them when the chunk's turn has come.
func (w *worker) scan() {
	w.line = 0
	base := -1
	for text := w.chunk; len(text) > 0; {
		var one []byte
		one, text, _ = bytes.Cut(text, []byte{'\n'})
		w.line++
		w.batch.scanText(one, w.line)
		if w.batch.n >= batchSize {
			base = w.await(base)
			w.fold.addBatch(&w.batch, base)
			w.batch.reset()
		}
	}
	base = w.await(base)
	w.fold.addBatch(&w.batch, base)
	w.batch.reset()
	w.mu.Lock()
	w.folded++
	w.lines = base + w.line
	w.mu.Unlock()
	w.turn.Broadcast()
}

// await waits until all chunks before this one are folded and returns how many lines they had; base is what
// an earlier call returned, or -1.
func (w *worker) await(base int) int {
	if base >= 0 {
		return base
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.folded != w.seq {
		w.turn.Wait()
	}
	return w.lines
}
