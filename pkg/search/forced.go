package search

import "math"

// Forced playouts and policy target pruning (Wu 2019, Accelerating Self-Play
// Learning in Go, section 3.2): noise makes the search try moves that the network
// thinks little of, forced playouts give them enough visits to be judged, and
// pruning takes those visits out of what is learned and played where the search by
// itself would not have made them.

// forced is the square of the number of visits that a move of the root must have once
// it has one, of so many visits to the root: k P(a) sum over b of N(s,b).
func (t *Tree) forced(e *edge, visits int32) float64 {
	return t.cfg.ForcedPlayouts * float64(e.prior) * float64(visits)
}

// owed returns the first edge of the root n that has visits, but fewer than it is
// forced to have, or none. An edge that loses by force is let be, and so is one of
// whose position the network's answer is still awaited: it would only end the step.
func (t *Tree) owed(n *node) int32 {
	edges := t.edgesOf(n)
	for i := range edges {
		e := &edges[i]
		if e.child == none || math.IsInf(float64(e.score), -1) {
			continue
		}
		child := &t.nodes[e.child]
		made := float64(e.visits + child.pending)
		if child.state != waiting && made*made < t.forced(e, n.visits+n.pending) {
			return n.first + int32(i)
		}
	}
	return none
}

// earned is the number of visits of the root's edge e less those that it has only
// because they were forced. best is the most visited edge, which keeps all. From
// another one, up to the forced number are taken as long as PUCT would still choose
// best, with the values as they are at the end; if that leaves a single one, it goes
// too.
func (t *Tree) earned(e, best *edge) float64 {
	n := float64(e.visits)
	if !t.forcing || e == best {
		return n
	}
	root := &t.nodes[0]
	scale := t.exploration(float64(root.visits))
	puct := func(e *edge, visits float64) float64 {
		return float64(e.score) + scale*float64(e.prior)/(1+visits)
	}
	most := puct(best, float64(best.visits))
	least := math.Ceil(n - math.Sqrt(t.forced(e, root.visits)))
	kept := n
	for kept > max(0, least) && puct(e, kept-1) < most {
		kept--
	}
	if kept == 1 && kept < n {
		return 0
	}
	return kept
}
