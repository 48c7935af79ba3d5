package play

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/match"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// task is the work of a game's driver: to find a move, or to analyze a position. The
// zero task is no work.
type task struct {
	move   bool
	ply    int
	serial int // of the position
	seat   seat
}

// nextTask returns what the driver should do now. g.mu is held.
func (g *game) nextTask() task {
	if !g.watched() {
		return task{}
	}
	last := g.ply()
	if s := g.seats[g.line.Position().Turn()]; !g.paused && g.players(s.Player).Kind != human && !g.outcome().Over() {
		return task{true, last, g.positions[last].serial, s}
	}
	if g.analyst == "" {
		return task{}
	}
	ply := g.analyzed
	if ply < 0 {
		ply = last
	}
	if ply == last && g.line.Outcome(&g.legal).Over() {
		return task{}
	}
	t := task{false, ply, g.positions[ply].serial, seat{Player: g.analyst}}
	if t == g.done {
		return task{}
	}
	return t
}

// drive lets the game's players search, one at a time, until ctx ends. An engine's move
// takes at least the pace, so that people can follow.
func (g *game) drive(ctx context.Context, pace time.Duration) {
	kept := engines{}
	for ctx.Err() == nil {
		g.mu.Lock()
		t, changed := g.nextTask(), g.changed
		if t == (task{}) {
			if !g.watched() {
				clear(kept)
			}
			g.mu.Unlock()
			select {
			case <-changed:
			case <-ctx.Done():
			}
			continue
		}
		at := g.line.Clone()
		for at.Ply() > t.ply {
			at.Undo()
		}
		searching, abort := context.WithCancel(ctx)
		hurried, hurry := context.WithCancel(searching)
		g.doing, g.abort, g.hurry = t, abort, hurry
		g.notify()
		g.mu.Unlock()

		enough := time.After(pace)
		turn := &turn{
			player: g.players(t.seat.Player), seat: t.seat, game: at, endless: !t.move,
			hurried: hurried, report: func(r *Report) { g.report(t, r) }, engines: kept,
		}
		m, err := turn.move(searching)
		if t.move && err == nil {
			select {
			case <-enough:
			case <-hurried.Done():
			}
		}
		g.mu.Lock()
		aborted := searching.Err() != nil
		g.doing, g.abort, g.hurry = task{}, nil, nil
		hurry()
		abort()
		switch {
		case aborted:
		case err != nil:
			g.failure, g.paused, g.analyst = err.Error(), true, ""
		case t.move:
			g.push(m)
		default:
			g.done = t
		}
		g.notify()
		g.mu.Unlock()
	}
}

// turn is a player's search of a position.
type turn struct {
	player  *player
	seat    seat
	game    *chess.Game
	endless bool            // an analysis: only the memory limits it
	hurried context.Context // ends when the move is wanted at once
	report  func(*Report)
	engines engines
}

// engines are the engines of a game's players, by the players' ids. They keep their
// trees from turn to turn. The map is for one goroutine.
type engines map[string]*uci.Engine

// move finds a move.
func (t *turn) move(ctx context.Context) (chess.Move, error) {
	switch t.player.Kind {
	case tree:
		return t.searchTree(ctx)
	case alphaBeta:
		return t.searchAlphaBeta(ctx)
	}
	var l chess.MoveList
	t.game.Position().LegalMoves(&l)
	return l.At(rand.IntN(l.Len())), nil
}

const (
	treeMiB     = 256 // of the tree of a player in a game
	mostLeaves  = 16  // evaluated at once: more would weaken short searches
	reportEvery = 120 * time.Millisecond
)

// searchTree finds a move by tree search, which continues the tree of the turn before.
func (t *turn) searchTree(ctx context.Context) (chess.Move, error) {
	e := t.engines[t.player.ID]
	if e == nil {
		e = uci.New(*t.player.model)
		e.Config.Leaves, e.Hash = min(mostLeaves, e.Config.Leaves), treeMiB
		e.MultiPV, e.Every, e.Overhead = mostCandidates, reportEvery, 0
		t.engines[t.player.ID] = e
	}
	e.Temperature = t.seat.Temperature
	var task uci.Task // without an end
	if !t.endless {
		task.Nodes, task.MoveTime = int64(t.seat.Visits), time.Duration(t.seat.Seconds*float64(time.Second))
	}
	e.PolicyOnly = !t.endless && task.Nodes == 0 && task.MoveTime == 0
	err := e.Search(t.hurried, t.game, task, func(r *uci.Report) { t.report(t.treeReport(r)) })
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", t.player.Name, err)
	}
	m := e.Choose(t.game)
	if m == 0 {
		return 0, fmt.Errorf("%s found no move in %s", t.player.Name, t.game.Position().FEN())
	}
	return m, nil
}

// treeReport converts the report of a tree search for the page.
func (t *turn) treeReport(r *uci.Report) *Report {
	p := t.game.Position()
	out := &Report{By: t.player.Name, Tree: true, Nodes: r.Visits, Depth: r.Depth, Speed: int(r.Speed), Active: !r.Last}
	out.setValue(p.Turn(), r.Value, r.Mate)
	for i := range r.Lines {
		line := &r.Lines[i]
		c := candidate(p, line.Moves)
		c.Visits, c.Prior = line.Visits, line.Prior
		if line.Visits > 0 {
			var s Report
			s.setValue(p.Turn(), line.Q, line.Mate)
			c.Score = s.Score
		}
		out.Moves = append(out.Moves, c)
	}
	return out
}

// setValue sets a value and a number of moves to a forced end, 0: none, both from the
// view of the side to move.
func (r *Report) setValue(side chess.Color, value float64, mate int) {
	if side == chess.Black {
		value, mate = -value, -mate
	}
	r.Value, r.mate, r.Score = value, mate, scoreOf(value, mate)
}

// eval returns the value as PGN files write it.
func (r *Report) eval() chess.Eval {
	if r.mate != 0 {
		return chess.Eval{Mate: r.mate}
	}
	return chess.Eval{Pawns: float64(uci.ScoreOf(r.Value).CP) / 100}
}

// searchAlphaBeta searches deeper ply by ply, until depth or time ends it, and picks
// one of the best moves at random.
func (t *turn) searchAlphaBeta(ctx context.Context) (chess.Move, error) {
	began := time.Now()
	var v search.Valuer = &match.Material{}
	if t.player.model != nil {
		v = search.NewValuer(t.player.model.Eval)
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
		nodes += line.Evaluations
		t.report(t.lineReport(&line, nodes, time.Since(began), d < depth))
		if math.Abs(line.Value) == 1 {
			break
		}
	}
	t.report(t.lineReport(&line, nodes, time.Since(began), false))
	return line.Best[rand.IntN(len(line.Best))], nil
}

// lineReport converts the result of alpha-beta for the page.
func (t *turn) lineReport(l *search.Line, nodes int, spent time.Duration, active bool) *Report {
	p := t.game.Position()
	out := &Report{By: t.player.Name, Nodes: nodes, Depth: l.Depth, Speed: int(float64(nodes) / max(0.001, spent.Seconds())), Active: active}
	out.setValue(p.Turn(), l.Value, int(math.Trunc(l.Value))*((len(l.PV)+1)/2)) // 1 and -1 are forced
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
