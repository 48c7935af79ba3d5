//go:build ignore

package main

import (
	"math"

	"alamos/pkg/hook/alamos"
)

var Labels = alamos.Labels{
	"policy_entropy":   {Text: "entropy of the policy", Unit: "bits"},
	"start_value":      {Text: "value of the start position"},
	"search_agreement": {Text: "share of positions in which the search agrees"},
}

// visits of the search that the network is compared with.
const visits = 50

// MeasureCheckpoint evaluates the start position and the positions
// after each of its moves: how sure its policy is (entropy in bits: 0 for one move,
// log2 n for n equal ones), what it thinks of the start, and how often its first
// choice is that of a search.
func MeasureCheckpoint(c alamos.Checkpoint) alamos.Metrics {
	start := alamos.StartPosition(c.Variant)
	positions := []alamos.Position{start}
	for _, move := range start.Moves() {
		positions = append(positions, start.Play(move))
	}
	answers := c.Evaluate(positions)
	searches := c.Search(positions, visits)

	entropy, agree, counted := 0.0, 0.0, 0.0
	for i, answer := range answers {
		moves := answer.Moves()
		if len(moves) == 0 { // the game is over there
			continue
		}
		counted++
		for _, move := range moves {
			if p := answer.Policy[move]; p > 0 {
				entropy -= p * math.Log2(p)
			}
		}
		if moves[0] == searches[i].Moves[0].Move {
			agree++
		}
	}
	return alamos.Metrics{
		"policy_entropy":   entropy / counted,
		"start_value":      answers[0].Value,
		"search_agreement": agree / counted,
	}
}
