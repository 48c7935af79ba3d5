package encode

import "alamos/pkg/chess"

// marro4096 numbers moves as ChessMarro's program does (uci_to_number): by type
// of move, then by the square that the piece leaves. It is the column "best" of
// its Parquet files.
//
//	index  = 64*type + 8*row + file; row 0 is the eighth rank, file 0 the a-file
//	type   = 8*(distance-1) + direction for queen's moves, the directions N, NE,
//	         E, SE, S, SW, W, NW; 56..63 for knight's moves, clockwise from two
//	         ranks up and one file right
//
// The text beside the program puts all distances of a direction together
// and speaks of 64 destination squares; what files hold is what the program did.
// Squares are as the side to move sees the board (see [view]): ChessMarro turns
// black's positions and changes their colors.
//
// The program gives a promotion to a knight, a bishop or a rook the index of that
// to a queen. Here such moves cannot be expressed instead: of two moves with one
// index a player would not know which was meant. Castling is the king's move of
// two squares; where king or rook began elsewhere than in chess, it is the king
// taking his rook. It goes with marro77.
type marro4096 struct{}

const marroSize = moveTypes * 64

// marroTypes has the types by distance, then by direction.
var marroTypes = typeTable(func(direction, distance int) int { return 8*(distance-1) + direction })

// Marro4096Moves is the list of the marro4096 policy: the squares of each index as
// white sees them, empty where no piece can make the move.
func Marro4096Moves() []string {
	moves := make([]string, marroSize)
	for from := range 64 {
		for to := range 64 {
			if t := marroTypes[from][to]; t >= 0 {
				moves[marroIndex(t, chess.Square(from))] = chess.Square(from).String() + chess.Square(to).String()
			}
		}
	}
	return moves
}

// marroIndex is the index of a type of move from a square.
func marroIndex(t int8, from chess.Square) int { return 64*int(t) + int(from^upsideDown) }

func (marro4096) Name() string { return "marro4096" }
func (marro4096) Size() int    { return marroSize }

func (e marro4096) Supports(v chess.Variant) error { return chessPromotions.support(e.Name(), v) }

func (marro4096) Index(p *chess.Position, m chess.Move) int {
	from, to := squares(m, view(p))
	t := marroTypes[from&63][to&63]
	if underpromotes(m) || t < 0 {
		return -1
	}
	return marroIndex(t, from)
}
