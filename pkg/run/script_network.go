package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/hook"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// Network answers what scripts ask of a checkpoint. It is for one goroutine.
type Network struct {
	variant   chess.Variant
	search    search.Config
	evaluator search.Evaluator
}

// NewNetwork asks a session of a model of the trial, which the caller keeps.
func NewNetwork(t *Trial, s *nn.Session) *Network {
	cfg := t.Settings.Search.WithoutExploration()
	return &Network{t.Variant, cfg, search.NewEvaluator(t.Codec, s)}
}

// games are the positions as games without history; legal are their moves.
func (n *Network) games(positions []chess.Position) (games []*chess.Game, legal [][]chess.Move, err error) {
	for i := range positions {
		if v := positions[i].Variant(); v != n.variant {
			return nil, nil, fmt.Errorf("position %d is of %s, this network plays %s", i, v, n.variant)
		}
		var l chess.MoveList
		positions[i].LegalMoves(&l)
		games = append(games, chess.NewGame(positions[i]))
		legal = append(legal, slices.Clone(l.Slice()))
	}
	return games, legal, nil
}

func (n *Network) Evaluate(ctx context.Context, positions []chess.Position) ([]hook.Evaluation, error) {
	games, legal, err := n.games(positions)
	if err != nil {
		return nil, err
	}
	out := make([]hook.Evaluation, len(positions))
	var leaves []*encode.Leaf
	var asked []int
	for i, g := range games {
		if value, over := ended(g); over {
			out[i] = hook.Evaluation{Value: value}
			continue
		}
		l := new(encode.Leaf)
		n.evaluator.Prepare(l, g, legal[i])
		leaves, asked = append(leaves, l), append(asked, i)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := n.evaluator.Evaluate(leaves); err != nil {
		return nil, err
	}
	for k, i := range asked {
		e := hook.Evaluation{Value: float64(leaves[k].Value), Policy: make(map[string]float64, len(legal[i]))}
		for j, m := range legal[i] {
			e.Policy[positions[i].UCI(m)] = float64(leaves[k].Priors[j])
		}
		out[i] = e
	}
	return out, nil
}

func (n *Network) Search(ctx context.Context, positions []chess.Position, visits int) ([]hook.SearchResult, error) {
	games, _, err := n.games(positions)
	if err != nil {
		return nil, err
	}
	cfg := n.search
	cfg.Visits = visits
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	out := make([]hook.SearchResult, 0, len(positions))
	for some := range slices.Chunk(games, treesAtOnce) {
		trees := make([]*search.Tree, len(some))
		for i, g := range some {
			trees[i] = search.NewTree(cfg, 0)
			trees[i].SetRoot(g)
		}
		if err := search.Run(ctx, trees, n.evaluator); err != nil {
			return nil, err
		}
		for i, tree := range trees {
			out = append(out, searched(some[i].Position(), tree))
		}
	}
	return out, nil
}

// treesAtOnce is how many positions are searched side by side: enough for full
// batches, and for memory not to grow with the question.
const treesAtOnce = 64

// searched is what a finished search of a position tells a script.
func searched(p *chess.Position, tree *search.Tree) hook.SearchResult {
	r := hook.SearchResult{Value: tree.Value(), PV: uciMoves(*p, tree.PV())}
	for _, e := range tree.Root() {
		r.Moves = append(r.Moves, hook.SearchMove{Move: p.UCI(e.Move), Visits: e.Visits, Prior: e.Prior, Value: e.Q})
	}
	slices.SortStableFunc(r.Moves, func(a, b hook.SearchMove) int { return cmp.Compare(b.Visits, a.Visits) })
	return r
}

// ended is the result of a game that is over, from the view of its side to move.
func ended(g *chess.Game) (value float64, over bool) {
	var l chess.MoveList
	g.Position().LegalMoves(&l)
	o := g.Outcome(&l)
	if !o.Over() {
		return 0, false
	}
	value = float64(o.Result)
	if g.Position().Turn() == chess.Black {
		value = -value
	}
	return value, true
}
