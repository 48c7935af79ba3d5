package match

import (
	"context"
	"fmt"
	"slices"
	"time"

	"alamos/pkg/search"
)

// mcts plays the moves of a tree search, with a tree for each game.
type mcts struct {
	name  string
	cfg   search.Config
	power float64
	limit Limit
	eval  search.Evaluator
	trees map[int]*gameTree // by Turn.Match
}

// gameTree is the tree of a game, with its root after so many plies.
type gameTree struct {
	*search.Tree
	plies int
}

// Limit ends the search for a move before its visits do. The zero Limit does not.
type Limit struct {
	Depth int           // plies of the line of best play
	Time  time.Duration // for each move; how far it reaches is another matter each time
}

// NewMCTS is a player that searches with cfg, within a limit, and plays a move drawn
// with a probability proportional to visits^power, the most visited one for an infinite
// power. What cfg has for exploring, which is for self-play, is left out. The caller keeps
// the evaluator and closes what is behind it.
//
// All games are searched in lock-step, unless the limit is one of time: then they are
// searched one after the other, since what is meant is the time of a machine that has
// nothing else to do.
func NewMCTS(name string, cfg search.Config, power float64, l Limit, e search.Evaluator) (Player, error) {
	switch {
	case !(power > 0):
		return nil, fmt.Errorf("arena: player %s: want a temperature power above 0, have %v", name, power)
	case l.Depth < 0 || l.Time < 0:
		return nil, fmt.Errorf("arena: player %s: want a depth and a time of 0 or more, have %d and %v", name, l.Depth, l.Time)
	}
	cfg = cfg.WithoutExploration()
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("arena: player %s: %w", name, err)
	}
	return &mcts{name: name, cfg: cfg, power: power, limit: l, eval: e, trees: make(map[int]*gameTree)}, nil
}

func (p *mcts) Name() string { return p.name }

func (p *mcts) Moves(ctx context.Context, turns []*Turn) error {
	trees := make([]*search.Tree, len(turns))
	for i, t := range turns {
		trees[i] = p.tree(t).Tree
	}
	if err := p.search(ctx, trees); err != nil {
		return fmt.Errorf("player %s: %w", p.name, err)
	}
	for i, t := range turns {
		t.Move = trees[i].Choose(p.power, newRand(t.Seed))
		t.Info = treeInfo(trees[i])
	}
	return nil
}

// search searches the trees within the limit.
func (p *mcts) search(ctx context.Context, trees []*search.Tree) error {
	if p.limit == (Limit{}) {
		return search.Run(ctx, trees, p.eval)
	}
	if p.limit.Time == 0 {
		return p.searchWithin(ctx, trees, time.Time{})
	}
	for i := range trees {
		if err := p.searchWithin(ctx, trees[i:i+1], time.Now().Add(p.limit.Time)); err != nil {
			return err
		}
	}
	return nil
}

// searchWithin searches trees in lock-step until each is done or deep enough, or the
// deadline, if there is one. Every tree is searched enough to have a move.
func (p *mcts) searchWithin(ctx context.Context, trees []*search.Tree, deadline time.Time) error {
	going := slices.Clone(trees)
	var s search.Stepper
	for {
		going = slices.DeleteFunc(going, p.enough)
		if err := ctx.Err(); err != nil || len(going) == 0 {
			return err
		}
		if !deadline.IsZero() && !time.Now().Before(deadline) && len(going[0].Root()) > 0 {
			return nil
		}
		asked, err := s.Step(going, p.eval)
		if err != nil || asked == 0 {
			return err
		}
	}
}

// enough tells whether a tree is deep enough.
func (p *mcts) enough(t *search.Tree) bool {
	return p.limit.Depth > 0 && len(t.Root()) > 0 && len(t.PV()) >= p.limit.Depth
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
