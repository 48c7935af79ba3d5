package encode

import (
	"slices"

	"alamos/pkg/chess"
)

// uci1968 numbers moves by their UCI strings, as the OppenheimerZero thesis
// does (section 4.2.2, idx_to_move and move_to_idx): every move that a queen
// or a knight could make on an empty board, which covers every move of every
// piece, and every promotion.
//
// The thesis does not give the order of its list. Ours is:
//
//	0..1791     queen and knight moves, by origin (a1, b1, .. h8), then by
//	            destination in the same order: a1b1, a1c1, .. h8g8
//	1792..1879  white's promotions by origin, then destination, then piece
//	            n, b, r, q: a7a8n, a7a8b, .. h7h8q
//	1880..1967  black's promotions likewise: a2a1n, .. h2h1q
//
// Castling is the king's move of two squares, e1g1; where king or rook began
// elsewhere than in chess, it is the king taking his rook, as in UCI.
var uci1968 = &Policy{
	name: "uci1968", size: uciSize, lacks: chessPromotions, index: indexUci1968, moves: UCI1968Moves,
}

const (
	uciPlain = 1792
	uciSize  = 1968
)

// uciTable is the list and its inverse, made once.
var uciTable = newUCITable()

type uciLookup struct {
	moves  []string
	plain  [64][64]int16 // index of from, to without promotion; -1: none
	knight [64][64]int16 // index of from, to with promotion to a knight
}

func newUCITable() *uciLookup {
	t := &uciLookup{moves: make([]string, 0, uciSize)}
	square := func(s int) string { return chess.Square(s).String() }
	for from := range 64 {
		for to := range 64 {
			t.plain[from][to], t.knight[from][to] = -1, -1
			if zeroTypes[from][to] >= 0 {
				t.plain[from][to] = int16(len(t.moves))
				t.moves = append(t.moves, square(from)+square(to))
			}
		}
	}
	for _, ranks := range [2][2]int{{6, 7}, {1, 0}} {
		for file := range 8 {
			for target := max(file-1, 0); target <= min(file+1, 7); target++ {
				from, to := ranks[0]*8+file, ranks[1]*8+target
				t.knight[from][to] = int16(len(t.moves))
				for _, piece := range "nbrq" {
					t.moves = append(t.moves, square(from)+square(to)+string(piece))
				}
			}
		}
	}
	return t
}

// UCI1968Moves is the list of the uci1968 policy: the UCI string of each
// index. The caller may keep and change it.
func UCI1968Moves() []string { return slices.Clone(uciTable.moves) }

func indexUci1968(_ *chess.Position, m chess.Move) int { return uciIndex(m, asItIs) }

// uci1968Mover is uci1968 as the side to move sees the board: black's moves
// are numbered as white's moves on the board turned upside down (in racing
// kings with left and right changed), so that both learn from each other's
// games. Half of the promotions are never used. It goes with mover15.
var uci1968Mover = &Policy{
	name: "uci1968-mover", size: uciSize, lacks: chessPromotions, index: indexUci1968Mover, moves: UCI1968Moves,
}

func indexUci1968Mover(p *chess.Position, m chess.Move) int { return uciIndex(m, view(p)) }

// uciIndex returns the index of a move as seen in a view, -1 for promotions to a king and
// for drops.
func uciIndex(m chess.Move, view chess.Square) int {
	from, to := squares(m, view)
	if piece := m.Promotion(); piece != chess.NoPieceType {
		if base := uciTable.knight[from][to]; base >= 0 && piece >= chess.Knight && piece <= chess.Queen {
			return int(base) + int(piece-chess.Knight)
		}
		return -1
	}
	return int(uciTable.plain[from][to])
}

// uci2206Mover numbers the moves of every variant, as the side to move sees the
// board (see [view]):
//
//	0..1879     the queen and knight moves and white's promotions of uci1968
//	1880..1901  promotions to a king (antichess), by origin, then destination:
//	            a7a8k, a7b8k, b7a8k, .. h7h8k
//	1902..1949  pawns dropped (crazyhouse), a2 to h7: P@a2, P@b2, .. P@h7
//	1950..2205  knights, bishops, rooks and queens dropped, each a1 to h8:
//	            N@a1, N@b1, .. Q@h8
//
// It goes with variants31.
var uci2206Mover = &Policy{
	name: "uci2206-mover", size: allSize, lacks: lacks(nil), index: indexUci2206Mover, moves: UCI2206Moves,
}

