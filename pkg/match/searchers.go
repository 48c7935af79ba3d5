package match

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/search"
	"alamos/pkg/stats"
	"alamos/pkg/uci"
)

// mcts is a tree search player with one tree for each game.
type mcts struct {
	name  string
	how   TreeSearch
	eval  search.Evaluator
	trees map[int]*gameTree // by Turn.Match
}

// gameTree is the tree of a game. plies is the number of plies before its root.
type gameTree struct {
	*search.Tree
	plies int
}

// Limit ends the search for a move before its visits are used up. The zero Limit does not.
type Limit struct {
	Depth int           // length of the principal variation, in plies
	Time  time.Duration // for each move; search results then differ between runs
}

// NewMCTS returns a player that searches within a limit and draws a move with probability
// proportional to visits^Power. With infinite power it plays the most visited move. It does
// not use exploration, which is for self-play. The caller closes the evaluator.
//
// The player searches all games in lock step. With a time limit it searches one game after
// another, because the limit refers to an otherwise idle machine.
func NewMCTS(name string, how TreeSearch, e search.Evaluator) (Player, error) {
	switch {
	case !(how.Power > 0):
		return nil, fmt.Errorf("match: player %s: want a temperature power above 0, have %v", name, how.Power)
	case how.Limit.Depth < 0 || how.Limit.Time < 0:
		return nil, fmt.Errorf("match: player %s: want a depth and a time of 0 or more, have %d and %v", name, how.Limit.Depth, how.Limit.Time)
	}
	how.Config = how.WithoutExploration()
	if err := how.Validate(); err != nil {
		return nil, fmt.Errorf("match: player %s: %w", name, err)
	}
	return &mcts{name: name, how: how, eval: e, trees: make(map[int]*gameTree)}, nil
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
		t.Move = trees[i].Choose(p.how.Power, stats.NewRand(t.Seed))
		t.Info = treeInfo(trees[i])
	}
	return nil
}

func (p *mcts) search(ctx context.Context, trees []*search.Tree) error {
	if p.how.Limit == (Limit{}) {
		return search.Run(ctx, trees, p.eval)
	}
	if p.how.Limit.Time == 0 {
		return p.searchWithin(ctx, trees, time.Time{})
	}
	for i := range trees {
		if err := p.searchWithin(ctx, trees[i:i+1], time.Now().Add(p.how.Limit.Time)); err != nil {
			return err
		}
	}
	return nil
}

// searchWithin searches trees in lock step until each is done or deep enough, or until the
// deadline if it is not zero. Every tree is searched far enough to have a move.
func (p *mcts) searchWithin(ctx context.Context, trees []*search.Tree, deadline time.Time) error {
	open := slices.Clone(trees)
	var s search.Stepper
	for {
		open = slices.DeleteFunc(open, p.enough)
		if err := ctx.Err(); err != nil || len(open) == 0 {
			return err
		}
		if !deadline.IsZero() && !time.Now().Before(deadline) && len(open[0].Root()) > 0 {
			return nil
		}
		asked, err := s.Step(open, p.eval)
		if err != nil || asked == 0 {
			return err
		}
	}
}

func (p *mcts) enough(t *search.Tree) bool {
	return p.how.Limit.Depth > 0 && len(t.Root()) > 0 && len(t.PV()) >= p.how.Limit.Depth
}

// tree returns the tree of the game, rooted at the current position.
func (p *mcts) tree(t *Turn) *gameTree {
	moves := t.Game.Moves()
	tree := p.trees[t.Match]
	if tree == nil {
		tree = &gameTree{search.NewTree(p.how.Config, t.Seed), len(moves)}
		tree.SetRoot(t.Game)
		p.trees[t.Match] = tree
	}
	for _, m := range moves[tree.plies:] {
		tree.Advance(m)
	}
	tree.plies = len(moves)
	return tree
}

// treeInfo returns the evaluation of the root after a search.
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

// alphaBeta is an alpha-beta player.
type alphaBeta struct {
	name   string
	depth  int
	search search.AlphaBeta
}

// NewAlphaBeta returns a player that searches to a depth in plies and evaluates positions
// with v. It draws one of equally good moves at random. The caller closes v's resources.
func NewAlphaBeta(name string, depth int, v search.Valuer) (Player, error) {
	if depth < 1 {
		return nil, fmt.Errorf("match: player %s: want a depth of at least 1, have %d", name, depth)
	}
	return &alphaBeta{name, depth, search.AlphaBeta{Valuer: v}}, nil
}

func (p *alphaBeta) Name() string { return p.name }

func (p *alphaBeta) Moves(ctx context.Context, turns []*Turn) error {
	for _, t := range turns {
		line, err := p.search.Search(ctx, t.Game, p.depth)
		if err != nil {
			return fmt.Errorf("player %s: %w", p.name, err)
		}
		t.Move = line.Best[stats.NewRand(t.Seed).IntN(len(line.Best))]
		t.Info = Info{Score: &line.Value, Depth: line.Depth}
	}
	return nil
}

func (*alphaBeta) GameOver(int) {}

func (*alphaBeta) Close() error { return nil }

// Material evaluates positions by material and by how near each side is to the variant's
// own winning goal. It is a [search.Valuer], and its zero value is ready for use.
type Material struct{ values []float64 }

// worth is the value of each piece in centipawns.
var worth = [...]int{chess.Pawn: 100, chess.Knight: 300, chess.Bishop: 320, chess.Rook: 500, chess.Queen: 900, chess.King: 0}

func (m *Material) Add(g *chess.Game, _ []chess.Move) {
	p := g.Position()
	balance := assets(p, p.Turn()) - assets(p, p.Turn().Other())
	m.values = append(m.values, (&uci.Score{CP: balance}).Expected())
}

// Values returns the values of the positions added since the last call.
func (m *Material) Values(context.Context) ([]float64, error) {
	values := m.values
	m.values = m.values[:0]
	return values, nil
}

// assets returns a side's material in centipawns, including pieces in hand, plus what the
// variant counts.
func assets(p *chess.Position, side chess.Color) int {
	sum := 0
	for t := chess.Pawn; t <= chess.King; t++ {
		sum += worth[t] * (p.Pieces(side, t).Count() + p.Pocket(side, t))
	}
	switch p.Variant() {
	case chess.Antichess:
		return -100 * p.Side(side).Count() // fewer pieces are better
	case chess.ThreeCheck:
		sum += 250 * (3 - p.ChecksLeft(side))
	case chess.RacingKings:
		sum += 150 * p.King(side).Rank()
	case chess.KingOfTheHill:
		k := p.King(side)
		sum -= 15 * (away(k.File()) + away(k.Rank()))
	}
	return sum
}

// away returns the distance of a file or rank from the nearer of the two middle ones.
func away(i int) int { return max(3-i, i-4) }

type randomPlayer struct{ name string }

// NewRandom returns a player that draws uniformly from all legal moves.
func NewRandom(name string) Player { return randomPlayer{name} }

func (r randomPlayer) Name() string { return r.name }

func (r randomPlayer) Moves(_ context.Context, turns []*Turn) error {
	for _, t := range turns {
		t.Move = randomMove(t.Game.Position(), stats.NewRand(t.Seed))
	}
	return nil
}

func (randomPlayer) GameOver(int) {}

func (randomPlayer) Close() error { return nil }

// randomMove returns a random legal move of the position, or 0 if there is none.
func randomMove(p *chess.Position, rng *rand.Rand) chess.Move {
	var l chess.MoveList
	p.LegalMoves(&l)
	if l.Len() == 0 {
		return 0
	}
	return l.At(rng.IntN(l.Len()))
}
