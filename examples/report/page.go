package main

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/arms/campaign"
	"github.com/agent-eval/feedback/internal/textutil"
)

var (
	//go:embed page.html
	pageTemplate string
	//go:embed page.css
	style string
)

// A Page is what the template writes. All texts in it are cut and printable; the template escapes them.
type Page struct {
	Title    string
	Style    template.CSS
	Policy   string
	Trust    []Finding
	Table    TableView
	Campaign []string // averages, a sentence each
	Pictures []Picture
	Runs     []RunView
	Total    int // runs there are
	Note     string
}

// A Finding is something that says how far the page can be trusted.
type Finding struct {
	Kind string // bad, good or unknown, which are classes of the style sheet
	Text string
	More []string
}

const (
	bad     = "bad"
	good    = "good"
	unknown = "unknown"
)

// A shown is a run whose details are on the page.
type shown struct {
	*arms.Run
	Arm  string
	Name string // printable, short, and apart from others as far as that goes
}

// maxShown is how many runs are shown in detail.
const maxShown = 24

// build makes the page of a table, and of a campaign if it is not nil.
func build(t *arms.Table, c *campaign.Report, note string) *Page {
	runs := pick(t)
	p := &Page{
		Title: cmp.Or(short(t.Title, 100), "runs"), Style: template.CSS(style), Policy: policy(), Note: note,
		Trust: trust(t, c), Table: view(t),
	}
	for _, a := range t.Arms {
		p.Total += len(a.Runs)
	}
	part := ""
	if len(runs) < p.Total {
		part = fmt.Sprintf(" These are %d of %s runs, as many of each arm: those with something odd, then the slowest.", len(runs), textutil.Thousands(p.Total))
	}
	pictures := []Picture{windows(t.Tool, runs, part), residuals(t), actions(t), files(runs, part)}
	if c != nil {
		pictures = append([]Picture{savings(c)}, pictures...)
		for _, a := range c.Averages {
			p.Campaign = append(p.Campaign, a.Text())
		}
	}
	for _, pic := range pictures {
		if len(pic.Images) > 0 {
			p.Pictures = append(p.Pictures, pic)
		}
	}
	for _, r := range runs {
		p.Runs = append(p.Runs, detail(r))
	}
	return p
}

// policy forbids everything but what the page has: its style sheet, by its hash, and drawings inside of it.
func policy() string {
	hash := sha256.Sum256([]byte(style))
	return "default-src 'none'; img-src data:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'"
}

// pick returns the runs to be shown: all of them if they are few, else of each arm as many, the odd ones first, then the slowest, in their
// order.
func pick(t *arms.Table) (picked []shown) {
	total := 0
	for _, a := range t.Arms {
		total += len(a.Runs)
	}
	for i := range t.Arms {
		a := &t.Arms[i]
		order := make([]int, len(a.Runs))
		for j := range order {
			order[j] = j
		}
		if total > maxShown {
			slices.SortStableFunc(order, func(x, y int) int {
				r, s := &a.Runs[x], &a.Runs[y]
				return cmp.Or(cmp.Compare(oddity(s), oddity(r)), cmp.Compare(seconds(s), seconds(r)))
			})
			order = order[:min(len(order), max(1, maxShown/len(t.Arms)))]
			slices.Sort(order)
		}
		for _, j := range order {
			picked = append(picked, shown{&a.Runs[j], short(a.Label, 60), cmp.Or(a.Runs[j].Name, fmt.Sprintf("%s-%d", a.Label, j+1))})
		}
	}
	names := make([]string, len(picked))
	for i, r := range picked {
		names[i] = r.Name
	}
	for i, name := range textutil.Apart(names, 40) {
		picked[i].Name = name
	}
	return picked
}

// oddity counts what is odd about a run.
func oddity(r *arms.Run) (n int) {
	for _, odd := range []bool{
		r.Contamination.Attempts > 0, r.Raced, !r.OK, r.Occupancy.Families.Retrieval.Residual == nil, len(r.Problems) > 0, !r.Occupancy.Calibrated,
		r.Sufficiency.CutOff > 0, r.Sufficiency.Errors > 0, r.Occupancy.Compactions > 0,
	} {
		if odd {
			n++
		}
	}
	return n
}

func seconds(r *arms.Run) float64 {
	if r.DurationS == nil {
		return 0
	}
	return *r.DurationS
}

