package encode

import (
	"slices"

	"alamos/pkg/chess"
)

// alphaZero4672 numbers moves as AlphaZero does for chess (Silver and others, 2018,
// table S2): 73 planes of moves, 64 squares from which a piece is picked up.
//
//	index = 64*plane + square, a1 = 0, b1 = 1, .. h8 = 63
//
//	planes 0..55   queen's moves: directions N, NE, E, SE, S, SW, W, NW, each by
//	               1 to 7 squares; a pawn that reaches the last rank
//	               this way becomes a queen
//	planes 56..63  knight's moves, clockwise from two ranks up and one file right
//	planes 64..72  promotions to a knight, a bishop, a rook, each by a capture
//	               to the left, an advance, a capture to the right
//
// The paper gives the planes in this order but neither that of the knight's moves
// nor that within the promotions. Squares and directions are as the side to move
// sees the board (see [view]): the paper orients the input so and does not
// mention the output, but its promotions are those of a side whose pawns move up.
//
// Castling is the king's move of two squares; where king or rook began elsewhere
// than in chess, it is the king taking his rook. 1,858 of the
// indices are of moves that a piece can make; the others are never used.
// It goes with alphazero119.
var alphaZero4672 = &Policy{
	name: "alphazero4672", size: zeroSize, lacks: chessPromotions, index: indexAlphaZero4672, moves: AlphaZero4672Moves,
}

const (
	zeroUnderpromotions = moveTypes
	zeroMoveTypes       = zeroUnderpromotions + 9
	zeroSize            = zeroMoveTypes * 64
)

// zeroTypes has the types by direction, then by distance.
var zeroTypes = typeTable(func(direction, distance int) int { return 7*direction + distance - 1 })

// moveTexts returns a list of so many texts with the squares of each move of a queen or a knight at
// its index.
func moveTexts(size int, index func(from, to chess.Square) int) []string {
	moves := make([]string, size)
	for from := range chess.Square(64) {
		for to := range chess.Square(64) {
			if QueenOrKnight(from, to) {
				moves[index(from, to)] = from.String() + to.String()
			}
		}
	}
	return moves
}

// QueenOrKnight reports whether a queen or a knight goes from one square to another of an empty board.
func QueenOrKnight(from, to chess.Square) bool { return zeroTypes[from&63][to&63] >= 0 }

// AlphaZero4672Moves is the list of the alphazero4672 policy: the squares of each
// index as white sees them, with the piece of a promotion that is not to a queen;
// empty where no piece can make the move.
func AlphaZero4672Moves() []string {
	moves := moveTexts(zeroSize, func(from, to chess.Square) int { return 64*int(zeroTypes[from][to]) + int(from) })
	for i, letter := range "nbr" {
		for file := range 8 {
			for target := max(file-1, 0); target <= min(file+1, 7); target++ {
				from, to := chess.NewSquare(file, 6), chess.NewSquare(target, 7)
				moves[zeroUnderpromotion(from, to, chess.Knight+chess.PieceType(i))] = from.String() + to.String() + string(letter)
			}
		}
	}
	return moves
}

// zeroUnderpromotion is the index of a promotion to knight, bishop or rook.
func zeroUnderpromotion(from, to chess.Square, piece chess.PieceType) int {
	side := to.File() - from.File() + 1 // 0, 1, 2
	return 64*(zeroUnderpromotions+3*int(piece-chess.Knight)+side) + int(from)
}

func indexAlphaZero4672(p *chess.Position, m chess.Move) int {
	from, to := squares(m, view(p))
	switch piece := m.Promotion(); piece {
	case chess.Knight, chess.Bishop, chess.Rook:
		return zeroUnderpromotion(from, to, piece)
	case chess.NoPieceType, chess.Queen:
		if t := zeroTypes[from&63][to&63]; t >= 0 {
			return 64*int(t) + int(from)
		}
	}
	return -1
}

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
var leela1858 = &Policy{
	name: "lc0-1858", size: leelaSize, lacks: chessPromotions, index: indexLeela1858, moves: LC01858Moves,
}

