package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/internal/textutil"
)

func call(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(context.Background(), args, &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

// The structure of the page, without its drawings.
func TestTheStructureOfThePage(t *testing.T) {
	code, out, errs := call(t, "-o", "-")
	if code != 0 || errs != "" {
		t.Fatalf("exit %d: %s", code, errs)
	}
	out = strings.Replace(out, style, "", 1)
	out = regexp.MustCompile(`data:image/svg[^"]*`).ReplaceAllString(out, "…")
	golden := filepath.Join("testdata", "page.html")
	if *update {
		if err := os.WriteFile(golden, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out); diff != "" {
		t.Errorf("-%s +output:\n%s", golden, diff)
	}
}

// textOf returns all text under a node.
func textOf(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textOf(c))
	}
	return b.String()
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// tables returns the rows of the tables in each section of a page, by the id of its heading.
func tables(t *testing.T, page string) map[string][][]string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string][][]string)
	section := ""
	for n := range doc.Descendants() {
		switch {
		case n.Type != html.ElementNode:
		case n.Data == "section":
			section = attribute(n, "aria-labelledby")
		case n.Data == "tr":
			var row []string
			for c := range n.ChildNodes() {
				if c.Data == "td" || c.Data == "th" {
					row = append(row, strings.TrimSpace(textOf(c)))
				}
			}
			found[section] = append(found[section], row)
		}
	}
	return found
}

