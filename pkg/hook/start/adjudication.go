//go:build ignore

package main

import "alamos/pkg/hook/alamos"

// Adjudicate ends games that both sides have held for lost for four plies.
func Adjudicate(games []alamos.Game) []string {
	results := make([]string, len(games))
	for i, g := range games {
		white, black := 0, 0
		for j := g.Plies() - 1; j >= 0 && j >= g.Plies()-4; j-- {
			if g.Scores[j] > 0.95 {
				white++
			}
			if g.Scores[j] < -0.95 {
				black++
			}
		}
		if white == 4 {
			results[i] = "1-0"
		} else if black == 4 {
			results[i] = "0-1"
		}
	}
	return results
}