const leelaSize = uciPlain + 66

// LC01858Moves is the list of the lc0-1858 policy: the UCI string of each index as
// white sees it. The caller may keep and change it.
func LC01858Moves() []string {
	moves := slices.Clone(uciTable.moves[:uciPlain])
	for i := uciPlain; i < uciPlain+88; i += 4 { // n, b, r, q of white's promotions
		for _, piece := range "qrb" {
			moves = append(moves, uciTable.moves[i][:4]+string(piece))
		}
	}
	return moves
}

func indexLeela1858(p *chess.Position, m chess.Move) int {
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

// fromTo4096 numbers moves by their squares as the side to move sees the board
// (see [view]): index = 64*from + to, a1 = 0, b1 = 1, .. h8 = 63.
//
// A promotion is to a queen; those to other pieces cannot be expressed. Their prior is 0, so
// that a search tries one only where all else looks worse. Castling is the king's move of two
// squares; where king or rook began elsewhere than in chess, it is the king taking
// his rook.
//
// It is the policy that ChessMarro's text describes, 64 source squares by 64
// destination squares. Its program numbers otherwise: see marro4096.
var fromTo4096 = &Policy{
	name: "fromto4096", size: fromToSize, lacks: chessPromotions, index: indexFromTo4096, moves: FromTo4096Moves,
}

const fromToSize = 64 * 64

// FromTo4096Moves is the list of the fromto4096 policy: the squares of each index
// as white sees them, empty where no piece can make the move.
func FromTo4096Moves() []string {
	return moveTexts(fromToSize, func(from, to chess.Square) int { return 64*int(from) + int(to) })
}

func indexFromTo4096(p *chess.Position, m chess.Move) int {
	if underpromotes(m) || m.IsDrop() {
		return -1
	}
	from, to := squares(m, view(p))
	return 64*int(from) + int(to)
}

// underpromotes reports whether m promotes to a piece other than a queen.
func underpromotes(m chess.Move) bool {
	piece := m.Promotion()
	return piece != chess.NoPieceType && piece != chess.Queen
}

// marro4096 numbers moves as ChessMarro's program does (uci_to_number): by type
// of move, then by the square that the piece leaves. It is the column "best" of
// its Parquet files.
//
//	index  = 64*type + 8*row + file; row 0 is the eighth rank, file 0 the a-file
//	type   = 8*(distance-1) + direction for queen's moves, the directions N, NE,
//	         E, SE, S, SW, W, NW; 56..63 for knight's moves, clockwise from two
//	         ranks up and one file right
//
// The text that accompanies the program groups types by direction and mentions 64
// destination squares; the files follow the program.
// Squares are as the side to move sees the board (see [view]): ChessMarro turns
// black's positions and changes their colors.
//
// The program gives a promotion to a knight, a bishop or a rook the index of that
// to a queen. Here such moves cannot be expressed instead: if two moves
// had one index, a player could not tell them apart. Castling is the king's move of
// two squares; where king or rook began elsewhere than in chess, it is the king
// taking his rook. It goes with marro77.
var marro4096 = &Policy{
	name: "marro4096", size: marroSize, lacks: chessPromotions, index: indexMarro4096, moves: Marro4096Moves,
}

const marroSize = moveTypes * 64

// marroTypes has the types by distance, then by direction.
var marroTypes = typeTable(func(direction, distance int) int { return 8*(distance-1) + direction })

// Marro4096Moves is the list of the marro4096 policy: the squares of each index as
// white sees them, empty where no piece can make the move.
func Marro4096Moves() []string {
	return moveTexts(marroSize, func(from, to chess.Square) int { return marroIndex(marroTypes[from][to], from) })
}

// marroIndex is the index of a type of move from a square.
func marroIndex(t int8, from chess.Square) int { return 64*int(t) + int(from^upsideDown) }

func indexMarro4096(p *chess.Position, m chess.Move) int {
	from, to := squares(m, view(p))
	t := marroTypes[from&63][to&63]
	if underpromotes(m) || t < 0 {
		return -1
	}
	return marroIndex(t, from)
}
