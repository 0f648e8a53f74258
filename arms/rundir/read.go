package rundir

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/transcript"
)

// Options control [Read]. The zero value is the documented default of every field.
type Options struct {
	Transcript transcript.Options
	Measure    arms.MeasureOptions
	// Workers is how many runs are read at a time. 0 means as many as there are cores.
	Workers int
	// Progress, unless it is nil, is called after each run with how many are done; never twice at a time.
	Progress func(done, total int)
}

// A RunError says which run could not be read.
type RunError struct {
	Run string // its name
	Err error
}

func (e *RunError) Error() string { return fmt.Sprintf("%s: left out: %v", e.Run, e.Err) }

// Unwrap returns the reason.
func (e *RunError) Unwrap() error { return e.Err }

// Read reads and measures the logs of all arms, several at a time. A run that cannot be read is left out and listed as a
// *[RunError], in the order of the runs; so are those that were not read when ctx ended. All goroutines have ended when it returns.
func Read(ctx context.Context, found []Arm, opts Options) ([]arms.Arm, []error) {
	var jobs []job
	for i, a := range found {
		for _, r := range a.Runs {
			jobs = append(jobs, job{arm: i, run: r})
		}
	}
	p := pool{jobs: jobs, opts: opts}
	p.run(ctx)
	read := make([]arms.Arm, len(found))
	for i, a := range found {
		read[i] = arms.Arm{Label: a.Label, Runs: []arms.Run{}}
	}
	var errs []error
	for _, j := range jobs {
		if j.err != nil {
			errs = append(errs, &RunError{j.run.Name, j.err})
			continue
		}
		j.result.Name, j.result.Task = j.run.Name, j.run.Task
		read[j.arm].Runs = append(read[j.arm].Runs, j.result)
	}
	return read, errs
}

type job struct {
	arm    int
	run    Run
	result arms.Run
	err    error
}

// A pool works off jobs, each by one worker.
type pool struct {
	jobs []job
	opts Options

	mu   sync.Mutex
	next int
	done int
}

func (p *pool) run(ctx context.Context) {
	workers := p.opts.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var wg sync.WaitGroup
	for range min(workers, len(p.jobs)) {
		wg.Go(func() {
			loader := transcript.Loader{Options: p.opts.Transcript}
			for j := p.take(); j != nil; j = p.take() {
				j.do(ctx, &loader, p.opts.Measure)
				p.finished()
			}
		})
	}
	wg.Wait()
}

func (p *pool) take() *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == len(p.jobs) {
		return nil
	}
	p.next++
	return &p.jobs[p.next-1]
}

func (p *pool) finished() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if p.opts.Progress != nil {
		p.opts.Progress(p.done, len(p.jobs))
	}
}

func (j *job) do(ctx context.Context, loader *transcript.Loader, opts arms.MeasureOptions) {
	if j.err = context.Cause(ctx); j.err != nil {
		return
	}
	s, err := loader.ReadFiles(j.run.Files...)
	if err != nil {
		j.err = err
		return
	}
	j.result = arms.Measure(s, opts)
}
