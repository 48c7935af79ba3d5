//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Evaluate(positions []alamos.Position) []float64 {
	return []float64{0, 1.5} // want 2: Evaluate returned 1.5 for rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1: want -1 to 1
}
