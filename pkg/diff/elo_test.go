package diff

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"alamos/pkg/chess"
)

// met are the games of one player against random.
func met(o *outcomes, openings int) []game {
	var games []game
	for k := range openings {
		for c, offer := range o.opening() {
			g := game{opponent: "random", number: 2*k + c, white: c == 0}
			g.result = o.result(g.white, offer)
			games = append(games, g)
		}
	}
	return games
}

func rng(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// Without draws, and with colors that are worth the same, the rating of a player
// who wins a share p of so many games that the prior does not matter is
// 400 log10(p / (1 - p)), and the error of a difference between two follows from
// those of the two shares, 400 / ln 10 / sqrt(n p (1 - p)).
func TestPairedEloByHand(t *testing.T) {
	const n = 4000
	var a, b []game
	for i := range n {
		won := func(every int) chess.Result { // loses one game in every, as White as often as as Black
			if (i/2)%every == 0 == (i%2 == 0) {
				return chess.BlackWins
			}
			return chess.WhiteWins
		}
		a = append(a, game{opponent: "random", number: i, white: i%2 == 0, result: won(4)})
		b = append(b, game{opponent: "random", number: i, white: i%2 == 0, result: won(10)})
	}
	x, y, d, basis := pairedElo(a, b, []string{"random"}, "random")
	if !strings.HasPrefix(basis, "4,000 games each of the same 2,000 openings") {
		t.Fatalf("basis %q", basis)
	}
	elo := func(p float64) float64 { return 400 * math.Log10(p/(1-p)) }
	near(t, "rating of a", x.Elo.Value, elo(0.75), 1)
	near(t, "rating of b", y.Elo.Value, elo(0.9), 1)
	near(t, "difference", d.Value, elo(0.9)-elo(0.75), 1)
	if !(d.Low < d.Value && d.Value < d.High) {
		t.Errorf("interval %v to %v", d.Low, d.High)
	}
}

// The interval holds the true difference as often as it says, whether openings
// decide little or much; and where they decide much, it is narrower than that of
// games that do not pair.
func TestPairedEloCovers(t *testing.T) {
	const runs, openings, truth = 100, 60, 100.0
	for _, shared := range []float64{0, 0.9} {
		held, width, apartWidth := 0, 0.0, 0.0
		for run := range uint64(runs) {
			a := met(&outcomes{rng(run, 1), rng(run, 2), 50, shared}, openings)
			b := met(&outcomes{rng(run, 1), rng(run, 3), 50 + truth, shared}, openings)
			_, _, d, _ := pairedElo(a, b, []string{"random"}, "random")
			if d.Low <= truth && truth <= d.High {
				held++
			}
			unpaired := rate([][]game{a, b}, []string{"random"}, "random").Difference(1, 0)
			width, apartWidth = width+d.High-d.Low, apartWidth+unpaired.High-unpaired.Low
		}
		t.Logf("shared %v: %d of %d intervals hold; width %.0f, unpaired %.0f", shared, held, runs, width/runs, apartWidth/runs)
		if held < runs*90/100 || held > runs*99/100 {
			t.Errorf("shared %v: %d of %d intervals hold the difference", shared, held, runs)
		}
		if shared > 0.5 && width > 0.8*apartWidth {
			t.Errorf("paired games tell no more than others: width %v and %v", width/runs, apartWidth/runs)
		}
	}
}

func TestPairs(t *testing.T) {
	a := []game{
		{opponent: "random", number: 0, opening: "x", white: true},
		{opponent: "random", number: 1, opening: "x"},
		{opponent: "random", number: 2, opening: "y", white: true},
		{opponent: "untrained", number: 0, opening: "x", white: true},
	}
	b := []game{
		{opponent: "random", number: 1, opening: "x"},
		{opponent: "random", number: 0, opening: "x"},              // another color
		{opponent: "random", number: 2, opening: "z", white: true}, // another opening
		{opponent: "untrained", number: 0, opening: "x", white: true},
	}
	if all, games := openingsOf(a, b, []string{"random"}); games != 1 || len(all) != 1 || all[0].a[0].number != 1 {
		t.Errorf("%d pairs: %+v", games, all)
	}
	if all, games := openingsOf(a, a, []string{"random", "untrained"}); games != 4 || len(all) != 3 || len(all[0].b) != 2 {
		t.Errorf("%d pairs by opening: %+v", games, all)
	}
}
