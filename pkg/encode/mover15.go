package encode

import (
	"math/bits"

	"alamos/pkg/chess"
)

// mover15 is atomic16 from the view of the side to move: its pieces come first,
// and for black the board is turned upside down. A position and the same one
// with colors changed are one position to the network, which halves what there
// is to learn, and a generation in which one color wins most games teaches no
// love of that color. It goes with uci1968-mover.
type mover15 struct{}

// The planes of mover15, by their first index.
const (
	moverPieces    = 0  // pawns, knights, bishops, rooks, queens, king of the side to move, then of the other
	moverCastling  = 12 // own rooks, other rooks that may still castle
	moverEnPassant = 14 // target square of an en passant capture
	moverPlanes    = 15
)

var mover15Constant = make([]bool, moverPlanes)

func (mover15) Name() string     { return "mover15" }
func (mover15) Count() int       { return moverPlanes }
func (mover15) Constant() []bool { return mover15Constant }
func (mover15) White() bool      { return false }

// mover15Lacks has racing kings beside what atomic16 lacks: turned upside down,
// black's race would go down the board, and nothing would say so.
var mover15Lacks = lacks{
	chess.ThreeCheck:  atomic16Lacks[chess.ThreeCheck],
	chess.Crazyhouse:  atomic16Lacks[chess.Crazyhouse],
	chess.RacingKings: "no plane for the side to move, and the race does not look alike to both",
}

func (e mover15) Supports(v chess.Variant) error { return mover15Lacks.support(e.Name(), v) }

func (mover15) Encode(dst []uint64, g *chess.Game) {
	p := g.Position()
	dst = dst[:moverPlanes]
	encodeMover(dst, p)
	turnBoards(dst, view(p))
}

// encodeMover writes the planes of mover15 with the board as it is.
func encodeMover(dst []uint64, p *chess.Position) {
	own := p.Turn()
	encodePieces(dst[moverPieces:], p, own)
	dst[moverCastling] = uint64(p.CastlingRooks(own))
	dst[moverCastling+1] = uint64(p.CastlingRooks(own.Other()))
	dst[moverEnPassant] = 0
	if s := p.EnPassant(); s != chess.NoSquare {
		dst[moverEnPassant] = 1 << s
	}
}

// turnBoards changes boards to a view.
func turnBoards(boards []uint64, view chess.Square) {
	if view == asItIs {
		return
	}
	for i, b := range boards {
		b = bits.ReverseBytes64(b) // a byte is a rank
		if view == leftRight {
			b = bits.Reverse64(b) // all squares turned around: with the ranks back in place, only the files
		}
		boards[i] = b
	}
}
