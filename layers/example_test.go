package layers_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/agent-eval/feedback/layers"
)

// Five runs succeed, two of them after a budget had let a call through; without that, three of four do.
func ExampleCrossTab() {
	outcomes, err := layers.ReadOutcomes(strings.NewReader(`{"id": "1", "outcome": "success"}
{"id": "2", "outcome": "success"}
{"id": "3", "outcome": "success"}
{"id": "4", "outcome": "failure", "reason": "2 of 9 tests"}
{"id": "5", "outcome": "success"}
{"id": "6", "outcome": "success"}
{"id": "7", "outcome": "unmeasured", "reason": "the judge was down"}
`), "outcomes.jsonl")
	if err != nil {
		fmt.Println(err)
		return
	}
	var runs []layers.Run
	for _, id := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		var defects []layers.Defect // package budget finds them in a log
		if id > "4" {
			defects = append(defects, layers.Defect{Layer: layers.Budget, Name: "over_budget_through"})
		}
		runs = append(runs, outcomes.Grade(id, "", defects))
	}
	table := layers.CrossTab(runs)
	if err := table.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ====== WHY DID IT SUCCEED — 7 runs ======
	//   clean success                                                    3
	//   success with a defect                                            2
	//   failure with a defect                                            0
	//   clean failure                                                    1
	//   unmeasured                                                       1
	//
	//   success rate                                         83% [44%–97%]
	//     of which without a defect                          50% [19%–81%]
	//     of which with a defect                             33% [10%–70%]
	//   capability: success among clean runs                 75% [30%–95%]
	//
	//   defects                                                       runs         success with it      success without it
	//     budget: over_budget_through                                    3         100% [34%–100%]           75% [30%–95%]
	//
	//   unmeasured, and in no rate: 1 run, the judge was down
	//
	//   Intervals are Wilson's at 95%. A defect in a successful run had its chance to help; that it did is not shown.
}
