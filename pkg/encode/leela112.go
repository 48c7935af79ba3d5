package encode

import (
	"math"

	"alamos/pkg/chess"
)

// leela112 is the input of Leela Chess Zero in the form that its networks and
// training data call input format 1 (classical): eight positions of history with
// thirteen planes each, all as the side to move now sees the board, and eight
// planes that are the same on all squares. It is what lc0 writes, bit for bit: the
// tests compare it with lc0's own training data.
//
// Steps before the start of the game are zero, as in lc0's self-play, with one
// exception that is lc0's too: a game that begins with an en passant square had a
// position before, in which the pawn had not advanced. Otherwise nothing would
// tell of the capture, which has no plane.
//
// In variants the planes mean what they mean in chess. It goes with lc0-1858.
type leela112 struct{}

// The planes of lc0-112, by their first index; those of a step are repeated
// eight times, the current position first.
const (
	leelaPieces     = 0  // of a step: own pawns to king, the other's pawns to king
	leelaRepetition = 12 // of a step: ones when the position had occurred before
	leelaStep       = 13
	leelaCastling   = historySteps * leelaStep // own long, own short, the other's long, short
	leelaBlack      = leelaCastling + 4        // ones when black is to move
	leelaRule50     = leelaCastling + 5        // plies since the last capture or pawn move, as they are
	leelaZeros      = leelaCastling + 6        // zeros; it was the number of the move once
	leelaOnes       = leelaCastling + 7        // ones, which show where the board ends
	leelaPlanes     = leelaCastling + 8
)

var leela112Constant = constantAt(leelaPlanes, leelaRule50)

func (leela112) Name() string     { return "lc0-112" }
func (leela112) Count() int       { return leelaPlanes }
func (leela112) Constant() []bool { return leela112Constant }
func (leela112) White() bool      { return false }

func (e leela112) Supports(v chess.Variant) error { return atomic16Lacks.support(e.Name(), v) }

func (leela112) Encode(dst []uint64, g *chess.Game) {
	p := g.Position()
	own := p.Turn()
	dst = dst[:leelaPlanes]
	for i := range historySteps {
		step := dst[i*leelaStep:][:leelaStep]
		if q := g.Back(i); q != nil {
			encodePieces(step[leelaPieces:], q, own)
			step[leelaRepetition] = plane(repetitions(g, i, 1) > 0)
			continue
		}
		clear(step)
		if first := g.Back(i - 1); first != nil && first.EnPassant() != chess.NoSquare {
			encodePieces(step[leelaPieces:], first, own)
			pawns := leelaPieces
			if first.Turn() == own { // the other side's pawn advanced
				pawns += pieceBoards / 2
			}
			step[pawns] ^= 1<<(first.EnPassant()^8) | 1<<(first.EnPassant()^24)
		}
	}
	turnBoards(dst[:leelaCastling], view(p))

	for i, c := range [2]chess.Color{own, own.Other()} {
		short, long := castlings(p, c)
		dst[leelaCastling+2*i] = plane(long)
		dst[leelaCastling+2*i+1] = plane(short)
	}
	dst[leelaBlack] = plane(own == chess.Black)
	dst[leelaRule50] = uint64(math.Float32bits(float32(p.Rule50())))
	dst[leelaZeros] = 0
	dst[leelaOnes] = ^uint64(0)
}
