package search

import (
	"slices"
	"testing"
)

// What is learned is the visits less those that were only forced, worked out by hand.
func TestPrunedTarget(t *testing.T) {
	// 100 visits and c = 1, so that PUCT is Q + 10 P / (1 + N). The best move has
	// 0.5 + 5/68 = 0.5735.
	s := NewTree(Config{Visits: 100, CPuct: 1, ForcedPlayouts: 2}, 0)
	s.nodes = []node{{state: expanded, visits: 100, count: 7}}
	moves := []struct {
		visits   int32
		prior, q float64
		want     float64
	}{
		{67, 0.5, 0.5, 67}, // the best keeps all
		{20, 0.3, 0.1, 13}, // forced are 7.7, of which 7 can go: at 13 it has 0.31
		{8, 0.2, 0.3, 7},   // forced are 6.3, but at 6 it has 0.586, more than the best
		{2, 0.02, -0.9, 0}, // forced are 2, and both can go
		{2, 0.01, -0.5, 0}, // forced are 1.4; the one left is left alone, and goes
		{1, 0.1, 0.6, 1},   // without it, it would be chosen at once: it stays
		{0, 0.001, 0.0, 0}, // never tried
	}
	for _, m := range moves {
		e := edge{prior: float32(m.prior), visits: m.visits, sum: m.q * float64(m.visits), child: none}
		if m.visits > 0 {
			e.child = int32(len(s.nodes))
			s.nodes = append(s.nodes, node{state: evaluated})
			s.refresh(&e)
		}
		s.edges = append(s.edges, e)
	}
	var visits, want []float64
	for _, m := range moves {
		visits, want = append(visits, float64(m.visits)), append(want, m.want)
	}
	if have := s.Target(); !slices.Equal(have, visits) {
		t.Errorf("nothing was forced, and the target is %v, want %v", have, visits)
	}
	s.forcesPlayouts = true
	if have := s.Target(); !slices.Equal(have, want) {
		t.Errorf("the target is %v, want %v", have, want)
	}
}
