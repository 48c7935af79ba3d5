package report

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// drawing is a small picture with a name of its own.
func notebookDrawing(name string) []byte {
	return []byte(`<?xml version="1.0"?>
<svg xmlns="http://www.w3.org/2000/svg" width="160pt" height="60pt" viewBox="0 0 160 60">
<path d="M0,0H160V60H0Z" fill="#fff"/>
<path d="M10,50L60,30L150,12" style="fill:none;stroke:#0072B2"/>
<text x="10" y="14" font-size="9">` + name + `</text>
</svg>`)
}

// fullPage has every kind of cell. Its tournament is that of table 5.2 of the
// thesis on atomic chess; ratings and trials are made up.
func fullPage() Page {
	crosstable := func(score string) Cell {
		return Table{
			Caption: "Against the untrained network.",
			Columns: []Column{{Name: "player"}, {Name: "score", Unit: "of 20", Numeric: true}},
			Rows:    [][]string{{"generation 12", score}, {"untrained", "0"}},
		}
	}
	return Page{
		Title:    "Depth of the network in atomic chess",
		Subtitle: "experiments/sweeps/depth.yaml · 6 trials of 30 generations",
		About: "Does atomic chess need twenty residual blocks? The thesis asks this in its *section 6.2.5*. " +
			"Here the same training runs at depths **2**, **5** and **10**, with two values of `c_puct`.\n\n" +
			"- every trial plays 250 games a generation,\n- 800 searches a move,\n- and learns for 10 epochs.\n",
		Cells: []Cell{
			Diff{Base: "papers/oppenheimerzero/small.yaml", This: "sweeps/depth.yaml", Items: []Change{
				{Key: "network.depth", Base: "6", This: "2, 5, 10"}, {Key: "search.c_puct", Base: "2", This: "1, 2"},
				{Key: "hooks", This: "hooks/king_safety.go"}, {Key: "selfplay.opening", Base: "random"},
			}},
			Text{"## Strength against training\n\nThe score in one round robin of all checkpoints; bars are 95 % intervals."},
			Figure{
				Caption: "Tournament score against samples trained on.",
				SVG:     notebookDrawing("score"),
				Alt:     "Line chart: the score rises from 14.5 to 135 of 180 points and falls again.",
				Files:   []string{"figures/score.svg", "figures/score.png"},
			},
			Table{
				Caption: "Result of the tournament, in order of score.",
				Columns: []Column{{Name: "player"}, {Name: "samples", Unit: "millions", Numeric: true}, {Name: "W/D/L"}, {Name: "score", Unit: "of 180", Numeric: true}, {Name: "Elo", Numeric: true}},
				Rows: [][]string{
					{"8_5", "3.06", "133/4/43", "135", "+191 ± 60"},
					{"8_8", "4.72", "113/16/51", "121", "+124 ± 54"},
					{"8_1", "0.39", "70/5/105", "72.5", "−69 ± 53"},
					{"untrained", "0", "13/3/164", "14.5", "−424 ± 96"},
					{"random", "–", "7/3/170", "8.5", "−522 ± 118"},
				},
				Files: []string{"tournament/ratings.csv", "tournament/games.pgn"},
			},
			Heading{Text: "Trials"},
			Table{
				Caption: "What was varied, and what came of it.",
				Columns: []Column{
					{Name: "trial"}, {Name: "network.depth", Numeric: true, Setting: true}, {Name: "search.c_puct", Numeric: true, Setting: true},
					{Name: "network.width", Numeric: true, Setting: true}, {Name: "score", Unit: "of 180", Numeric: true}, {Name: "speed", Unit: "evaluations/s", Numeric: true},
				},
				Rows: [][]string{
					{"3f9ac2", "2", "1", "64", "72 ± 9", "33,100"},
					{"81be07", "5", "1", "64", "101 ± 9", "17,400"},
					{"c0ffee", "10", "1", "64", "118 ± 9", "9,020"},
					{"5d2a91", "10", "2", "64", "97 ± 9", "9,050"},
				},
			},
			SideBySide{Caption: "The deepest network under two exploration constants.", Trials: []Trial{
				{Label: "search.c_puct = 1", Cells: []Cell{Figure{Caption: "Learning rate and loss.", SVG: notebookDrawing("loss_trials")}, crosstable("20")}},
				{Label: "search.c_puct = 2", Cells: []Cell{Figure{Caption: "Learning rate and loss.", SVG: notebookDrawing("loss_trials")}, crosstable("19.5")}},
			}},
			Note{Kind: Warning, Markdown: "Trial `5d2a91` was stopped after **22** of 30 generations."},
			Text{"## Games\n\n### How they ended\n\n| result | share |\n|---|--:|\n| white | 0.57 |\n| draw | 0.09 |\n\n```\n1. Nf3 f6 2. Nd4 Nh6 3. Ne6\n```\n\n> A capture takes the neighbors along."},
			Figure{Caption: "Results of self-play by generation.", SVG: notebookDrawing("results"), Files: []string{"figures/results.svg"}},
			Note{Markdown: "Games over 150 moves are thrown away and played again."},
			Heading{Text: "How this was made"},
			Settings{Title: "Settings of every trial", Open: true, Items: []Setting{
				{"seed", "1", "sweeps/depth.yaml:5"},
				{"game.variant", "atomic", "papers/oppenheimerzero/paper.yaml:8"}, {"game.max_moves", "150", "papers/oppenheimerzero/paper.yaml:8"},
				{"selfplay.games", "250", "papers/oppenheimerzero/small.yaml:11"}, {"selfplay.temperature.power", "1", ""},
				{"training.optimizer.kind", "sgd", ""}, {"training.optimizer.momentum", "0.9", ""},
			}},
			Provenance{Open: true, Facts: []Fact{
				{"experiment", "sha256:5b1c7a9e4f0d2b6a8c3e1f7d9b5a2c4e6f8091a2b3c4d5e6f708192a3b4c5d6e", true},
				{"command", "alamos run experiments/sweeps/depth.yaml", true},
				{"libtorch", "1.13.1", false}, {"machine", "2 cores, Intel Xeon with AMX, bf16", false}, {"time", "3 h 12 min", false},
			}},
		},
	}
}

