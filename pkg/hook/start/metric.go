//go:build ignore

package main

import "alamos/pkg/hook/alamos"

// Measure tells how long games are.
func Measure(g alamos.Generation) alamos.Metrics {
	plies := 0
	for _, game := range g.Games {
		plies += game.Plies()
	}
	return alamos.Metrics{"mean_plies": float64(plies) / float64(len(g.Games))}
}