// exampleTable reads the example as the JSON of another command would have it.
func exampleTable(t *testing.T) arms.Table {
	t.Helper()
	f, err := rundir.Find("example", "new", "baseline")
	if err != nil {
		t.Fatal(err)
	}
	var opts rundir.Options
	opts.Measure.Occupancy.Series, opts.Measure.Allocation.Parts = true, true
	read, errs := rundir.Read(context.Background(), f.Arms, opts)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	data, err := json.Marshal(arms.Compare(read, arms.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	var table arms.Table
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

func n(x float64) string { return textutil.Thousands(int(math.Round(x))) }

func TestEveryFigureEqualsTheJSON(t *testing.T) {
	_, page, _ := call(t, "-o", "-")
	got := tables(t, page)
	want := map[string][][]string{
		"window": {}, "files": {}, "actions": {}, "residual": {},
	}
	table := exampleTable(t)
	for _, row := range table.Rows {
		cells := []string{row.Name}
		for i, c := range row.Cells {
			cells = append(cells, c.Text)
			if row.Kind == arms.Rate {
				want["actions"] = append(want["actions"], []string{table.Arms[i].Label, row.Name, fmt.Sprint(*c.Count), fmt.Sprintf("%.0f%%", 100**c.Median),
					fmt.Sprintf("%.0f%%–%.0f%%", 100*c.Interval.Lo, 100*c.Interval.Hi)})
			}
		}
		change := ""
		if row.Compare != nil {
			change = row.Compare.Text
		}
		want["table"] = append(want["table"], append(cells, change))
	}
	for _, a := range table.Arms {
		for _, r := range a.Runs {
			want["residual"] = append(want["residual"], []string{a.Label, r.Name, n(*r.Occupancy.Families.Retrieval.Residual + *r.Occupancy.FileAccess.Residual)})
			for i, p := range r.Occupancy.Series.Points {
				rest := float64(*p.Context) - 18_000 - p.Resident.Total() // the example's first prompt, which is larger in no run
				want["window"] = append(want["window"], []string{r.Name, fmt.Sprint(i + 1), n(float64(*p.Context)), n(p.Resident.Retrieval), n(p.Resident.Read), n(rest)})
			}
			for i, c := range r.Allocation.Calls {
				for _, part := range c.Parts {
					want["files"] = append(want["files"], []string{r.Name, fmt.Sprint(i + 1), part.Path, n(float64(part.Chars)), yes(part.Cited)})
				}
			}
		}
	}
	for i, row := range got["window"] {
		got["window"][i] = []string{row[0], row[1], row[2], row[5], row[6], row[10]}
	}
	for id, rows := range want {
		for _, row := range rows {
			found := false
			for _, g := range got[id] {
				found = found || cmp.Equal(g, row)
			}
			if !found {
				t.Errorf("%s: no row %q in\n%q", id, row, got[id])
			}
		}
		if id != "table" && len(got[id]) != len(rows)+1 {
			t.Errorf("%s: %d rows, want %d and a head", id, len(got[id]), len(rows))
		}
	}
}

func TestPlotsAreWrittenAsFiles(t *testing.T) {
	dir := t.TempDir()
	plots := filepath.Join(dir, "plots")
	code, out, errs := call(t, "-o", filepath.Join(dir, "r.html"), "-plots", plots)
	if code != 0 || out != filepath.Join(dir, "r.html")+": 2 arms, 6 runs\n" {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	entries, err := os.ReadDir(plots)
	if err != nil || len(entries) != 9 {
		t.Fatalf("%v, %v", entries, err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(plots, e.Name()))
		if err != nil || !bytes.Contains(data, []byte("<svg ")) || !bytes.HasSuffix(bytes.TrimSpace(data), []byte("</svg>")) {
			t.Errorf("%s: %v", e.Name(), err)
		}
	}
}

func TestAPageOfManyRunsOpens(t *testing.T) {
	dir := t.TempDir()
	for i := range 2_000 {
		data := exampleRun(i%2 == 0, 1+i%3).Bytes()
		if i == 1_000 {
			data = hostile("odd").Bytes()
		}
		name := fmt.Sprintf("run-%s-%d.jsonl", []string{"new", "baseline"}[i%2], i)
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, page, errs := call(t, "-o", "-", dir)
	if code != 0 || len(page) > 2<<20 {
		t.Fatalf("exit %d, %d bytes: %s", code, len(page), errs)
	}
	for _, want := range []string{"2000 runs", "24 of 2000 runs", "<summary>new-1000 "} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestAPageOfFiles(t *testing.T) {
	code, page, errs := call(t, "-o", "-", "example/run-new-1.jsonl", "example/run-baseline-3.jsonl")
	if code != 0 || !strings.Contains(page, "2 runs") || !strings.Contains(page, "example/run-new-1.jsonl") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestAPageOfACampaign(t *testing.T) {
	dir := t.TempDir()
	for _, repo := range []string{"gin", "<b>tokio"} {
		for i := 1; i <= 2; i++ {
			at := filepath.Join(dir, repo, fmt.Sprintf("run%d", i))
			if err := os.MkdirAll(at, 0o700); err != nil {
				t.Fatal(err)
			}
			for label, fresh := range map[string]bool{"with": true, "without": false} {
				if err := os.WriteFile(filepath.Join(at, "run-"+label+".jsonl"), exampleRun(fresh, i).Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	code, page, errs := call(t, "-o", "-", dir)
	if code != 0 || !strings.Contains(page, "Over all repositories") || !strings.Contains(page, `id="savings"`) || strings.Contains(page, "<b>tokio") {
		t.Errorf("exit %d: %s", code, errs)
	}
}

func TestExitCodes(t *testing.T) {
	empty := t.TempDir()
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-nonsense"}, 2, "usage: report"},
		{[]string{"-h"}, 0, "usage: report"},
		{[]string{"-o", "-", empty}, 1, empty + ": no logs found"},
		{[]string{"-o", "-", filepath.Join(empty, "gone.jsonl")}, 1, "gone.jsonl"},
		{[]string{"-o", filepath.Join(empty, "no", "r.html")}, 1, "r.html"},
		{[]string{"-tools", filepath.Join(empty, "gone.json")}, 1, "gone.json"},
	} {
		code, _, errs := call(t, c.args...)
		if code != c.code || !strings.Contains(errs, c.want) {
			t.Errorf("%q: exit %d, want %d: %s", c.args, code, c.code, errs)
		}
	}
}
