package encode

import (
	"math"

	"alamos/pkg/chess"
)

// alphaZero119 is the input of AlphaZero for chess (Silver and others, 2018, table
// S1): eight positions of history with fourteen planes each, and seven planes
// that are the same on all squares.
//
// The board is oriented to the perspective of the side that is to move now, as
// the paper says, and so are the seven positions before: own pieces come first,
// and for black the board is turned upside down (in racing kings left and right
// change places, see [view]). Steps before the start of the game are zero. En
// passant has no plane: it is told by the history, and so not at all in a game
// that begins at such a position.
//
// What the papers leave open is settled here so:
//
//   - Vanhoutte's thesis, which rebuilds AlphaZero for chess (Howest, 2022), lists
//     twelve planes a step and one of repetitions, but says 119 as AlphaZero does;
//     it says nothing of the orientation. AlphaZero is followed in both.
//   - The two planes of repetitions are ones when the position of their step had
//     occurred at least once, and at least twice, before.
//   - The plane of color is ones when black is to move.
//   - Castling is on the king's side, then on the queen's, first of the mover.
//   - The total move count is in plies, as the number of the move tells them, a
//     512th each: the longest game that AlphaZero played. The no-progress count
//     is in plies, a hundredth each. Both are 1 at most.
//
// It goes with alphazero4672.
type alphaZero119 struct{}

// The planes of alphazero119, by their first index; those of a step are repeated
// eight times, the current position first.
const (
	zeroPieces      = 0  // of a step: own pawns to king, the other's pawns to king
	zeroRepetitions = 12 // of a step: occurred before, occurred twice before
	zeroStep        = 14
	zeroColor       = historySteps * zeroStep
	zeroMoves       = zeroColor + 1
	zeroCastling    = zeroColor + 2 // own short, own long, the other's short, long
	zeroNoProgress  = zeroColor + 6
	zeroPlanes      = zeroColor + 7

	zeroLongest = 512 // plies
)

var alphaZero119Constant = constantAt(zeroPlanes, zeroMoves, zeroNoProgress)

// constantAt is the answer of Constant: true of the planes listed.
func constantAt(count int, planes ...int) []bool {
	constant := make([]bool, count)
	for _, i := range planes {
		constant[i] = true
	}
	return constant
}

func (alphaZero119) Name() string     { return "alphazero119" }
func (alphaZero119) Count() int       { return zeroPlanes }
func (alphaZero119) Constant() []bool { return alphaZero119Constant }
func (alphaZero119) White() bool      { return false }

func (e alphaZero119) Supports(v chess.Variant) error { return atomic16Lacks.support(e.Name(), v) }

func (alphaZero119) Encode(dst []uint64, g *chess.Game) {
	p := g.Position()
	own := p.Turn()
	dst = dst[:zeroPlanes]
	for i := range historySteps {
		step := dst[i*zeroStep:][:zeroStep]
		q := g.Back(i)
		if q == nil {
			clear(step)
			continue
		}
		encodePieces(step[zeroPieces:], q, own)
		n := repetitions(g, i, 2)
		step[zeroRepetitions] = plane(n >= 1)
		step[zeroRepetitions+1] = plane(n >= 2)
	}
	turnBoards(dst[:zeroColor], view(p))

	dst[zeroColor] = plane(own == chess.Black)
	dst[zeroMoves] = uint64(math.Float32bits(min(1, float32(p.Ply())/zeroLongest)))
	for i, c := range [2]chess.Color{own, own.Other()} {
		short, long := castlings(p, c)
		dst[zeroCastling+2*i] = plane(short)
		dst[zeroCastling+2*i+1] = plane(long)
	}
	dst[zeroNoProgress] = uint64(math.Float32bits(min(1, float32(p.Rule50())/100)))
}
