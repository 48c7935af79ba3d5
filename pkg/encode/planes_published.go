package encode

import (
	"math"
	"slices"

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
// passant has no plane: the history shows it, except in a game
// that begins at such a position.
//
// Choices made here where the papers leave them open:
//
//   - Vanhoutte's thesis, which rebuilds AlphaZero for chess (Howest, 2022), lists
//     twelve planes a step and one of repetitions, but says 119 as AlphaZero does;
//     it says nothing of the orientation. AlphaZero is followed in both.
//   - The two planes of repetitions are ones when the position of their step had
//     occurred at least once, and at least twice, before.
//   - The plane of color is ones when black is to move.
//   - Castling is on the king's side, then on the queen's, first of the mover.
//   - The total move count is in plies, by the move number, a
//     512th each: the longest game that AlphaZero played. The no-progress count
//     is in plies, a hundredth each. Both are 1 at most.
//
// It goes with alphazero4672.
var alphaZero119 = &Planes{
	name: "alphazero119", count: zeroPlanes, constant: constantAt(zeroPlanes, zeroMoves, zeroNoProgress), white: false,
	castling: []int{zeroCastling, zeroCastling + 1, zeroCastling + 2, zeroCastling + 3},
	lacks:    atomic16Lacks, encode: encodeAlphaZero119,
	names: slices.Concat(inHistory(bothSides, []string{"occurred before", "occurred twice before"}), []string{"color", "moves", "own O-O", "own O-O-O", "other O-O", "other O-O-O", "no progress"}),
}

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

func encodeAlphaZero119(dst []uint64, g *chess.Game) {
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
		PieceBoards(step[zeroPieces:], q, own)
		n := repetitions(g, i, 2)
		step[zeroRepetitions] = Plane(n >= 1)
		step[zeroRepetitions+1] = Plane(n >= 2)
	}
	turnBoards(dst[:zeroColor], view(p))

	dst[zeroColor] = Plane(own == chess.Black)
	dst[zeroMoves] = uint64(math.Float32bits(min(1, float32(p.Ply())/zeroLongest)))
	for i, c := range [2]chess.Color{own, own.Other()} {
		short, long := p.CastlingSides(c)
		dst[zeroCastling+2*i] = Plane(short != 0)
		dst[zeroCastling+2*i+1] = Plane(long != 0)
	}
	dst[zeroNoProgress] = uint64(math.Float32bits(min(1, float32(p.Rule50())/100)))
}

// leela112 is the input of Leela Chess Zero in the form that its networks and
// training data call input format 1 (classical): eight positions of history with
// thirteen planes each, all as the side to move now sees the board, and eight
// planes that are the same on all squares. It is what lc0 writes, bit for bit: the
// tests compare it with lc0's own training data.
//
// Steps before the start of the game are zero, as in lc0's self-play, with one
// exception that is lc0's too: a game that begins with an en passant square had a
// position before, in which the pawn had not advanced. Otherwise no plane would
// show that capture.
//
// In variants the planes have the same meaning as in chess. It goes with lc0-1858.
var leela112 = &Planes{
	name: "lc0-112", count: leelaPlanes, constant: constantAt(leelaPlanes, leelaRule50), white: false,
	castling: []int{leelaCastling, leelaCastling + 1, leelaCastling + 2, leelaCastling + 3},
	lacks:    atomic16Lacks, encode: encodeLeela112,
	names: slices.Concat(inHistory(bothSides, []string{"occurred before"}), []string{"own O-O-O", "own O-O", "other O-O-O", "other O-O", "Black moves", "quiet plies", "zeros", "ones"}),
}

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

func encodeLeela112(dst []uint64, g *chess.Game) {
	p := g.Position()
	own := p.Turn()
	dst = dst[:leelaPlanes]
	for i := range historySteps {
		step := dst[i*leelaStep:][:leelaStep]
		if q := g.Back(i); q != nil {
			PieceBoards(step[leelaPieces:], q, own)
			step[leelaRepetition] = Plane(repetitions(g, i, 1) > 0)
			continue
		}
		clear(step)
		if first := g.Back(i - 1); first != nil && first.EnPassant() != chess.NoSquare {
			PieceBoards(step[leelaPieces:], first, own)
			pawns := leelaPieces
			if first.Turn() == own { // the other side's pawn advanced
				pawns += pieceBoards / 2
			}
			step[pawns] ^= 1<<(first.EnPassant()^8) | 1<<(first.EnPassant()^24)
		}
	}
	turnBoards(dst[:leelaCastling], view(p))

	for i, c := range [2]chess.Color{own, own.Other()} {
		short, long := p.CastlingSides(c)
		dst[leelaCastling+2*i] = Plane(long != 0)
		dst[leelaCastling+2*i+1] = Plane(short != 0)
	}
	dst[leelaBlack] = Plane(own == chess.Black)
	dst[leelaRule50] = uint64(math.Float32bits(float32(p.Rule50())))
	dst[leelaZeros] = 0
	dst[leelaOnes] = ^uint64(0)
}

