package encode

import "alamos/pkg/chess"

// marro77 is the input of ChessMarro ("Training ChessMarro", 2026): twelve boards
// of pieces, the side to move, and where the legal moves of each of 64 types start.
// There is no history; castling and en passant are told by the legal moves.
//
// White is always to move: a position of black's is turned upside down with the
// colors changed. The plane of the side to move, which the text says is ones for
// black and zeros for white, is therefore always zeros. ChessMarro's programs do
// not agree on it, and some write ones: who reads their files must set it.
//
// The text allows two readings of a legal move's plane, a mark where the move
// starts or where it ends; the program marks the start, and so does this. The
// types are in the order of the program (see marro4096), in which a promotion is
// one move whatever the pawn becomes.
//
// ChessMarro keeps each board as an integer of 64 bits; its text does not say in
// which order the squares are. Here they are as in all encodings.
type marro77 struct{}

// The planes of marro77, by their first index.
const (
	marroPieces = 0  // white's and black's pawns, white's and black's knights, .. kings
	marroTurn   = 12 // zeros
	marroMoves  = 13 // by type of move: squares from which a legal move starts
	marroPlanes = marroMoves + moveTypes
)

var marro77Constant = make([]bool, marroPlanes)

func (marro77) Name() string     { return "marro77" }
func (marro77) Count() int       { return marroPlanes }
func (marro77) Constant() []bool { return marro77Constant }
func (marro77) White() bool      { return false }

// Supports refuses what mover15 does, for the same reasons.
func (e marro77) Supports(v chess.Variant) error { return mover15Lacks.support(e.Name(), v) }

func (marro77) Encode(dst []uint64, g *chess.Game) {
	p := g.Position()
	own := p.Turn()
	dst = dst[:marroPlanes]
	for t := chess.Pawn; t <= chess.King; t++ {
		dst[marroPieces+2*int(t-chess.Pawn)] = uint64(p.Pieces(own, t))
		dst[marroPieces+2*int(t-chess.Pawn)+1] = uint64(p.Pieces(own.Other(), t))
	}
	turnBoards(dst[:marroTurn], view(p))
	clear(dst[marroTurn:])
	var l chess.MoveList
	p.LegalMoves(&l)
	for _, m := range l.Slice() {
		from, to := squares(m, view(p))
		if t := marroTypes[from&63][to&63]; t >= 0 {
			dst[marroMoves+int(t)] |= 1 << from
		}
	}
}
