package arms_test

import (
	"context"
	"fmt"
	"log"

	"github.com/agent-eval/feedback/arms"
	"github.com/agent-eval/feedback/arms/rundir"
)

// Did the new build move anything? Read what a directory holds of both, and compare.
func ExampleCompare() {
	found, err := rundir.Find("../examples/comparearms/testdata/runs", "new", "baseline")
	if err != nil {
		log.Fatal(err)
	}
	read, errs := rundir.Read(context.Background(), found.Arms, rundir.Options{})
	for _, err := range errs {
		fmt.Println(err)
	}
	table := arms.Compare(read, arms.Options{})
	for _, row := range table.Rows {
		if row.Name == "→ retrieval residual (tok)" {
			fmt.Println(row.Cells[0].Text, "against", row.Cells[1].Text)
			fmt.Println(row.Compare.Text)
		}
	}
	// Output:
	// 728 [632–824] against 1,404 [1,212–1,596]
	// ~ p=0.100 n=3+3
}
