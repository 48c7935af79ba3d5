//go:build ignore

package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

// Measure tells how long games are, in plies, and of nothing that it does not know it.
func Measure(g alamos.Generation) alamos.Metrics {
	sum := 0
	for _, game := range g.Games {
		sum += game.Plies()
	}
	return alamos.Metrics{"plies": float64(sum) / float64(len(g.Games)), "nothing": math.NaN()}
}
