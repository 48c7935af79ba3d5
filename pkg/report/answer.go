package report

import (
	"math"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/search"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// treeShare is the share of a search's visits below which a position is not kept:
// no figure is large enough to show it.
const treeShare = 500

// Answer is what a finished search thinks of its root p, of no visits the network
// alone.
func Answer(p chess.Position, tree *search.Tree, visits int) *store.Answer {
	out := &store.Answer{FEN: p.FEN(), Value: stats.Float(tree.Value()), Visits: visits}
	for _, e := range tree.Ranked() {
		out.Moves = append(out.Moves, moveAnswer(&p, &e))
	}
	if visits > 0 {
		out.Tree = nodes(p, tree, visits)
	}
	return out
}

func moveAnswer(p *chess.Position, e *search.Edge) store.MoveAnswer {
	m := store.MoveAnswer{UCI: p.UCI(e.Move), SAN: p.SAN(e.Move), Prior: stats.Float(e.Prior), Visits: e.Visits, Q: stats.Float(e.Q)}
	if e.Visits == 0 {
		m.Q = stats.Float(math.NaN())
	}
	return m
}

// nodes is the part of the tree that was visited often enough to be shown.
func nodes(p chess.Position, tree *search.Tree, visits int) []store.TreeNode {
	list := []store.TreeNode{{Parent: -1, Visits: visits, Prior: stats.Float(math.NaN()), Q: stats.Float(-tree.Value())}}
	at := map[string]int{"": 0}
	tree.Walk(func(path []chess.Move, e search.Edge) bool {
		if e.Visits*treeShare < visits {
			return false
		}
		here := p
		var key strings.Builder
		for _, m := range path[:len(path)-1] {
			key.WriteString(here.UCI(m) + " ")
			here.Play(m)
		}
		parent := at[key.String()]
		at[key.String()+here.UCI(e.Move)+" "] = len(list)
		list = append(list, store.TreeNode{Parent: parent, Move: here.SAN(e.Move), Visits: e.Visits, Prior: stats.Float(e.Prior), Q: stats.Float(e.Q)})
		return true
	})
	return list
}
