//go:build ignore

package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

// Measure returns the mean length of games in plies, and no metric without games.
func Measure(g alamos.Generation) alamos.Metrics {
	sum := 0
	for _, game := range g.Games {
		sum += game.Plies()
	}
	return alamos.Metrics{"plies": float64(sum) / float64(len(g.Games)), "nothing": math.NaN()}
}
