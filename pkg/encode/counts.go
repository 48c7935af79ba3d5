package encode

import (
	"math/bits"

	"alamos/pkg/chess"
)

// Counts counts the pieces on the board of a position that p has encoded as words, those
// of both sides together, by their type. In all encodings the first twelve planes are
// the pieces of the current position.
func Counts(p Planes, words []uint64) (n [chess.King + 1]int) {
	_, byType := p.(marro77) // both sides' pawns, then both sides' knights, ..
	for i, w := range words[:pieceBoards] {
		t := i % (pieceBoards / 2)
		if byType {
			t = i / 2
		}
		n[chess.Pawn+chess.PieceType(t)] += bits.OnesCount64(w)
	}
	return n
}
