package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// sweepOver draws the figure sweep of an experiment with this sweep.
func sweepOver(t *testing.T, grid string) plots.Lines {
	t.Helper()
	r := made(t, load(t, "alamos: 1\nname: made\nabout: Nothing.\nnetwork: {depth: 1, width: 8}\ngenerations: 1\nsweep: {grid: {"+grid+"}}\n"+
		"tournament: {rounds: 10, players: [every: 1, untrained]}\nnotebook: [{figure: {kind: sweep, metric: elo}}]\n"), 1)
	all, err := r.drawn("sweep")
	if err != nil || len(all) != 1 || all[0].err != nil || all[0].nothing != "" {
		t.Fatal(all, err)
	}
	return all[0].chart.(plots.Lines)
}

// The axis of a swept setting is logarithmic if the setting is swept geometrically, has its
// ticks at the values, and has a name that says what the setting is.
func TestSweptAxis(t *testing.T) {
	for _, c := range []struct {
		grid, label string
		log         bool
		ticks       []float64
	}{
		{"training.schedule.initial: [0.02, 0.01]", "learning rate", true, []float64{0.01, 0.02}},
		{"training.schedule.initial: [0.01, 0.02, 0.03]", "learning rate", true, []float64{0.01, 0.02, 0.03}},
		{"network.depth: [1, 2, 3]", "network.depth", false, []float64{1, 2, 3}},
		{"network.depth: [2, 5, 10]", "network.depth", true, []float64{2, 5, 10}},
		{"search.visits: [8, 16, 32, 64]", "search.visits", true, []float64{8, 16, 32, 64}},
		{"search.c_puct: [1, 1.5, 2, 2.5]", "search.c_puct", false, []float64{1, 1.5, 2, 2.5}},
		{"search.noise.weight: [0, 0.25]", "search.noise.weight", false, []float64{0, 0.25}},
	} {
		if x := sweepOver(t, c.grid).X; x.Label != c.label || x.Log != c.log || !slices.Equal(x.Ticks, c.ticks) {
			t.Errorf("%s: axis %+v", c.grid, x)
		}
	}
	over := sweepOver(t, "search.visits: [8, 16], training.schedule.initial: [0.01, 0.1]")
	for _, s := range over.Series {
		if !strings.HasPrefix(s.Name, "learning rate=0.") {
			t.Errorf("a line is called %q", s.Name)
		}
	}
}

// The players of a gauntlet are the rows and the columns of a crosstable without empty cells;
// those of other tournaments are both.
func TestSidesOfACrosstable(t *testing.T) {
	for name, c := range map[string]struct {
		pairs, rows, columns string // players g1, g2, g3 are checkpoints; the best comes first
	}{
		"gauntlet of engines":      {"a-g1 a-g2 a-g3 b-g1 b-g2 b-g3", "g1 g2 g3", "a b"},
		"gauntlet of a checkpoint": {"g1-a g1-b g1-c", "g1", "a b c"},
		"as many checkpoints":      {"g1-g2 g1-a b-g2 b-a c-g2 c-a", "b c g1", "a g2"},
		"round robin":              {"g1-a g1-b a-b", "a b g1", "a b g1"},
		"ladder":                   {"g1-g2 g2-g3 g3-a a-b", "a b g1 g2 g3", "a b g1 g2 g3"},
		"pair":                     {"g1-a", "a g1", "a g1"},
	} {
		var names []string // they score the same
		for _, pair := range strings.Fields(c.pairs) {
			for _, player := range strings.Split(pair, "-") {
				if !slices.Contains(names, player) {
					names = append(names, player)
				}
			}
		}
		slices.Sort(names)
		res := &store.Tournament{Games: *match.NewResults(names)}
		for _, name := range names {
			p := store.PlayerResult{Generation: -1}
			if name[0] == 'g' {
				p.Generation = int(name[1] - '0')
			}
			p.Name = name
			res.Players = append(res.Players, p)
		}
		for _, pair := range strings.Fields(c.pairs) {
			a, b, _ := strings.Cut(pair, "-")
			i, j := slices.Index(names, a), slices.Index(names, b)
			res.Games.White[i][j].Draws = 2
			res.Players[i].Draws, res.Players[j].Draws = res.Players[i].Draws+2, res.Players[j].Draws+2
		}
		text := func(side []int) string {
			var out []string
			for _, i := range side {
				out = append(out, names[i])
			}
			return strings.Join(out, " ")
		}
		if rows, columns := sides(res); text(rows) != c.rows || text(columns) != c.columns {
			t.Errorf("%s: rows %q, columns %q, want %q, %q", name, text(rows), text(columns), c.rows, c.columns)
		}
	}
}