const (
	allUCI      = uciPlain + 88 // one side's promotions of uci1968 are kept
	allKings    = allUCI
	allPawns    = allKings + 22
	allPieces   = allPawns + 48
	allSize     = allPieces + 4*64
	firstPawnSq = 8 // a2
)

// kingTable returns the index of promotions to a king by from, to.
var kingTable = newKingTable()

func newKingTable() *[64][64]int16 {
	t := new([64][64]int16)
	next := int16(allKings)
	for from := range 64 {
		for to := range 64 {
			// A promotion of white's is listed in uci1968 before black's.
			if i := uciTable.knight[from][to]; i >= 0 && i < allUCI {
				t[from][to] = next
				next++
			}
		}
	}
	return t
}

// UCI2206Moves is the list of the uci2206-mover policy: the UCI string of each
// index as white sees it. The caller may keep and change it.
func UCI2206Moves() []string {
	moves := slices.Clone(uciTable.moves[:allUCI])
	for i := uciPlain; i < allUCI; i += 4 { // one of four: the squares are the same
		moves = append(moves, uciTable.moves[i][:4]+"k")
	}
	for s := chess.Square(firstPawnSq); s < firstPawnSq+48; s++ {
		moves = append(moves, "P@"+s.String())
	}
	for _, piece := range "NBRQ" {
		for s := range chess.Square(64) {
			moves = append(moves, string(piece)+"@"+s.String())
		}
	}
	return moves
}

func indexUci2206Mover(p *chess.Position, m chess.Move) int {
	v := view(p)
	to := int(m.To() ^ v)
	switch piece := m.Dropped(); {
	case piece == chess.Pawn:
		return allPawns + to - firstPawnSq
	case piece != chess.NoPieceType:
		return allPieces + 64*int(piece-chess.Knight) + to
	case m.Promotion() == chess.King:
		return int(kingTable[m.From()^v][to])
	}
	return uciIndex(m, v)
}

// Helpers of the encodings that describe a move by its origin, direction and distance.

// compass are the directions in which a queen moves, in files and ranks, in the
// order of the AlphaZero paper: N, NE, E, SE, S, SW, W, NW.
var compass = [8][2]int{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}

// leaps are the moves of a knight, clockwise from north.
var leaps = [8][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}

// The types of moves: 56 of a queen and 8 of a knight.
const (
	queenTypes = 56
	moveTypes  = queenTypes + 8
)

// typeTable returns the type of the move between two squares: number(direction, distance)
// for a queen's move, with its direction, 0 to 7 in the order of compass, and its
// distance, 1 to 7; 56 + i for a knight's move in the order of leaps; -1 for
// all others.
func typeTable(number func(direction, distance int) int) *[64][64]int8 {
	t := new([64][64]int8)
	set := func(from, files, ranks, number int) {
		file, rank := from%8+files, from/8+ranks
		if file >= 0 && file < 8 && rank >= 0 && rank < 8 {
			t[from][rank*8+file] = int8(number)
		}
	}
	for from := range 64 {
		for to := range 64 {
			t[from][to] = -1
		}
		for i, d := range compass {
			for n := 1; n <= 7; n++ {
				set(from, n*d[0], n*d[1], number(i, n))
			}
		}
		for i, d := range leaps {
			set(from, d[0], d[1], queenTypes+i)
		}
	}
	return t
}

// squares returns the squares of a move as UCI writes it, seen in a view: castling
// is the king's move of two squares, and where king or rook began elsewhere than
// in chess, the king taking his rook.
func squares(m chess.Move, view chess.Square) (from, to chess.Square) {
	from, to = m.From()^view, m.To()^view
	if m.IsCastle() && from%8 == 4 { // stored as king takes own rook
		switch to % 8 {
		case 0:
			to = from&^7 | 2
		case 7:
			to = from&^7 | 6
		}
	}
	return from, to
}

// chessPromotions lists what is missing from encodings that have only moves on the board
// and the promotions of chess.
var chessPromotions = lacks{
	chess.Antichess:  "no indices for promotions to a king",
	chess.Crazyhouse: "no indices for drops",
}
