package transcript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
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

// A Loader reads one session after the other and keeps its working memory between them, which saves most of the garbage where many
// small logs are read. The sessions share nothing with it. The zero Loader is ready to use; it is not safe for concurrent
// use, so give each goroutine its own.
type Loader struct {
	Options Options

	given   Tools // that matcher was made of
	tools   Tools // given, with defaults
	matcher *toolMatcher
	classes map[string]class
	memory  *memory
}

// memory is what a folder works with and leaves nothing of itself in.
type memory struct {
	workers   [maxWorkers]worker
	rest      []byte // of the source
	scratch   []byte
	intern    interner
	responses responseParser

	requests map[string]*Request // message id → request
	calls    map[string]call     // call id → call
	blocks   blocks
	tree     tree
}

func newMemory() *memory {
	return &memory{requests: make(map[string]*Request), calls: make(map[string]call)}
}

// large is how many requests, calls or lines make their memory too large to be kept for logs that are likely to be smaller.
const large = 4096

// release forgets the session that was read.
func (m *memory) release() {
	m.intern.forget()
	if len(m.requests) > large || len(m.calls) > large || m.tree.n > large {
		m.requests, m.calls = make(map[string]*Request), make(map[string]call)
		m.blocks, m.tree = blocks{}, tree{}
		return
	}
	clear(m.requests)
	clear(m.calls)
	clear(m.blocks.first)
	m.tree.reset()
}

// ReadFiles reads the logs of one session, in turn order. The first that cannot be read, or that holds no
// event, ends it with a [*FileError]. The logs of a session log's subagents are read with it. Without a name it returns an
// empty session.
func (l *Loader) ReadFiles(names ...string) (*Session, error) {
	f, err := l.folder()
	if err != nil {
		return nil, err
	}
	defer l.memory.release()
	for _, name := range names {
		if err := f.readFile(name); err != nil {
			return nil, err
		}
	}
	return f.finish(), nil
}

// Decode reads one log to its end. The name is for positions and messages only.
func (l *Loader) Decode(r io.Reader, name string) (*Session, error) {
	f, err := l.folder()
	if err != nil {
		return nil, err
	}
	defer l.memory.release()
	f.startSegment(name)
	if err := f.readLog(r, name, chunkSize); err != nil {
		return nil, err
	}
	return f.finish(), nil
}

// folder returns a folder for the next session.
func (l *Loader) folder() (*folder, error) {
	opts := l.Options
	if l.matcher == nil || !reflect.DeepEqual(l.given, opts.Tools) {
		m, err := compileTools(opts.Tools)
		if err != nil {
			return nil, err
		}
		l.given, l.tools = opts.Tools.clone(), opts.Tools.clone().WithDefaults()
		l.matcher, l.classes = m, make(map[string]class)
	}
	opts.Tools = l.tools
	f := makeFolder(opts, l.matcher)
	if len(l.classes) < 1000 { // names come from logs
		f.classes = l.classes
	}
	if l.memory == nil {
		l.memory = newMemory()
	}
	f.memory = l.memory
	return f, nil
}

// ReadFiles reads the logs of one session, in turn order, as [Loader.ReadFiles] does.
func ReadFiles(opts Options, names ...string) (*Session, error) {
	l := Loader{Options: opts}
	return l.ReadFiles(names...)
}

// Decode reads one log to its end, as [Loader.Decode] does.
func Decode(r io.Reader, name string, opts Options) (*Session, error) {
	l := Loader{Options: opts}
	return l.Decode(r, name)
}

func (f *folder) readFile(name string) error {
	file, err := os.Open(name)
	if err != nil {
		return &FileError{name, err}
	}
	defer file.Close()
	f.startSegment(name)
	if err := f.readSubagents(name); err != nil {
		return err
	}
	if err := f.readLog(file, name, chunkOf(file)); err != nil {
		return err
	}
	return f.readNeighbours(name)
}

// chunkSize is how much of a log one worker takes at a time, and smallChunk how much of a log that is no larger than that: one worker reads it, and
// touches less memory.
const (
	chunkSize  = 1 << 20
	smallChunk = 128 << 10
)

// chunkOf returns the chunk size for a file.
func chunkOf(file *os.File) int {
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && info.Size() <= chunkSize {
		return smallChunk
	}
	return chunkSize
}

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
	src := &source{r: r, rest: f.rest[:0]}
	first := &f.workers[0]
	if cap(first.buf) < size {
		first.buf = make([]byte, 0, size)
	}
	piece, buf, err := src.next(first.buf, size)
	first.buf = buf
	if err != nil {
		return &FileError{name, err}
	}
	if text := piece[skipBlank(piece, 0):]; len(text) > 0 && isArray(text) {
		return f.readArray(io.MultiReader(bytes.NewReader(piece), bytes.NewReader(src.rest), r), name)
	}
	p := &pipeline{fold: f, src: src, size: size}
	p.turn.L = &p.mu
	p.run(piece)
	if f.rest = src.rest; cap(f.rest) > 4*chunkSize {
		f.rest = nil
	}
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
	size int // of a chunk

	mu     sync.Mutex
	taken  int // chunks that were read
	err    error
	folded int // chunks that were folded
	lines  int // lines in those
	turn   sync.Cond
}

// maxWorkers is how many workers share a large log: more would only wait for their turn to fold.
const maxWorkers = 2

// run works on the log whose first chunk the first worker has read, until it ends. It leaves no goroutine behind.
func (p *pipeline) run(piece []byte) {
	p.taken = 1
	var others sync.WaitGroup
	if !p.src.done && p.size > smallChunk {
		for i := 1; i < min(maxWorkers, runtime.GOMAXPROCS(0)); i++ {
			w := &p.fold.workers[i]
			w.pipeline = p
			others.Go(func() {
				if w.take() {
					w.work()
				}
			})
		}
	}
	w := &p.fold.workers[0]
	w.pipeline, w.chunk, w.seq = p, piece, 0
	w.work()
	others.Wait()
	for i := range p.fold.workers {
		w := &p.fold.workers[i]
		w.pipeline, w.chunk = nil, nil
		if cap(w.buf) > 4*chunkSize { // after a line that long
			w.buf = nil
		}
	}
}

// A worker scans one chunk at a time. It keeps its memory between logs.
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
		w.buf = make([]byte, 0, w.size)
	}
	w.chunk, w.buf, w.err = w.src.next(w.buf, w.size)
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
