package run

import "alamos/pkg/chess"

// phase is a part of a game.
type phase int

const (
	opening phase = iota
	middlegame
	endgame
	phases
)

var phaseNames = [phases]string{"opening", "middlegame", "endgame"}

// Pieces beside kings and pawns, of both sides together, of which chess begins with 14.
const (
	mostInMiddlegame = 10
	mostInEndgame    = 6
)

// phaseOf is the phase of a position with so many pieces of each type: that of lichess'
// divider (scalachess, Divider), without its looks at empty back ranks and at how the
// sides have mingled.
func phaseOf(n [chess.King + 1]int) phase {
	switch pieces := n[chess.Knight] + n[chess.Bishop] + n[chess.Rook] + n[chess.Queen]; {
	case pieces <= mostInEndgame:
		return endgame
	case pieces <= mostInMiddlegame:
		return middlegame
	}
	return opening
}
