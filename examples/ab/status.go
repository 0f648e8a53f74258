package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/agent-eval/feedback/internal/harness"
	"github.com/agent-eval/feedback/internal/textutil"
)

// A statusLine says what the harness is doing: on a terminal in one line that is written again every second, elsewhere a line for each run
// that has ended. A terminal's own progress bar would say how many, but not what or since when.
type statusLine struct {
	w        io.Writer
	terminal bool

	mu    sync.Mutex
	last  harness.Progress
	since time.Time
	end   chan struct{}
	ended chan struct{}
}

func newStatusLine(w io.Writer) *statusLine {
	l := &statusLine{w: w, end: make(chan struct{}), ended: make(chan struct{})}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		l.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	if !l.terminal {
		close(l.ended)
		return l
	}
	go func() {
		defer close(l.ended)
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				l.mu.Lock()
				l.draw()
				l.mu.Unlock()
			case <-l.end:
				return
			}
		}
	}()
	return l
}

// show is told what happens.
func (l *statusLine) show(p harness.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case p.Warning != "":
		l.clear()
		fmt.Fprintln(l.w, "warning:", textutil.Printable(p.Warning, 400))
	case p.Phase == "":
		l.clear()
		l.last = p
		text := string(p.Run.Status)
		if p.Run.Reason != "" {
			text += ": " + p.Run.Reason
		}
		fmt.Fprintf(l.w, "[%d/%d] %s %s\n", p.Done, p.Total, p.Job, textutil.Printable(text, 400))
	case p.Job != l.last.Job || p.Phase != l.last.Phase:
		l.since = time.Now()
		l.last = p
		l.draw()
	}
}

// draw writes the line, if there is a terminal to write it on.
func (l *statusLine) draw() {
	if !l.terminal || l.last.Phase == "" {
		return
	}
	text := fmt.Sprintf("[%d/%d] %s %s %v", l.last.Done, l.last.Total, l.last.Job, l.last.Phase, time.Since(l.since).Truncate(time.Second))
	fmt.Fprintf(l.w, "\r\x1b[K%s", textutil.Printable(text, 100))
}

func (l *statusLine) clear() {
	if l.terminal {
		fmt.Fprint(l.w, "\r\x1b[K")
	}
}

// stop takes the line away.
func (l *statusLine) stop() {
	close(l.end)
	<-l.ended
	l.clear()
}
