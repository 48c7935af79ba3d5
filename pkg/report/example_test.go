package report_test

import (
	"fmt"

	"alamos/pkg/report"
)

func ExamplePage_Markdown() {
	page := report.Page{
		Title: "Depth",
		About: "Does atomic chess need twenty residual blocks?",
		Cells: []report.Cell{
			report.Heading{Text: "Result"},
			report.Table{
				Caption: "Score in the tournament.",
				Columns: []report.Column{{Name: "depth", Numeric: true, Setting: true}, {Name: "score", Unit: "of 180", Numeric: true}},
				Rows:    [][]string{{"5", "101"}, {"10", "118"}},
			},
		},
	}
	md, err := page.Markdown()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(md))
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
