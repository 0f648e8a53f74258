package arms

// A Table puts arms side by side. It is plain data: [Compare] makes one, and it writes itself as text, Markdown and CSV. The
// order of an arm's runs changes nothing but the order in Arms.
type Table struct {
	Schema int    `json:"schema"`
	Title  string `json:"title,omitempty"` // what was compared
	Tool   string `json:"tool"`            // what reports call the retrieval tool
	Arms   []Arm  `json:"arms"`
	Rows   []Row  `json:"rows"`
	// Differences are the facts besides the treatment in which the runs differ; none is what makes a comparison fair.
	Differences []Difference `json:"differences"`
	// Unchecked are the facts that no log says, so that nobody knows whether they differ.
	Unchecked []Fact `json:"unchecked"`
	// Warnings say what weakens the table as a whole, one sentence each.
	Warnings []string `json:"warnings"`
	// Alpha and Confidence are those that the table was made with.
	Alpha      float64 `json:"alpha"`
	Confidence float64 `json:"confidence"`
}

// A Row is one figure of every arm.
type Row struct {
	Section Section `json:"section"`
	Name    string  `json:"name"`
	Unit    Unit    `json:"unit"`
	Kind    Kind    `json:"kind"`
	Cells   []Cell  `json:"cells"` // one an arm, in their order
	// Compare is what changed from the second arm to the first. It is nil unless there are two arms with figures, and for sums
	// and pooled shares, of which no test is known.
	Compare *Change `json:"compare"`
}

// A Section is a group of rows.
type Section string

// The sections, in the order in which they are reported.
const (
	SectionRuns          Section = "runs"
	SectionBehavior      Section = "behavior"
	SectionOccupancy     Section = "occupancy"
	SectionSufficiency   Section = "sufficiency"
	SectionAllocation    Section = "allocation"
	SectionContamination Section = "contamination"
)

// A Unit is what a row counts in.
type Unit string

// The units.
const (
	Seconds    Unit = "s"
	Calls      Unit = "calls"
	Runs       Unit = "runs"
	Tokens     Unit = "tok"
	Characters Unit = "chars" // UTF-16 code units
	Fraction   Unit = "1"     // from 0 to 1
)

// A Kind says how the runs of an arm became a cell.
type Kind string

// The kinds of rows.
const (
	Span   Kind = "span"   // median, least and greatest over the runs that have the figure
	Sum    Kind = "sum"    // added up over the runs
	Rate   Kind = "rate"   // a share of calls, pooled over the runs
	Pooled Kind = "pooled" // a share of characters, pooled over the runs
)

// A Cell is one figure of one arm. Median, Min and Max are those of a span; of the other kinds all three are the figure
// itself. They are nil when no run has the figure.
type Cell struct {
	Median *float64 `json:"median"`
	Min    *float64 `json:"min"`
	Max    *float64 `json:"max"`
	// N is how many runs the cell stands on; for a rate, how many calls.
	N int `json:"n"`
	// Count is how many of the N calls of a rate are meant. Nil for other kinds.
	Count *int `json:"count,omitempty"`
	// Interval is where the true value lies: of the median by order statistics, of a rate by Wilson's score interval. It is nil
	// where N is too small for one that is bounded on both sides.
	Interval *Interval `json:"interval,omitempty"`
	// Warnings say what the interval cannot say.
	Warnings []string `json:"warnings,omitempty"`
	// Text is the cell as the table prints it. Where not all runs of the arm have the figure, it says how many do.
	Text string `json:"text"`
}

// An Interval is a confidence interval. Confidence is the actual level, at least the one asked for.
type Interval struct {
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	Confidence float64 `json:"confidence"`
}

// A Change is what changed from the second arm to the first.
type Change struct {
	// Difference is the first arm's figure less the second's, in the row's unit: of the medians, of the rates, or, for paired
	// runs, the median of the differences within pairs.
	Difference float64 `json:"difference"`
	// Relative is the change as a fraction of the second arm's figure: 0.82 is 82 % higher. For paired runs it is that of the median of
	// the ratios within pairs. It is nil where there is a 0 to divide by, and for figures that are fractions themselves.
	Relative *float64 `json:"relative"`
	// P is the two-sided p-value of the test that Test names, nil without one.
	P    *float64 `json:"p"`
	Test Test     `json:"test"`
	// Interval is that of the difference of two rates, at the table's confidence.
	Interval *Interval `json:"interval,omitempty"`
	// N is how many runs, or calls for a rate, each arm brought; both are the number of pairs for paired runs.
	N [2]int `json:"n"`
	// Significant reports whether P is at most alpha.
	Significant bool `json:"significant"`
	// Warnings say what the test cannot say.
	Warnings []string `json:"warnings,omitempty"`
	// Text is the change as the table prints it.
	Text string `json:"text"`
}

// A Test says how two arms were compared.
type Test string

// The tests.
const (
	MannWhitney Test = "mann-whitney" // rank test of two samples
	SignedRank  Test = "signed-rank"  // Wilcoxon's rank test of paired runs
	Fisher      Test = "fisher"       // exact test of two rates, with Newcombe's interval of their difference
)
