//go:build ignore

package main

import "alamos/pkg/hook/alamos"

// judged counts calls; a script remembers nothing, so that it is always 1.
var judged int

// Adjudicate ends games after twenty plies with what was expected last.
func Adjudicate(games []alamos.Game) []string {
	judged++
	results := make([]string, len(games))
	for i, g := range games {
		if g.Plies() < 19+judged {
			continue
		}
		switch score := g.Scores[g.Plies()-1]; {
		case score > 0:
			results[i] = "1-0"
		case score < 0:
			results[i] = "0-1"
		default:
			results[i] = "1/2-1/2"
		}
	}
	return results
}
