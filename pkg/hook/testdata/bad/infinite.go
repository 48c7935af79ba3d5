//go:build ignore

package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

func Measure(g alamos.Generation) alamos.Metrics {
	return alamos.Metrics{"n": math.Inf(1)} // want 2: metric n is infinite
}
