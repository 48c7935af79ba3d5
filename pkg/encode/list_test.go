package encode_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Where a policy has the index of a legal move, its list has that move: for both
// sides, in all variants.
func TestMovesOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, policy := range allPolicies(t) {
		for _, v := range chess.Variants() {
			if policy.Supports(v) != nil {
				continue
			}
			g := chess.NewGame(chess.StartPosition(v))
			var l chess.MoveList
			for range 120 {
				p := g.Position()
				p.LegalMoves(&l)
				if g.Outcome(&l).Over() {
					break
				}
				list := encode.MovesOf(policy, p)
				if len(list) != policy.Size() {
					t.Fatalf("%s: %d moves", policy.Name(), len(list))
				}
				for _, m := range l.Slice() {
					i := policy.Index(p, m)
					if i < 0 {
						continue
					}
					want := p.UCI(m)
					if m.IsCastle() && policy.Name() == "lc0-1858" {
						want = m.String() // the king takes his rook
					}
					// Numberings that know no promotions have the pawn's move.
					if have := list[i]; have != want && (len(have) != 4 || !strings.HasPrefix(want, have)) {
						t.Fatalf("%s, %s: index %d is listed as %q, want %s in %s", policy.Name(), v, i, have, want, p.FEN())
					}
				}
				g.Play(l.At(rng.IntN(l.Len())))
			}
		}
	}
}
