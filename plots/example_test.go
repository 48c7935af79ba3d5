package plots_test

import (
	"fmt"
	"os"

	"alamos/plots"
)

// The progress of the thesis on atomic chess (its figure 5.1).
func ExampleScore() {
	figure, err := plots.Score{
		Frame: plots.Frame{Title: "Strength against training"},
		Series: []plots.Series{{
			Name: "thesis",
			X:    []float64{0, 0.39e6, 0.83e6, 1.49e6, 2.33e6, 3.06e6, 3.59e6, 4.16e6, 4.72e6},
			Y:    []float64{14.5, 72.5, 88, 118, 117.5, 135, 118.5, 106.5, 121},
		}},
		Games: 180,
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Line chart of tournament score (points of 180) against samples trained on: thesis from 14.5 at 0 to 121 at 4.72M.
}

func ExampleFigure_WriteFiles() {
	dir, err := os.MkdirTemp("", "figures")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	figure, err := plots.Lines{
		X:      plots.Axis{Label: "generation"},
		Y:      plots.Axis{Label: "game length", Unit: "plies", FromZero: true},
		Series: []plots.Series{{Name: "mean", X: []float64{1, 2, 3}, Y: []float64{81, 74, 90}}},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := figure.WriteFiles(dir, "game_length"); err != nil {
		fmt.Println(err)
		return
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range files {
		fmt.Println(f.Name())
	}
	// Output:
	// game_length.pdf
	// game_length.png
	// game_length.svg
}

func ExampleLoss() {
	figure, err := plots.Loss{
		Series: []plots.LossSeries{{
			Name:       "small",
			Rate:       []float64{0.05, 0.05, 0.025, 0.025},
			Training:   []float64{2.2, 1.9, 1.8, 1.7},
			Validation: []float64{2.3, 2.0, 2.1, 1.9},
		}},
		Generations: []float64{2, 4},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Panels above one another of learning rate and losses against epoch: small.
}

func ExampleCrosstable() {
	figure, err := plots.Crosstable{
		Players: []string{"trained", "untrained"},
		Cells: [][]plots.Record{
			{{}, {Wins: 19, Draws: 1}},
			{{Losses: 19, Draws: 1}, {}},
		},
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Table of scores of the player of each row against that of each column: trained, untrained.
}

func ExampleLadder() {
	figure, err := plots.Ladder{Players: []plots.Rating{
		{Name: "untrained", Elo: -403, Low: -498, High: -331},
		{Name: "trained", Elo: 118, Low: 74, High: 163},
	}}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Ratings with intervals, strongest first: trained, untrained.
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
	_, err := plots.Results{
		White: []float64{120, 130},
		Draws: []float64{40, 30},
		Black: []float64{90},
	}.Figure()
	fmt.Println(err)
	// Output: plots: results: Black has 1 numbers where 2 are wanted: lists differ in length
}

// Seeds of one setting become a line with a band.
func ExampleBand() {
	runs := []plots.Series{
		{X: []float64{1, 2}, Y: []float64{0.50, 0.61}},
		{X: []float64{1, 2}, Y: []float64{0.54, 0.63}},
		{X: []float64{1, 2}, Y: []float64{0.52, 0.68}},
	}
	band, err := plots.Band("depth 10", runs...)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i := range band.X {
		fmt.Printf("generation %v: %.2f, 95 %% interval %.2f to %.2f\n", band.X[i], band.Y[i], band.Low[i], band.High[i])
	}
	// Output:
	// generation 1: 0.52, 95 % interval 0.47 to 0.57
	// generation 2: 0.64, 95 % interval 0.55 to 0.73
}

func ExampleHeatmap() {
	figure, err := plots.Heatmap{
		X:     plots.Categories{Label: "depth", Unit: "blocks", Ticks: []string{"5", "10"}},
		Y:     plots.Categories{Label: "c_puct", Ticks: []string{"1", "2"}},
		Value: plots.Axis{Label: "rating", Unit: "Elo"},
		Cells: [][]plots.Cell{
			{{Value: -20, Low: -51, High: 12}, {Value: 35, Low: 2, High: 66}}, // c_puct 1
			{{Value: 10, Low: -22, High: 43}, {Value: 71, Low: 38, High: 104}},
		},
		Best: plots.Highest,
	}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(figure.Description())
	// Output: Heat map of rating (Elo) over depth (blocks) (columns) and c_puct (rows): highest 71 at depth 10, c_puct 2; lowest −20 at depth 5, c_puct 1.
}

func ExampleFigure_Stamp() {
	figure, err := plots.Lines{Series: []plots.Series{{X: []float64{1, 2}, Y: []float64{3, 4}}}}.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	svg, err := figure.Stamp("5f1c", "9ae0", "77d2").SVG()
	if err != nil {
		fmt.Println(err)
		return
	}
	stamp, err := plots.ParseStamp(svg)
	fmt.Printf("%+v %v\n", stamp, err)
	// Output: {Experiment:5f1c Code:9ae0 Data:77d2} <nil>
}
