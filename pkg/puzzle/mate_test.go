package puzzle

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"alamos/pkg/chess"
)

func position(t testing.TB, v chess.Variant, fen string) *chess.Position {
	t.Helper()
	p, err := chess.ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	return &p
}

// The shortest wins that are known of positions, with all moves that keep them.
func TestKnownMates(t *testing.T) {
	for _, c := range []struct {
		variant chess.Variant
		fen     string
		n       int // 0: none in three
		wins    []string
	}{
		{chess.Standard, "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1, []string{"Ra8#"}},
		{chess.Standard, "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1", 1, []string{"Qe8#", "Qf8#", "Qg7#", "Qh7#"}},
		// Morphy's problem, and one of Loyd's.
		{chess.Standard, "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, []string{"Ra6"}},
		{chess.Standard, "8/8/8/8/8/6Q1/8/k1K5 w - - 0 1", 1, []string{"Qa3#"}},
		// A queen would stalemate.
		{chess.Standard, "8/5P1k/5K2/8/8/8/8/8 w - - 0 1", 2, []string{"f8=R"}},
		// Smothered: the queen is given up first.
		{chess.Standard, "5r1k/6pp/7N/8/8/1Q6/8/6K1 w - - 0 1", 2, []string{"Qg8+"}},
		{chess.Standard, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0, nil},
		// The king explodes with what is taken beside it, even out of check.
		{chess.Atomic, "4k3/3p4/8/8/8/8/8/3RK3 w - - 0 1", 1, []string{"Rxd7#"}},
		{chess.Atomic, "4k3/3p4/8/8/8/8/4r3/3R2K1 w - - 0 1", 1, []string{"Rxd7#"}},
		{chess.KingOfTheHill, "7k/8/8/8/8/3K4/8/8 w - - 0 1", 1, []string{"Kd4#", "Ke4#"}},
		{chess.KingOfTheHill, "7k/8/8/8/8/8/3K4/8 w - - 0 1", 2, []string{"Kc3", "Kd3", "Ke3"}},
		{chess.ThreeCheck, "7k/8/8/8/8/8/8/K5R1 w - - 1+3 0 1", 1, []string{"Rg8#", "Rh1#"}},
		{chess.RacingKings, "8/K7/8/8/8/8/8/7k w - - 0 1", 1, []string{"Ka8#", "Kb8#"}},
		// Black must take the last piece: the reply ends the game.
		{chess.Antichess, "8/8/8/8/8/1p6/8/K7 w - - 0 1", 2, []string{"Ka2"}},
		{chess.Crazyhouse, "6k1/5ppp/8/8/8/8/8/6K1[R] w - - 0 1", 1, []string{"R@a8#", "R@b8#", "R@c8#", "R@d8#", "R@e8#"}},
	} {
		p := position(t, c.variant, c.fen)
		n, err := Shortest(t.Context(), p, 3)
		if err != nil || n != c.n {
			t.Errorf("%s %s: win in %d, %v: want %d", c.variant, c.fen, n, err, c.n)
			continue
		}
		if n == 0 {
			continue
		}
		wins, err := Wins(t.Context(), p, n)
		if err != nil {
			t.Fatal(err)
		}
		var sans []string
		for _, m := range wins {
			sans = append(sans, p.SAN(m))
		}
		slices.Sort(sans)
		if !slices.Equal(sans, c.wins) {
			t.Errorf("%s %s: %v win, want %v", c.variant, c.fen, sans, c.wins)
		}
	}
}

// forced is the definition of a win by force, written down plainly: the side to move
// has so many moves left to win.
func forced(p *chess.Position, n int) bool {
	me := p.Turn()
	var l, replies chess.MoveList
	p.LegalMoves(&l)
	if end := p.Ended(&l); end.Over() {
		return end.Result == chess.Win(me)
	}
	if n == 0 {
		return false
	}
	for _, m := range l.Slice() {
		q := *p
		q.Play(m)
		q.LegalMoves(&replies)
		end := q.Ended(&replies)
		won := end.Over() && end.Result == chess.Win(me)
		if !end.Over() && n > 1 {
			won = true
			for _, r := range replies.Slice() {
				x := q
				x.Play(r)
				won = won && forced(&x, n-1)
			}
		}
		if won {
			return true
		}
	}
	return false
}

// In random games of all variants the prover says what the definition says.
func TestProverAgainstDefinition(t *testing.T) {
	games, wins := 60, map[chess.Variant]int{}
	if testing.Short() {
		games = 10
	}
	for _, v := range chess.Variants() {
		for game := range games {
			rng := rand.New(rand.NewPCG(uint64(v), uint64(game)))
			g := chess.NewGame(chess.StartPosition(v))
			var l chess.MoveList
			for ply := range 200 {
				g.Position().LegalMoves(&l)
				if g.Position().Ended(&l).Over() {
					break
				}
				// Mate in two is slow by definition: near the end there is less to do.
				deepest := 1
				if ply > 40 && l.Len() < 25 && v != chess.Crazyhouse {
					deepest = 2
				}
				if ply > 8 && ply%5 == 0 {
					want := 0
					for n := 1; n <= deepest && want == 0; n++ {
						if forced(g.Position(), n) {
							want = n
						}
					}
					got, err := Shortest(t.Context(), g.Position(), deepest)
					if err != nil || got != want {
						t.Fatalf("%s %s: win in %d, %v: by definition %d", v, g.Position().FEN(), got, err, want)
					}
					if want > 0 {
						wins[v]++
					}
				}
				g.Play(l.At(rng.IntN(l.Len())))
			}
		}
	}
	for _, v := range chess.Variants() {
		if wins[v] == 0 && v != chess.RacingKings { // random games hardly race
			t.Errorf("%s: no win was met", v)
		}
	}
}

// A proof ends with its context.
func TestProofCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := chess.StartPosition(chess.Standard)
	if _, err := Shortest(ctx, &p, MaxMate); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
