//go:build ignore

package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

const (
	lost    = 0.95 // a side resigns when both expect it to lose so surely
	draw    = 0.02 // and both agree on a draw when nobody expects more than this
	plies   = 6    // number of consecutive plies
	noDraws = 80   // plies before which there is no agreement on a draw
)

// Adjudicate lets a side resign, and both agree on a draw. Both sides are asked
// since scores alternate between them: in self-play the two are one network, in a
// tournament they are not.
func Adjudicate(games []alamos.Game) []string {
	results := make([]string, len(games))
	for i, g := range games {
		if g.Plies() < plies {
			continue
		}
		least, most := 1.0, -1.0
		for _, score := range g.Scores[g.Plies()-plies:] {
			if math.IsNaN(score) { // a player without scores plays on
				least, most = -1, 1
				break
			}
			least, most = math.Min(least, score), math.Max(most, score)
		}
		switch {
		case least >= lost:
			results[i] = "1-0"
		case most <= -lost:
			results[i] = "0-1"
		case g.Plies() >= noDraws && least >= -draw && most <= draw:
			results[i] = "1/2-1/2"
		}
	}
	return results
}
