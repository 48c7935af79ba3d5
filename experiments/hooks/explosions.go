//go:build ignore

package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

var Labels = alamos.Labels{
	"king_exploded":      {Text: "share of games that end with an explosion"},
	"plies_to_explosion": {Text: "mean length of these games", Unit: "plies"},
}

// Measure returns the share of games that end with a king's explosion, and the mean number
// of plies of those games.
func Measure(g alamos.Generation) alamos.Metrics {
	exploded, plies := 0, 0
	for _, game := range g.Games {
		if game.Reason == "king_exploded" {
			exploded++
			plies += game.Plies()
		}
	}
	mean := math.NaN() // no game ended so
	if exploded > 0 {
		mean = float64(plies) / float64(exploded)
	}
	return alamos.Metrics{
		"king_exploded":      float64(exploded) / float64(len(g.Games)),
		"plies_to_explosion": mean,
	}
}