// Subgroups between the keys of a group do not repeat its heading.
func TestGroupsOfSettings(t *testing.T) {
	s := Settings{Items: []Setting{
		{"seed", "1", ""}, {"search.visits", "800", ""}, {"search.noise.alpha", "0.3", ""}, {"search.root.kind", "puct", ""}, {"search.forced_playouts", "0", ""}, {"generations", "30", ""},
	}}
	var have []string
	for _, g := range s.groups() {
		line := g.Name + ":"
		for _, item := range g.Items {
			line += " " + item.Key
		}
		have = append(have, line)
	}
	want := []string{": seed generations", "search: visits forced_playouts", "search.noise: alpha", "search.root: kind"}
	if !slices.Equal(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
}

// golden compares with a file of testdata.
func golden(t *testing.T, name string, have []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, have, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Errorf("%s differs from what is rendered now; go test ./pkg/notebook -update accepts it", path)
	}
}

// comparisonPage is the page of two runs of one experiment.
func comparisonPage() Page {
	figure := func(name string) *Figure {
		return &Figure{Caption: "Score against samples: " + name + ".", SVG: notebookDrawing(name), Files: []string{"diff/" + name + ".svg", "diff/" + name + ".png", "diff/" + name + ".pdf"}}
	}
	return Page{
		Title: "small.yaml against HEAD~3:small.yaml", Wide: true,
		Cells: []Cell{
			Heading{Text: "Settings"},
			Diff{Base: "HEAD~3:small.yaml", This: "small.yaml", Items: []Change{
				{Key: "seed", Base: "1", This: "1"},
				{Key: "network.depth", Base: "6", This: "10", BaseOrigin: "small.yaml:7", ThisOrigin: "small.yaml:8"},
				{Key: "network.width", Base: "64", This: "64"},
				{Key: "search.c_puct", Base: "2", This: "2"},
				{Key: "tournament.adjudicate", This: "hooks/resign.go", ThisOrigin: "small.yaml:31"},
				{Key: "selfplay.opening", Base: "random", BaseOrigin: "small.yaml:12"},
			}},
			Heading{Text: "Metrics"},
			Comparison{Caption: "The last checkpoint of each.", A: "HEAD~3", B: "this", Files: []string{"diff/metrics.csv"}, Rows: []Compared{
				{Name: "Elo", Better: Higher, A: Measure{Value: 118, Low: 100, High: 139}, B: Measure{Value: 161, Low: 140, High: 181}, Delta: &Measure{Value: 43, Low: 21.4, High: 66}, How: "240 paired games"},
				{Name: "score", Unit: "%", Better: Higher, A: Measure{Value: 61.25, Low: 55, High: 67.5}, B: Measure{Value: 63, Low: 57, High: 69}},
				{Name: "loss", Better: Lower, A: Measure{Value: 2.31, Low: 2.30, High: 2.32}, B: Measure{Value: 2.4, Low: 2.38, High: 2.42}},
				{Name: "length", Unit: "plies", A: Measure{Value: 41.2, Low: 41, High: 41.4}, B: Measure{Value: 39.1, Low: 38.8, High: 39.4}},
				{Name: "samples", A: Measure{Value: 411022}, B: Measure{Value: 398761}},
				{Name: "generations", A: Measure{Value: 12}, B: Measure{Value: 12}},
				{Name: "king safety", A: Unmeasured(), B: Measure{Value: 0.5}},
			}},
			Heading{Text: "Figures"},
			Pair{Caption: "Strength.", A: "HEAD~3", B: "this", Overlaid: figure("both"), FigureA: figure("before"), FigureB: figure("after")},
			Pair{Caption: "A hook that only one has.", A: "HEAD~3", B: "this", FigureB: figure("hook")},
		},
	}
}