// A series is that of several generations of one setting, or of the last one of several, and
// its points are the means of seeds at equal places.
func TestSeriesOfAHook(t *testing.T) {
	const file = "alamos: 1\nname: made\nabout: Nothing.\nnetwork: {depth: 1, width: 8}\ngenerations: 8\nhooks: [kings.go]\n" +
		"notebook: [{figure: {kind: series, metric: pieces}}]\n"
	drawn := func(set ...string) plots.Lines {
		t.Helper()
		all, err := made(t, load(t, file, set...), 8).drawn("")
		if err != nil || len(all) != 1 || all[0].err != nil || all[0].nothing != "" {
			t.Fatal(all, err)
		}
		return all[0].chart.(plots.Lines)
	}
	names := func(l plots.Lines) (all string) {
		for _, s := range l.Series {
			all += s.Name + ": " + fmt.Sprint(s.Points[len(s.Points)-1].Y.Value) + "\n"
		}
		return all
	}
	one := drawn()
	if have, want := names(one), "generation 1: 29\ngeneration 3: 27\ngeneration 4: 26\ngeneration 6: 24\ngeneration 8: 22\n"; have != want {
		t.Errorf("have %s\nwant %s", have, want)
	}
	if one.X.Label != "ply" || one.Y.Label != "pieces on the board" {
		t.Errorf("axes %q, %q", one.X.Label, one.Y.Label)
	}
	if have := names(drawn("notebook=[{figure: {kind: series, metric: kings.pieces, generation: 5}}]")); have != "generation 5: 25\n" {
		t.Errorf("have %s", have)
	}
	several := drawn("sweep={grid: {network.depth: [1, 2]}, seeds: 2}")
	if len(several.Series) != 2 {
		t.Fatal(names(several))
	}
	for i, noise := range []float64{0.05, 0.1} { // of seeds 0 and 1, and of 2 and 3
		points := several.Series[i].Points
		if len(points) != 3 || points[0].X != -1 || points[2].Y.Value != 22 || math.Abs(points[1].Y.Value-(32-noise)) > 1e-6 {
			t.Errorf("%s: %v", several.Series[i].Name, points)
		}
	}
}

// A sweep over seeds alone has one line: of all of them.
func TestNamesOfGroups(t *testing.T) {
	for sweep, want := range map[string]string{
		"seeds: 3":                                "3 seeds",
		"grid: {network.depth: [2, 5]}":           "#1 depth=2, #2 depth=5",
		"grid: {network.depth: [2, 5]}, seeds: 3": "#1–3 depth=2, #4–6 depth=5",
	} {
		r := made(t, load(t, "alamos: 1\nname: made\nabout: Nothing.\nnetwork: {depth: 1, width: 8}\ngenerations: 1\nsweep: {"+sweep+"}\nnotebook: [{figure: lengths}]\n"), 1)
		all, err := r.drawn("")
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		var names []string
		for _, s := range all[0].chart.(plots.Lines).Series {
			names = append(names, s.Name)
		}
		if have := strings.Join(names, ", "); have != want {
			t.Errorf("%s: have %q, want %q", sweep, have, want)
		}
	}
}

