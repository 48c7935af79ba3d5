package web

import (
	"context"
	"fmt"
	"slices"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// task is the work of a game's driver: to find a move, or to analyze a position, by itself or
// as a part of a review. The zero task is no work.
type task struct {
	move   bool
	review bool // an analysis for as long as for a move
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
	if s := g.seats[g.line.Position().Turn()]; !g.paused && g.players(s).Kind != human && !g.outcome().Over() {
		return task{move: true, ply: last, serial: g.positions[last].serial, seat: s}
	}
	if plies := g.unreviewed(); len(plies) > 0 {
		return task{review: true, ply: plies[0], serial: g.positions[plies[0]].serial, seat: g.reviewer}
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
	t := task{ply: ply, serial: g.positions[ply].serial, seat: g.analyst}
	if t == g.done {
		return task{}
	}
	return t
}

// drive lets the game's players search, one at a time, until ctx ends. An engine's move
// takes at least the pace, so that people can follow.
func (g *game) drive(ctx context.Context, pace time.Duration) {
	kept := engines{}
	defer kept.keep()
	for ctx.Err() == nil {
		g.mu.Lock()
		t, changed := g.nextTask(), g.changed
		if t == (task{}) {
			if !g.watched() {
				kept.keep()
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
		seats := append(g.seats[:], g.analyst, g.reviewer)
		g.notify()
		clock := g.clock.of(g.left())
		g.mu.Unlock()

		wait := pace
		if left := clock.Clock[at.Position().Turn()]; left > 0 {
			wait = min(pace, left/30)
		}
		enough := time.After(wait)
		kept.keep(seats...)
		turn := &turn{
			player: g.players(t.seat), game: at, endless: !t.move && !t.review,
			hurried: hurried, report: func(r *Report) { g.report(t, r) }, engines: kept,
		}
		if t.move {
			turn.clock = clock
		}
		m, err := turn.move(searching, t.seat)
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
			g.failure, g.paused, g.analyst, g.reviewer = err.Error(), true, "", ""
		case t.move:
			g.push(m)
		case t.review:
			if t.ply <= g.ply() && g.positions[t.ply].serial == t.serial {
				g.positions[t.ply].reviewer = t.seat
			}
			if len(g.unreviewed()) == 0 {
				g.reviewer = ""
			}
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
	game    *chess.Game
	endless bool            // only the memory limits it
	clock   uci.Limit       // of the game; the zero value: none
	hurried context.Context // ends when the move is wanted at once
	report  func(*Report)
	engines engines
}

// engines are the running engines of a game's players. They keep their trees from turn to
// turn. The map is for one goroutine.
type engines map[seat]engine

type engine struct {
	uci.Searcher
	limit uci.Limit // for each move
}

// keep ends all engines but those of these seats.
func (all engines) keep(seats ...seat) {
	for t, e := range all {
		if !slices.Contains(seats, t) {
			e.Close()
			delete(all, t)
		}
	}
}

const (
	treeMiB     = 256 // of the tree of a player in a game
	mostLeaves  = 16  // evaluated at once: more would weaken short searches
	reportEvery = 120 * time.Millisecond
)

// engine returns the player's engine, and starts it at its first turn.
func (t *turn) engine(ctx context.Context, at seat) (engine, error) {
	if e, runs := t.engines[at]; runs {
		return e, nil
	}
	s, limit, err := t.player.opened.Searcher(ctx, t.game.Position().Variant())
	if err != nil {
		return engine{}, err
	}
	if e, ok := s.(*uci.Engine); ok {
		e.Config.Leaves, e.Hash = min(mostLeaves, e.Config.Leaves), treeMiB
		e.MultiPV, e.Every, e.Overhead = mostCandidates, reportEvery, 0
	}
	t.engines[at] = engine{s, limit}
	return t.engines[at], nil
}

// move finds a move. An engine that fails is started again at its next turn.
func (t *turn) move(ctx context.Context, at seat) (chess.Move, error) {
	e, err := t.engine(ctx, at)
	if err == nil {
		var task uci.Task // without an end
		if !t.endless {
			task.Limit = t.clock.ForPlayer(e.limit, t.game.Position().Turn())
		}
		var m chess.Move
		m, _, err = e.Think(t.hurried, t.game, task, func(r *uci.Report) { t.report(t.view(r)) })
		switch {
		case ctx.Err() != nil:
			return 0, ctx.Err()
		case err == nil:
			return m, nil
		}
		e.Close()
		delete(t.engines, at)
	}
	return 0, fmt.Errorf("%s has failed, and the game waits: %w", t.player.Name, err)
}

// view converts the report of a search for the page.
func (t *turn) view(r *uci.Report) *Report {
	p := t.game.Position()
	out := &Report{By: t.player.Name, Tree: r.Tree, Nodes: r.Visits, Depth: r.Depth, Speed: int(r.Speed), Active: !r.Last}
	out.setValue(p.Turn(), r.Value, r.Mate)
	for i := range r.Lines[:min(len(r.Lines), mostCandidates)] {
		line := &r.Lines[i]
		c := candidate(p, line.Moves)
		c.Visits, c.Prior = line.Visits, line.Prior
		if line.Visits > 0 || !r.Tree {
			var s Report
			s.setValue(p.Turn(), line.Q, line.Mate)
			c.Score, c.value, c.mate = s.Score, s.Value, s.mate
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
