package chess

import "slices"

// Move is a move in 21 bits; 0 is not a move. It means something only together
// with the position it is played in.
//
//	bits  0-5   from
//	bits  6-11  to
//	bits 12-15  kind: 0 plain, 1 castling, 2 en passant, 3 promotion, 4 drop (from = to),
//	            5 double step of a pawn (only of rules made by [Define])
//	bits 16-20  the PieceType of a promotion or a drop
//
// Castling is stored as the king taking its own rook, which says the same for
// any placement of king and rook (chess960).
type Move uint32

const (
	kindCastle Move = (1 + iota) << 12
	kindEnPassant
	kindPromotion
	kindDrop
	kindDouble
	kindMask Move = 15 << 12
)

func newMove(from, to Square) Move { return Move(from) | Move(to)<<6 }

func newPromotion(from, to Square, t PieceType) Move {
	return newMove(from, to) | kindPromotion | Move(t)<<16
}

// newDrop returns the move that places a piece from the pocket.
func newDrop(to Square, t PieceType) Move { return newMove(to, to) | kindDrop | Move(t)<<16 }

// From is the square the piece leaves; for a drop, the square where it lands.
func (m Move) From() Square { return Square(m & 63) }

// To is the square the piece goes to; for castling, the square of the rook.
func (m Move) To() Square { return Square(m >> 6 & 63) }

// Promotion is the piece a pawn becomes, [NoPieceType] for other moves.
func (m Move) Promotion() PieceType {
	if m&kindMask == kindPromotion {
		return PieceType(m >> 16)
	}
	return NoPieceType
}

// Dropped is the piece that a drop places, [NoPieceType] for other moves.
func (m Move) Dropped() PieceType {
	if !m.IsDrop() {
		return NoPieceType
	}
	return PieceType(m >> 16)
}

// IsDrop reports whether the move places a piece from the pocket.
func (m Move) IsDrop() bool { return m&kindMask == kindDrop }

// IsCastle reports whether the move is castling.
func (m Move) IsCastle() bool { return m&kindMask == kindCastle }

// IsEnPassant reports whether the move is an en passant capture.
func (m Move) IsEnPassant() bool { return m&kindMask == kindEnPassant }

// isDouble reports whether the move is a double step of a pawn in rules made by [Define].
func (m Move) isDouble() bool { return m&kindMask == kindDouble }

// String returns the move's squares with the king taking its rook for castling,
// as chess960 engines write it. [Position.UCI] gives the usual form.
func (m Move) String() string {
	if m == 0 {
		return "0000"
	}
	if t := m.Dropped(); t != NoPieceType {
		return string(t.Letter(White)) + "@" + m.To().String()
	}
	s := m.From().String() + m.To().String()
	if t := m.Promotion(); t != NoPieceType {
		s += string(t.Letter(Black))
	}
	return s
}

// MoveList holds the legal moves of a position and never allocates. The zero
// value is empty.
//
// It has room for every possible position. Chess has at most 218 moves. For crazyhouse
// this is an upper bound: no square is reached
// from more than eight directions, by a promotion in more than twelve further
// ways, or by more than five kinds of drops, and a piece has at most 27 moves.
// With k pieces that is at most min(27k, 8(64-k)) + 5(64-k) moves, with knights
// and promotions some more, and below 720 for every k.
type MoveList struct {
	n     int
	moves [1024]Move
}

// mostMoves is more than the legal moves of any position of a built-in variant.
const mostMoves = 720

// Len is the number of moves.
func (l *MoveList) Len() int { return l.n }

// At is the i-th move, 0 <= i < Len().
func (l *MoveList) At(i int) Move { return l.Slice()[i] }

// Slice shows the moves; it is valid until the list is filled again.
func (l *MoveList) Slice() []Move { return l.moves[:l.n] }

// Contains reports whether m is in the list.
func (l *MoveList) Contains(m Move) bool { return slices.Contains(l.Slice(), m) }

// Retain removes the moves for which keep returns false.
func (l *MoveList) Retain(keep func(Move) bool) {
	l.n = len(slices.DeleteFunc(l.Slice(), func(m Move) bool { return !keep(m) }))
}

func (l *MoveList) add(m Move) {
	l.moves[l.n&(len(l.moves)-1)] = m
	l.n++
}

// addTargets adds plain moves from one square to each of a set.
func (l *MoveList) addTargets(from Square, to Bitboard) {
	for ; to != 0; to &= to - 1 {
		l.add(newMove(from, to.First()))
	}
}

// addPawn adds a pawn's move, four times when it promotes.
func (l *MoveList) addPawn(from, to Square) {
	if to.bit()&(rank1|rank8) == 0 {
		l.add(newMove(from, to))
		return
	}
	for t := Queen; t >= Knight; t-- {
		l.add(newPromotion(from, to, t))
	}
}
