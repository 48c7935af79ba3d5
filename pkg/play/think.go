package play

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"alamos/pkg/arena"
	"alamos/pkg/chess"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// thought is one player thinking about one position.
type thought struct {
	player  *player
	seat    seat
	game    *chess.Game
	endless bool            // the answer is not wanted: nothing but memory ends it
	hurried context.Context // ends when the answer is wanted at once
	tell    func(*Report)
	memory  memory
}

// memory is what the players of a game remember of the turns before, by their ids.
// It is for one goroutine.
type memory map[string]*remembered

type remembered struct {
	tree *search.Tree
	game *chess.Game // at the tree's root; nil: there is none
}

func (m memory) forget() { clear(m) }

const (
	treeBytes   = 256 << 20 // the tree of a player in a game
	mostLeaves  = 16        // evaluated at once: with more, short searches are weak
	reportEvery = 120 * time.Millisecond
	unlimited   = 1_000_000_000 // visits, more than there is memory for
)

// searchTree thinks by a tree search, which goes on where the turn before ended.
func (t *thought) searchTree(ctx context.Context) (chess.Move, error) {
	began := time.Now()
	mind := t.player.mind
	r := t.memory[t.player.ID]
	if r == nil {
		r = &remembered{tree: search.NewTree(search.Config{
			Visits: 1 << 12, // room to begin with
			CPuct:  1.5, FPU: search.FPU{Parent: true, Reduction: 0.3},
			ExpandAt: 1, Leaves: max(1, min(mostLeaves, mind.Batch)), Solver: true, Lookahead: 1, TreeReuse: true,
		}, 0)}
		t.memory[t.player.ID] = r
	}
	visits, deadline := t.seat.Visits, time.Time{}
	if t.seat.Seconds > 0 {
		deadline = began.Add(time.Duration(t.seat.Seconds * float64(time.Second)))
		if visits == 0 {
			visits = unlimited
		}
	}
	if t.endless {
		visits, deadline = unlimited, time.Time{}
	}
	if visits == 0 { // the policy alone, which visits of before would outweigh
		r.game = nil
	}
	r.goTo(t.game)
	r.tree.SetVisits(visits)
	kept := r.tree.Visits()
	var told time.Time
	report := func(active bool) {
		told = time.Now()
		if out := t.treeReport(r.tree); out != nil {
			out.Active = active
			out.Speed = int(float64(out.Nodes-kept) / max(0.001, time.Since(began).Seconds()))
			t.tell(out)
		}
	}
	stepper := search.Stepper{}
	trees := []*search.Tree{r.tree}
	for first := true; first || t.hurried.Err() == nil && r.tree.Bytes() < treeBytes; first = false {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		asked, err := stepper.Step(trees, mind)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", t.player.Name, err)
		}
		now := time.Now()
		if asked == 0 || !deadline.IsZero() && now.After(deadline) {
			break
		}
		if now.Sub(told) >= reportEvery {
			report(true)
		}
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	report(false)
	power := math.Inf(1)
	if t.seat.Temperature > 0 {
		power = 1 / t.seat.Temperature
	}
	m := r.tree.Choose(power, rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())))
	if m == 0 {
		return 0, fmt.Errorf("%s found no move in %s", t.player.Name, t.game.Position().FEN())
	}
	return m, nil
}

// goTo makes the current position of g the root of the tree: the tree goes on where g
// goes on from what it was about.
func (r *remembered) goTo(g *chess.Game) {
	if r.game != nil && *r.game.Start() == *g.Start() && len(r.game.Moves()) <= len(g.Moves()) &&
		slices.Equal(r.game.Moves(), g.Moves()[:len(r.game.Moves())]) {
		for _, m := range g.Moves()[len(r.game.Moves()):] {
			r.tree.Advance(m)
		}
	} else {
		r.tree.SetRoot(g)
	}
	r.game = g.Clone()
}

