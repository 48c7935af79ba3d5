package report_test

import (
	"fmt"

	"alamos/pkg/report"
)

func ExamplePage_Markdown() {
	page := report.Page{
		Title: "Depth",
		About: "Does atomic chess need twenty residual blocks?",
		Blocks: []report.Block{
			report.Heading{Text: "Result"},
			report.Table{
				Caption: "Score in the tournament.",
				Columns: []report.Column{{Name: "depth", Numeric: true}, {Name: "score", Unit: "of 180", Numeric: true}},
				Rows:    [][]report.Cell{report.Row("5", "101"), report.Row("10", "118")},
			},
		},
	}
	fmt.Print(string(page.Markdown()))
	// Output:
	// # Depth
	//
	// Does atomic chess need twenty residual blocks?
	//
	// ## Result
	//
	// **Table 1.** Score in the tournament.
	//
	// | depth | score (of 180) |
	// | --: | --: |
	// | 5 | 101 |
	// | 10 | 118 |
}
