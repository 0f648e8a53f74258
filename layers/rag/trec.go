package rag

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-eval/feedback/internal/textutil"
	"github.com/agent-eval/feedback/transcript"
)

// Judgements are the grades of documents by query and document. A grade of 0 or less is not relevant; a document without one was
// not judged, and counts as not relevant.
type Judgements map[string]map[string]int

// Rankings are the documents that were retrieved, by query, best first.
type Rankings map[string][]Scored

// Scored is a retrieved document.
type Scored struct {
	Doc   string  `json:"doc"`
	Score float64 `json:"score"`
}

// ReadJudgements reads TREC qrels: lines of query, iteration, document and grade, apart by white space. A line that is none costs that
// line, and so does a second grade for one document; all errors come joined, each a [transcript.Problem] with file and
// line, beside what could be read. A file without a line is a [*transcript.FileError]: an empty one would be a score of 0 in silence.
func ReadJudgements(r io.Reader, name string) (Judgements, error) {
	read := make(Judgements)
	err := eachLine(r, name, func(fields []string) error {
		if len(fields) != 4 {
			return fmt.Errorf("%s: want query, iteration, document and grade", textutil.Count(len(fields), "field"))
		}
		grade, err := strconv.Atoi(fields[3])
		if err != nil {
			return fmt.Errorf("grade %q: want a whole number", fields[3])
		}
		query, doc := fields[0], fields[2]
		if _, ok := read[query][doc]; ok {
			return fmt.Errorf("query %s has a grade for %s already", textutil.Printable(query, 60), textutil.Printable(doc, 60))
		}
		if read[query] == nil {
			read[query] = make(map[string]int)
		}
		read[query][doc] = grade
		return nil
	})
	return read, err
}

// ReadRankings reads a TREC run: lines of query, Q0, document, rank, score and tag. The rank is not used: the order is that of [Rank].
// Errors are those of [ReadJudgements].
func ReadRankings(r io.Reader, name string) (Rankings, error) {
	read := make(Rankings)
	seen := make(map[[2]string]bool)
	err := eachLine(r, name, func(fields []string) error {
		if len(fields) != 6 {
			return fmt.Errorf("%s: want query, Q0, document, rank, score and tag", textutil.Count(len(fields), "field"))
		}
		score, err := strconv.ParseFloat(fields[4], 64)
		if err != nil || math.IsNaN(score) {
			return fmt.Errorf("score %q: want a number", fields[4])
		}
		query, doc := fields[0], fields[2]
		if seen[[2]string{query, doc}] {
			return fmt.Errorf("query %s has %s already", textutil.Printable(query, 60), textutil.Printable(doc, 60))
		}
		seen[[2]string{query, doc}] = true
		read[query] = append(read[query], Scored{doc, score})
		return nil
	})
	for _, docs := range read {
		Rank(docs)
	}
	return read, err
}

// Rank sorts documents as trec_eval does: by score, the highest first, and equal scores by document id, the last of the alphabet first. So
// where a ranking has ties, its figures follow from the ids and not from the order of a file.
func Rank(docs []Scored) {
	slices.SortFunc(docs, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(b.Doc, a.Doc))
	})
}

var errEmpty = errors.New("no line to read")

// isSpace is the white space of trec_eval, which is ASCII: an id may hold any other.
func isSpace(r rune) bool { return r == ' ' || r >= '\t' && r <= '\r' }

// eachLine reads the fields of each line that has any.
func eachLine(r io.Reader, name string, each func(fields []string) error) error {
	var errs []error
	in := bufio.NewReader(r)
	empty := true
	for no := 1; ; no++ {
		line, err := in.ReadString('\n')
		if no == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if fields := strings.FieldsFunc(line, isSpace); len(fields) > 0 && (err == nil || err == io.EOF) {
			empty = false
			if problem := each(fields); problem != nil {
				errs = append(errs, transcript.Problem{Pos: transcript.Position{File: name, Line: no}, Reason: problem.Error()})
			}
		}
		if err == io.EOF && !empty {
			return errors.Join(errs...)
		}
		if err == io.EOF {
			err = errEmpty
		}
		if err != nil {
			return errors.Join(append(errs, &transcript.FileError{File: name, Err: err})...)
		}
	}
}
