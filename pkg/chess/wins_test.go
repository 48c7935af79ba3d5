package chess_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"alamos/pkg/chess"
)

// A move wins when the game that it is played in ends with the player's win: in
// random games of all variants, and of the same as rules.
func TestWins(t *testing.T) {
	variants := chess.Variants()
	for _, v := range chess.Variants() {
		r := chess.RulesOf(v)
		variants = append(variants, mustDefine(t, r))
		r.Name, r.Stalemate = r.Name+"-stalemate", "loss"
		variants = append(variants, mustDefine(t, r))
	}
	for _, v := range variants {
		t.Run(v.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(v), 1))
			wins := 0
			games := 150
			if v.Defined() {
				games = 30
			}
			for range games {
				p := chess.StartPosition(v)
				var l, replies chess.MoveList
				for range 300 {
					p.LegalMoves(&l)
					if p.Ended(&l).Over() || l.Len() == 0 {
						break
					}
					for _, m := range l.Slice() {
						q := p
						q.Play(m)
						q.LegalMoves(&replies)
						want := q.Ended(&replies).Result == chess.Win(p.Turn())
						if want {
							wins++
						}
						if p.Wins(m) != want {
							t.Fatalf("%s: %s wins: %v, want %v", p.FEN(), p.UCI(m), p.Wins(m), want)
						}
					}
					p.Play(l.Slice()[rng.IntN(l.Len())])
				}
			}
			if wins == 0 && !strings.HasPrefix(v.String(), "antichess") {
				t.Error("no game came near its end: nothing was tested")
			}
		})
	}
}

func mustDefine(t *testing.T, r chess.Rules) chess.Variant {
	t.Helper()
	v, err := chess.Define(r)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
