package search

import "math"

// addSquare adds the square of a value that was backed up through an edge of a node. A value
// beyond 1 corrects visits that a proof refutes (see backupValue) and counts as 1.
func (t *Tree) addSquare(at int32, v float64) {
	v = min(max(v, -1), 1)
	t.squares[at] += v * v
}

// The standard deviation of values that is assumed before there are any, and its weight in
// visits, as in KataGo (cpuctUtilityStdevPrior and its weight).
const (
	usualDeviation  = 0.4
	deviationWeight = 2
)

// deviationFactor is the factor of the exploration constant of a node by
// Config.CStdev: KataGo's dynamic variance-scaled cPUCT (docs/KataGoMethods.md). If all
// differences of values are twice as large, the constant must be so too for the same search.
// The products are rounded one by one, so that all machines choose alike.
func (t *Tree) deviationFactor(at int32) float64 {
	n := &t.nodes[at]
	if n.visits == 0 {
		return 1
	}
	mean, own := n.mean(), float64(n.value)
	square := float64(mean * mean)
	sum := t.squares[at] + float64(own*own) + float64(deviationWeight*(square+usualDeviation*usualDeviation))
	variance := max(0, sum/float64(deviationWeight+n.visits)-square)
	return 1 + float64(t.cfg.CStdev*(math.Sqrt(variance)/usualDeviation-1))
}

// The confidence bound, and the part of the most visits that a move needs to be compared by
// it, as in KataGo.
const (
	boundDeviations = 5
	boundVisits     = 0.15
)

// highestBound is the index of the playable root move with the highest lower confidence
// bound, among those with enough of the visits of the move most.
func (t *Tree) highestBound(edges []edge, most int) int {
	best, highest := most, math.Inf(-1)
	for i := range edges {
		e := &edges[i]
		if e.visits == 0 || float64(e.visits) < boundVisits*float64(edges[most].visits) || !t.playable(&t.nodes[0], e) {
			continue
		}
		if bound := t.lowerBound(e); bound > highest {
			best, highest = i, bound
		}
	}
	return best
}

// lowerBound is the lower confidence bound of the value of a visited edge: its mean less
// boundDeviations standard errors. A visit to the power of -2 with the highest variance is
// added, so that a few equal values do not count as certain.
func (t *Tree) lowerBound(e *edge) float64 {
	child := &t.nodes[e.child]
	if child.exact() {
		return -float64(child.value)
	}
	visits := float64(e.visits)
	mean, own := e.sum/visits, float64(child.value)
	squares := t.squares[e.child] + float64(e.visits-child.visits)*own*own // of the visits that ended there too
	variance, prior := max(0, squares/visits-mean*mean), 1/(visits*visits)
	variance = (variance*visits + (variance+1)*prior) / (visits + prior)
	return mean - boundDeviations*math.Sqrt(variance/visits)
}
