package chess

// Position is a position with everything that decides its legal moves, and
// its clocks, but not its history (see [Game]). It is a value of 128 bytes:
// copy it with =. The zero value is not a position; make one with
// [StartPosition] or [ParseFEN].
type Position struct {
	color     [2]Bitboard
	kind      [7]Bitboard // by PieceType to King; [0] has the pieces of other types, see typeBoards
	castle    Bitboard    // rooks that may still castle
	promoted  Bitboard    // pieces that were pawns, where captured pieces go to the hand
	key       uint64
	pocket    [2]pocket // pieces in hand
	rule50    uint32    // plies since the last capture or pawn move
	fullMove  uint32
	enPassant Square
	turn      Color
	variant   Variant
	checks    [2]uint8 // checks that a side has still to give, where they are counted
	victim    Square   // of a capture en passant, in rules made by [Define]
}

// checksToWin is the number of checks that wins three-check.
const checksToWin = 3

// Variant is the set of rules the position is played by.
func (p *Position) Variant() Variant { return p.variant }

// Turn is the side to move.
func (p *Position) Turn() Color { return p.turn }

// Key is a 64-bit hash of all that decides how the game can continue, except the two
// clocks: variant, pieces, side to move, castling rights, pockets, checks, and the
// en passant square where a capture on it is pseudo-legal. For the threefold rule
// use [Game.Repetitions], which considers whether that capture is legal.
func (p *Position) Key() uint64 { return p.key }

// Pieces returns the squares of one side's pieces of a kind.
func (p *Position) Pieces(c Color, t PieceType) Bitboard { return p.color[c&1] & p.board(t) }

// board returns the squares of the pieces of a kind.
func (p *Position) board(t PieceType) Bitboard {
	if t > King {
		return p.otherBoard(t)
	}
	return p.kind[t] &^ p.kind[0]
}

// typeBoards returns, for a type beyond King, the boards that have its pieces: a bit for
// each index of Position.kind. Board 0 is among them. The numbers of the others add up to
// the type less King and 1, so that a piece's type is the sum over its boards.
var typeBoards = newTypeBoards()

func newTypeBoards() (boards [PieceTypes]uint8) {
	for t := King + 1; t < PieceTypes; t++ {
		boards[t] = 1
		rest := t - King - 1
		for i := King; i > 0; i-- {
			if rest >= i {
				rest -= i
				boards[t] |= 1 << i
			}
		}
	}
	return boards
}

func (p *Position) otherBoard(t PieceType) Bitboard {
	b, in := p.kind[0], typeBoards[t%PieceTypes]
	for i := 1; i < len(p.kind) && b != 0; i++ {
		b &= p.kind[i] ^ (Bitboard(in>>i&1) - 1)
	}
	return b
}

// set places a piece of any type on an empty square and returns the change of the key.
func (p *Position) set(c Color, t PieceType, s Square) uint64 {
	if t <= King {
		return p.put(c, t, s)
	}
	p.color[c&1] |= s.bit()
	for i := range p.kind {
		p.kind[i] |= Bitboard(typeBoards[t]>>i&1) << (s & 63)
	}
	return keys.piece[c&1][t][s&63]
}

// clear removes a piece of any type and returns the change of the key.
func (p *Position) clear(c Color, t PieceType, s Square) uint64 {
	p.color[c&1] &^= s.bit()
	for i := range p.kind {
		p.kind[i] &^= s.bit()
	}
	return keys.piece[c&1][t%PieceTypes][s&63]
}

// Side returns the squares of all pieces of one side.
func (p *Position) Side(c Color) Bitboard { return p.color[c&1] }

// Occupied returns the squares of all pieces.
func (p *Position) Occupied() Bitboard { return p.color[White] | p.color[Black] }

// King is the square of a side's king, [NoSquare] when it has none.
func (p *Position) King(c Color) Square { return p.Pieces(c, King).First() }

// CastlingRooks returns the squares of the rooks with which a side may still
// castle.
func (p *Position) CastlingRooks(c Color) Bitboard { return p.castle & p.color[c&1] }

