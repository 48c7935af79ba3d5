//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Evaluate(positions []alamos.Position) []float64 {
	return []float64{0} // want 2: Evaluate returned 1 values for 2 positions
}
