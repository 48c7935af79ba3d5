package search

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Done reports whether the search is over: the root has its visits; or the tree has
// reached its limit of nodes or memory and no request is pending; or the game is over;
// or its result is proven (see Config.Solver); or there is no root. A tree finds out
// that the game is over at its first visit.
func (t *Tree) Done() bool {
	root := &t.nodes[0]
	switch root.state {
	case unvisited, waiting:
		return t.game == nil
	case proven, terminal:
		return true
	}
	return int(root.visits) >= t.cfg.Visits+t.extra || t.atLimit() && t.pending == 0
}

// atLimit reports whether the tree has reached its limit of nodes or memory.
func (t *Tree) atLimit() bool { return t.cfg.Nodes|t.cfg.Bytes != 0 && t.overLimit() }

// overLimit is atLimit where there is a limit. It is apart so that atLimit is inlined:
// most searches have no limit and check at every visit.
func (t *Tree) overLimit() bool {
	return t.cfg.Nodes > 0 && len(t.nodes)-1-t.dropped >= t.cfg.Nodes || t.cfg.Bytes > 0 && t.Bytes() >= t.cfg.Bytes || len(t.stubs)|len(t.edges) > mostIndex
}

// mostIndex leaves room for the moves of a step's leaves below the largest index of a stub or an edge.
const mostIndex = math.MaxInt32 - 4096*1024

// selectLeaf walks from the root to a leaf and appends the path to path. The game stands
// at the leaf until undoPath.
func (t *Tree) selectLeaf(path []step) (to int32, _ []step) {
	at := int32(0)
	for {
		n := &t.nodes[at]
		switch n.state {
		case evaluated, expanded:
			if t.unexpandedEnd(path) {
				return at, path
			}
		default:
			return at, path
		}
		if n.state == evaluated {
			t.makeEdges(n)
		}
		var k int32
		if at == 0 {
			k = t.selectRootEdge(n)
		} else {
			k = t.selectEdge(at, &t.cfg.FPU)
		}
		path = append(path, step{at, k})
		e := &t.edges[k]
		t.game.Play(e.move)
		if e.child == none {
			e.child = t.addNode(node{})
		}
		at = e.child
	}
}

// undoPath takes the game back to the root.
func (t *Tree) undoPath(path []step) {
	t.depth = max(t.depth, len(path))
	for range path {
		t.game.Undo()
	}
}

// unexpandedEnd reports whether the path ends at a node that has been evaluated but has
// too few visits to be expanded (Config.ExpandAt).
func (t *Tree) unexpandedEnd(path []step) bool {
	return len(path) > 0 && int(t.edges[path[len(path)-1].edge].visits)+1 < t.cfg.ExpandAt
}

// expand generates the moves of the unvisited node n, at which the game stands, and
// finds out whether the game is over. If it is not, n gets its stubs and waits
// for the network.
func (t *Tree) expand(n *node) {
	t.game.Position().LegalMoves(&t.legal)
	outcome := t.game.Outcome(&t.legal)
	if t.analysis && n == &t.nodes[0] {
		outcome = t.game.Position().Ended(&t.legal)
		t.restrict()
	}
	if outcome.Over() {
		n.state, n.value = terminal, float32(result(outcome, t.game.Position().Turn()))
		return
	}
	if t.cfg.TwofoldDraws && n != &t.nodes[0] && t.game.Repetitions() > 0 && t.game.Position().Variant().RepetitionDraws() {
		n.state, n.draw = repeated, 1
		return
	}
	n.state = waiting
	n.first, n.count = int32(len(t.stubs)), uint16(t.legal.Len())
	t.stubs = roomFor(t.stubs, t.legal.Len())
	for _, m := range t.legal.Slice() {
		t.stubs = append(t.stubs, stub{move: m})
	}
}

// restrict removes the root's legal moves that Analyze was not given, if it was given
// any.
func (t *Tree) restrict() {
	if len(t.only) > 0 {
		t.legal.Retain(func(m chess.Move) bool { return slices.Contains(t.only, m) })
	}
}

