package data

import (
	"context"
	"fmt"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/stats"

	"alamos/pkg/uci"
)

// Options of engines that are set without being asked for, where there are such.
const (
	threadsOption = "Threads"     // 1: more give answers that differ from run to run
	wdlOption     = "UCI_ShowWDL" // true: scores tell win, draw and loss
)

// engines are processes of one engine, started when they are first needed.
type engines struct {
	command uci.Command
	variant chess.Variant
	free    chan *uci.Client // an element a process; nil: not running
}

func newEngines(c uci.Command, v chess.Variant, n int) *engines {
	p := &engines{command: c, variant: v, free: make(chan *uci.Client, n)}
	for range n {
		p.free <- nil
	}
	return p
}

// use lends a process that knows of no game yet. where names the game in errors.
func (p *engines) use(ctx context.Context, where string, f func(*uci.Client) error) (err error) {
	var e *uci.Client
	select {
	case e = <-p.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { p.free <- e }()
	if e == nil || e.Err() != nil {
		if e, err = p.start(ctx); err != nil {
			e = nil
			return fmt.Errorf("data: %w", err)
		}
	}
	if err := e.NewGame(ctx); err != nil {
		return fmt.Errorf("data: %s: %w", where, &engineEnded{err})
	}
	return f(e)
}

func (p *engines) start(ctx context.Context) (*uci.Client, error) {
	e, err := uci.Start(ctx, p.command, uci.Timeouts{})
	if err != nil {
		return nil, err
	}
	err = e.Prove(ctx, p.variant)
	for _, s := range []uci.Setting{{Name: threadsOption, Value: "1"}, {Name: wdlOption, Value: "true"}} {
		if err == nil && e.Option(s.Name) != nil {
			err = e.SetOption(s.Name, s.Value)
		}
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// close ends all processes. No game may be using one.
func (p *engines) close() {
	for range cap(p.free) {
		if e := <-p.free; e != nil {
			e.Close()
		}
		p.free <- nil
	}
}

// label sets the values of a position to what the engine expects, and gives its move.
func (w *worker) label(ctx context.Context, where string, e *uci.Client, p *Position) (chess.Move, error) {
	a, err := w.talk.ask(ctx, where, e, p.At, w.set.cfg.Label.Limit)
	if err != nil {
		return 0, err
	}
	if !a.Scored {
		return 0, fmt.Errorf("data: %s, ply %d: engine %s plays %s and tells no score: it cannot label", where, p.Ply, e.Name(), a.Move)
	}
	p.Value, p.Draw = a.Value, a.Draw
	return a.Move, nil
}

// finish gives the moves of a game with those that the engine adds when the game is
// not over by the rules, and sets the result.
func (g *played) finish(ctx context.Context, w *worker, e *uci.Client, l Limit) ([]chess.Move, error) {
	w.board.Reset(g.start)
	for _, m := range g.moves {
		w.board.Play(m)
	}
	outcome, err := w.playOut(ctx, g.where, e, w.board, l)
	if err != nil {
		return nil, err
	}
	if w.board.Ply() > len(g.moves) {
		w.finished, w.result = true, outcome.Result
	}
	return slices.Clone(w.board.Moves()), nil
}

// playOut lets an engine play for both sides until the game is over.
func (w *worker) playOut(ctx context.Context, where string, e *uci.Client, g *chess.Game, l Limit) (chess.Outcome, error) {
	var list chess.MoveList
	for {
		g.Position().LegalMoves(&list)
		if o := g.Outcome(&list); o.Over() {
			return o, nil
		}
		a, err := w.talk.ask(ctx, where, e, g, l)
		if err != nil {
			return chess.Outcome{}, err
		}
		g.Play(a.Move)
	}
}

// selfPlayed is a game of an engine against itself, which is yet to be played.
type selfPlayed struct {
	where string
	seed  uint64
	start chess.Starts
}

func (g *selfPlayed) size() int { return 0 }

// maxRedraws is how many openings that end the game are drawn anew before the
// settings are taken to be hopeless.
const maxRedraws = 10000

// open draws the opening. The game proper begins after it.
func (g *selfPlayed) open(b *chess.Game, plies int) error {
	rng := stats.NewRand(stats.Derive(g.seed, 1))
	for range maxRedraws {
		b.Reset(g.start.Draw(rng))
		var list chess.MoveList
		for b.Position().LegalMoves(&list); !b.Outcome(&list).Over(); b.Position().LegalMoves(&list) {
			if b.Ply() == plies {
				return nil
			}
			b.Play(list.At(rng.IntN(list.Len())))
		}
	}
	return fmt.Errorf("data: %s: %d openings of %d random plies all ended the game: use fewer", g.where, maxRedraws, plies)
}

func (g *selfPlayed) positions(ctx context.Context, w *worker, yield func(*Position) error) error {
	player := &w.set.cfg.Player
	if err := g.open(w.board, player.RandomPlies); err != nil {
		return err
	}
	w.board.Reset(*w.board.Position())
	game := &played{where: g.where, seed: stats.Derive(g.seed, 2), start: *w.board.Start()}
	err := w.talk.engine(ctx, w.set.players, g.where, func(e *uci.Client) error {
		outcome, err := w.playOut(ctx, g.where, e, w.board, player.Limit)
		game.result = outcome.Result
		return err
	})
	if err != nil {
		return err
	}
	game.moves = slices.Clone(w.board.Moves())
	return game.positions(ctx, w, yield)
}
