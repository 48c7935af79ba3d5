package encode

import "alamos/pkg/chess"

// alphaZero4672 numbers moves as AlphaZero does for chess (Silver and others, 2018,
// table S2): 73 planes of moves, 64 squares from which a piece is picked up.
//
//	index = 64*plane + square, a1 = 0, b1 = 1, .. h8 = 63
//
//	planes 0..55   queen's moves: directions N, NE, E, SE, S, SW, W, NW, each by
//	               1 to 7 squares; a pawn that so comes to the last rank
//	               becomes a queen
//	planes 56..63  knight's moves, clockwise from two ranks up and one file right
//	planes 64..72  promotions to a knight, a bishop, a rook, each by a capture
//	               to the left, an advance, a capture to the right
//
// The paper gives the planes in this order but neither that of the knight's moves
// nor that within the promotions. Squares and directions are as the side to move
// sees the board (see [view]): the paper orients the input so and says nothing
// of the output, but its promotions are those of a side whose pawns go up.
//
// Castling is the king's move of two squares; where king or rook began elsewhere
// than in chess, it is the king taking his rook. 1,858 of the
// indices are of moves that a piece can make; the others are never used.
// It goes with alphazero119.
type alphaZero4672 struct{}

const (
	zeroUnderpromotions = moveTypes
	zeroMoveTypes       = zeroUnderpromotions + 9
	zeroSize            = zeroMoveTypes * 64
)

// zeroTypes has the types by direction, then by distance.
var zeroTypes = typeTable(func(direction, distance int) int { return 7*direction + distance - 1 })

// AlphaZero4672Moves is the list of the alphazero4672 policy: the squares of each
// index as white sees them, with the piece of a promotion that is not to a queen;
// empty where no piece can make the move.
func AlphaZero4672Moves() []string {
	moves := make([]string, zeroSize)
	for from := range 64 {
		for to := range 64 {
			if t := zeroTypes[from][to]; t >= 0 {
				moves[64*int(t)+from] = chess.Square(from).String() + chess.Square(to).String()
			}
		}
	}
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

func (alphaZero4672) Name() string { return "alphazero4672" }
func (alphaZero4672) Size() int    { return zeroSize }

func (e alphaZero4672) Supports(v chess.Variant) error { return chessPromotions.support(e.Name(), v) }

func (alphaZero4672) Index(p *chess.Position, m chess.Move) int {
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
