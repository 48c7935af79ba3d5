package match

import (
	"context"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// Material values positions by what stands on the board, and by how near each side is
// to what wins beside mate: an opponent that needs no network. It is a
// [search.Valuer]; its zero value is ready for use.
type Material struct{ values []float64 }

// worth is what pieces are worth in hundredths of a pawn.
var worth = [...]int{chess.Pawn: 100, chess.Knight: 300, chess.Bishop: 320, chess.Rook: 500, chess.Queen: 900, chess.King: 0}

// Add asks about the current position of g.
func (m *Material) Add(g *chess.Game, _ []chess.Move) {
	p := g.Position()
	balance := assets(p, p.Turn()) - assets(p, p.Turn().Other())
	m.values = append(m.values, (&uci.Score{CP: balance}).Expected())
}

// Values answers all that was asked since the last call.
func (m *Material) Values(context.Context) ([]float64, error) {
	values := m.values
	m.values = m.values[:0]
	return values, nil
}

// assets is what a side has, in hundredths of a pawn: its pieces, those in hand
// among them, and what the variant counts.
func assets(p *chess.Position, side chess.Color) int {
	sum := 0
	for t := chess.Pawn; t <= chess.King; t++ {
		sum += worth[t] * (p.Pieces(side, t).Count() + p.Pocket(side, t))
	}
	switch p.Variant() {
	case chess.Antichess:
		return -100 * p.Side(side).Count() // the fewer the better
	case chess.ThreeCheck:
		sum += 250 * (3 - p.ChecksLeft(side))
	case chess.RacingKings:
		sum += 150 * p.King(side).Rank()
	case chess.KingOfTheHill:
		k := p.King(side)
		sum -= 15 * (away(k.File()) + away(k.Rank()))
	}
	return sum
}

// away is how many files or ranks one is from the middle two.
func away(i int) int { return max(3-i, i-4) }
