package search

import (
	"math"
	"math/rand/v2"

	"alamos/pkg/chess"
)

// Edge is what a search knows about a move.
type Edge struct {
	Move   chess.Move
	Visits int
	Prior  float64 // at the root with its noise
	Q      float64 // mean value from the view of the side that moves, -1 to 1; 0 without visits
}

func (e *edge) public() Edge {
	return Edge{Move: e.move, Visits: int(e.visits), Prior: float64(e.prior), Q: float64(e.score)}
}

// Root returns all legal moves of the root in the order of the move list, or
// nothing when the root has not been evaluated or the game is over.
func (t *Tree) Root() []Edge {
	root := &t.nodes[0]
	if root.state != open {
		return nil
	}
	edges := t.edgesOf(root)
	list := make([]Edge, len(edges))
	for i := range edges {
		list[i] = edges[i].public()
	}
	return list
}

// Value is the value of the root as searched so far, -1 to 1, from the view
// of its side to move.
func (t *Tree) Value() float64 { return t.nodes[0].mean() }

// Evaluations counts the network's answers over the whole life of the tree.
func (t *Tree) Evaluations() int { return t.evaluations }

// PV is the principal variation: from the root on the most visited move, ties
// to the first of the list, as far as moves have visits.
func (t *Tree) PV() []chess.Move {
	var line []chess.Move
	for n := &t.nodes[0]; n.visits > 0; {
		edges := t.edgesOf(n)
		best := 0
		for i := range edges {
			if edges[i].visits > edges[best].visits {
				best = i
			}
		}
		line = append(line, edges[best].move)
		n = &t.nodes[edges[best].child]
	}
	return line
}

// Walk calls f for every visited move of the tree, parents before children and
// moves in the order of the move list; path is the line that ends with the
// move, and is only valid during the call. Below a move for which f returns
// false Walk does not go.
func (t *Tree) Walk(f func(path []chess.Move, e Edge) bool) {
	t.walk(&t.nodes[0], nil, f)
}

func (t *Tree) walk(n *node, path []chess.Move, f func([]chess.Move, Edge) bool) {
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if e.visits == 0 {
			continue
		}
		if line := append(path, e.move); f(line, e.public()) {
			t.walk(&t.nodes[e.child], line, f)
		}
	}
}

// Choose returns a move of the root drawn with a probability proportional to
// visits^power (or prior^power when nothing was visited), power being more
// than 0. An infinite power means the most visited move, ties to the first of
// the list, and needs no rng. Choose returns 0 when the root has no moves or
// has not been evaluated.
func (t *Tree) Choose(power float64, rng *rand.Rand) chess.Move {
	root := &t.nodes[0]
	if root.state != open {
		return 0
	}
	edges := t.edgesOf(root)
	weight := func(e *edge) float64 { return float64(e.visits) }
	if root.visits == 0 {
		weight = func(e *edge) float64 { return float64(e.prior) }
	}
	best := 0
	for i := range edges {
		if weight(&edges[i]) > weight(&edges[best]) {
			best = i
		}
	}
	highest := weight(&edges[best])
	if math.IsInf(power, 1) || highest == 0 {
		return edges[best].move
	}
	// Weights are taken relative to the highest, so that no power
	// overflows.
	relative := func(e *edge) float64 {
		if weight(e) == 0 {
			return 0
		}
		return math.Pow(weight(e)/highest, power)
	}
	var total float64
	for i := range edges {
		total += relative(&edges[i])
	}
	draw := rng.Float64() * total
	for i := range edges {
		w := relative(&edges[i])
		if draw < w {
			return edges[i].move
		}
		draw -= w
	}
	return edges[best].move // rounding left draw at the very end
}
