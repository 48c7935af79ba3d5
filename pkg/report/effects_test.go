package report

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"alamos/plots"
)

// Draws of many values are compared by a forest, and a grid by an analysis of variance.
func TestEffects(t *testing.T) {
	const head = "alamos: 1\nname: made\ngenerations: 1\nnotebook: [figure: {kind: effects, metric: elo}]\n"
	const draws = "draw: {network.depth: {int: [1, 30]}, search.c_puct: {uniform: [0.5, 4]}, search.fpu: {choice: [zero, 0.2]}}"
	for _, c := range []struct {
		sweep, method string
		keys          int
	}{
		{"{grid: {network.depth: [1, 20], search.visits: [10, 20]}, seeds: 2}", "analysis of variance", 2},
		{"{random: {trials: 24, " + draws + "}}", "random forest", 3},
		{"{random: {trials: 6, " + draws + "}}", "", 0},
	} {
		r := made(t, load(t, head+"sweep: "+c.sweep+"\n"), 1)
		all, err := r.drawn("effects")
		if err != nil {
			t.Fatal(err)
		}
		p := all[0]
		if c.keys == 0 {
			if string(p.nothing) != errFewTrials.Error() {
				t.Errorf("%s: nothing %q, error %v", c.sweep, p.nothing, p.err)
			}
			continue
		}
		if p.err != nil || p.nothing != "" {
			t.Errorf("%s: %v%s", c.sweep, p.err, p.nothing)
			continue
		}
		ladder := p.chart.(plots.Ladder)
		if len(ladder.Rows) != c.keys || !strings.Contains(p.caption, c.method) {
			t.Errorf("%s: %d keys, caption %q", c.sweep, len(ladder.Rows), p.caption)
		}
		// The made Elo rises with the depth.
		if i := slices.IndexFunc(ladder.Rows, func(x plots.Rung) bool { return strings.HasPrefix(x.Name, "depth *") }); i < 0 || !(ladder.Rows[i].Value.Value > 30) {
			t.Errorf("%s: the depth has no effect: %+v", c.sweep, ladder.Rows)
		}
	}
	if _, err := effectsOf(nil, nil, nil, "elo"); !errors.Is(err, errFewTrials) {
		t.Errorf("%v", err)
	}
	if c := columns([]int{0, 1, 0}, []string{"", "4"}); len(c) != 1 || !math.IsInf(c[0][0], -1) || c[0][1] != 4 {
		t.Errorf("columns of a number that does not always apply: %v", c)
	}
	if c := columns([]int{0, 1, 2}, []string{"1", "plateau", ""}); len(c) != 3 || c[1][1] != 1 || c[1][0] != 0 {
		t.Errorf("columns of words: %v", c)
	}
}
