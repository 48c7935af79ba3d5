package search

import (
	"cmp"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"alamos/pkg/chess"
)

// Edge is what a search knows about a move of a node.
type Edge struct {
	Move   chess.Move
	Visits int
	Prior  float64 // at the root with its noise
	Q      float64 // mean value from the view of the side that moves, -1 to 1; 0 without visits
	Exact  bool    // Q is the result of the game: the move ends it, or the result is proven (Config.Solver)
}

func (t *Tree) export(e *edge) Edge {
	out := Edge{Move: e.move, Visits: int(e.visits), Prior: float64(e.prior)}
	if e.visits > 0 {
		out.Q = float64(float32(e.sum / float64(e.visits)))
		if child := &t.nodes[e.child]; child.exact() {
			out.Q, out.Exact = -float64(child.value), true
		}
	}
	return out
}

// Root returns all legal moves of the root in the order of the move list, or
// nothing when the root has not been evaluated or the game is over.
func (t *Tree) Root() []Edge {
	edges := t.edgesOf(&t.nodes[0])
	if edges == nil {
		return nil
	}
	list := make([]Edge, len(edges))
	for i := range edges {
		list[i] = t.export(&edges[i])
	}
	return list
}

// Ranked returns Root, the best move first: the one that Choose takes at an infinite
// power, then by visits, then by prior.
func (t *Tree) Ranked() []Edge {
	root := t.Root()
	best := t.Choose(math.Inf(1), nil)
	slices.SortStableFunc(root, func(a, b Edge) int {
		switch best {
		case a.Move:
			return -1
		case b.Move:
			return 1
		}
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(b.Prior, a.Prior))
	})
	return root
}

// Target is the policy target: for each move of Root, in that order, a weight of at least
// 0. The weights are the visits without those that were only forced (see
// Config.ForcedPlayouts), or, with a Gumbel root, the improved policy. They agree with what
// is proven (see Config.Solver): if the root is won, only moves that win have weight; a
// move that loses has none while another does not. If no move that is left has visits, the
// weights are the priors. The sum is not scaled to 1. The slice is valid until the next
// call of Target or of a method that looks for the best move.
func (t *Tree) Target() []float64 {
	edges := t.edgesOf(&t.nodes[0])
	if edges == nil {
		return nil
	}
	if t.halving.on {
		t.improvedPolicy()
	} else {
		t.visitWeights(edges)
	}
	return t.weights
}

// best is the index of the most visited playable move of n, which has edges. Ties go to
// the first of the list.
func (t *Tree) best(n *node) int {
	edges := t.edgesOf(n)
	best := -1
	for i := range edges {
		if e := &edges[i]; t.playable(n, e) && (best < 0 || e.visits > edges[best].visits) {
			best = i
		}
	}
	return max(best, 0)
}

// playable reports whether the move e of n may be played: it is not proven to reach less
// than n's result, or to lose while other moves do not.
func (t *Tree) playable(n *node, e *edge) bool {
	if !t.cfg.Solver {
		return true
	}
	known := e.visits > 0 && t.nodes[e.child].exact()
	if n.state == proven {
		return known && t.nodes[e.child].value == -n.value
	}
	return !known || t.nodes[e.child].value < 1
}

// Evaluated reports whether the network was asked about the root. If not, since Config.Lookahead found a
// move that wins at once, the priors of its moves are equal.
func (t *Tree) Evaluated() bool { return !t.nodes[0].unevaluated }

// Value is the value of the root as searched so far, -1 to 1, from the view
// of its side to move.
func (t *Tree) Value() float64 { return t.nodes[0].mean() }

// BestValue is the value of the move that Choose returns at an infinite power, -1 to 1, or
// Value if that move has no visits. Unlike Value it does not contain the visits that
// explored other moves (lc0 calls the two best_q and root_q).
func (t *Tree) BestValue() float64 {
	edges := t.edgesOf(&t.nodes[0])
	if edges == nil {
		return t.Value()
	}
	if e := t.export(&edges[t.bestRootMove(edges)]); e.Visits > 0 {
		return e.Q
	}
	return t.Value()
}

