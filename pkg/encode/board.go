package encode

import (
	"fmt"
	"slices"
	"strings"

	"alamos/pkg/chess"
)

// Board draws the pieces of an encoded position in the notation of the first field of
// FEN, as the encoding sees them: upper case are White's, or, where it sees the board
// from the side to move (not [Planes.White]), those of that side, which then plays up
// the board.
func Board(e Planes, planes []uint64) (string, error) {
	if len(planes) != e.Count() {
		return "", fmt.Errorf("encode: %d planes, want the %d of %s", len(planes), e.Count(), e.Name())
	}
	// Which plane is of which pieces, the encoding of the usual start tells.
	start := chess.StartPosition(chess.Standard)
	of := make([]uint64, e.Count())
	e.Encode(of, chess.NewGame(start))
	var board [64]byte
	for _, color := range []chess.Color{chess.White, chess.Black} {
		for t := chess.Pawn; t <= chess.King; t++ {
			letter := "PNBRQK"[t-chess.Pawn]
			if color == chess.Black {
				letter += 'a' - 'A'
			}
			at := slices.Index(of, uint64(start.Pieces(color, t)))
			if at < 0 {
				return "", fmt.Errorf("encode: %s has no plane of the pieces %c", e.Name(), letter)
			}
			for s := range board {
				if planes[at]>>s&1 != 0 {
					board[s] = letter
				}
			}
		}
	}
	var b strings.Builder
	for rank := 7; rank >= 0; rank-- {
		empty := 0
		for file := range 8 {
			letter := board[8*rank+file]
			if letter == 0 {
				empty++
				continue
			}
			if empty > 0 {
				fmt.Fprint(&b, empty)
			}
			empty = 0
			b.WriteByte(letter)
		}
		if empty > 0 {
			fmt.Fprint(&b, empty)
		}
		if rank > 0 {
			b.WriteByte('/')
		}
	}
	return b.String(), nil
}
