package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

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
		if elo := res.Players[2].Elo; c.label == "rating" && (score.Series[1].Points[3].Y != elo || multiples.Panels[1].Points[3].Y != elo) {
			t.Errorf("%s: points at %v and %v, want %v", name, score.Series[1].Points, multiples.Panels[1].Points, elo)
		}
	}
}