// Exact reports whether Value is the result of the game: the game is over, or the result
// is proven (see Config.Solver).
func (t *Tree) Exact() bool { return t.nodes[0].exact() }

// WDL is the probability of a win, a draw and a loss for the root's side to move, as
// searched so far. ok is false before the root has been evaluated, and if the network
// predicts no draws (see [encode.Leaf]).
//
// The draws are the mean, over the visits, of the network's probability of a draw in the
// positions reached, 1 or 0 where the result is known. Win and loss share the rest so
// that their difference is Value. WDL walks the whole tree, so that a search costs
// nothing more.
func (t *Tree) WDL() (wdl [3]float64, ok bool) {
	return t.wdl(&t.nodes[0], 1, t.Value())
}

// WDLOf is WDL of the move m at the root, from the view of the side that moves; ok is
// false without visits.
func (t *Tree) WDLOf(m chess.Move) (wdl [3]float64, ok bool) {
	for _, e := range t.edgesOf(&t.nodes[0]) {
		if e.move == m && e.visits > 0 {
			child := &t.nodes[e.child]
			return t.wdl(child, e.visits-child.visits, t.export(&e).Q)
		}
	}
	return wdl, false
}

// wdl is WDL of n, with the number of visits that ended there and its value.
func (t *Tree) wdl(n *node, ended int32, value float64) (wdl [3]float64, ok bool) {
	if !t.hasWDL || n.state <= waiting {
		return wdl, false
	}
	draw := min(t.draws(n, ended), 1-math.Abs(value)) // visits from before a result was known had other values
	return [3]float64{(1 - draw + value) / 2, draw, (1 - draw - value) / 2}, true
}

// draws is the mean probability of a draw over the visits to n, of which ended ended
// there.
func (t *Tree) draws(n *node, ended int32) float64 {
	switch {
	case !n.exact():
	case n.value == 0:
		return 1
	default:
		return 0
	}
	sum, visits := float64(ended)*float64(n.draw), ended
	for _, e := range t.edgesOf(n) {
		if e.visits > 0 {
			child := &t.nodes[e.child]
			sum += float64(e.visits) * t.draws(child, e.visits-child.visits)
			visits += e.visits
		}
	}
	return sum / float64(visits)
}

// Evaluations counts the network's evaluations over the whole life of the tree.
func (t *Tree) Evaluations() int { return t.evaluations }

// PV is the principal variation: the move that Choose takes at an infinite power, and from
// there on the most visited moves, as far as moves have visits. If a result is proven, the
// line reaches it.
func (t *Tree) PV() []chess.Move { return t.line(nil, &t.nodes[0]) }

// PVOf is the principal variation that begins with the move m at the root.
func (t *Tree) PVOf(m chess.Move) []chess.Move {
	line := []chess.Move{m}
	for _, e := range t.edgesOf(&t.nodes[0]) {
		if e.move == m && e.child != none {
			return t.line(line, &t.nodes[e.child])
		}
	}
	return line
}

// Visits is the number of visits of the root's moves.
func (t *Tree) Visits() int { return int(t.nodes[0].visits) }

// Depth is the number of moves in the longest path.
func (t *Tree) Depth() int { return t.depth }

// DeepEnough reports whether the principal variation has at least this many moves, or ends with the
// game by a move with so many visits that it grows no more.
func (t *Tree) DeepEnough(depth int) bool {
	const settled = 1000
	length, last := 0, (*edge)(nil)
	for e := range t.principal(&t.nodes[0]) {
		length, last = length+1, e
	}
	if length >= depth {
		return true
	}
	if last == nil || last.visits < settled {
		return false
	}
	end := &t.nodes[last.child]
	return end.state == repeated || end.exact()
}

// line appends the principal variation from n on.
func (t *Tree) line(line []chess.Move, n *node) []chess.Move {
	for e := range t.principal(n) {
		line = append(line, e.move)
	}
	return line
}

