//go:build ignore

package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

func Evaluate(positions []alamos.Position) []float64 {
	return []float64{math.NaN(), 0} // want 2: Evaluate returned NaN for
}
