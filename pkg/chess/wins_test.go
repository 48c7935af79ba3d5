package chess_test

import (
	"math/rand/v2"
	"testing"

	"alamos/pkg/chess"
)

// A move wins when the game that it is played in ends with the player's win: in
// random games of all variants.
func TestWins(t *testing.T) {
	for _, v := range chess.Variants() {
		t.Run(v.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(v), 1))
			wins := 0
			for range 150 {
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
			if wins == 0 && v != chess.Antichess {
				t.Error("no game came near its end: nothing was tested")
			}
		})
	}
}
