package encode

import "alamos/pkg/chess"

// Planes turns a position into a network's input: Count planes of 8x8, one
// uint64 each. Implementations hold no state: all methods are safe for use
// by many goroutines at once.
type Planes interface {
	// Name is the name that experiment files use.
	Name() string

	// Count is the number of planes, which is the number of words.
	Count() int

	// Constant tells for each plane how its word is to be read; the slice
	// has Count elements and belongs to the encoding. False: a bitboard,
	// bit s is 1 where the plane is 1, s = 0 for a1, 1 for b1, 63 for h8.
	// True: math.Float32bits(v) of a plane that is v on all squares.
	Constant() []bool

	// White tells whose score a network with this input predicts: White's
	// when true, otherwise that of the side to move.
	White() bool

	// Supports returns an error when positions of the variant cannot be
	// encoded.
	Supports(v chess.Variant) error

	// Encode writes the current position of g, with as much of its history
	// as the encoding looks at, to dst[:Count()].
	Encode(dst []uint64, g *chess.Game)
}

// atomic16 is the input of the OppenheimerZero thesis (section 4.4.1): the
// sixteen integers by which it stores a board, and no history.
type atomic16 struct{}

// The planes of atomic16, by their first index.
const (
	atomicWhite     = 0  // white pawns, knights, bishops, rooks, queens, king
	atomicBlack     = 6  // the same of black
	atomicCastling  = 12 // white rooks, black rooks that may still castle
	atomicEnPassant = 14 // target square of an en passant capture
	atomicTurn      = 15 // all ones when white is to move
	atomicPlanes    = 16
)

var atomic16Constant = make([]bool, atomicPlanes)

func (atomic16) Name() string     { return "atomic16" }
func (atomic16) Count() int       { return atomicPlanes }
func (atomic16) Constant() []bool { return atomic16Constant }

// White is true: the thesis keeps white's point of view throughout, and so
// its outcome z is 1 when white won, whoever is to move.
func (atomic16) White() bool { return true }

// atomic16Lacks: what is not on the board has no planes.
var atomic16Lacks = lacks{
	chess.ThreeCheck: "no planes for the checks given",
	chess.Crazyhouse: "no planes for the pieces in hand",
}

func (e atomic16) Supports(v chess.Variant) error { return atomic16Lacks.support(e.Name(), v) }

func (atomic16) Encode(dst []uint64, g *chess.Game) {
	p := g.Position()
	dst = dst[:atomicPlanes]
	for t := chess.Pawn; t <= chess.King; t++ {
		dst[atomicWhite+int(t-chess.Pawn)] = uint64(p.Pieces(chess.White, t))
		dst[atomicBlack+int(t-chess.Pawn)] = uint64(p.Pieces(chess.Black, t))
	}
	dst[atomicCastling] = uint64(p.CastlingRooks(chess.White))
	dst[atomicCastling+1] = uint64(p.CastlingRooks(chess.Black))
	dst[atomicEnPassant] = 0
	if s := p.EnPassant(); s != chess.NoSquare {
		dst[atomicEnPassant] = 1 << s
	}
	dst[atomicTurn] = 0
	if p.Turn() == chess.White {
		dst[atomicTurn] = ^uint64(0)
	}
}
