package encode

import "alamos/pkg/chess"

// What encodings share that look back on the game and see it from the side that
// is to move now, whichever side moved then.

// historySteps is the number of positions that AlphaZero and lc0 look at: the
// current one and the seven before it.
const historySteps = 8

// pieceBoards is the number of boards that encodePieces writes.
const pieceBoards = 12

// encodePieces writes twelve boards of p as it is: pawns, knights, bishops, rooks,
// queens and king of side own, then those of the other.
func encodePieces(dst []uint64, p *chess.Position, own chess.Color) {
	for t := chess.Pawn; t <= chess.King; t++ {
		dst[t-chess.Pawn] = uint64(p.Pieces(own, t))
		dst[t-chess.Pawn+pieceBoards/2] = uint64(p.Pieces(own.Other(), t))
	}
}

// repetitions is how often the position of g that was current back plies ago
// had occurred before, counted no further than most. Positions are the same when
// their keys are ([chess.Position.Key]): an en passant square tells two apart
// when an enemy pawn stands ready to capture there, pinned or not.
func repetitions(g *chess.Game, back, most int) int {
	p := g.Back(back)
	return occurrences(g, p.Key(), back+4, back+p.Rule50(), most)
}

// occurrences counts the positions with a key among those first, first+2, .. last
// plies ago, no further than most.
func occurrences(g *chess.Game, key uint64, first, last, most int) (n int) {
	for i := first; i <= last && n < most; i += 2 {
		p := g.Back(i)
		if p == nil {
			break
		}
		if p.Key() == key {
			n++
		}
	}
	return n
}

// castlings tells on which sides c may still castle: with a rook on the right of
// its king as white sees the board (short, to the g-file), and with one on the left.
func castlings(p *chess.Position, c chess.Color) (short, long bool) {
	left := chess.Bitboard(1)<<(p.King(c)&63) - 1
	rooks := p.CastlingRooks(c)
	return rooks&^left != 0, rooks&left != 0
}

// plane is a plane of ones, or of zeros.
func plane(ones bool) uint64 {
	if ones {
		return ^uint64(0)
	}
	return 0
}
