package search

import "slices"

// playMateInOne looks for a move that wins at once in the position of node at, which has
// just been expanded and at which the game stands. If there is one, it plays the move and
// appends it to the path; if not, it changes nothing. The network does not evaluate such
// a position, so its moves get equal priors.
func (t *Tree) playMateInOne(at int32, path []step) []step {
	p := t.game.Position()
	k := slices.IndexFunc(t.legal.Slice(), p.Wins)
	if k < 0 {
		return path
	}
	n := &t.nodes[at]
	n.unevaluated = true
	stubs := t.stubsOf(n)
	for i := range stubs {
		stubs[i].prior = 1 / float32(len(stubs))
	}
	t.makeEdges(n)
	e := n.first + int32(k)
	t.game.Play(t.edges[e].move)
	t.edges[e].child = t.addNode(node{state: terminal, value: -1})
	return append(path, step{at, e})
}

// prove reports whether the result of n is proven, and stores it: n is won if one of its
// moves is proven to win; if all moves are proven, n has the result of the best. Only the
// child of e can have changed since the last call. This is the MCTS-Solver of Winands,
// Björnsson and Saito (2008), with draws: in a tree every position has one history, so
// that draws by repetition and by the clock are results like others.
func (t *Tree) prove(n *node, e *edge) bool {
	if n.state == proven {
		return true
	}
	child := &t.nodes[e.child]
	if !child.exact() {
		return false
	}
	best := -child.value
	if best < 1 {
		for _, e := range t.edgesOf(n) {
			if e.child == none || !t.nodes[e.child].exact() {
				return false
			}
			best = max(best, -t.nodes[e.child].value)
		}
	}
	n.state, n.value = proven, best
	return true
}
