package search

import (
	"errors"
	"fmt"
	"math"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Done tells whether the search is over: the root has its visits, or no moves
// because the game is over, or there is no root. Until its first Descend a
// tree does not know that the game is over.
func (t *Tree) Done() bool {
	root := &t.nodes[0]
	return t.game == nil || root.state == terminal || root.state == open && int(root.visits) >= t.cfg.Visits
}

// Descend walks from the root to a position that needs the network and
// returns the question about it, which e has prepared; the answer goes to
// Backup. It returns nil when it needed no network, the visit being complete
// already (the game is over there, or see Config.ExpandAt), and when the tree
// is Done. A question that was not answered is forgotten by the
// next Descend.
func (t *Tree) Descend(e Evaluator) *encode.Leaf {
	if t.Done() {
		return nil
	}
	q := &t.question
	q.node, q.path = none, q.path[:0]
	at := int32(0)
	for t.nodes[at].state == open && !t.resting() {
		k := t.choose(&t.nodes[at])
		q.path = append(q.path, step{at, k})
		t.game.Play(t.edges[k].move)
		if t.edges[k].child == none {
			t.edges[k].child = int32(len(t.nodes))
			t.nodes = append(t.nodes, node{})
		}
		at = t.edges[k].child
	}
	n := &t.nodes[at]
	if n.state == unknown {
		t.meet(n)
	}
	if n.state == unknown {
		q.node = at
		e.Prepare(&q.leaf, t.game, t.moves.Slice())
	}
	for range q.path {
		t.game.Undo()
	}
	if n.state == unknown {
		return &q.leaf
	}
	t.backup(float64(n.value))
	return nil
}

// resting tells whether the path ends at a node that has been evaluated but
// is not yet expanded.
func (t *Tree) resting() bool {
	path := t.question.path
	return len(path) > 0 && int(t.edges[path[len(path)-1].edge].visits)+1 < t.cfg.ExpandAt
}

// meet generates the moves of n, where the game stands, and finds out whether
// the game is over. If it is not, n gets its edges and waits for the network.
func (t *Tree) meet(n *node) {
	t.game.Position().LegalMoves(&t.moves)
	if outcome := t.game.Outcome(&t.moves); outcome.Over() {
		n.state = terminal
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
	if n.count > 0 { // asked before, never answered
		return
	}
	n.first, n.count = int32(len(t.edges)), uint16(t.moves.Len())
	for _, m := range t.moves.Slice() {
		t.edges = append(t.edges, edge{move: m, child: none})
	}
}

// choose returns the edge of n with the highest PUCT score.
func (t *Tree) choose(n *node) int32 {
	edges := t.edgesOf(n)
	visits := float64(n.visits)
	c := t.cfg.CPuct
	if t.cfg.CBase > 0 {
		c = math.Log((1+visits+t.cfg.CBase)/t.cfg.CBase) + t.cfg.CInit
	}
	scale := float32(c * math.Sqrt(max(1, visits)))
	unvisited := t.firstPlay(n, edges)
	best, highest := 0, float32(math.Inf(-1))
	for i := range edges {
		e := &edges[i]
		q := e.score
		if e.visits == 0 {
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
	return (float64(n.value) + n.sum) / float64(1+n.visits)
}

// Backup takes the answer to the question of the last Descend up the tree. An
// answer that makes no sense (numbers that are none, as from a network whose
// training diverged; too few priors; a value beyond 1) is an error that leaves
// the tree as it was.
func (t *Tree) Backup(l *encode.Leaf) error {
	q := &t.question
	if q.node == none || l != &q.leaf {
		return errors.New("search: Backup of a leaf that was not asked for by the last Descend of this tree")
	}
	n := &t.nodes[q.node]
	edges := t.edgesOf(n)
	if err := checkAnswer(l, len(edges)); err != nil {
		return err
	}
	for i := range edges {
		edges[i].prior, edges[i].bonus = l.Priors[i], l.Priors[i]
	}
	n.value, n.state = l.Value, open
	if q.node == 0 {
		t.addNoise()
	}
	q.node = none
	t.evaluations++
	t.backup(float64(l.Value))
	return nil
}

func checkAnswer(l *encode.Leaf, moves int) error {
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

// backup completes the visit along the path of the question: v is the value of
// its last position, from the view of the side to move there.
func (t *Tree) backup(v float64) {
	path := t.question.path
	for i := len(path) - 1; i >= 0; i-- {
		v = -v
		e := &t.edges[path[i].edge]
		e.sum += v
		e.visits++
		e.score = float32(e.sum / float64(e.visits))
		e.bonus = e.prior / float32(1+e.visits)
		n := &t.nodes[path[i].node]
		n.sum += v
		n.visits++
	}
}