// principal yields the edges of the principal variation from n on.
func (t *Tree) principal(n *node) iter.Seq[*edge] {
	return func(yield func(*edge) bool) {
		for n.visits > 0 {
			edges, best := t.edgesOf(n), 0
			if n == &t.nodes[0] {
				best = t.bestRootMove(edges)
			} else {
				best = t.best(n)
			}
			e := &edges[best]
			if e.visits == 0 || !yield(e) {
				return
			}
			n = &t.nodes[e.child]
		}
	}
}

// Walk calls f for every visited move of the tree, parents before children and moves in
// the order of the move list. path is the line that ends with the move; it is valid only
// during the call. If f returns false, Walk skips the moves below.
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
		if line := append(path, e.move); f(line, t.export(e)) {
			t.walk(&t.nodes[e.child], line, f)
		}
	}
}

// Choose returns a move of the root drawn with a probability proportional to
// visits^power (or prior^power when nothing was visited), power being more
// than 0; visits that were only forced do not count (see Config.ForcedPlayouts). An
// infinite power means the most visited move, ties to the first of the list, and
// needs no rng. Choose returns 0 if the root has no moves or has not been
// evaluated.
//
// With a Gumbel root, its noise has drawn the move already: Choose returns the move that
// sequential halving found best, whatever the power. Without noise, the improved policy
// replaces the visits, and an infinite power means that best move.
//
// If results are proven (see Config.Solver), Choose plays a move that wins, and no move
// that loses while another does not.
func (t *Tree) Choose(power float64, rng *rand.Rand) chess.Move {
	root := &t.nodes[0]
	edges := t.edgesOf(root)
	if edges == nil {
		return 0
	}
	best := t.bestRootMove(edges)
	if math.IsInf(power, 1) || t.halving.on && t.halving.noisy {
		return edges[best].move
	}
	if t.halving.on {
		t.improvedPolicy()
	}
	best = t.maskWeights(edges)
	weights := t.weights
	highest := weights[best]
	if highest == 0 {
		return edges[best].move
	}
	// Weights are taken relative to the highest, so that no power
	// overflows.
	var total float64
	for i, w := range weights {
		if w > 0 {
			weights[i] = pow(w/highest, power)
		}
		total += weights[i]
	}
	draw := rng.Float64() * total
	for i, w := range weights {
		if draw < w {
			return edges[i].move
		}
		draw -= w
	}
	return edges[best].move // rounding left draw at the very end
}

// bestRootMove is the index of the move that Choose takes at an infinite power. Without a
// Gumbel root it writes the weights of the moves to t.weights.
func (t *Tree) bestRootMove(edges []edge) int {
	if t.halving.on {
		return t.halvingBest()
	}
	best := t.visitWeights(edges)
	if t.cfg.Best == byBound {
		return t.highestBound(edges, best)
	}
	return best
}

// visitWeights writes the pruned visits of the root's playable moves to t.weights, or their
// priors if these moves have no visits, and returns the index of the highest.
func (t *Tree) visitWeights(edges []edge) (best int) {
	most := &edges[t.best(&t.nodes[0])]
	t.weights = slices.Grow(t.weights[:0], len(edges))
	for i := range edges {
		t.weights = append(t.weights, t.prunedVisits(&edges[i], most))
	}
	if best = t.maskWeights(edges); t.weights[best] > 0 {
		return best
	}
	for i := range edges {
		t.weights[i] = float64(edges[i].prior)
	}
	return t.maskWeights(edges)
}

// maskWeights sets the weights of the root's moves that are not playable to 0, and returns
// the index of the highest that is left.
func (t *Tree) maskWeights(edges []edge) (best int) {
	best = -1
	for i := range edges {
		if !t.playable(&t.nodes[0], &edges[i]) {
			t.weights[i] = 0
		} else if best < 0 || t.weights[i] > t.weights[best] {
			best = i
		}
	}
	return max(best, 0)
}
