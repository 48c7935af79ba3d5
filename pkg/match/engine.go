package match

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// engines is a player with several processes of one UCI engine.
type engines struct {
	name  string
	limit uci.Limit
	pool  *uci.Pool
}

// maxCrashes is the number of crashes in one position after which an engine loses the game.
const maxCrashes = 3

// NewUCI starts an engine and checks that it plays the variant, and Chess960 if required.
// The player starts more processes, at most the given number, when more games run at once.
// NewUCI returns an error if the engine does not start. If it does not start later, the
// tournament ends.
//
// The engine gets ucinewgame before each move, which clears its tables. Its move then
// depends on the game alone and not on the process, unless the limit is time. Therefore a
// process that ends, which something else may have killed, is replaced and the new one gets
// the same position. An engine that crashes three times in a position loses the game.
//
// Processes share the machine. With a time limit, more processes than processor cores
// weaken each of them.
func NewUCI(ctx context.Context, name string, engine uci.Found, processes int) (Player, error) {
	engine.Command.Name = cmp.Or(engine.Command.Name, name)
	p := &engines{name: name, limit: engine.Limit, pool: uci.NewPool(engine.Player, processes)}
	first, err := p.pool.Acquire(ctx)
	if err != nil {
		return nil, fmt.Errorf("match: player %s: %w", name, err)
	}
	p.pool.Release(first)
	return p, nil
}

func (p *engines) Name() string { return p.name }

func (p *engines) Moves(ctx context.Context, turns []*Turn) error {
	group, within := errgroup.WithContext(ctx)
	for _, t := range turns {
		group.Go(func() error { return p.move(within, t) })
	}
	err := group.Wait()
	return cmp.Or(context.Cause(ctx), err) // a canceled search is no fault of the player
}

// move sets the move of a turn. The error ends the tournament.
func (p *engines) move(ctx context.Context, t *Turn) error {
	for {
		e, err := p.pool.Acquire(ctx)
		if err != nil {
			return fmt.Errorf("player %s: %w", p.name, err)
		}
		t.Move, t.Info, t.Err = moveOf(ctx, e, t.Game, p.limit)
		p.pool.Release(e)
		if !errors.Is(t.Err, uci.ErrCrash) || len(t.Crashes) == maxCrashes-1 {
			return nil
		}
		t.Crashes = append(t.Crashes, t.Err)
	}
}

// moveOf searches a position as the first of a new game.
func moveOf(ctx context.Context, e *uci.Client, g *chess.Game, l uci.Limit) (chess.Move, Info, error) {
	if err := e.NewGame(ctx); err != nil {
		return 0, Info{}, err
	}
	a, err := e.Go(ctx, g, l)
	if err != nil {
		return 0, Info{}, err
	}
	in := Info{Depth: a.Info.Depth}
	if score := a.Score; score != nil {
		x := score.Expected()
		in.Score = &x
		if score.IsMate {
			in.Mate = score.Mate
		}
	}
	return a.Move, in, nil
}

func (p *engines) GameOver(*chess.Game) {}

func (p *engines) Close() { p.pool.Close() }
