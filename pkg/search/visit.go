package search

import (
	"math"
	"slices"

	"alamos/pkg/chess"
)

// Done tells whether the search is over: the root has its visits, or the tree its
// nodes or its memory and no question is open, or the root has no moves
// because the game is over, or a result by force (see Config.Solver), or there is
// no root. Until it is first asked about, a tree does not know that the game is
// over.
func (t *Tree) Done() bool {
	root := &t.nodes[0]
	switch root.state {
	case unknown, waiting:
		return t.game == nil
	case solved, over:
		return true
	}
	return int(root.visits) >= t.cfg.Visits || t.full() && t.asked == 0
}

// full tells whether the tree has all nodes, or all memory, that it may have.
func (t *Tree) full() bool { return t.cfg.Nodes|t.cfg.Bytes != 0 && t.filled() }

// filled is full where there is a limit: most searches, which have none, ask at every
// visit and pay for no call.
func (t *Tree) filled() bool {
	return t.cfg.Nodes > 0 && len(t.nodes)-1-t.lost >= t.cfg.Nodes || t.cfg.Bytes > 0 && t.Bytes() >= t.cfg.Bytes
}

// descend walks from the root to a position that the search does not go on from,
// writes the path to it and returns it. The game stands there until back.
func (t *Tree) descend(path []step) (to int32, _ []step) {
	at := int32(0)
	for {
		n := &t.nodes[at]
		switch n.state {
		case open, wide:
			if t.resting(path) {
				return at, path
			}
		default:
			return at, path
		}
		if n.state == open {
			t.widen(n)
		}
		var k int32
		if at == 0 {
			k = t.chooseRoot(n)
		} else {
			k = t.choose(n)
		}
		path = append(path, step{at, k})
		e := &t.edges[k]
		t.game.Play(e.move)
		if e.child == none {
			e.child = int32(len(t.nodes))
			t.nodes = append(t.nodes, node{})
		}
		at = e.child
	}
}

// back takes the game back to the root.
func (t *Tree) back(path []step) {
	t.deepest = max(t.deepest, len(path))
	for range path {
		t.game.Undo()
	}
}

// resting tells whether the path ends at a node that has been evaluated but
// is not yet expanded.
func (t *Tree) resting(path []step) bool {
	return len(path) > 0 && int(t.edges[path[len(path)-1].edge].visits)+1 < t.cfg.ExpandAt
}

// meet generates the moves of the unknown node n, where the game stands, and
// finds out whether the game is over. If it is not, n gets its stubs and waits
// for the network.
func (t *Tree) meet(n *node) {
	t.game.Position().LegalMoves(&t.legal)
	outcome := t.game.Outcome(&t.legal)
	if t.analyzes && n == &t.nodes[0] {
		outcome = t.game.Position().Ended(&t.legal)
		t.restrict()
	}
	if outcome.Over() {
		n.state = over
		switch outcome.Result {
		case chess.Draw:
			n.value = 0
		case chess.Win(t.game.Position().Turn()):
			n.value = 1
		default:
			n.value = -1
		}
		return
	}
	n.state = waiting
	n.first, n.count = int32(len(t.stubs)), uint16(t.legal.Len())
	for _, m := range t.legal.Slice() {
		t.stubs = append(t.stubs, stub{move: m})
	}
}

// restrict leaves only the moves that Analyze was given, if any, among the legal
// ones of the root.
func (t *Tree) restrict() {
	if len(t.among) > 0 {
		t.legal.Retain(func(m chess.Move) bool { return slices.Contains(t.among, m) })
	}
}

// chooseRoot returns the edge of the root n that the search takes.
func (t *Tree) chooseRoot(n *node) int32 {
	if t.race.on {
		return t.contender(n)
	}
	if t.forcing {
		if k := t.owed(n); k != none {
			return k
		}
	}
	return t.choose(n)
}

// choose returns the edge of n with the highest PUCT score.
func (t *Tree) choose(n *node) int32 {
	edges := t.edges[n.first : n.first+int32(n.count)]
	scale := float32(t.exploration(float64(n.visits + n.pending)))
	unvisited := t.firstPlay(n, edges)
	best, highest := 0, float32(math.Inf(-1))
	for i := range edges {
		e := &edges[i]
		q := e.score
		if e.child == none {
			q = unvisited
		}
		// The conversion forbids a fused multiply-add, so that all
		// machines choose alike.
		if s := q + float32(scale*e.bonus); s > highest {
			best, highest = i, s
		}
	}
	return n.first + int32(best)
}

// exploration is the factor of P / (1 + N) in the PUCT score of the moves of a
// position with so many visits.
func (t *Tree) exploration(visits float64) float64 {
	return t.c(visits) * math.Sqrt(max(1, visits))
}

// c is the factor c of the formula.
func (t *Tree) c(visits float64) float64 {
	if t.cfg.CBase > 0 {
		return math.Log((1+visits+t.cfg.CBase)/t.cfg.CBase) + t.cfg.CInit
	}
	return t.cfg.CPuct
}

// firstPlay is the Q of the edges of n that have no visits.
func (t *Tree) firstPlay(n *node, edges []edge) float32 {
	fpu := t.cfg.FPU
	if !fpu.Parent {
		return 0
	}
	q := n.mean()
	if fpu.Reduction > 0 {
		var visited float64
		for i := range edges {
			if edges[i].visits > 0 {
				visited += float64(edges[i].prior)
			}
		}
		q -= fpu.Reduction * math.Sqrt(visited)
	}
	return float32(q)
}

// mean is the value of n as searched so far, from the view of its side to
// move: its own evaluation and the values of all visits through it.
func (n *node) mean() float64 {
	if n.exact() {
		return float64(n.value)
	}
	return (float64(n.value) + n.sum) / float64(1+n.visits)
}

// backup completes a visit: v is the value of the last position of the path,
// from the view of the side to move there.
func (t *Tree) backup(path []step, v float64) {
	for i := len(path) - 1; i >= 0; i-- {
		v = -v
		e, n := &t.edges[path[i].edge], &t.nodes[path[i].node]
		e.sum += v
		e.visits++
		t.refresh(e)
		if t.cfg.Solver && t.settle(n, e) {
			v = float64(n.value)
		}
		n.sum += v
		n.visits++
	}
}

// virtualLoss is how much of a lost visit a waiting one counts as in Q. A whole
// loss drives the search away from good moves, none lets it run after the first
// lucky value; with half a loss visits were closest to those of the search
// without waiting, with evaluators of both kinds (noise, and a count of material).
const virtualLoss = 0.5

// refresh computes what selection reads of an edge that leads to a node. Visits
// that wait for the network count as visits, and as partly lost (virtual loss).
// An edge that loses by force is never chosen.
func (t *Tree) refresh(e *edge) {
	child := &t.nodes[e.child]
	e.bonus = e.prior / float32(1+e.visits+child.pending)
	lost := virtualLoss * float64(child.pending)
	switch {
	case t.cfg.Solver && child.exact():
		e.score = -child.value
		if child.value > 0 {
			e.score = float32(math.Inf(-1))
		}
	case e.visits+child.pending > 0:
		e.score = float32((e.sum - lost) / (float64(e.visits) + lost))
	}
}
