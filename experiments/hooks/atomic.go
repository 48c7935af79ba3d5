//go:build ignore

package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

// What pieces are worth in atomic chess, where each is a bomb: pawns little, the
// queen less than elsewhere.
const (
	pawn  = 1.0
	minor = 2.0
	rook  = 3.0
	queen = 6.0
)

// Evaluate counts material, and how near pieces stand to the other side's king:
// a capture beside it wins the game.
func Evaluate(positions []alamos.Position) []float64 {
	values := make([]float64, len(positions))
	for i, p := range positions {
		score := material(p, "P", "NB", "R", "Q") - material(p, "p", "nb", "r", "q")
		score += threat(p, "NBRQ", "black") - threat(p, "nbrq", "white")
		if p.Turn() == "black" {
			score = -score
		}
		values[i] = math.Tanh(score / 8) // between -1 and 1
	}
	return values
}

func material(p alamos.Position, pawns, minors, rooks, queens string) float64 {
	return pawn*float64(p.Count(pawns)) + minor*float64(p.Count(minors)) +
		rook*float64(p.Count(rooks)) + queen*float64(p.Count(queens))
}

// threat grows as pieces come near a side's king.
func threat(p alamos.Position, pieces, side string) float64 {
	king := p.King(side)
	if king == "" {
		return 0
	}
	sum := 0.0
	for _, square := range p.Squares(pieces) {
		sum += 0.5 / float64(alamos.Distance(square, king))
	}
	return sum
}
