package uci

import (
	"context"
	"errors"
	"sync"

	"alamos/pkg/chess"
)

// Player says how an engine is started for games.
type Player struct {
	Command  Command
	Variant  chess.Variant
	Chess960 bool // whether games may start from chess960 positions
	Timeouts Timeouts

	// Preferred are options set if the engine has them.
	Preferred []Setting
}

// Start starts the engine and makes it prove that it plays the variant, and that it
// supports chess960 if required.
func (p *Player) Start(ctx context.Context) (*Client, error) {
	for attempt := 1; ; attempt++ {
		e, err := p.start(ctx)
		if !errors.Is(err, ErrCrash) || attempt == startAttempts {
			return e, err
		}
	}
}

// startAttempts is the number of attempts to start an engine that ends meanwhile. Something
// else may have killed it.
const startAttempts = 3

func (p *Player) start(ctx context.Context) (*Client, error) {
	e, err := Start(ctx, p.Command, p.Timeouts)
	if err != nil {
		return nil, err
	}
	err = e.Prove(ctx, p.Variant)
	if err == nil && p.Chess960 {
		err = e.ProveChess960()
	}
	for _, s := range p.Preferred {
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

// Pool has several processes of one engine. They start at first use and are replaced after
// a failure. Many goroutines may use it at once.
type Pool struct {
	player Player
	free   chan *Client // one element for each process; nil: not running
}

// NewPool returns a pool of at most n processes.
func NewPool(p Player, n int) *Pool {
	pool := &Pool{p, make(chan *Client, n)}
	for range n {
		pool.free <- nil
	}
	return pool
}

// Acquire waits for a free process and starts it if it does not run. It returns the error of
// a process that does not start, or the cause of ctx.
func (p *Pool) Acquire(ctx context.Context) (*Client, error) {
	select {
	case e := <-p.free:
		if e != nil && e.Err() == nil {
			return e, nil
		}
		e, err := p.player.Start(ctx)
		if err != nil {
			p.free <- nil
		}
		return e, err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Release returns a process to the pool.
func (p *Pool) Release(e *Client) { p.free <- e }

// Close ends all processes. None may be in use.
func (p *Pool) Close() {
	var wg sync.WaitGroup
	for range cap(p.free) {
		if e := <-p.free; e != nil {
			wg.Go(e.Close)
		}
	}
	wg.Wait()
	for range cap(p.free) {
		p.free <- nil
	}
}

// Name returns the name of the engine's command, for messages.
func (p *Pool) Name() string { return p.player.Command.name() }