// trust says first what makes the figures believable or not, the worst first.
func trust(t *arms.Table, c *campaign.Report) []Finding {
	var contaminated, others []Finding
	for _, w := range t.Warnings {
		f := Finding{Kind: bad, Text: short(w, 1200)}
		if strings.Contains(w, "CONTAMINATED") {
			contaminated = append(contaminated, f)
		} else {
			others = append(others, f)
		}
	}
	findings := append(contaminated, differences(t)...)
	findings = append(findings, counted(t)...)
	findings = append(findings, others...)
	if c != nil {
		for _, l := range c.LeftOut {
			findings = append(findings, Finding{Kind: bad, Text: "left out: " + short(l.Run, 200) + ", " + l.Reason})
		}
		for _, w := range c.Warnings {
			findings = append(findings, Finding{Kind: bad, Text: short(w, 400)})
		}
	}
	if len(findings) == 0 {
		findings = append(findings, Finding{Kind: good, Text: "Nothing speaks against these runs: none reached the tool by a back door, all were measured, and the logs show no difference beside the treatment."})
	}
	if len(t.Unchecked) > 0 {
		f := Finding{Kind: unknown, Text: "Not in these logs, so nobody knows whether it differs:"}
		for _, u := range t.Unchecked {
			f.More = append(f.More, string(u))
		}
		findings = append(findings, f)
	}
	return findings
}

func differences(t *arms.Table) (findings []Finding) {
	for _, d := range t.Differences {
		f := Finding{Kind: bad, Text: "More than the treatment differs: " + string(d.Fact)}
		for _, v := range d.Values {
			f.More = append(f.More, cmp.Or(short(v.Text, 160), "none beyond what all have")+" in "+short(strings.Join(v.Runs, ", "), 400))
		}
		findings = append(findings, f)
	}
	return findings
}

// counted says which of the suspicious rows are not 0.
func counted(t *arms.Table) (findings []Finding) {
	for _, row := range t.Rows {
		if row.Kind != arms.Sum || suspicious[row.Name] == "" {
			continue
		}
		for i, cell := range row.Cells {
			if cell.Median != nil && *cell.Median > 0 {
				findings = append(findings, Finding{Kind: bad, Text: fmt.Sprintf("%s: %s %s", short(t.Arms[i].Label, 60), cell.Text, suspicious[row.Name])})
			}
		}
	}
	return findings
}

// suspicious are the rows that speak against the runs when they are not 0, and what they count.
var suspicious = map[string]string{
	"of which non-success":                "did not end in success",
	"cold-start races":                    "lost a cold start: the server was not there",
	"unmeasured runs":                     "have a window that was not measured",
	"runs with unmeasured requests":       "have requests without usage",
	"runs with an uncalibrated ratio":     "have estimated token figures: nothing in them calibrates characters per token",
	"cut off (not bucketed)":              "calls after which the log ends, so in no bucket",
	"errored/unanswered (not bucketed)":   "calls that failed or never returned, so in no bucket",
	"runs without an answer":              "gave no answer, so their characters are in no efficiency",
	"CLI calls that RETURNED output":      "calls of the CLI through the shell returned output",
	"CLI attempts, result not in the log": "attempts to run the CLI whose result is not in the log",
}

// A TableView is the arm table.
type TableView struct {
	Head     []string
	Change   string // title of the last column
	Sections []SectionView
	Notes    []string
}

// A SectionView is a group of rows.
type SectionView struct {
	Title string
	Rows  []RowView
}

// A RowView is one row. Cells are what the JSON has as their text.
type RowView struct {
	Name   string
	Cells  []string
	Change string
}

func view(t *arms.Table) (v TableView) {
	v.Notes = append(t.Footnotes(), t.Notes()...)
	v.Change = t.ChangeTitle()
	for _, a := range t.Arms {
		v.Head = append(v.Head, short(a.Label, 40))
	}
	for _, r := range t.Rows {
		title := r.Section.Title(t.Tool)
		if n := len(v.Sections); n == 0 || v.Sections[n-1].Title != title {
			v.Sections = append(v.Sections, SectionView{Title: title})
		}
		row := RowView{Name: r.Name}
		for _, c := range r.Cells {
			row.Cells = append(row.Cells, c.Text)
		}
		row.Change = t.ChangeText(&r)
		s := &v.Sections[len(v.Sections)-1]
		s.Rows = append(s.Rows, row)
	}
	return v
}

// Counted is how many runs there are, in words.
func (p *Page) Counted() string { return textutil.Count(p.Total, "run") }

// write writes the page.
func (p *Page) write(w io.Writer) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}
