//go:build ignore

package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) (alamos.Metrics, alamos.Series) {
	zero := 0.0
	return nil, alamos.Series{"s": {{X: 1, Y: 1 / zero}}} // want 2: series s: Y of point 1 is infinite; NaN leaves a gap
}
