package match

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
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
	trees map[*chess.Game]*gameTree
}

// gameTree is the tree of a game. plies is the number of plies before its root.
type gameTree struct {
	*search.Tree
	plies int
}

// NewMCTS returns a player that searches within a limit and draws a move with probability
// proportional to visits^Power. With infinite power it plays the most visited move. The
// caller closes the evaluator.
//
// The player searches all games in lock step. With a time limit it searches one game after
// another, because the limit refers to an otherwise idle machine.
func NewMCTS(name string, how TreeSearch, e search.Evaluator) (Player, error) {
	switch {
	case !(how.Power > 0):
		return nil, fmt.Errorf("match: player %s: want a temperature power above 0, have %v", name, how.Power)
	case how.Limit.Depth < 0 || how.Limit.MoveTime < 0:
		return nil, fmt.Errorf("match: player %s: want a limit of 0 or more, have %v", name, how.Limit)
	}
	if err := how.Validate(); err != nil {
		return nil, fmt.Errorf("match: player %s: %w", name, err)
	}
	if how.OfGame == nil {
		how.OfGame = func(int) search.Config { return how.Config }
	}
	return &mcts{name: name, how: how, eval: e, trees: map[*chess.Game]*gameTree{}}, nil
}

func (p *mcts) Name() string { return p.name }

func (p *mcts) Moves(ctx context.Context, turns []*Turn) error {
	trees := make([]*search.Tree, len(turns))
	spent := make([]time.Duration, len(turns)) // a large tree takes long to follow its game
	for i, t := range turns {
		began := time.Now()
		trees[i] = p.tree(t)
		spent[i] = time.Since(began)
	}
	if err := p.search(ctx, trees, spent); err != nil {
		return fmt.Errorf("player %s: %w", p.name, err)
	}
	for i, t := range turns {
		t.Move = trees[i].Choose(p.how.Power, stats.NewRand(t.Seed))
		t.Info = treeInfo(trees[i])
	}
	return nil
}

// search searches trees, of whose time for the move some is spent already.
func (p *mcts) search(ctx context.Context, trees []*search.Tree, spent []time.Duration) error {
	if p.how.Limit.MoveTime == 0 {
		return p.searchWithin(ctx, trees, time.Time{})
	}
	for i := range trees {
		if err := p.searchWithin(ctx, trees[i:i+1], time.Now().Add(p.how.Limit.MoveTime-spent[i])); err != nil {
			return err
		}
	}
	return nil
}

// searchWithin searches trees in lock step until each is done or deep enough, or until the
// deadline if it is not zero. Every tree is searched far enough to have a move.
func (p *mcts) searchWithin(ctx context.Context, trees []*search.Tree, deadline time.Time) error {
	open := slices.Clone(trees)
	for _, t := range open {
		t.SetPatience(search.Patience)
	}
	var s search.Stepper
	for {
		open = slices.DeleteFunc(open, p.enough)
		if err := ctx.Err(); err != nil || len(open) == 0 {
			return err
		}
		if !deadline.IsZero() && !time.Now().Before(deadline) && len(open[0].Root()) > 0 {
			return nil
		}
		_, err := s.Step(open, p.eval)
		open = slices.DeleteFunc(open, (*search.Tree).Done)
		if err != nil {
			return err
		}
	}
}

func (p *mcts) enough(t *search.Tree) bool {
	return p.how.Limit.Depth > 0 && len(t.Root()) > 0 && t.DeepEnough(p.how.Limit.Depth)
}

// tree returns the tree of the game, rooted at the current position.
func (p *mcts) tree(t *Turn) *search.Tree {
	tree := p.trees[t.Game]
	if tree == nil {
		tree = &gameTree{search.NewTree(p.how.OfGame(t.Number), t.Seed), t.Game.Ply()}
		tree.SetRoot(t.Game)
		p.trees[t.Game] = tree
	}
	moves := t.Game.Moves()
	for _, m := range moves[tree.plies:] {
		tree.Advance(m)
	}
	tree.plies = len(moves)
	return tree.Tree
}