// marro77 is the input of ChessMarro ("Training ChessMarro", 2026): twelve boards
// of pieces, the side to move, and where the legal moves of each of 64 types start.
// There is no history; the legal moves show castling and en passant.
//
// White is always to move: a position of black's is turned upside down with the
// colors changed. The plane of the side to move, which the text says is ones for
// black and zeros for white, is therefore always zeros. ChessMarro's programs do
// not agree on it, and some write ones: the reader of their files clears it.
//
// The text allows two readings of a legal move's plane, a mark where the move
// starts or where it ends; the program marks the start, and so does this. The
// types are in the order of the program (see marro4096), in which a promotion is
// one move whatever the pawn becomes.
//
// ChessMarro keeps each board as an integer of 64 bits; its text does not say in
// which order the squares are. Here they are as in all encodings.
var marro77 = &Planes{
	name: "marro77", count: marroPlanes, constant: make([]bool, marroPlanes), white: false,
	lacks: mover15Lacks, encode: encodeMarro77, names: marroNames(),
}

// The planes of marro77, by their first index.
const (
	marroPieces = 0  // white's and black's pawns, white's and black's knights, .. kings
	marroTurn   = 12 // zeros
	marroMoves  = 13 // by type of move: squares from which a legal move starts
	marroPlanes = marroMoves + moveTypes
)

func encodeMarro77(dst []uint64, g *chess.Game) {
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
// The moves of the side not to move are those it would have if it were to move,
// without en passant. They may take the king of a side that is in check.
//
// The square of a castling king is where he ends; the square of his right to castle
// is the rook's. The en passant square is given where an enemy pawn stands ready to
// capture. No policy belongs to it.
var dtu24 = &Planes{
	name: "dtu24", count: dtuPlanes, constant: make([]bool, dtuPlanes), white: true,
	castling: []int{dtuCastling, dtuCastling + 1, dtuCastling + 2, dtuCastling + 3},
	lacks:    atomic16Lacks, encode: encodeDtu24,
	names: slices.Concat(of("white", chessKinds...), of("black", chessKinds...), []string{"White moves to", "Black moves to", "White to move", "en passant", "White O-O", "White O-O-O", "Black O-O", "Black O-O-O", "fifty moves", "draw claimed", "own moves from", "other moves from"}),
}

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

func encodeDtu24(dst []uint64, g *chess.Game) {
	p := g.Position()
	own := p.Turn()
	dst = dst[:dtuPlanes]
	clear(dst)
	PieceBoards(dst[dtuPieces:], p, chess.White)

	var l chess.MoveList
	waiting := pass(p)
	waiting.LegalMoves(&l)
	dst[dtuMovers+1], dst[dtuTargets+int(own.Other())] = ends(&l)
	p.LegalMoves(&l)
	dst[dtuMovers], dst[dtuTargets+int(own)] = ends(&l)

	dst[dtuTurn] = Plane(own == chess.White)
	dst[dtuEnPassant] = 1 << p.EnPassant() // 0 without one
	for c := chess.White; c <= chess.Black; c++ {
		short, long := p.CastlingSides(c)
		dst[dtuCastling+2*int(c)] = uint64(short)
		dst[dtuCastling+2*int(c)+1] = uint64(long)
	}
	fifty, threefold := claims(g, &l)
	dst[dtuFifty] = Plane(fifty)
	dst[dtuDraw] = Plane(fifty || threefold)
}

// pass returns p with the other side to move and no en passant. A move of a piece to its own
// square is not legal, but playing it changes nothing else that matters to the
// other side. A side without pieces
// has lost; its position is returned unchanged.
func pass(p *chess.Position) chess.Position {
	q := *p
	if s := p.Side(p.Turn()).First(); s != chess.NoSquare {
		q.Play(chess.Move(s) | chess.Move(s)<<6)
	}
	return q
}

// ends returns the squares from which and to which moves go.
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