// sweepPage is the page of a sweep of n trials.
func sweepPage(n int, figure func(i int) []byte) Page {
	o := Overview{Caption: "What was varied, and what came of it.", Settings: []string{"network.depth", "search.c_puct"}, Files: []string{"trials.csv"},
		Metrics: []Metric{{"score", "%", Higher}, {"loss", "", Lower}, {"samples", "", Neither}}}
	var all SideBySide
	for i := range n {
		depth, puct := strconv.Itoa(2+i%10), strconv.Itoa(1+i/10)
		label := "depth=" + depth + " c_puct=" + puct
		score := 50 + 4*math.Sin(float64(3*i))
		o.Rows = append(o.Rows, OverviewRow{Trial: label, Settings: []string{depth, puct}, Values: []Measure{
			{Value: score, Low: score - 2, High: score + 2}, {Value: 2 + math.Cos(float64(i))/3}, {Value: float64(1000 * i)}}})
		all.Trials = append(all.Trials, Trial{Label: label, Cells: []Cell{Figure{Caption: "Losses.", SVG: figure(i), Files: []string{"figures/loss.svg"}}}})
	}
	if n > 2 {
		o.Rows[1].Values[0] = Unmeasured()
	}
	return Page{Title: "Sweep", Cells: []Cell{o, all, Fold{Title: "Provenance of all trials", Cells: []Cell{
		Provenance{Title: "Provenance of the first", Facts: []Fact{{"seed", "1", true}}}}}}}
}

// Every kind of page in HTML, without style and script, and in Markdown.
func TestGolden(t *testing.T) {
	for name, page := range map[string]func() Page{
		"full":       fullPage,
		"comparison": comparisonPage,
		"sweep":      func() Page { return sweepPage(shownTrials+1, func(int) []byte { return notebookDrawing("loss") }) },
	} {
		html, err := page().HTML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := page().HTML()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(html, again) {
			t.Errorf("%s: the same page rendered twice differs", name)
		}
		golden(t, name+".html", html[bytes.Index(html, []byte("</style>")):bytes.Index(html, []byte("<script>"))])
		md, err := page().Markdown()
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name+".md", md)
	}
}
