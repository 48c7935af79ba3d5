package diff

import (
	"math"
	"math/rand/v2"
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
	all := pairs(a, b, []string{"random"})
	if len(all) != n {
		t.Fatalf("%d of %d games pair", len(all), n)
	}
	x, y, d, err := pairedElo(byOpening(all), []string{"random"}, "random")
	if err != nil {
		t.Fatal(err)
	}
	elo := func(p float64) float64 { return 400 * math.Log10(p/(1-p)) }
	near(t, "rating of a", x.Value, elo(0.75), 1)
	near(t, "rating of b", y.Value, elo(0.9), 1)
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
			_, _, d, err := pairedElo(byOpening(pairs(a, b, []string{"random"})), []string{"random"}, "random")
			if err != nil {
				t.Fatal(err)
			}
			if d.Low <= truth && truth <= d.High {
				held++
			}
			r, err := rate([][]game{a, b}, []string{"random"}, "random")
			if err != nil {
				t.Fatal(err)
			}
			unpaired := r.Difference(1, 0)
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
	if all := pairs(a, b, []string{"random"}); len(all) != 1 || all[0].a.number != 1 {
		t.Errorf("pairs: %+v", all)
	}
	if all := byOpening(pairs(a, a, []string{"random", "untrained"})); len(all) != 3 || len(all[0]) != 2 {
		t.Errorf("by opening: %+v", all)
	}
}