// caches reports whether the evaluation of a node goes to the cache and comes from there. That of a
// root with some of its moves does not.
func (t *Tree) caches(node int32) bool { return t.cache != nil && (node != 0 || len(t.only) == 0) }

// selectRootEdge returns the edge of the root n that the search takes.
func (t *Tree) selectRootEdge(n *node) int32 {
	if t.halving.on {
		return t.candidate(n)
	}
	if t.forcesPlayouts {
		if k := t.forcedMove(n); k != none {
			return k
		}
	}
	if own := &t.cfg.Root.FPU; own.Own && !t.quiet {
		return t.selectEdge(0, &own.FPU)
	}
	return t.selectEdge(0, &t.cfg.FPU)
}

// selectEdge returns the edge of a node with the highest PUCT score.
func (t *Tree) selectEdge(at int32, fpu *FPU) int32 {
	n := &t.nodes[at]
	edges := t.edges[n.first : n.first+int32(n.count)]
	visits := n.visits
	if t.cfg.VirtualVisits == 0 {
		visits += n.pending
	}
	scale := float32(t.exploration(at, float64(visits)))
	firstPlay := fpu.of(n, edges)
	best, highest := 0, float32(math.Inf(-1))
	for i := range edges {
		e := &edges[i]
		q := e.score
		if e.child == none {
			q = firstPlay
		}
		// The conversion forbids a fused multiply-add, so that all
		// machines choose alike.
		if s := q + float32(scale*e.bonus); s > highest {
			best, highest = i, s
		}
	}
	return n.first + int32(best)
}

// exploration is the factor of P / (1 + N) in the PUCT score of the moves of a node with
// this number of visits.
func (t *Tree) exploration(at int32, visits float64) float64 {
	if t.cfg.OwnVisit {
		visits++
	}
	c := t.cfg.cpuct(visits) * math.Sqrt(max(1, visits))
	if t.cfg.CStdev > 0 {
		c *= t.deviationFactor(at)
	}
	return c
}