// The networks of a ladder are shown by their ratings, because all score about one half; those
// that met the same opponents by their scores.
func TestStrengthOfALadder(t *testing.T) {
	for name, c := range map[string]struct {
		plays func(i, j int) bool // of gen-1, gen-2, gen-3, untrained and random
		label string
	}{
		"round robin":                  {func(i, j int) bool { return true }, "tournament score"},
		"ladder":                       {func(i, j int) bool { return i-j == 1 || j-i == 1 }, "rating"},
		"gauntlet of random":           {func(i, j int) bool { return i == 4 || j == 4 }, "tournament score"},
		"gauntlet of two":              {func(i, j int) bool { return (i < 3) != (j < 3) }, "rating"},
		"round robin without one game": {func(i, j int) bool { return i+j != 5 }, "rating"},
	} {
		r := made(t, load(t, "alamos: 1\nname: made\nabout: Nothing.\nnetwork: {depth: 1, width: 8}\ngenerations: 3\nsweep: {grid: {network.depth: [1, 2]}}\n"+
			"tournament: {rounds: 10, players: [every: 1, untrained, random]}\nnotebook: [{figure: score}, {figure: sweep}, {figure: multiples}]\n"), 3)
		res := r.Trials[1].Tournament()
		for i, row := range res.Games.White {
			for j := range row {
				if !c.plays(i, j) {
					row[j] = stats.Record{}
				}
			}
		}
		facts, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		r.Trials[1].Manifest.Put(&store.Stage{Name: store.TournamentStage, Facts: facts})
		all, err := r.drawn("")
		if err != nil || len(all) != 3 {
			t.Fatal(all, err)
		}
		score, sweep, multiples := all[0].chart.(plots.Lines), all[1].chart.(plots.Lines), all[2].chart.(plots.Multiples)
		if score.Y.Label != c.label || !strings.HasSuffix(c.label, multiples.Y.Label) || (sweep.Y.Label == "Elo") != (c.label == "rating") {
			t.Errorf("%s: the figures show %q, %q and %q, want %q", name, score.Y.Label, sweep.Y.Label, multiples.Y.Label, c.label)
		}
		byScore := match.Descending(len(res.Players), func(i int) float64 { return res.Players[i].Share() })
		if c.label == "tournament score" && !slices.Equal(res.Ranking(), byScore) || c.label == "rating" && !slices.Equal(res.Ranking(), match.Descending(len(res.Players), func(i int) float64 { return res.Players[i].Elo.Value })) {
			t.Errorf("%s: ranking %v, by score %v", name, res.Ranking(), byScore)
		}
		if elo := res.Players[2].Elo; c.label == "rating" && (score.Series[1].Points[3].Y != elo || multiples.Panels[1].Points[3].Y != elo) {
			t.Errorf("%s: points at %v and %v, want %v", name, score.Series[1].Points, multiples.Panels[1].Points, elo)
		}
	}
}

// What has no place on a logarithmic axis is left out, with the intervals that reach 0.
func TestLogarithmicAxes(t *testing.T) {
	x, y := &experiment.FigureAxis{Scale: "log"}, &experiment.FigureAxis{Scale: "log"}
	c := withAxes(plots.Lines{Series: []plots.Series{{Points: []plots.Point{
		{X: 0, Y: stats.Exactly(1)}, {X: 1, Y: stats.Exactly(0)}, {X: 2, Y: stats.Around(1, 2)}, {X: 3, Y: stats.Around(2, 1)},
	}}}, References: []plots.Reference{{Name: "none", Y: 0}, {Name: "some", Y: 1}}}, x, y)
	if _, err := c.Figure(); err != nil {
		t.Fatal(err)
	}
	if levels := c.(plots.Lines).References; len(levels) != 1 || levels[0].Name != "some" {
		t.Errorf("levels %+v", levels)
	}
	have := c.(plots.Lines).Series[0].Points
	if !have[0].Y.Missing() || !have[1].Y.Missing() || have[2].Y.Known() || have[2].Y.Value != 1 || have[3].Y != stats.Around(2, 1) {
		t.Errorf("%+v", have)
	}
}

