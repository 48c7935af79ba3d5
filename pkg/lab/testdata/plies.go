//go:build ignore

package main

import "alamos/pkg/hook/alamos"

// Measure tells how long games are, in plies.
func Measure(g alamos.Generation) alamos.Metrics {
	sum := 0
	for _, game := range g.Games {
		sum += game.Plies()
	}
	return alamos.Metrics{"plies": float64(sum) / float64(len(g.Games))}
}
