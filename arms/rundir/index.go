package rundir

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

const (
	prefix = "run-"
	suffix = ".jsonl"
)

// An index holds the logs of a directory by label. A name that ends in a number stands under both readings, with the number as
// the run's and as the label's end.
type index map[string][]log

func indexOf(names []string) index {
	ix := make(index)
	for _, name := range names {
		stem, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if stem, ok = strings.CutSuffix(stem, suffix); !ok {
			continue
		}
		stem, turn := cutTurn(stem)
		if stem == "" {
			continue
		}
		ix[stem] = append(ix[stem], log{name, stem, -1, turn})
		if at := strings.LastIndexByte(stem, '-'); at > 0 {
			if i, ok := number(stem[at+1:]); ok {
				label := stem[:at]
				ix[label] = append(ix[label], log{name, stem, i, turn})
			}
		}
	}
	return ix
}

// cutTurn cuts .t1, .t2, … off a name. What has none is turn 1.
func cutTurn(stem string) (string, int64) {
	if at := strings.LastIndex(stem, ".t"); at >= 0 {
		if n, ok := number(stem[at+2:]); ok && n > 0 && stem[at+2] != '0' {
			return stem[:at], n
		}
	}
	return stem, 1
}

// asked returns the index as it reads when these labels are asked for: a log that could be of two of them is of the
// longer label.
func (ix index) asked(labels []string) index {
	taken := make(map[string]string) // file → longest label
	for _, label := range labels {
		for _, l := range ix[label] {
			if len(label) > len(taken[l.file]) {
				taken[l.file] = label
			}
		}
	}
	rest := maps.Clone(ix)
	for _, label := range labels {
		rest[label] = slices.DeleteFunc(slices.Clone(ix[label]), func(l log) bool { return taken[l.file] != label })
	}
	return rest
}

// labels returns the labels of a directory as far as names tell: a number at the end is the run's.
func (ix index) labels() (labels []string) {
	for label, logs := range ix {
		if slices.ContainsFunc(logs, func(l log) bool { return l.i >= 0 || !numbered(l) }) {
			labels = append(labels, label)
		}
	}
	slices.Sort(labels)
	return labels
}

// numbered reports whether a log without a number can be read with one.
func numbered(l log) bool {
	at := strings.LastIndexByte(l.run, '-')
	if at <= 0 {
		return false
	}
	_, ok := number(l.run[at+1:])
	return ok
}

// hint says which labels there are.
func (ix index) hint() string {
	if labels := ix.labels(); len(labels) > 0 {
		return fmt.Sprintf("; there are logs of %s", strings.Join(labels, ", "))
	}
	return "; want files like run-<label>-1.jsonl"
}

// byBase makes logs of any files: a run each, unless the name says that it is a later turn. Runs go by what tells them apart: their paths below
// the directory that all of them share.
func byBase(files []string) (logs []log) {
	shared := sharedDir(files)
	for _, file := range files {
		stem, turn := cutTurn(strings.TrimSuffix(filepath.ToSlash(file), suffix))
		logs = append(logs, log{file, strings.TrimPrefix(stem, shared), -1, turn})
	}
	return logs
}

// sharedDir returns the directory that all files are in or below, with its slash.
func sharedDir(files []string) string {
	shared := ""
	for i, file := range files {
		dir := filepath.ToSlash(file)
		dir = dir[:strings.LastIndexByte(dir, '/')+1]
		if i == 0 {
			shared = dir
		}
		for !strings.HasPrefix(dir, shared) {
			shared = shared[:strings.LastIndexByte(strings.TrimSuffix(shared, "/"), '/')+1]
		}
	}
	return shared
}