// CastlingSides returns the rooks of [Position.CastlingRooks] to the right of the king as White sees
// the board (short, to the g-file), and those to its left.
func (p *Position) CastlingSides(c Color) (short, long Bitboard) {
	left := p.castlingKing(c).bit() - 1
	rooks := p.CastlingRooks(c)
	return rooks &^ left, rooks & left
}

// castlingKing is the king of a side that castles if one may: rules in files can have others.
func (p *Position) castlingKing(c Color) Square {
	return (p.Pieces(c, King) & p.variant.backRank(c)).First()
}

// Pocket is the number of pieces of a kind that a side holds in hand.
func (p *Position) Pocket(c Color, t PieceType) int {
	return int(p.pocket[c&1] >> p.pocketShift(t) & pocketMost)
}

// Promoted returns the pieces of both sides that were pawns, which go back to the
// pocket as pawns; it is empty where captured pieces do not go to the hand.
func (p *Position) Promoted() Bitboard { return p.promoted }

// ChecksLeft is the number of checks with which side c wins: 3 at the start of
// three-check, 0 when it has won or where checks are not counted.
func (p *Position) ChecksLeft(c Color) int { return int(p.checks[c&1]) }

// EnPassant is the square behind a pawn that has just advanced two squares, if
// an enemy pawn stands ready to capture there (pinned or not); otherwise
// [NoSquare].
func (p *Position) EnPassant() Square { return p.enPassant }

// Rule50 is the number of plies since the last capture or pawn move.
func (p *Position) Rule50() int { return int(p.rule50) }

// FullMove is the number of the move to be played, 1 at the start, counted up
// after each move of Black's.
func (p *Position) FullMove() int { return int(p.fullMove) }

// Ply is the number of plies before this position by its move number:
// 0 for White's first move, 1 for Black's.
func (p *Position) Ply() int { return 2*(int(p.fullMove)-1) + int(p.turn) }

// PieceAt returns the kind and the color of the piece on a square; the kind is
// [NoPieceType] when the square is empty or is [NoSquare].
func (p *Position) PieceAt(s Square) (PieceType, Color) {
	if s >= NoSquare {
		return NoPieceType, White
	}
	return p.typeAt(s), Color(p.color[Black] >> (s & 63) & 1)
}

// typeAt adds up the boards without a branch: of the first six at most one has the bit, of
// other pieces those of typeBoards.
func (p *Position) typeAt(s Square) PieceType {
	s &= 63
	return PieceType(p.kind[Pawn]>>s&1 +
		p.kind[Knight]>>s&1*2 +
		p.kind[Bishop]>>s&1*3 +
		p.kind[Rook]>>s&1*4 +
		p.kind[Queen]>>s&1*5 +
		p.kind[King]>>s&1*6 +
		p.kind[0]>>s&1*(Bitboard(King)+1))
}

// attackers returns the pieces of side c, its king aside, that attack a square
// when the squares in occupied stop sliders. A piece on s itself is ignored.
func (p *Position) attackers(c Color, s Square, occupied Bitboard) Bitboard {
	queens := p.kind[Queen]
	return p.color[c&1] & (pawnAttacks[(c^1)&1][s&63]&p.kind[Pawn] |
		knightAttacks[s&63]&p.kind[Knight] |
		bishopAttacks(s, occupied)&(p.kind[Bishop]|queens) |
		rookAttacks(s, occupied)&(p.kind[Rook]|queens))
}

// InCheck reports whether the king of the side to move is attacked. In atomic
// chess a king that touches the other, or has exploded, is not in check; in
// antichess nobody is, nor in horde the side without a king.
func (p *Position) InCheck() bool { return p.attacked(p.turn) }

// attacked reports whether the king of side c is in check.
func (p *Position) attacked(c Color) bool {
	if b := p.variant.book(); b != nil {
		return b.attacked(p, c)
	}
	us, them := c&1, c.Other()&1
	k, enemy := (p.color[us] & p.kind[King]).First(), (p.color[them] & p.kind[King]).First()
	if k == NoSquare || p.variant == Antichess || p.variant == Atomic && enemy == NoSquare {
		return false
	}
	if enemy != NoSquare && kingAttacks[k&63].Has(enemy) {
		return p.variant != Atomic // touching kings: no check in atomic, an impossible position in chess
	}
	return p.attackers(them, k, p.Occupied()) != 0
}