// treeReport is what the search thinks now; nil before it knows anything.
func (t *thought) treeReport(tr *search.Tree) *Report {
	if tr.Exact() { // the visits that this has spared were not made
		tr.SetVisits(0)
	}
	root := tr.Root()
	if len(root) == 0 {
		return nil
	}
	p := t.game.Position()
	out := &Report{By: t.player.Name, Tree: true, Nodes: tr.Visits(), Depth: tr.Depth()}
	out.value(p.Turn(), tr.Value(), tr.Exact(), len(tr.PV()))
	slices.SortStableFunc(root, func(a, b search.Edge) int {
		return cmp.Or(cmp.Compare(b.Visits, a.Visits), cmp.Compare(b.Prior, a.Prior))
	})
	// Where a win is known it comes first, however few visits it took.
	if best := tr.PV(); len(best) > 0 {
		i := slices.IndexFunc(root, func(e search.Edge) bool { return e.Move == best[0] })
		e := root[i]
		root = slices.Insert(slices.Delete(root, i, i+1), 0, e)
	}
	for _, e := range root[:min(len(root), mostCandidates)] {
		line := tr.PVOf(e.Move)
		c := candidate(p, line)
		c.Visits, c.Prior = e.Visits, e.Prior
		if e.Visits > 0 {
			var s Report
			s.value(p.Turn(), e.Q, e.Exact, len(line))
			c.Score = s.Score
		}
		out.Moves = append(out.Moves, c)
	}
	return out
}

// value takes up a value from the view of the side to move. When it is exact, plies
// is how far away the end is.
func (r *Report) value(side chess.Color, value float64, exact bool, plies int) {
	if side == chess.Black {
		value = -value
	}
	r.Value = value
	if exact && value != 0 {
		r.mate = (plies + 1) / 2 * cmp.Compare(value, 0)
	}
	r.Score = scoreOf(value, r.mate)
}

// eval is the value as PGN files have it.
func (r *Report) eval() chess.Eval {
	if r.mate != 0 {
		return chess.Eval{Mate: r.mate}
	}
	return chess.Eval{Pawns: float64(uci.ScoreOf(r.Value).CP) / 100}
}

// searchAlphaBeta looks ahead ply by ply, until depth or time ends it, and draws one
// of equally good moves.
func (t *thought) searchAlphaBeta(ctx context.Context) (chess.Move, error) {
	began := time.Now()
	var v search.Valuer = &arena.Material{}
	if t.player.mind != nil {
		v = search.NewValuer(t.player.mind)
	}
	depth, limited := t.seat.Depth, ctx
	if t.endless {
		depth = mostDepth
	} else {
		limited = t.hurried
	}
	if t.seat.Seconds > 0 && !t.endless {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(limited, time.Duration(t.seat.Seconds*float64(time.Second)))
		defer cancel()
	}
	s := search.AlphaBeta{Valuer: v}
	var line search.Line
	nodes := 0
	for d := 1; d <= depth; d++ {
		within := limited
		if d == 1 {
			within = ctx // there must be a move
		}
		next, err := s.Search(within, t.game, d)
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case d > 1 && errors.Is(err, within.Err()) && err != nil:
			d = depth // time is up
			continue
		case err != nil:
			return 0, fmt.Errorf("%s: %w", t.player.Name, err)
		}
		line = next
		nodes += line.Asked
		t.tell(t.lineReport(&line, nodes, time.Since(began), d < depth))
		if math.Abs(line.Value) == 1 {
			break
		}
	}
	t.tell(t.lineReport(&line, nodes, time.Since(began), false))
	return line.Best[rand.IntN(len(line.Best))], nil
}

// lineReport is what alpha-beta has found.
func (t *thought) lineReport(l *search.Line, nodes int, spent time.Duration, active bool) *Report {
	p := t.game.Position()
	out := &Report{By: t.player.Name, Nodes: nodes, Depth: l.Depth, Speed: int(float64(nodes) / max(0.001, spent.Seconds())), Active: active}
	out.value(p.Turn(), l.Value, math.Abs(l.Value) == 1, len(l.PV))
	for i, m := range l.Best[:min(len(l.Best), mostCandidates)] {
		moves := []chess.Move{m}
		if i == 0 {
			moves = l.PV
		}
		c := candidate(p, moves)
		c.Score = out.Score
		out.Moves = append(out.Moves, c)
	}
	return out
}

// pickAny plays any legal move.
func (t *thought) pickAny() chess.Move {
	var l chess.MoveList
	t.game.Position().LegalMoves(&l)
	return l.At(rand.IntN(l.Len()))
}
