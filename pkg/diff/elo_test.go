package diff

import (
	"math"
	"math/rand/v2"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/match"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// game is a game of a player with the name me.
type game struct {
	opponent string
	number   int
	opening  chess.Variant // whose start position is the opening
	white    bool
	result   chess.Result
}

// met is the tournament of one player against random.
func met(t *testing.T, o *outcomes, openings int) *played {
	var games []game
	for k := range openings {
		for c, offer := range o.opening() {
			g := game{opponent: "random", number: 2*k + c, white: c == 0}
			g.result = o.result(g.white, offer)
			games = append(games, g)
		}
	}
	return playedOf(t, games)
}

func playedOf(t *testing.T, games []game) *played {
	t.Helper()
	res := match.NewResults([]string{"me", "random", "untrained"})
	p := &played{Tournament: &store.Tournament{}, opponents: map[string]string{"random": "random"}}
	for _, name := range res.Names {
		p.Players = append(p.Players, store.PlayerResult{Rating: match.Rating{Standing: match.Standing{Name: name}}})
	}
	for _, g := range games {
		m := &match.Game{White: "me", Black: g.opponent, Number: g.number, Start: chess.StartPosition(g.opening), Outcome: chess.Outcome{Result: g.result}}
		if !g.white {
			m.White, m.Black = m.Black, m.White
		}
		if err := res.Add(m); err != nil {
			t.Fatal(err)
		}
		p.games = append(p.games, m)
	}
	p.Games = *res
	return p
}

func rng(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

// The rating of a player who wins a share p of the games is 400 log10(p / (1 - p)).
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
	d, openings := pairedElo(playedOf(t, a), playedOf(t, b), []string{"random"}, "random")
	if openings != 2000 {
		t.Fatalf("%d openings", openings)
	}
	elo := func(p float64) float64 { return 400 * math.Log10(p/(1-p)) }
	if want := elo(0.9) - elo(0.75); math.Abs(d.Value-want) > 1e-3 {
		t.Errorf("a difference of %v, want %v", d.Value, want)
	}
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
			a := met(t, &outcomes{rng(run, 1), rng(run, 2), 50, shared}, openings)
			b := met(t, &outcomes{rng(run, 1), rng(run, 3), 50 + truth, shared}, openings)
			d, _ := pairedElo(a, b, []string{"random"}, "random")
			if d.Low <= truth && truth <= d.High {
				held++
			}
			unpaired := stats.Apart(rate(&a.Games, 0, "random").Elo, rate(&b.Games, 0, "random").Elo)
			width, apartWidth = width+d.High-d.Low, apartWidth+unpaired.High-unpaired.Low
		}
		t.Logf("shared %v: %d of %d intervals hold; width %.0f, unpaired %.0f", shared, held, runs, width/runs, apartWidth/runs)
		if held < runs*90/100 || held > runs*99/100 {
			t.Errorf("shared %v: %d of %d intervals hold the difference", shared, held, runs)
		}
		if shared > 0.5 && width > 0.8*apartWidth {
			t.Errorf("paired games show no more than others: width %v and %v", width/runs, apartWidth/runs)
		}
	}
}

func TestPairs(t *testing.T) {
	a := playedOf(t, []game{
		{opponent: "random", number: 0, result: chess.Draw, opening: chess.Atomic, white: true},
		{opponent: "random", number: 1, result: chess.Draw, opening: chess.Atomic},
		{opponent: "random", number: 2, result: chess.Draw, opening: chess.Standard, white: true},
		{opponent: "untrained", number: 0, result: chess.Draw, opening: chess.Atomic, white: true},
	})
	b := playedOf(t, []game{
		{opponent: "random", number: 1, result: chess.Draw, opening: chess.Atomic},
		{opponent: "random", number: 0, result: chess.Draw, opening: chess.Atomic},                  // another color
		{opponent: "random", number: 2, result: chess.Draw, opening: chess.Crazyhouse, white: true}, // another opening
		{opponent: "untrained", number: 0, result: chess.Draw, opening: chess.Atomic, white: true},
	})
	if all, games := openingsOf(a, b, []string{"random"}); games != 1 || len(all) != 1 {
		t.Errorf("%d pairs: %+v", games, all)
	}
	if all, games := openingsOf(a, a, []string{"random", "untrained"}); games != 4 || len(all) != 2 {
		t.Errorf("%d pairs by opening: %+v", games, all)
	}
}
