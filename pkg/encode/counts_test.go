package encode

import (
	"math/rand/v2"
	"testing"

	"alamos/pkg/chess"
)

// Every encoding tells how many pieces there are, of whatever side is to move, with and
// without a history.
func TestCounts(t *testing.T) {
	for _, p := range allPlanes {
		for _, v := range chess.Variants() {
			if p.Supports(v) != nil {
				continue
			}
			rng := rand.New(rand.NewPCG(1, uint64(v)))
			g := chess.NewGame(chess.StartPosition(v))
			words := make([]uint64, p.Count())
			var l chess.MoveList
			for range 120 {
				at := g.Position()
				var want [chess.King + 1]int
				for k := chess.Pawn; k <= chess.King; k++ {
					want[k] = (at.Pieces(chess.White, k) | at.Pieces(chess.Black, k)).Count()
				}
				p.Encode(words, g)
				if got := Counts(p, words); got != want {
					t.Fatalf("%s, %s, %s: counts %v, want %v", p.Name(), v, at.FEN(), got, want)
				}
				at.LegalMoves(&l)
				if at.Ended(&l).Over() {
					break
				}
				g.Play(l.At(rng.IntN(l.Len())))
			}
		}
	}
}
