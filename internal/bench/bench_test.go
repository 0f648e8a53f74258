// Package bench holds the benchmarks of reading and measuring whole logs, and the baselines that they are compared with. Run
// them with go test -bench . ./internal/bench
package bench

import (
	"bufio"
	"bytes"
	stdjson "encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	json "github.com/goccy/go-json"

	"github.com/agent-eval/feedback/allocation"
	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/contamination"
	"github.com/agent-eval/feedback/internal/loggen"
	"github.com/agent-eval/feedback/occupancy"
	"github.com/agent-eval/feedback/sufficiency"
	"github.com/agent-eval/feedback/transcript"
)

var (
	size = flag.Int64("size", 50_000_000, "bytes of the log")
	many = flag.Int("many", 200, "number of logs of 250 KB")
)

func logFile(b *testing.B, bytes int64, seed uint64) string {
	b.Helper()
	name := filepath.Join(b.TempDir(), fmt.Sprintf("run-%d.jsonl", seed))
	f, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := loggen.Write(f, loggen.Options{Seed: seed, Bytes: bytes}); err != nil {
		b.Fatal(err)
	}
	return name
}

// each runs do on one log, and reports its speed.
func each(b *testing.B, do func(name string) error) {
	name := logFile(b, *size, 1)
	info, err := os.Stat(name)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	b.ReportAllocs()
	for b.Loop() {
		if err := do(name); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	each(b, func(name string) error {
		_, err := transcript.ReadFiles(transcript.Options{}, name)
		return err
	})
}

func BenchmarkDecoder(b *testing.B) {
	each(b, func(name string) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		for _, err := range transcript.NewDecoder(f, name, transcript.Options{}).All() {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func BenchmarkReadAndMeasure(b *testing.B) {
	each(b, func(name string) error {
		s, err := transcript.ReadFiles(transcript.Options{}, name)
		if err != nil {
			return err
		}
		arms.Measure(s, arms.MeasureOptions{})
		return nil
	})
}

func BenchmarkMetric(b *testing.B) {
	s, err := transcript.ReadFiles(transcript.Options{}, logFile(b, *size, 1))
	if err != nil {
		b.Fatal(err)
	}
	for name, analyze := range map[string]func(){
		"occupancy":     func() { occupancy.Analyze(s, occupancy.Options{}) },
		"sufficiency":   func() { sufficiency.Analyze(s, sufficiency.Options{}) },
		"allocation":    func() { allocation.Analyze(s, allocation.Options{}) },
		"contamination": func() { contamination.Analyze(s, contamination.Options{}) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(*size)
			b.ReportAllocs()
			for b.Loop() {
				analyze()
			}
		})
	}
}

// BenchmarkManyLogs reads and measures logs of 250 KB, one per core at a time, and collects as seldom as the commands that read many.
func BenchmarkManyLogs(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	names := make([]string, *many)
	total := int64(0)
	for i := range names {
		names[i] = logFile(b, 250_000, uint64(i))
		if info, err := os.Stat(names[i]); err == nil {
			total += info.Size()
		}
	}
	b.SetBytes(total)
	b.ReportAllocs()
	for b.Loop() {
		next := make(chan string)
		var workers sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				var l transcript.Loader
				for name := range next {
					s, err := l.ReadFiles(name)
					if err != nil {
						b.Error(err)
						continue
					}
					arms.Measure(s, arms.MeasureOptions{})
				}
			})
		}
		for _, n := range names {
			next <- n
		}
		close(next)
		workers.Wait()
	}
}

// BenchmarkLineCount is what wc -l does, the floor for anything that looks at every byte.
func BenchmarkLineCount(b *testing.B) {
	each(b, func(name string) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		buf := make([]byte, 1<<20)
		for {
			n, err := f.Read(buf)
			bytes.Count(buf[:n], []byte{'\n'})
			if err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	})
}

// An event is a whole line as structs: what a reader without a scanner of its own would decode.
type event struct {
	Type            string  `json:"type"`
	Subtype         string  `json:"subtype"`
	UUID            string  `json:"uuid"`
	SessionID       string  `json:"session_id"`
	ParentToolUseID *string `json:"parent_tool_use_id"`
	Message         *struct {
		ID         string             `json:"id"`
		Model      string             `json:"model"`
		StopReason *string            `json:"stop_reason"`
		Content    stdjson.RawMessage `json:"content"`
		Usage      *struct {
			Input         int `json:"input_tokens"`
			CacheCreation int `json:"cache_creation_input_tokens"`
			CacheRead     int `json:"cache_read_input_tokens"`
			Output        int `json:"output_tokens"`
		} `json:"usage"`
	} `json:"message"`
	ToolUseResult any `json:"tool_use_result"`
}

type contentBlock struct {
	Type      string         `json:"type"`
	Text      string         `json:"text"`
	Thinking  string         `json:"thinking"`
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Input     map[string]any `json:"input"`
	ToolUseID string         `json:"tool_use_id"`
	IsError   bool           `json:"is_error"`
	Content   any            `json:"content"`
}

func decodeAll(name string, unmarshal func([]byte, any) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if err := unmarshal(line, &e); err != nil {
				return err
			}
			if e.Message != nil {
				var blocks []contentBlock
				if err := unmarshal(e.Message.Content, &blocks); err != nil {
					return err
				}
			}
		}
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func BenchmarkGoJSONStructs(b *testing.B) {
	each(b, func(name string) error {
		return decodeAll(name, func(data []byte, v any) error { return json.Unmarshal(data, v) })
	})
}

func BenchmarkEncodingJSONStructs(b *testing.B) {
	each(b, func(name string) error { return decodeAll(name, stdjson.Unmarshal) })
}