// The numbers of a file go beside those of a chart: a column of panels to the one that is called
// like it, and a line without a place across.
func TestBeside(t *testing.T) {
	rows := [][]string{{"epoch", "source", "learning_rate", "thesis"}, {"1", "a", "0.1", "3"}, {"2", "b", "0.2", ""}, {"3", "b", "0", ""}, {"", "level", "", "4"}}
	file := &experiment.CSV{Name: "file", Rows: rows, By: "source"}
	panels := func() plots.Stack {
		own := []plots.Series{{Points: plots.Points([]float64{1, 5}, []float64{1, 2})}}
		return plots.Stack{Panels: []plots.Panel{{Y: plots.Axis{Label: "learning rate", Log: true, Ticks: []float64{1}}, Series: own}, {Y: plots.Axis{Label: "loss"}, Series: own}}}
	}
	c, err := beside(panels(), file)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	named := func(name string, step bool, x, y []float64) plots.Series {
		return plots.Series{Name: name, Step: step, Points: plots.Points(x, y)}
	}
	for i, want := range [][]plots.Series{
		{named("a", true, []float64{1}, []float64{0.1}), named("b", true, []float64{2, 3}, []float64{0.2, nan})},
		{named("a", false, []float64{1}, []float64{3})},
	} {
		if diff := cmp.Diff(want, c.(plots.Stack).Panels[i].Series[1:], cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("panel %d: %s", i, diff)
		}
	}
	if have := c.(plots.Stack).Panels[1].References; !slices.Equal(have, []plots.Reference{{Name: "level", Y: 4}}) {
		t.Errorf("levels %v", have)
	}
	if have := c.(plots.Stack).Panels[0].Y.Ticks; !slices.Equal(have, []float64{0.1, 0.2, 1}) {
		t.Errorf("ticks %v", have)
	}
	plain := &experiment.CSV{Name: "file", Rows: [][]string{{"epoch", "learning_rate"}, {"1", "0.1"}}}
	if c, err = beside(panels(), plain); err != nil || c.(plots.Stack).Panels[0].Series[1].Name != "file" {
		t.Errorf("%+v, %v", c, err)
	}
	lines, err := beside(plots.Lines{}, &experiment.CSV{Rows: [][]string{{"x", "y"}, {"1", "2"}, {"", "3"}}})
	if l := lines.(plots.Lines); err != nil || len(l.Series) != 1 || !slices.Equal(l.References, []plots.Reference{{Name: "y", Y: 3}}) {
		t.Errorf("%+v, %v", l, err)
	}
	words := &experiment.CSV{Rows: [][]string{{"x", "y"}, {"one", "2"}}}
	for _, c := range []plots.Chart{plots.Lines{}, panels()} {
		if _, err := beside(c, words); err == nil || !strings.Contains(err.Error(), "x has words") {
			t.Errorf("%T: %v", c, err)
		}
	}
}

// Points of a random sweep differ in all keys, and no line joins them; those of a zip rise
// together.
func TestPointsOfASweep(t *testing.T) {
	for sweep, joined := range map[string]bool{
		"{random: {trials: 8, draw: {network.depth: {int: [1, 9]}, search.c_puct: {uniform: [1, 4]}}}}":                       false,
		"{zip: {search.c_puct: [1, 2, 3], network.depth: [2, 4, 5]}}":                                                         true,
		"{zip: {search.c_puct: [1, 2, 3], network.depth: [2, 5, 4]}}":                                                         false,
		"{grid: {search.c_puct: [1, 2, 3], network.depth: [2]}}":                                                              true,
		"{random: {trials: 8, draw: {network.trunk: {choice: [residual, preactivation]}, search.c_puct: {uniform: [1, 4]}}}}": false,
	} {
		all, err := made(t, load(t, "alamos: 1\nname: made\ngenerations: 1\ntraining: {window: 1}\nsweep: "+sweep+"\nnotebook: [figure: {kind: sweep, metric: loss, x: search.c_puct}]\n"), 1).drawn("")
		if err != nil || len(all) != 1 {
			t.Fatal(all, err)
		}
		line := all[0].chart.(plots.Lines).Series[0]
		differ := strings.Contains(all[0].caption, "Points also differ in network.")
		if line.Unjoined == joined || len(line.Points) < 2 || differ == strings.Contains(sweep, "[2]") {
			t.Errorf("%s: %+v, %q", sweep, line, all[0].caption)
		}
	}
}

// A sweep with very many lines shows some of them, and says so.
func TestLinesOfASweep(t *testing.T) {
	widths := make([]string, 53)
	for i := range widths {
		widths[i] = fmt.Sprint(i + 8)
	}
	file := "alamos: 1\nname: made\ngenerations: 1\ntraining: {window: 1}\nsweep: {grid: {network.depth: [1, 2], network.width: [" + strings.Join(widths, ", ") + "]}}\nnotebook: [figure: {kind: sweep, metric: loss, x: network.depth}]\n"
	all, err := made(t, load(t, file), 1).drawn("")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if n := len(d.chart.(plots.Lines).Series); n != mostLines || !strings.Contains(d.caption, "the first 50 lines; 3 are left out") {
			t.Errorf("%d lines, %q", n, d.caption)
		}
	}
	if len(all) != 1 {
		t.Errorf("%d figures", len(all))
	}
}
