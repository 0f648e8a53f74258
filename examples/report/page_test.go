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
	"github.com/agent-eval/feedback/arms/campaign"
	"github.com/agent-eval/feedback/arms/rundir"
	"github.com/agent-eval/feedback/internal/golden"
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
	golden.Check(t, filepath.Join("testdata", "page.html"), []byte(out), *update)
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
	for _, row := range got["table"] {
		last := len(row) - 1
		row[last] = strings.TrimRight(row[last], " ⁰¹²³⁴⁵⁶⁷⁸⁹")
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
	for _, want := range []string{"2,000 runs", "24 of 2,000 runs, as many of each arm", "<summary>new-1000 ", "<summary>baseline-"} {
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

// What a run's details say equals its JSON.
func TestTheDetailsOfRunsEqualTheJSON(t *testing.T) {
	_, page, _ := call(t, "-o", "-")
	got := tables(t, page)["runs"]
	for _, a := range exampleTable(t).Arms {
		for _, r := range a.Runs {
			var want [][]string
			for _, c := range r.Sufficiency.Calls {
				want = append(want, []string{c.Query, n(float64(c.Files)), n(float64(c.Chars)), c.Next, strings.ReplaceAll(string(c.Bucket), "_", " "), filepath.Base(c.Position.String())})
			}
			for _, f := range r.Allocation.Files {
				via := string(f.Via)
				switch {
				case f.Via == "":
					via = "—"
				case f.Symbol != "":
					via += " " + f.Symbol
				}
				want = append(want, []string{f.Path, n(float64(f.Chars)), fmt.Sprintf("%.1f%%", 100*float64(f.Chars)/float64(r.Allocation.Envelope)), fmt.Sprint(f.Calls), via})
			}
			for _, row := range want {
				found := false
				for _, g := range got {
					if len(g) > 5 {
						g[5] = filepath.Base(g[5])
					}
					found = found || cmp.Equal(g, row)
				}
				if !found {
					t.Errorf("%s: no row %q", r.Name, row)
				}
			}
			for _, figure := range []float64{float64(*r.Occupancy.FinalContext), *r.Occupancy.Families.Retrieval.Residual, float64(*r.ProcessedTokens)} {
				if !strings.Contains(page, "<dd>"+n(figure)+"</dd>") {
					t.Errorf("%s: no %s", r.Name, n(figure))
				}
			}
		}
	}
}

// odd is a table of two arms with something to say of each kind.
func odd(t *testing.T) *arms.Table {
	t.Helper()
	table := exampleTable(t)
	as := table.Arms
	as[0].Runs[0].OK, as[0].Runs[0].Outcomes = false, []string{"error_max_turns"}
	as[0].Runs[1].Model = "another"
	as[1].Runs[0].Contamination.Returned, as[1].Runs[0].Contamination.Attempts = 1, 1
	as[1].Runs[1].Sufficiency.CutOff, as[1].Runs[2].Sufficiency.Errors = 3, 5
	again := arms.Compare(as, arms.Options{})
	return &again
}

func TestTrustComesFirstAndTheWorstFirst(t *testing.T) {
	findings := trust(odd(t), &campaign.Report{LeftOut: []campaign.LeftOut{{Run: "gin/run1/with", Reason: "raced"}}, Warnings: []string{"gin/run2: missing"}})
	var got []string
	for _, f := range findings {
		got = append(got, f.Kind+" "+f.Text)
	}
	for i, want := range []string{"bad baseline is CONTAMINATED", "bad More than the treatment differs: model", "bad new: 1 did not end in success", "bad baseline: 3 calls after which the log ends",
		"bad baseline: 5 calls that failed or never", "bad baseline: 1 calls of the CLI", "bad left out: gin/run1/with, raced", "bad gin/run2: missing", "unknown Not in these logs"} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Fatalf("%d: want %q in\n%s", i, want, strings.Join(got, "\n"))
		}
	}
	if r := build(odd(t), nil, "").Runs[0]; !strings.HasPrefix(r.Outcome, "did not end well: error_max_turns") {
		t.Errorf("%q", r.Outcome)
	}
	if r := build(odd(t), nil, "").Runs[2]; r.Outcome != "ended well" {
		t.Errorf("%q", r.Outcome)
	}
}

// Of 100 runs an arm, 12 are shown: the odd one, and the 11 slowest, in their order.
func TestOfManyRunsTheOddAndTheSlowestOfEachArmAreShown(t *testing.T) {
	example := exampleTable(t).Arms[0].Runs[0]
	var as []arms.Arm
	for _, label := range []string{"a", "b"} {
		a := arms.Arm{Label: label}
		for i := range 100 {
			r := example
			r.Name, r.DurationS = fmt.Sprintf("%s-%d", label, i), new(float64(i))
			r.Raced = i == 5
			a.Runs = append(a.Runs, r)
		}
		as = append(as, a)
	}
	table := arms.Compare(as, arms.Options{})
	var got []string
	for _, r := range pick(&table) {
		got = append(got, r.Name)
	}
	if len(got) != 24 || got[0] != "a-5" || got[1] != "a-89" || got[11] != "a-99" || got[12] != "b-5" {
		t.Errorf("%q", got)
	}
}

// Half the time is −50 %, and left of the line.
func TestSavings(t *testing.T) {
	m := campaign.Measure{Name: "time", Unit: arms.Seconds, With: new(10.0), Without: new(20.0), Saved: new(0.5)}
	pic := savings(&campaign.Report{With: "with", Without: "without", Repos: []campaign.Repo{{Name: "gin", Measures: []campaign.Measure{m}}}})
	if diff := cmp.Diff([][]string{{"gin", "time (s)", "10", "20", "-50%"}}, pic.Figures.Rows); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(pic.Images[0].Alt, "gin, time: -50%") {
		t.Errorf("%q", pic.Images[0].Alt)
	}
}
