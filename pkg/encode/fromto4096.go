package encode

import "alamos/pkg/chess"

// fromTo4096 numbers moves by their squares as the side to move sees the board
// (see [view]): index = 64*from + to, a1 = 0, b1 = 1, .. h8 = 63.
//
// A promotion is to a queen; those to other pieces cannot be expressed, so that a
// player with this policy never thinks of one. Castling is the king's move of two
// squares; where king or rook began elsewhere than in chess, it is the king taking
// his rook.
//
// It is what ChessMarro's text says of its policy, 64 source squares by 64
// destination squares. Its program numbers otherwise: see marro4096.
type fromTo4096 struct{}

const fromToSize = 64 * 64

// FromTo4096Moves is the list of the fromto4096 policy: the squares of each index
// as white sees them, empty where no piece can make the move.
func FromTo4096Moves() []string {
	moves := make([]string, fromToSize)
	for from := range 64 {
		for to := range 64 {
			if i := uciTable.plain[from][to]; i >= 0 {
				moves[64*from+to] = uciTable.moves[i]
			}
		}
	}
	return moves
}

func (fromTo4096) Name() string { return "fromto4096" }
func (fromTo4096) Size() int    { return fromToSize }

func (e fromTo4096) Supports(v chess.Variant) error { return chessPromotions.support(e.Name(), v) }

func (fromTo4096) Index(p *chess.Position, m chess.Move) int {
	if underpromotes(m) || m.IsDrop() {
		return -1
	}
	from, to := squares(m, view(p))
	return 64*int(from) + int(to)
}

// underpromotes reports whether a pawn becomes something else than a queen.
func underpromotes(m chess.Move) bool {
	piece := m.Promotion()
	return piece != chess.NoPieceType && piece != chess.Queen
}
