//go:build ignore

// How often does a game end with the explosion of a king, and how soon?
package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

func Measure(g alamos.Generation) alamos.Metrics {
	explosions, plies := 0.0, 0.0
	for _, game := range g.Games {
		if game.Reason == "king_exploded" {
			explosions++
			plies += float64(game.Plies())
		}
	}
	m := alamos.Metrics{
		"explosion_share":      math.NaN(), // of all games
		"explosion_mean_plies": math.NaN(), // of the games that end so
	}
	if len(g.Games) > 0 {
		m["explosion_share"] = explosions / float64(len(g.Games))
	}
	if explosions > 0 {
		m["explosion_mean_plies"] = plies / explosions
	}
	return m
}
