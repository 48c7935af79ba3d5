package plots_test

import (
	"fmt"
	"math"

	"alamos/pkg/stats"
	"alamos/plots"
)

// The progress of the thesis on atomic chess (its figure 5.1).
func ExampleLines() {
	figure, err := plots.Lines{
		Frame: plots.Frame{Title: "Strength against training"},
		X:     plots.Axis{Label: "samples trained on", FromZero: true},
		Y:     plots.Axis{Label: "tournament score", Unit: "points of 180", Most: 180},
		Series: []plots.Series{{Name: "thesis", Points: plots.Points(
			[]float64{0, 0.39e6, 0.83e6, 1.49e6, 2.33e6, 3.06e6, 3.59e6, 4.16e6, 4.72e6},
			[]float64{14.5, 72.5, 88, 118, 117.5, 135, 118.5, 106.5, 121},
		)}},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Line chart of tournament score (points of 180) against samples trained on: thesis from 14.5 at 0 to 121 at 4.72M.
}

func ExampleFigure_Render() {
	figure, err := plots.Lines{
		X:      plots.Axis{Label: "generation"},
		Y:      plots.Axis{Label: "game length", Unit: "plies", FromZero: true},
		Series: []plots.Series{{Name: "mean", Points: plots.Points([]float64{1, 2, 3}, []float64{81, 74, 90})}},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	pdf, err := figure.Render(".pdf") // to be written to a file of this extension
	fmt.Printf("%.8s %v\n", pdf, err)
	// Output: %PDF-1.4 <nil>
}

func ExampleStack() {
	epochs := []float64{1, 2, 3, 4}
	figure, err := plots.Stack{
		X: "epoch",
		Panels: []plots.Panel{
			{Y: plots.Axis{Label: "learning rate", Log: true}, Series: []plots.Series{
				{Points: plots.Points(epochs, []float64{0.05, 0.05, 0.025, 0.025}), Step: true},
			}},
			{Y: plots.Axis{Label: "loss", Unit: "nats"}, Series: []plots.Series{
				{Curve: "validation", Points: plots.Points(epochs, []float64{2.3, 2.0, 2.1, 1.9})},
				{Curve: "training", Points: plots.Points(epochs, []float64{2.2, 1.9, 1.8, 1.7})},
			}},
		},
		Generations: []float64{2, 4},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Panels above one another against epoch: learning rate from 0.05 at 1 to 0.025 at 4; loss validation from 2.3 at 1 to 1.9 at 4, training from 2.2 at 1 to 1.7 at 4.
}

func ExampleCrosstable() {
	figure, err := plots.Crosstable{
		Players: []string{"trained", "untrained"},
		Cells: [][]stats.Record{
			{{}, {Wins: 19, Draws: 1}},
			{{Losses: 19, Draws: 1}, {}},
		},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Table of scores of the player of each row against that of each column: trained 19.5 of 20, untrained 0.5 of 20.
}

func ExampleLadder() {
	figure, err := plots.Ladder{Rows: []plots.Rung{
		{Name: "untrained", Value: stats.Interval{Value: -403, Low: -498, High: -331}},
		{Name: "trained", Value: stats.Interval{Value: 118, Low: 74, High: 163}},
	}}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Values with intervals, highest first: trained 118 (74 … 163), untrained −403 (−498 … −331).
}

func ExampleHistogram() {
	_, err := plots.Histogram{
		X:       plots.Axis{Label: "length", Unit: "plies"},
		Samples: []plots.Sample{{Name: "generation 1"}},
	}.Figure()
	fmt.Println(err)
	// Output: plots: histogram of 1 samples without a value: no data to draw
}

func ExampleResults() {
	figure, err := plots.Results{Generations: []stats.Record{
		{Wins: 120, Draws: 40, Losses: 90},
		{Wins: 130, Draws: 30, Losses: 90},
	}}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Stacked bars of shares of games won by white, drawn, and won by black against generation: bar 1 48 %, 16 %, 36 %, bar 2 52 %, 12 %, 36 %.
}

func ExampleHeatmap() {
	figure, err := plots.Heatmap{
		X:     plots.Axis{Label: "depth", Names: []string{"5", "10"}},
		Y:     plots.Axis{Label: "c_puct", Names: []string{"1", "2"}},
		Value: plots.Axis{Label: "rating", Unit: "Elo"},
		Cells: [][]stats.Interval{
			{{Value: -20, Low: -51, High: 12}, {Value: 35, Low: 2, High: 66}}, // c_puct 1
			{{Value: 10, Low: -22, High: 43}, {Value: 71, Low: 38, High: 104}},
		},
		Best: stats.Higher,
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Heat map of rating (Elo) over depth (columns) and c_puct (rows): highest 71 at depth 10, c_puct 2; lowest −20 at depth 5, c_puct 1.
}

func ExampleFigure_Stamp() {
	figure, err := plots.Lines{Series: []plots.Series{{Points: plots.Points([]float64{1, 2}, []float64{3, 4})}}}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	svg, err := figure.Stamp(plots.Stamp{Experiment: "5f1c", Code: "9ae0", Data: "77d2"}).Render(".svg")
	if err != nil {
		fmt.Println(err)
		return
	}
	stamp, err := plots.ParseStamp(svg)
	fmt.Printf("%+v %v\n", stamp, err)
	// Output: {Experiment:5f1c Code:9ae0 Data:77d2} <nil>
}

func ExampleParallel() {
	figure, err := plots.Parallel{
		Axes: []plots.Axis{
			{Label: "depth", Unit: "blocks", Names: []string{"5", "10"}},
			{Label: "learning rate", Log: true},
		},
		Metric: plots.Axis{Label: "rating", Unit: "Elo"},
		Lines: []plots.ParallelLine{
			{Name: "trial 1", Values: []float64{0, 0.05}, Metric: -20},
			{Name: "trial 2", Values: []float64{1, 0.02}, Metric: 71},
		},
		Best: stats.Higher,
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Parallel coordinates of 2 trials over depth (blocks), learning rate, colored by rating (Elo): highest 71 at depth 10, learning rate 0.02; lowest −20 at depth 5, learning rate 0.05.
}

func ExampleMultiples() {
	figure, err := plots.Multiples{
		X: plots.Axis{Label: "epoch"},
		Y: plots.Axis{Label: "validation loss", Unit: "nats"},
		Panels: []plots.Series{
			{Name: "depth 5", Points: plots.Points([]float64{1, 2, 3}, []float64{2.1, 1.8, 1.7})},
			{Name: "depth 10", Points: plots.Points([]float64{1, 2, 3}, []float64{2.0, 1.6, 1.5})},
		},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: 2 panels of validation loss (nats) against epoch: depth 5 from 2.1 at 1 to 1.7 at 3; depth 10 from 2 at 1 to 1.5 at 3.
}

func ExampleBoard() {
	figure, err := plots.Board{
		Position: plots.Position{FEN: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"},
		Arrows:   []plots.Arrow{{From: "d2", To: "d4", Weight: 0.31}, {From: "g1", To: "f3", Weight: 0.47, Label: "Nf3"}},
		Weight:   plots.Axis{Label: "share of visits"},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Chess board with the position rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1. Arrows: Nf3: 0.47, d2–d4: 0.31. White to move; arrows: share of visits.
}

func ExamplePolicyPlanes() {
	var to plots.Plane
	to.Title = "to"
	to.Squares[21], to.Squares[27] = 0.47, 0.31 // f3, d4
	figure, err := plots.PolicyPlanes{Planes: []plots.Plane{to}}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Boards of probability: to highest 0.47 at f3.
}

func ExampleTree() {
	tree := plots.Tree{Nodes: []plots.Node{
		{Visits: 100, Prior: math.NaN(), Q: 0.05},
		{Parent: 0, Move: "Nf3", Visits: 60, Prior: 0.4, Q: 0.11},
		{Parent: 0, Move: "d4", Visits: 39, Prior: 0.3, Q: -0.02},
		{Parent: 1, Move: "d5", Visits: 58, Prior: 0.5, Q: -0.1},
	}}
	figure, err := tree.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Search tree of 100 visits: Nf3 60 visits Q +0.11, d4 39 visits Q −0.02. Most visited line: Nf3 d5.
}

// A tree for Graphviz: dot -Tsvg.
func ExampleTree_graphviz() {
	figure, err := plots.Tree{Nodes: []plots.Node{
		{Visits: 100, Prior: math.NaN(), Q: 0},
		{Parent: 0, Move: "Nf3", Visits: 99, Prior: 0.4, Q: 1},
	}}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	dot, err := figure.Render(".dot")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(string(dot))
	// Output:
	// digraph search {
	// 	rankdir=LR;
	// 	node [shape=box, style="rounded,filled", fontname="Liberation Sans", fontsize=10];
	// 	edge [arrowhead=none, color="#9AA4AE"];
	// 	n0 [label="root  100\nQ 0.00", fillcolor="#F7F7F7", fontcolor="#222222"];
	// 	n0 -> n1 [penwidth=6.93];
	// 	n1 [label="Nf3  99\nP 0.40  Q +1.00", fillcolor="#0072B1", fontcolor="#FFFFFF"];
	// }
}
