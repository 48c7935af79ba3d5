package play

import (
	"context"
	"time"

	"alamos/pkg/chess"
)

// task is what a game's driver is to do: to find a move, or to analyze. The zero task
// is nothing.
type task struct {
	move   bool
	ply    int
	serial int // of the position
	seat   seat
}

// wanted is what is to be done now. g.mu is held.
func (g *game) wanted() task {
	if !g.attended() {
		return task{}
	}
	last := g.ply()
	if s := g.seats[g.line.Position().Turn()]; !g.paused && g.players(s.Player).Kind != human && !g.outcome().Over() {
		return task{true, last, g.positions[last].serial, s}
	}
	if g.analyst == "" {
		return task{}
	}
	ply := g.looked
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

// drive lets players think for the game, one at a time, until ctx ends. A move that an
// engine finds takes the pace at least: people want to see moves.
func (g *game) drive(ctx context.Context, pace time.Duration) {
	memory := memory{}
	for ctx.Err() == nil {
		g.mu.Lock()
		t, changed := g.wanted(), g.changed
		if t == (task{}) {
			if !g.attended() {
				memory.forget()
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
		thinking, abort := context.WithCancel(ctx)
		hurried, hurry := context.WithCancel(thinking)
		g.doing, g.abort, g.hurry = t, abort, hurry
		g.tell()
		g.mu.Unlock()

		enough := time.After(pace)
		m, err := g.think(thinking, &thought{
			player: g.players(t.seat.Player), seat: t.seat, game: at, endless: !t.move,
			hurried: hurried, tell: func(r *Report) { g.report(t, r) }, memory: memory,
		})
		if t.move && err == nil {
			select {
			case <-enough:
			case <-hurried.Done():
			}
		}
		g.mu.Lock()
		aborted := thinking.Err() != nil
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
		g.tell()
		g.mu.Unlock()
	}
}

// think finds a move.
func (g *game) think(ctx context.Context, t *thought) (chess.Move, error) {
	switch t.player.Kind {
	case tree:
		return t.searchTree(ctx)
	case alphaBeta:
		return t.searchAlphaBeta(ctx)
	}
	return t.pickAny(), nil
}
