package chess

// Move is a move in 16 bits; 0 is no move. It means something only together
// with the position it is played in.
//
//	bits  0-5   from
//	bits  6-11  to
//	bits 12-15  kind: 0 plain, 1 castling, 2 en passant, 3-7 promotion to
//	            PieceType kind-1; 9-13 are kept for drops of PieceType kind-8
//
// Castling is stored as the king taking its own rook, which says the same for
// any placement of king and rook (chess960).
type Move uint16

const (
	kindCastle    Move = 1 << 12
	kindEnPassant Move = 2 << 12
	kindMask      Move = 15 << 12
	kindPromotion      = 1 // kind = piece type + kindPromotion
)

func newMove(from, to Square) Move { return Move(from) | Move(to)<<6 }

func newPromotion(from, to Square, t PieceType) Move {
	return newMove(from, to) | (Move(t)+kindPromotion)<<12
}

// From is the square the piece leaves.
func (m Move) From() Square { return Square(m & 63) }

// To is the square the piece goes to; for castling, the square of the rook.
func (m Move) To() Square { return Square(m >> 6 & 63) }

// Promotion is the piece a pawn becomes, [NoPieceType] for other moves.
func (m Move) Promotion() PieceType {
	if k := m >> 12; k >= 3 && k <= 7 {
		return PieceType(k - kindPromotion)
	}
	return NoPieceType
}

// IsCastle reports whether the move is castling.
func (m Move) IsCastle() bool { return m&kindMask == kindCastle }

// IsEnPassant reports whether the move is an en passant capture.
func (m Move) IsEnPassant() bool { return m&kindMask == kindEnPassant }

// String gives the move's squares with the king taking its rook for castling,
// as chess960 engines write it. [Position.UCI] gives the usual form.
func (m Move) String() string {
	if m == 0 {
		return "0000"
	}
	s := m.From().String() + m.To().String()
	if t := m.Promotion(); t != NoPieceType {
		s += string(t.letter(Black))
	}
	return s
}

// MoveList holds the legal moves of a position. It has room for every
// position [ParseFEN] accepts (218 moves at most) and never allocates. The
// zero value is empty.
type MoveList struct {
	n     int
	moves [256]Move
}

// Len is the number of moves.
func (l *MoveList) Len() int { return l.n }

// At is the i-th move, 0 <= i < Len().
func (l *MoveList) At(i int) Move { return l.Slice()[i] }

// Slice shows the moves; it is valid until the list is filled again.
func (l *MoveList) Slice() []Move { return l.moves[:l.n] }

// Contains reports whether m is in the list.
func (l *MoveList) Contains(m Move) bool {
	for _, x := range l.Slice() {
		if x == m {
			return true
		}
	}
	return false
}

func (l *MoveList) add(m Move) {
	l.moves[uint8(l.n)] = m
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
