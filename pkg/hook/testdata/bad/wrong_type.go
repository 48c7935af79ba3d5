//go:build ignore

package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

func Measure(g alamos.Generation) alamos.Metrics {
	return alamos.Metrics{"n": math.Sqrt(len(g.Games))} // want 39: cannot use len(g.Games) (value of type int) as float64 value in argument to math.Sqrt
}