// of is the Q of the edges of n that have no visits (first play urgency).
func (f *FPU) of(n *node, edges []edge) float32 {
	if !f.Parent {
		return 0
	}
	q := n.mean()
	if f.Reduction != 0 {
		var visited float64
		for i := range edges {
			if edges[i].visits > 0 {
				visited += float64(edges[i].prior)
			}
		}
		q -= f.Reduction * math.Sqrt(visited)
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

// backupValue completes a visit: v is the value of the last position of the path,
// from the view of the side to move there.
//
// Where the visit proves the result of a position, v changes to what makes all visits of
// the move to it worth that result, so that the positions above keep no value that is
// refuted (as AdjustForTerminal in lc0).
func (t *Tree) backupValue(path []step, v float64) {
	for i := len(path) - 1; i >= 0; i-- {
		v = -v
		e, n := &t.edges[path[i].edge], &t.nodes[path[i].node]
		e.sum += v
		e.visits++
		n.sum += v
		n.visits++
		if t.hasSquares {
			t.addSquare(path[i].node, v)
		}
		t.refresh(e)
		if t.cfg.Solver && t.prove(n, e) && i > 0 {
			to := &t.edges[path[i-1].edge]
			v = float64(n.value)*float64(1+to.visits) + to.sum
		}
	}
}

// virtualLoss is the part of a lost visit that a pending visit counts as in Q. A whole
// loss drives the search away from good moves; no loss lets it follow the first lucky
// value. With half a loss the visits were closest to those of a search without pending
// visits, with two evaluators (noise, and a count of material).
const virtualLoss = 0.5

// refresh computes the score and the bonus of an edge that has a child. Pending visits
// count as visits that are partly lost (virtual loss), or as Config.VirtualVisits. An edge
// that is proven lost is never selected. Without completed visits and without virtual loss the
// score stays as it was.
func (t *Tree) refresh(e *edge) {
	child := &t.nodes[e.child]
	made, lost := child.pending, virtualLoss*float64(child.pending)
	if t.cfg.VirtualVisits > 0 {
		made, lost = child.pending*int32(t.cfg.VirtualVisits), 0
	}
	e.bonus = e.prior / float32(1+e.visits+made)
	switch {
	case t.cfg.Solver && child.exact():
		e.score = -child.value
		if child.value > 0 {
			e.score = float32(math.Inf(-1))
		}
	case float64(e.visits)+lost > 0:
		e.score = float32((e.sum - lost) / (float64(e.visits) + lost + t.cfg.QDraws))
	}
}

// request is a visit that waits for its evaluation.
type request struct {
	leaf  encode.Leaf
	path  []step // from the root to the node
	node  int32
	known bool // evaluated by the cache
	key   key  // in the cache
}

// Select begins a step: it selects leaves until Config.Leaves of them wait for the
// network, expands them, and appends their requests, prepared by e, to dst. When they
// have been evaluated, Backup ends the step. Visits that need no network (the game is
// over there, or see Config.ExpandAt) are completed on the way. Select appends nothing
// only if the tree is Done, or after SetPatience.
//
// A pending visit counts against its moves (see refresh), so that the next one goes
// elsewhere. If a visit nevertheless ends at a leaf that waits already, the step ends
// with fewer leaves: that is rare except near the root of a new tree.
//
// Select drops requests that Backup did not take.
func (t *Tree) Select(e Evaluator, dst []*encode.Leaf) []*encode.Leaf {
	t.dropRequests()
	for completed := 0; !t.Done(); {
		impatient := false
		for !impatient && t.hasRoom() {
			before := t.pending
			if !t.visitOnce(e) {
				break
			}
			if t.pending == before {
				completed++
				impatient = t.patience > 0 && completed >= t.patience
			}
		}
		if t.Done() { // proven meanwhile
			t.dropRequests()
			break
		}
		unknown := len(dst)
		for i := range t.requests[:t.pending] {
			if q := &t.requests[i]; !q.known {
				dst = append(dst, &q.leaf)
			}
		}
		if len(dst) > unknown {
			break
		}
		if t.backupAll(); impatient {
			break
		}
	}
	return dst
}

// hasRoom reports whether the step has room for another visit. The end of a round of
// sequential halving ends the step, because the next candidates depend on the values.
func (t *Tree) hasRoom() bool {
	if t.halving.on && t.pending > 0 && t.leastVisited() == none {
		return false
	}
	if root := &t.nodes[0]; root.state == evaluated || root.state == expanded {
		return t.pending < len(t.requests) && int(root.visits)+t.pending < t.cfg.Visits+t.extra && !t.atLimit()
	}
	return t.nodes[0].state == unvisited
}

// visitOnce makes a visit, which is completed or waits for its evaluation. It returns
// false if it led to a leaf that waits already, and then changes nothing.
func (t *Tree) visitOnce(e Evaluator) bool {
	q := &t.requests[t.pending]
	q.node, q.path = t.selectLeaf(q.path[:0])
	n := &t.nodes[q.node]
	if n.state == waiting {
		t.undoPath(q.path)
		return false
	}
	if n.state == unvisited {
		t.expand(n)
	}
	value := float64(n.value)
	if n.state == waiting && t.cfg.Solver && t.cfg.Lookahead > 0 && (len(q.path) > 0 || t.cfg.Visits > 0) { // without visits the policy of the root is all that is wanted
		q.path = t.playMateInOne(q.node, q.path)
		n, value = &t.nodes[q.node], -1 // a mate: the last position is lost for its side to move
	}
	if n.state != waiting {
		t.undoPath(q.path)
		t.backupValue(q.path, value)
		return true
	}
	e.Prepare(&q.leaf, t.game, t.legal.Slice())
	q.known = false
	if t.caches(q.node) {
		q.key = keyOf(t.game.Position(), &q.leaf)
		q.known = t.cache.get(q.key, &q.leaf)
	}
	t.undoPath(q.path)
	t.addVirtualLoss(q.path, 1)
	t.pending++
	return true
}

// addVirtualLoss changes the number of pending visits along a path.
func (t *Tree) addVirtualLoss(path []step, by int32) {
	if len(t.requests) == 1 {
		return // there is no other visit that could see it
	}
	t.nodes[0].pending += by
	for _, s := range path {
		e := &t.edges[s.edge]
		t.nodes[e.child].pending += by
		if t.cfg.VirtualVisits > 0 && e.visits == 0 {
			e.score = float32(t.nodes[s.node].mean())
		}
		t.refresh(e)
	}
}

// Backup ends the step: it backs up the evaluations of the leaves of Select, in their
// order. An evaluation that makes no sense (NaN, as from a network whose training
// diverged; too few priors; a value beyond 1) is an error, and the requests of the step
// are then dropped.
func (t *Tree) Backup() error {
	if t.pending == 0 {
		return errors.New("search: Backup without a request: call Select first")
	}
	for i := range t.requests[:t.pending] {
		q := &t.requests[i]
		if err := checkEvaluation(&q.leaf, int(t.nodes[q.node].count)); err != nil {
			t.dropRequests()
			return err
		}
	}
	t.backupAll()
	return nil
}

func checkEvaluation(l *encode.Leaf, moves int) error {
	if len(l.Priors) != moves {
		return fmt.Errorf("search: the evaluator gave %d priors for %d moves", len(l.Priors), moves)
	}
	for _, p := range l.Priors {
		if !(p >= 0 && p <= 1.001) {
			return fmt.Errorf("search: the evaluator gave the prior %v: want 0 to 1 (a network whose training diverged gives NaN)", p)
		}
	}
	if !(l.Value >= -1 && l.Value <= 1) {
		return fmt.Errorf("search: the evaluator gave the value %v: want -1 to 1 (a network whose training diverged gives NaN)", l.Value)
	}
	return nil
}

// backupAll backs up the evaluations of the step.
func (t *Tree) backupAll() {
	t.undoVirtualLoss()
	for i := range t.requests[:t.pending] {
		q := &t.requests[i]
		n := &t.nodes[q.node]
		stubs := t.stubsOf(n)
		for i := range stubs {
			stubs[i].prior = q.leaf.Priors[i]
		}
		n.value, n.draw, n.state = q.leaf.Value, q.leaf.WDL[1], evaluated
		t.hasWDL = t.hasWDL || q.leaf.WDL != [3]float32{}
		if !q.known {
			t.evaluations++
			if t.caches(q.node) {
				t.cache.put(q.key, &q.leaf)
			}
		}
		if q.node == 0 {
			t.prepareRoot()
		}
		t.backupValue(q.path, float64(q.leaf.Value))
	}
	t.pending = 0
}

// applyTemperature raises the priors of the edges of a node, of which no visit waits, to a power
// and divides them by their sum. They are taken relative to the highest, so that no power turns
// all of them into 0.
func applyTemperature(edges []edge, power float64) {
	var highest float32
	for i := range edges {
		highest = max(highest, edges[i].prior)
	}
	if highest == 0 {
		return
	}
	var sum float64
	for i := range edges {
		p := pow(float64(edges[i].prior)/float64(highest), power)
		edges[i].prior = float32(p)
		sum += p
	}
	for i := range edges {
		e := &edges[i]
		e.prior = float32(float64(e.prior) / sum)
		e.bonus = e.prior / float32(1+e.visits)
	}
}

// undoVirtualLoss removes the virtual loss of all pending visits.
func (t *Tree) undoVirtualLoss() {
	for i := range t.requests[:t.pending] {
		t.addVirtualLoss(t.requests[i].path, -1)
	}
}

// dropRequests drops the requests of the step. Their leaves become unvisited again.
func (t *Tree) dropRequests() {
	t.undoVirtualLoss()
	for i := range t.requests[:t.pending] {
		path := t.requests[i].path
		if len(path) == 0 {
			t.clear()
			return
		}
		t.edges[path[len(path)-1].edge].child = none
		t.dropped++
	}
	t.pending = 0
}
