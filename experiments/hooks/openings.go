//go:build ignore

package main

import (
	"math"
	"strings"

	"alamos/pkg/hook/alamos"
)

var Labels = alamos.Labels{
	"openings":        {Text: "different openings"},
	"opening_entropy": {Text: "entropy of the openings", Unit: "bits"},
}

// plies is the length of an opening.
const plies = 4

// Measure returns how much the openings of a generation differ: their number, and the
// entropy of their shares in bits. A network that always plays the same game has entropy 0
// and learns nothing new.
func Measure(g alamos.Generation) alamos.Metrics {
	counts := map[string]int{}
	var order []string // maps have no order, and the order changes the last digits of a sum
	for _, game := range g.Games {
		n := plies
		if game.Plies() < n {
			n = game.Plies()
		}
		opening := game.Start + " " + strings.Join(game.Moves[:n], " ")
		if counts[opening] == 0 {
			order = append(order, opening)
		}
		counts[opening]++
	}
	entropy := 0.0
	for _, opening := range order {
		share := float64(counts[opening]) / float64(len(g.Games))
		entropy -= share * math.Log2(share)
	}
	return alamos.Metrics{"openings": float64(len(order)), "opening_entropy": entropy}
}
