package search

import "slices"

// strike looks for a move that wins at once in the position of node at, which has
// just been met and where the game stands. If there is one it is played, and the
// path goes on to the end of the game; if there is none, node and path stay as they
// are. The network is not asked about such a position, so that its moves have equal
// priors.
func (t *Tree) strike(at int32, path []step) []step {
	p := t.game.Position()
	k := slices.IndexFunc(t.legal.Slice(), p.Wins)
	if k < 0 {
		return path
	}
	n := &t.nodes[at]
	stubs := t.stubsOf(n)
	for i := range stubs {
		stubs[i].prior = 1 / float32(len(stubs))
	}
	t.widen(n)
	e := n.first + int32(k)
	t.game.Play(t.edges[e].move)
	t.edges[e].child = int32(len(t.nodes))
	t.nodes = append(t.nodes, node{state: over, value: -1})
	return append(path, step{at, e})
}

// settle finds out whether the result of n follows from its moves, the child of
// e being one that may have changed, and tells whether it is known: n is won when
// one move wins by force, and when all moves have results by force it has the best
// of them. This is the MCTS-Solver of Winands, Björnsson and Saito (2008), with
// draws: in a tree every position has one history, so that draws by repetition
// and by the clock are results like others.
func (t *Tree) settle(n *node, e *edge) bool {
	if n.state == solved {
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
	n.state, n.value = solved, best
	return true
}
