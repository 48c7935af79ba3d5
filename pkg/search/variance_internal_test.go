package search

import (
	"math"
	"math/rand/v2"
	"testing"

	"alamos/pkg/chess"
)

// The factor follows the standard deviation of the values, and is 1 where that is usual and
// where nothing is known.
func TestDeviationFactor(t *testing.T) {
	for _, c := range []struct {
		scale  float64
		values []float64 // the first is the node's own
		want   float64
	}{
		{1, []float64{0.7}, 1},
		{0, []float64{1, -1, 1, -1}, 1},
		{1, many(0.3, 0.3), 0},
		{0.85, many(0.3, 0.3), 0.15},
		{1, many(0.4, -0.4), 1},
		{1, many(0.8, -0.8), 2},
		{1, many(1, 0.2), 1}, // the mean does not matter
		{0.5, many(0.8, -0.8), 1.5},
		// Two visits: (own 0, 0.5, -0.5; the mean is 0): sqrt((2*0.16 + 0.5) / 4) / 0.4.
		{1, []float64{0, 0.5, -0.5}, math.Sqrt(0.82/4) / 0.4},
	} {
		s := NewTree(Config{CStdev: c.scale, Best: byBound}, 0)
		n := &s.nodes[0]
		n.state, n.value = expanded, float32(c.values[0])
		for _, v := range c.values[1:] {
			n.sum += v
			n.visits++
			s.addSquare(0, v)
		}
		if have := s.deviationFactor(0); math.Abs(have-c.want) > 0.02 {
			t.Errorf("scale %v, %d values from %v: %v, want %v", c.scale, len(c.values), c.values[0], have, c.want)
		}
	}
}

// many returns two values, again and again.
func many(a, b float64) []float64 {
	values := make([]float64, 10_001)
	for i := range values {
		values[i] = a
		if i%2 == 1 {
			values[i] = b
		}
	}
	return values
}

func TestLowerConfidenceBound(t *testing.T) {
	type move struct {
		visits  int32
		q       float64
		squares float64 // mean square of the values
		proven  float32 // value of the child, if proven
	}
	for name, c := range map[string]struct {
		moves []move
		want  int
	}{
		"the most visited of equals": {[]move{{50, 0.2, 0.1, 0}, {100, 0.2, 0.1, 0}}, 1},
		"less scattered":             {[]move{{100, 0.5, 0.6, 0}, {80, 0.48, 0.24, 0}}, 1},
		"refuted by its last visits": {[]move{{100, 0.1, 0.4, 0}, {60, 0.5, 0.3, 0}}, 1},
		"too few visits":             {[]move{{100, 0.1, 0.4, 0}, {14, 0.9, 0.82, 0}}, 0},
		"enough visits":              {[]move{{100, 0.1, 0.4, 0}, {15, 0.9, 0.82, 0}}, 1},
		"few equal values":           {[]move{{4, 0.3, 0.25, 0}, {1, 0.5, 0.25, 0}}, 0},
		"proven lost":                {[]move{{30, -0.5, 0.5, 0}, {100, -1, 1, 1}}, 0},
		"a certain draw":             {[]move{{100, -0.1, 0.2, 0}, {30, 0, 0, 0}}, 1},
	} {
		s := NewTree(Config{Visits: 200, CPuct: 1, Best: byBound, Solver: true}, 0)
		s.nodes, s.squares = []node{{state: expanded, count: uint16(len(c.moves))}}, []float64{0}
		for i, m := range c.moves {
			child := s.addNode(node{state: evaluated, visits: m.visits})
			s.squares[child] = m.squares * float64(m.visits)
			if m.proven != 0 {
				s.nodes[child].state, s.nodes[child].value = proven, m.proven
			}
			e := edge{prior: 0.5, visits: m.visits, sum: m.q * float64(m.visits), child: child, move: chess.Move(i + 1)}
			s.refresh(&e)
			s.edges = append(s.edges, e)
			s.nodes[0].visits += m.visits
		}
		if have := s.Choose(math.Inf(1), nil); int(have) != c.want+1 {
			t.Errorf("%s: plays move %d, want %d", name, have-1, c.want)
		}
		// A temperature draws by visits.
		if have := s.Choose(50, rand.New(rand.NewPCG(1, 2))); name == "less scattered" && have != 1 {
			t.Errorf("%s: draws move %d", name, have-1)
		}
		s.cfg.Best = ""
		if have := s.Choose(math.Inf(1), nil); name == "less scattered" && have != 1 {
			t.Errorf("%s: by visits it plays move %d", name, have-1)
		}
	}
}
