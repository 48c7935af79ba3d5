package notebook

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden pages anew; look at them before you commit")

func drawing(t testing.TB, name string) []byte {
	t.Helper()
	svg, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return svg
}

// fullPage has every kind of cell. Its tournament is that of table 5.2 of the
// thesis on atomic chess; ratings and trials are made up.
func fullPage(t testing.TB) Page {
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
				{"network.depth", "6", "2, 5, 10"}, {"search.c_puct", "2", "1, 2"}, {"hooks", "", "hooks/king_safety.go"}, {"selfplay.opening", "random", ""},
			}},
			Text{"## Strength against training\n\nThe score in one round robin of all checkpoints; bars are 95 % intervals."},
			Figure{
				Caption: "Tournament score against samples trained on.",
				SVG:     drawing(t, "score.svg"),
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
				{Label: "search.c_puct = 1", Cells: []Cell{Figure{Caption: "Learning rate and loss.", SVG: drawing(t, "loss_trials.svg")}, crosstable("20")}},
				{Label: "search.c_puct = 2", Cells: []Cell{Figure{Caption: "Learning rate and loss.", SVG: drawing(t, "loss_trials.svg")}, crosstable("19.5")}},
			}},
			Note{Kind: Warning, Markdown: "Trial `5d2a91` was stopped after **22** of 30 generations."},
			Text{"## Games\n\n### How they ended\n\n| result | share |\n|---|--:|\n| white | 0.57 |\n| draw | 0.09 |\n\n```\n1. Nf3 f6 2. Nd4 Nh6 3. Ne6\n```\n\n> A capture takes the neighbors along."},
			Figure{Caption: "Results of self-play by generation.", SVG: drawing(t, "results.svg"), Files: []string{"figures/results.svg"}},
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

func TestFullPage(t *testing.T) {
	p := fullPage(t)
	html, err := p.HTML()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "full.html", html)
	again, err := fullPage(t).HTML()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(html, again) {
		t.Error("the same page rendered twice differs")
	}
	md, err := p.Markdown()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "full.md", md)
}
