package search

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
