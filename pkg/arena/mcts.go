package arena

import (
	"context"
	"fmt"

	"alamos/pkg/search"
)

// mcts plays the moves of a tree search, with a tree for each game.
type mcts struct {
	name  string
	cfg   search.Config
	power float64
	eval  search.Evaluator
	trees map[int]*gameTree // by Turn.Match
}

// gameTree is the tree of a game, with its root after so many plies.
type gameTree struct {
	*search.Tree
	plies int
}

// NewMCTS is a player that searches with cfg and plays a move drawn with a
// probability proportional to visits^power, the most visited one for an infinite
// power. The noise of cfg, which is for self-play, is left out. The caller keeps
// the evaluator and closes what is behind it.
func NewMCTS(name string, cfg search.Config, power float64, e search.Evaluator) (Player, error) {
	if !(power > 0) {
		return nil, fmt.Errorf("arena: player %s: want a temperature power above 0, have %v", name, power)
	}
	cfg.Noise = search.Noise{}
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("arena: player %s: %w", name, err)
	}
	return &mcts{name: name, cfg: cfg, power: power, eval: e, trees: make(map[int]*gameTree)}, nil
}

func (p *mcts) Name() string { return p.name }

func (p *mcts) Moves(ctx context.Context, turns []*Turn) error {
	trees := make([]*search.Tree, len(turns))
	for i, t := range turns {
		trees[i] = p.tree(t).Tree
	}
	if err := search.Run(ctx, trees, p.eval); err != nil {
		return fmt.Errorf("player %s: %w", p.name, err)
	}
	for i, t := range turns {
		t.Move = trees[i].Choose(p.power, newRand(t.Seed))
		t.Info = treeInfo(trees[i])
	}
	return nil
}

// tree is the tree of the game, with the current position as its root.
func (p *mcts) tree(t *Turn) *gameTree {
	moves := t.Game.Moves()
	tree := p.trees[t.Match]
	if tree == nil {
		tree = &gameTree{search.NewTree(p.cfg, t.Seed), len(moves)}
		tree.SetRoot(t.Game)
		p.trees[t.Match] = tree
	}
	for _, m := range moves[tree.plies:] {
		tree.Advance(m)
	}
	tree.plies = len(moves)
	return tree
}

// treeInfo is what a finished search thinks of its root.
func treeInfo(t *search.Tree) Info {
	value := t.Value()
	visits := 0
	for _, e := range t.Root() {
		visits += e.Visits
	}
	return Info{Score: &value, Visits: visits, Depth: len(t.PV())}
}

func (p *mcts) GameOver(match int) { delete(p.trees, match) }

func (p *mcts) Close() error {
	clear(p.trees)
	return nil
}
