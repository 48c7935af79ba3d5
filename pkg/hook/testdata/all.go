//go:build ignore

// All functions that a hook can have.
package main

import (
	"fmt"

	"alamos/pkg/hook/alamos"
)

func Measure(g alamos.Generation) alamos.Metrics {
	return alamos.Metrics{"games": float64(len(g.Games))}
}

func MeasureCheckpoint(c alamos.Checkpoint) alamos.Metrics {
	start := alamos.StartPosition(c.Variant)
	var after []alamos.Position
	for _, move := range start.Moves() {
		after = append(after, start.Play(move))
	}
	sum := 0.0
	var first alamos.Evaluation
	for i, e := range c.Evaluate(after) {
		sum += e.Value
		if i == 0 {
			first = e
		}
	}
	moves := first.Moves()
	likeliest := 0.0
	if moves[0] == "a7a5" && len(moves) == 20 {
		likeliest = 1
	}
	r := c.Search([]alamos.Position{start}, 9)[0]
	return alamos.Metrics{
		"generation": float64(c.Generation),
		"samples":    float64(c.Samples),
		"value":      sum / float64(len(after)),
		"share":      first.Policy["a7a6"],
		"likeliest":  likeliest,
		"visits":     float64(r.Moves[0].Visits),
		"length":     float64(len(r.PV)),
	}
}

func Evaluate(positions []alamos.Position) []float64 {
	all := make([]float64, len(positions))
	for i, p := range positions {
		all[i] = 0.2
		if p.Turn() == "black" {
			all[i] = -0.2
		}
	}
	return all
}

func Rate(p alamos.Progress) float64 {
	rate := p.Initial
	for range p.Epochs {
		rate /= 4
	}
	return rate
}

func Adjudicate(games []alamos.Game) []string {
	all := make([]string, len(games))
	for i, g := range games {
		if g.Scores[len(g.Scores)-1] < -0.9 && g.Position().Turn() == "white" {
			all[i] = "0-1"
		}
	}
	return all
}

func Stop(p alamos.Progress) (bool, string) {
	return true, fmt.Sprintf("generation %d has\n%v", p.Generation, p.Past[0].Metrics["a.b"])
}
