package arms

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteCSV writes the table with full precision, one line a row and arm. A figure that was not measured is empty. The columns
// from difference on are those of the row's comparison, repeated on every line. The error is that of w.
func (t *Table) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	c.Write([]string{"section", "row", "unit", "kind", "arm", "n", "count", "median", "min", "max", "lo", "hi", "confidence", "difference", "relative", "test", "p", "significant", "difference_lo", "difference_hi"})
	for _, r := range t.Rows {
		for i, cell := range r.Cells {
			c.Write(append([]string{string(r.Section), r.Name, string(r.Unit), string(r.Kind), t.Arms[i].Label}, append(cell.csv(), r.Compare.csv()...)...))
		}
	}
	c.Flush()
	return c.Error()
}

func (c Cell) csv() []string {
	count := ""
	if c.Count != nil {
		count = strconv.Itoa(*c.Count)
	}
	fields := []string{strconv.Itoa(c.N), count, exact(c.Median), exact(c.Min), exact(c.Max), "", "", ""}
	if in := c.Interval; in != nil {
		fields[5], fields[6], fields[7] = exact(&in.Lo), exact(&in.Hi), exact(&in.Confidence)
	}
	return fields
}

func (c *Change) csv() []string {
	if c == nil {
		return make([]string, 7)
	}
	fields := []string{exact(&c.Difference), exact(c.Relative), string(c.Test), exact(c.P), strconv.FormatBool(c.Significant), "", ""}
	if in := c.Interval; in != nil {
		fields[5], fields[6] = exact(&in.Lo), exact(&in.Hi)
	}
	return fields
}

// exact writes a number so that it reads back the same; nothing for one that was not measured.
func exact(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
