package report

import (
	"slices"
	"strings"
	"testing"

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
