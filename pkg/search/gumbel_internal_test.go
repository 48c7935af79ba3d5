package search

import (
	"math"
	"testing"
)

// The policy that a search implies, worked out by hand.
func TestImprovedPolicy(t *testing.T) {
	s := NewTree(Config{Visits: 4, Root: Root{Considered: 2, CVisit: 8, CScale: 0.5}}, 0)
	// Of three moves two have visits, with Q 0.6 and -0.2: 0.8 and 0.4 on a scale
	// from 0 to 1.
	s.nodes = []node{{state: expanded, visits: 4, count: 3, value: 0.2}, {state: evaluated}, {state: evaluated}}
	s.edges = []edge{
		{prior: 0.5, visits: 2, sum: 1.2, child: 1},
		{prior: 0.25, visits: 2, sum: -0.4, child: 2},
		{prior: 0.25, child: none},
	}
	s.halving.on = true
	// The third takes the mixture of the network's 0.6 and of the mean of the others
	// by priors, (0.5*0.8 + 0.25*0.4) / 0.75 = 2/3, which has 4 visits.
	mixed := (0.6 + 4*2.0/3) / 5
	scale := (8 + 2) * 0.5
	weights := []float64{0.5 * math.Exp(scale*0.8), 0.25 * math.Exp(scale*0.4), 0.25 * math.Exp(scale*mixed)}
	sum := weights[0] + weights[1] + weights[2]
	for i, have := range s.Target() {
		if want := weights[i] / sum; math.Abs(have-want) > 1e-6 {
			t.Errorf("move %d has the target %v, want %v", i, have, want)
		}
	}
}
