//go:build ignore

package main

import (
	"math"
	"strings"

	"alamos/pkg/hook/alamos"
)

// plies is how long an opening is.
const plies = 4

// Measure tells how much the openings of a generation differ: how many there are,
// and the entropy of their shares in bits. A network that always plays the same
// games has the entropy 0, and learns nothing new from them.
func Measure(g alamos.Generation) alamos.Metrics {
	counts := map[string]int{}
	var order []string // a map has none, and a sum hangs on its order
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
