package encode

import "alamos/pkg/chess"

// leela1858 numbers moves as Leela Chess Zero does, as the side to move sees the
// board (see [view]):
//
//	0..1791     queen and knight moves, in the order of uci1968: a1b1, a1c1, .. h8g8
//	1792..1857  promotions by origin, then destination, then piece q, r, b:
//	            a7a8q, a7a8r, a7a8b, a7b8q, .. h7h8b
//
// A promotion to a knight is the plain move of the pawn, a7a8, and castling is the
// king taking his rook, e1h1. The tests compare it with lc0's own training data.
// It goes with lc0-112.
type leela1858 struct{}

const leelaSize = uciPlain + 66

// LC01858Moves is the list of the lc0-1858 policy: the UCI string of each index as
// white sees it. The caller may keep and change it.
func LC01858Moves() []string {
	moves := append([]string(nil), uciTable.moves[:uciPlain]...)
	for i := uciPlain; i < uciPlain+88; i += 4 { // n, b, r, q of white's promotions
		for _, piece := range "qrb" {
			moves = append(moves, uciTable.moves[i][:4]+string(piece))
		}
	}
	return moves
}

func (leela1858) Name() string { return "lc0-1858" }
func (leela1858) Size() int    { return leelaSize }

func (e leela1858) Supports(v chess.Variant) error { return chessPromotions.support(e.Name(), v) }

func (leela1858) Index(p *chess.Position, m chess.Move) int {
	v := view(p)
	from, to := (m.From()^v)&63, (m.To()^v)&63
	switch piece := m.Promotion(); piece {
	case chess.NoPieceType, chess.Knight:
		return int(uciTable.plain[from][to])
	case chess.Bishop, chess.Rook, chess.Queen:
		if base := uciTable.knight[from][to]; base >= 0 {
			return uciPlain + (int(base)-uciPlain)/4*3 + int(chess.Queen-piece)
		}
	}
	return -1
}
