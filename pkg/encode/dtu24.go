package encode

import "alamos/pkg/chess"

// dtu24 is the input of the value network of Larsen, Nguyen and Mortensen (DTU
// 02461, January 2024), as its program computes it (split_dims). The board is as white
// sees it, and what the network predicts is white's score.
//
// The program differs from the report, which calls planes 20 and 21 the
// fifty-move rule and threefold repetition: they are ones when the side to move
// can claim a draw by fifty moves, and by either. As in the library that it uses,
// a draw can also be claimed for what a move will bring about, if one does. The
// report's positions were read from FEN and had no history, and so its plane 21
// was its plane 20; here a game's history counts.
//
// One slip of the program is not repeated: it puts the en passant square, alone
// of all, on a board that is upside down.
//
// The moves of the side that waits are those it would have if it were to move,
// without en passant. They may take the king of a side that is in check.
//
// The square of a castling king is where he ends; that of his right to castle is
// the rook's. The en passant square is given where an enemy pawn stands ready to
// capture. No policy belongs to it.
type dtu24 struct{}

// The planes of dtu24, by their first index.
const (
	dtuPieces    = 0  // white's pawns to king, black's pawns to king
	dtuTargets   = 12 // where white's, where black's legal moves end
	dtuTurn      = 14 // ones when white is to move
	dtuEnPassant = 15 // target square of an en passant capture
	dtuCastling  = 16 // rook that may castle: white's short, long, black's short, long
	dtuFifty     = 20 // ones when a draw by fifty moves can be claimed
	dtuDraw      = 21 // ones when a draw can be claimed
	dtuMovers    = 22 // from where the side to move, from where the other side moves
	dtuPlanes    = 24
)

var dtu24Constant = make([]bool, dtuPlanes)

func (dtu24) Name() string     { return "dtu24" }
func (dtu24) Count() int       { return dtuPlanes }
func (dtu24) Constant() []bool { return dtu24Constant }
func (dtu24) White() bool      { return true }

func (e dtu24) Supports(v chess.Variant) error { return atomic16Lacks.support(e.Name(), v) }

func (dtu24) Encode(dst []uint64, g *chess.Game) {
	p := g.Position()
	own := p.Turn()
	dst = dst[:dtuPlanes]
	clear(dst)
	encodePieces(dst[dtuPieces:], p, chess.White)

	var l chess.MoveList
	waiting := pass(p)
	waiting.LegalMoves(&l)
	dst[dtuMovers+1], dst[dtuTargets+int(own.Other())] = ends(&l)
	p.LegalMoves(&l)
	dst[dtuMovers], dst[dtuTargets+int(own)] = ends(&l)

	dst[dtuTurn] = plane(own == chess.White)
	if s := p.EnPassant(); s != chess.NoSquare {
		dst[dtuEnPassant] = 1 << s
	}
	for c := chess.White; c <= chess.Black; c++ {
		rooks := uint64(p.CastlingRooks(c))
		left := uint64(1)<<(p.King(c)&63) - 1
		dst[dtuCastling+2*int(c)] = rooks &^ left
		dst[dtuCastling+2*int(c)+1] = rooks & left
	}
	fifty, threefold := claims(g, &l)
	dst[dtuFifty] = plane(fifty)
	dst[dtuDraw] = plane(fifty || threefold)
}

// pass is p with the other side to move and no en passant. A piece that goes to
// the square it stands on is no legal move, but playing it changes nothing else
// that matters to the other side; without a piece there is no game to go on with.
func pass(p *chess.Position) chess.Position {
	q := *p
	if s := p.Side(p.Turn()).First(); s != chess.NoSquare {
		q.Play(chess.Move(s) | chess.Move(s)<<6)
	}
	return q
}

// ends gives the squares from which and to which moves go.
func ends(l *chess.MoveList) (from, to uint64) {
	for _, m := range l.Slice() {
		target := m.To()
		if m.IsCastle() { // stored as king takes own rook
			target = m.From()&^7 | 2
			if m.To() > m.From() {
				target |= 4
			}
		}
		from |= 1 << m.From()
		to |= 1 << target
	}
	return from, to
}

// claims reports whether the side to move, with the legal moves l, can claim a
// draw by the clock or by repetition, in the position or with a move.
func claims(g *chess.Game, l *chess.MoveList) (fifty, threefold bool) {
	p := g.Position()
	fifty = p.Rule50() >= 100 && l.Len() > 0
	threefold = repetitions(g, 0, 2) == 2
	const soonest = 7 // of eight plies that come back to a position twice, the last is to be played
	if p.Rule50() < soonest || threefold && (fifty || p.Rule50() < 99) {
		return fifty, threefold
	}
	var answers chess.MoveList
	for _, m := range l.Slice() {
		q := *p
		q.Play(m)
		if q.Rule50() == 0 {
			continue
		}
		if !fifty && q.Rule50() >= 100 {
			q.LegalMoves(&answers)
			fifty = answers.Len() > 0
		}
		// The position after the move is one ply ahead of the current one.
		threefold = threefold || occurrences(g, q.Key(), 3, q.Rule50()-1, 2) == 2
	}
	return fifty, threefold
}
