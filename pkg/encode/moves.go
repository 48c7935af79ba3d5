package encode

import "alamos/pkg/chess"

// What numberings share that tell a move by where it starts and in which
// direction it goes how far.

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

// typeTable gives the type of the move between two squares: what number says of
// a queen's move by its direction, 0 to 7 in the order of compass, and its
// distance, 1 to 7; 56 + i of a knight's move in the order of leaps; -1 where
// neither moves.
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

// squares gives the squares of a move as UCI writes it, seen in a view: castling
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

// chessPromotions: what numberings lack that know the moves on the board and the
// promotions of chess.
var chessPromotions = lacks{
	chess.Antichess:  "no indices for promotions to a king",
	chess.Crazyhouse: "no indices for drops",
}