// treeInfo returns the evaluation of the root after a search.
func treeInfo(t *search.Tree) Info {
	value := t.Value()
	line := t.PV()
	return Info{Score: &value, Mate: uci.Mate(line, value, t.Exact()), Visits: t.Visits(), Depth: len(line)}
}

func (p *mcts) GameOver(g *chess.Game) { delete(p.trees, g) }

func (p *mcts) Close() {}

// alphaBeta searches deeper ply by ply. It is a player of tournaments and a [uci.Searcher].
type alphaBeta struct {
	stateless
	name     string
	variants []chess.Variant
	limit    uci.Limit // of a move in a tournament
	search   search.AlphaBeta
}

// NewAlphaBeta returns a player that searches to a depth in plies or for a time. It draws
// one of equally good moves at random. The caller closes the resources of the search's valuer.
func NewAlphaBeta(name string, limit uci.Limit, s search.AlphaBeta) (Player, error) {
	if limit.Depth < 1 {
		return nil, fmt.Errorf("match: player %s: want a depth of at least 1, have %d", name, limit.Depth)
	}
	return &alphaBeta{name: name, limit: limit, search: s}, nil
}

func (p *alphaBeta) Name() string { return p.name }

func (p *alphaBeta) Moves(ctx context.Context, turns []*Turn) error {
	for _, t := range turns {
		line, err := p.deepen(ctx, t.Game, uci.Task{Limit: p.limit}, nil)
		if err = errors.Join(err, context.Cause(ctx)); err != nil {
			return fmt.Errorf("player %s: %w", p.name, err)
		}
		t.Move = line.Best[stats.NewRand(t.Seed).IntN(len(line.Best))]
		t.Info = Info{Score: &line.Value, Mate: mateOf(&line), Depth: line.Depth}
	}
	return nil
}

// deepen searches until the task's limits or ctx end it, but at least one ply, so that there
// is a move.
func (p *alphaBeta) deepen(ctx context.Context, g *chess.Game, t uci.Task, report func(*uci.Report)) (search.Line, error) {
	within, stop := context.WithCancel(ctx)
	defer stop()
	depth := mostPlies
	if !t.Infinite {
		if t.Depth > 0 {
			depth = min(depth, t.Depth)
		}
		limit, isClock := t.Time(g.Position().Turn(), 0)
		if isClock {
			limit, _ = t.Time(g.Position().Turn(), uci.Overhead)
		}
		if limit > 0 {
			within, stop = context.WithTimeout(within, limit)
			defer stop()
		}
	}
	began := time.Now()
	send := func(l search.Line, last bool) {
		if report != nil {
			report(lineReport(&l, time.Since(began), last))
		}
	}
	p.search.Report = func(l search.Line) { send(l, false) }
	p.search.Most = 0
	if !t.Infinite {
		p.search.Most = int(t.Nodes)
	}
	line, err := p.search.Search(within, g, depth)
	ended := within.Err() != nil || errors.Is(err, search.ErrMost)
	if ended && len(line.Best) == 0 {
		line, err = p.search.Search(context.WithoutCancel(ctx), g, 1)
		ended = false
	}
	if err != nil && !ended {
		return line, err
	}
	if t.Infinite {
		<-ctx.Done()
	}
	send(line, true)
	return line, nil
}

// mateOf returns the number of moves to a forced end as [uci.Mate] does.
func mateOf(l *search.Line) int { return uci.Mate(l.PV, l.Value, l.Value == 1 || l.Value == -1) }

