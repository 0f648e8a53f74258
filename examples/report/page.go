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
	"github.com/agent-eval/feedback/contamination"
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
	Bad  bool
	Text string
	More []string
}

// A shown is a run whose details are on the page.
type shown struct {
	*arms.Run
	Arm  string
	Name string // unlike others, printable and short
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
	pictures := []Picture{windows(t.Tool, runs), residuals(t), actions(t), files(runs)}
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

// pick returns the runs to be shown: all of them if they are few, else the odd ones, then the slowest, in their order.
func pick(t *arms.Table) (picked []shown) {
	var all []shown
	for i := range t.Arms {
		a := &t.Arms[i]
		for j := range a.Runs {
			r := &a.Runs[j]
			all = append(all, shown{r, short(a.Label, 60), cmp.Or(short(r.Name, 40), fmt.Sprintf("%s-%d", short(a.Label, 30), j+1))})
		}
	}
	if len(all) <= maxShown {
		return all
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(oddity(all[b].Run), oddity(all[a].Run)), cmp.Compare(seconds(all[b].Run), seconds(all[a].Run)))
	})
	order = order[:maxShown]
	slices.Sort(order)
	for _, i := range order {
		picked = append(picked, all[i])
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

// trust says first what makes the figures believable or not.
func trust(t *arms.Table, c *campaign.Report) (findings []Finding) {
	for _, w := range t.Warnings {
		findings = append(findings, Finding{Bad: true, Text: short(w, 600)})
	}
	for _, d := range t.Differences {
		f := Finding{Bad: true, Text: "More than the treatment differs: " + string(d.Fact)}
		for _, v := range d.Values {
			f.More = append(f.More, cmp.Or(short(v.Text, 160), "none beyond what all have")+" in "+short(strings.Join(v.Runs, ", "), 400))
		}
		findings = append(findings, f)
	}
	for _, row := range t.Rows {
		if row.Kind != arms.Sum || suspicious[row.Name] == "" {
			continue
		}
		for i, cell := range row.Cells {
			if cell.Median != nil && *cell.Median > 0 {
				findings = append(findings, Finding{Bad: true, Text: fmt.Sprintf("%s: %s %s", short(t.Arms[i].Label, 60), cell.Text, suspicious[row.Name])})
			}
		}
	}
	if c != nil {
		for _, l := range c.LeftOut {
			findings = append(findings, Finding{Bad: true, Text: "left out: " + short(l.Run, 200) + ", " + l.Reason})
		}
		for _, w := range c.Warnings {
			findings = append(findings, Finding{Bad: true, Text: short(w, 400)})
		}
	}
	if len(findings) == 0 {
		findings = append(findings, Finding{Text: "Nothing speaks against these runs: none reached the tool by a back door, all were measured, and the logs show no difference beside the treatment."})
	}
	if len(t.Unchecked) > 0 {
		f := Finding{Text: "Not in these logs, so nobody knows whether it differs:"}
		for _, u := range t.Unchecked {
			f.More = append(f.More, string(u))
		}
		findings = append(findings, f)
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
	v.Notes = t.Notes()
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
		if r.Compare != nil {
			row.Change = r.Compare.Text
		}
		s := &v.Sections[len(v.Sections)-1]
		s.Rows = append(s.Rows, row)
	}
	return v
}

// A RunView is the details of one run.
type RunView struct {
	Name, Arm, Outcome string
	Facts              [][2]string
	Calls, Files       Figures
	Shell, Problems    []string
}

// maxListed is how many entries a list of a run's details has.
const maxListed = 60

func detail(r shown) RunView {
	v := RunView{Name: r.Name, Arm: r.Arm, Outcome: "ended well"}
	if !r.OK {
		v.Outcome = "did not end well: " + short(strings.Join(r.Outcomes, ", "), 100)
	}
	v.Facts = [][2]string{
		{"logs", short(strings.Join(r.Segments, " + "), 300)}, {"model", short(r.Model, 60)}, {"client", short(r.ClientVersion, 40)},
		{"final context (tok)", whole(float(r.Occupancy.FinalContext))}, {"fixed part (tok)", whole(float(r.Occupancy.BaseContext))},
		{short(r.Tool, 40) + " residual (tok)", whole(r.Occupancy.Families.Retrieval.Residual)}, {"characters a token", fmt.Sprintf("%.2f", r.Occupancy.CharsPerToken)},
		{"tokens processed", whole(float(r.ProcessedTokens))},
	}
	v.Calls.Head = []string{"query", "files", "characters", "next", "", "position"}
	for _, c := range r.Sufficiency.Calls {
		verdict := string(c.Bucket)
		if c.Reason != "" {
			verdict = "no verdict: " + string(c.Reason)
		}
		v.Calls.add(short(c.Query, 160), fmt.Sprint(c.Files), fmt.Sprint(c.Chars), short(c.Next, 100), strings.ReplaceAll(verdict, "_", " "), short(c.Position.String(), 120))
	}
	v.Files.Head = []string{"file", "characters", "share", "calls", "cited by"}
	for _, f := range r.Allocation.Files[:min(len(r.Allocation.Files), maxListed)] {
		via := string(f.Via)
		if f.Via != "" && f.Symbol != "" {
			via += " " + short(f.Symbol, 80)
		}
		v.Files.add(short(f.Path, 160), fmt.Sprint(f.Chars), fmt.Sprintf("%.1f%%", 100*float64(f.Chars)/float64(max(1, r.Allocation.Envelope))), fmt.Sprint(f.Calls), cmp.Or(via, "—"))
	}
	v.Files.More = max(0, len(r.Allocation.Files)-maxListed)
	for _, c := range r.Contamination.Calls[:min(len(r.Contamination.Calls), maxListed)] {
		v.Shell = append(v.Shell, fmt.Sprintf("%s — %s (%s)", verdictText(c.Verdict), short(c.Command, 300), short(c.Position.String(), 120)))
	}
	for _, pr := range r.Problems[:min(len(r.Problems), maxListed)] {
		v.Problems = append(v.Problems, short(pr.Error(), 300))
	}
	for _, n := range r.Occupancy.Notes {
		v.Problems = append(v.Problems, "occupancy: "+short(n, 300))
	}
	return v
}

func verdictText(v contamination.Verdict) string {
	switch v {
	case contamination.Returned:
		return "RETURNED output"
	case contamination.Blocked:
		return "blocked"
	}
	return "result not in the log"
}

func float(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// write writes the page.
func (p *Page) write(w io.Writer) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}
