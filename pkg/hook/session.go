package hook

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/config"
)

// Session calls the functions of a script in child processes, which start when they
// are first needed and serve many calls. It is safe for use by many goroutines at
// once; Limits.Processes says how many calls run at once.
//
// A script remembers nothing between calls: each finds the package variables as
// the file sets them. So the result of a call depends neither on earlier calls nor on
// the process that makes it.
//
// A fault of the script is a [config.Error]: it panicked, it ran too long, or it returned an
// invalid result. The faults of a script that does not compile are [config.Errors]. ctx ends a
// call early, with ctx's error. After a fault or that, the process is gone and the next call
// starts another.
type Session struct {
	hook   *Hook
	limits Limits
	pool   chan *process // one element for each allowed process; nil: not running
}

// Open makes a session. It starts no process yet.
func (h *Hook) Open(l Limits) *Session {
	l = l.withDefaults()
	l.Log = &head{left: MaxLog, to: l.Log}
	s := &Session{hook: h, limits: l, pool: make(chan *process, l.Processes)}
	for range l.Processes {
		s.pool <- nil
	}
	return s
}

// Close ends the processes after the running calls. The session can be used again.
func (s *Session) Close() {
	all := make([]*process, 0, cap(s.pool))
	for range cap(s.pool) {
		all = append(all, <-s.pool)
	}
	for _, p := range all {
		if p != nil {
			_ = p.end()
		}
		s.pool <- nil
	}
}

// Functions returns the names of the script's functions. It initializes the package
// variables. The faults of the script are [config.Errors].
func (s *Session) Functions(ctx context.Context) (names []string, err error) {
	err = s.with(ctx, func(p *process) error {
		names = slices.Clone(p.functions)
		_, err := p.exchange(ctx, order{Call: &call{}}, nil)
		if fault, ok := errors.AsType[*config.Error](err); ok {
			return config.Errors{fault}
		}
		return err
	})
	return names, err
}

// Labels returns the labels that the script gives to its metrics.
func (s *Session) Labels(ctx context.Context) (labels Labels, err error) {
	err = s.with(ctx, func(p *process) error {
		r, err := p.exchange(ctx, order{Call: &call{}}, nil)
		labels = r.Labels
		return err
	})
	return labels, err
}

// Measure calls the script's Measure.
func (s *Session) Measure(ctx context.Context, g Generation) (Measured, error) {
	return invoke[Measured](ctx, s, Measure, g, nil)
}

// Network evaluates positions for MeasureCheckpoint. A position that it refuses with
// an error is a fault of the script.
type Network interface {
	// Evaluate returns an evaluation for each position.
	Evaluate(ctx context.Context, positions []chess.Position) ([]Evaluation, error)
	// Search returns a result for each position; visits is at least 1.
	Search(ctx context.Context, positions []chess.Position, visits int) ([]SearchResult, error)
}

// Checkpoint is the argument of MeasureCheckpoint: a checkpoint and its network.
type Checkpoint struct {
	Generation int
	Variant    chess.Variant
	Samples    int
	Network    Network
}

// MeasureCheckpoint calls the script's MeasureCheckpoint.
func (s *Session) MeasureCheckpoint(ctx context.Context, c Checkpoint) (Measured, error) {
	return invoke[Measured](ctx, s, MeasureCheckpoint, checkpoint{c.Generation, c.Variant.Spec(), c.Samples}, c.Network)
}

// Evaluate calls the script's Evaluate: a number from -1 to 1 for each position,
// from the view of its side to move.
func (s *Session) Evaluate(ctx context.Context, positions []chess.Position) ([]float64, error) {
	if len(positions) == 0 {
		return nil, nil
	}
	return invoke[[]float64](ctx, s, Evaluate, wirePositions(positions), nil)
}

// Rate calls the script's Rate: a learning rate above 0.
func (s *Session) Rate(ctx context.Context, p Progress) (float64, error) {
	return invoke[float64](ctx, s, Rate, p, nil)
}

// Adjudicate calls the script's Adjudicate. It returns the result of each game, or
// chess.Unfinished if the game continues.
func (s *Session) Adjudicate(ctx context.Context, games []Game) ([]chess.Result, error) {
	if len(games) == 0 {
		return nil, nil
	}
	return invoke[[]chess.Result](ctx, s, Adjudicate, games, nil)
}

// Stop calls the script's Stop.
func (s *Session) Stop(ctx context.Context, p Progress) (stop bool, reason string, err error) {
	d, err := invoke[decision](ctx, s, Stop, p, nil)
	return d.Stop, d.Reason, err
}

// invoke calls a function with a process of the pool. n answers its requests.
func invoke[R any](ctx context.Context, s *Session, function string, argument any, n Network) (result R, err error) {
	err = s.with(ctx, func(p *process) error {
		if err := s.hook.Has(p.functions, function); err != nil {
			return err
		}
		r, err := p.exchange(ctx, order{Call: &call{function, argument}}, n)
		if err == nil {
			result = r.Result.(R)
		}
		return err
	})
	return result, err
}

// Has returns a fault of the script if the function is not among those that it has,
// the result of [Hook.Functions].
func (h *Hook) Has(have []string, name string) *config.Error {
	if slices.Contains(have, name) {
		return nil
	}
	return h.fault("no function %s: want %s", name, function(name).want())
}

// with runs use with a process of the pool, and starts the process if necessary.
func (s *Session) with(ctx context.Context, use func(*process) error) error {
	if IsChild() {
		return errors.New("hook: a script's process starts another: main or TestMain must begin with hook.IsChild")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	var p *process
	select {
	case p = <-s.pool:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { s.pool <- p }()
	if p == nil {
		var err error
		if p, err = start(ctx, s.hook, s.limits); err != nil {
			p = nil
			return err
		}
	}
	err := use(p)
	if p.ended {
		p = nil
	}
	return err
}

// fault returns a fault of the whole script.
func (h *Hook) fault(format string, args ...any) *config.Error {
	return wholeFile(h.path).Errorf("", format, args...)
}

// head passes on the first bytes that are written to it and discards the rest. It is safe
// for use by many goroutines at once.
type head struct {
	mu   sync.Mutex
	left int
	to   io.Writer
}

func (h *head) Write(b []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept := b[:min(len(b), h.left)]
	h.left -= len(kept)
	_, _ = h.to.Write(kept)
	return len(b), nil
}