// lineReport returns the report of a search with this result.
func lineReport(l *search.Line, spent time.Duration, last bool) *uci.Report {
	mate := mateOf(l)
	r := &uci.Report{Value: l.Value, Exact: mate != 0, Mate: mate, Visits: l.Evaluations, Depth: l.Depth, Time: spent, Last: last}
	r.Speed = float64(r.Visits) / max(spent, time.Millisecond).Seconds()
	for i, m := range l.Best {
		line := uci.Line{Edge: search.Edge{Move: m, Q: l.Value, Exact: r.Exact}, Moves: []chess.Move{m}, Mate: mate}
		if i == 0 {
			line.Moves = l.PV
		}
		r.Lines = append(r.Lines, line)
	}
	return r
}

func (p *alphaBeta) Think(ctx context.Context, g *chess.Game, t uci.Task, report func(*uci.Report)) (best, ponder chess.Move, err error) {
	if len(t.SearchMoves) > 0 {
		return 0, 0, errors.New("alpha-beta searches all moves: it has no searchmoves")
	}
	t.Await(ctx)
	line, err := p.deepen(ctx, g, t, report)
	if err != nil {
		return 0, 0, err
	}
	best = line.Best[rand.IntN(len(line.Best))]
	if best == line.PV[0] && len(line.PV) > 1 {
		ponder = line.PV[1]
	}
	return best, ponder, nil
}

func (p *alphaBeta) Variants() []chess.Variant { return p.variants }

// stateless has the methods of players and searchers that keep nothing between moves and
// have no options.
type stateless struct{}

func (stateless) Options() []uci.Option { return nil }

func (stateless) Set(name, _ string) error { return fmt.Errorf("no setting is called %q", name) }

func (stateless) NewGame() {}

func (stateless) GameOver(*chess.Game) {}

func (stateless) Close() {}

// Material evaluates positions by material and by how near each side is to the variant's
// own winning goal, in built-in variants; in rules in files it counts pieces alone. It is a
// [search.Valuer], and its zero value is ready for use.
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
	for _, t := range p.Variant().Kinds() {
		sum += worthOf(p.Variant(), t) * (p.Pieces(side, t).Count() + p.Pocket(side, t))
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

// worthOf returns the value of a piece. That of a kind beyond chess is 40 for each square of an
// empty board on which it captures, on average: those of rook and queen are so, about.
func worthOf(v chess.Variant, t chess.PieceType) int {
	if t <= chess.King {
		return worth[t]
	}
	type kind struct {
		v chess.Variant
		t chess.PieceType
	}
	if known, ok := otherWorths.Load(kind{v, t}); ok {
		return known.(int)
	}
	squares := 0
	for s := range v.Squares().Squares {
		_, captures := v.Reach(t, s)
		squares += captures.Count()
	}
	value := 40 * squares / v.Squares().Count()
	otherWorths.Store(kind{v, t}, value)
	return value
}

var otherWorths sync.Map

// away returns the distance of a file or rank from the nearer of the two middle ones.
func away(i int) int { return max(3-i, i-4) }

// randomPlayer is a player of tournaments and a [uci.Searcher].
type randomPlayer struct {
	stateless
	name     string
	variants []chess.Variant // of a searcher
}

// NewRandom returns a player that draws uniformly from all legal moves.
func NewRandom(name string) Player { return randomPlayer{name: name} }

func (r randomPlayer) Name() string { return r.name }

func (r randomPlayer) Moves(_ context.Context, turns []*Turn) error {
	for _, t := range turns {
		t.Move = randomMove(t.Game.Position(), stats.NewRand(t.Seed))
	}
	return nil
}

func (r randomPlayer) Think(ctx context.Context, g *chess.Game, t uci.Task, _ func(*uci.Report)) (best, ponder chess.Move, err error) {
	if t.Await(ctx); t.Infinite {
		<-ctx.Done()
	}
	return randomMove(g.Position(), stats.NewRand(rand.Uint64())), 0, nil
}

func (r randomPlayer) Variants() []chess.Variant { return r.variants }

// randomMove returns a random legal move of a position that has one.
func randomMove(p *chess.Position, rng *rand.Rand) chess.Move {
	var l chess.MoveList
	p.LegalMoves(&l)
	return l.At(rng.IntN(l.Len()))
}
