package selfplay

import (
	"context"
	"errors"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
)

// Play plays the games of cfg with one worker for each of nets. It passes each finished
// game to done, one call at a time, in no particular order. All nets must evaluate
// positions identically.
//
// Workers take games as they become free. The first error, or cancellation of ctx, stops
// all workers within one batch. Play then returns that error, or ctx.Err(), and unfinished
// games are lost.
func Play(ctx context.Context, cfg Config, codec encode.Codec, nets []search.Net, done func(*Record)) error {
	if len(nets) == 0 {
		return errors.New("self-play: no network: want one for each worker")
	}
	from, err := cfg.prepare(codec)
	if err != nil {
		return err
	}
	if cfg.Todo == nil {
		all := make([]int, cfg.Games)
		for i := range all {
			all[i] = i
		}
		cfg.Todo = Numbers(all)
	}
	slots := (cap(cfg.Todo) + len(nets) - 1) / len(nets)
	if cfg.Parallel > 0 {
		slots = min(slots, cfg.Parallel)
	}

	workers, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	var mu sync.Mutex // guards calls of done
	for _, net := range nets {
		wg.Go(func() {
			w := worker{
				cfg:       &cfg,
				evaluator: search.NewEvaluator(codec, net),
				done: func(r *Record) {
					mu.Lock()
					defer mu.Unlock()
					done(r)
				},
			}
			for range slots {
				w.slots = append(w.slots, newGameSlot(&cfg, codec, from))
			}
			if err := w.run(workers); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return context.Cause(workers)
}

// Numbers returns a closed channel of numbers, for Config.Todo.
func Numbers(all []int) <-chan int {
	todo := make(chan int, len(all))
	for _, i := range all {
		todo <- i
	}
	close(todo)
	return todo
}

// worker plays games in its slots until no games are left.
type worker struct {
	cfg       *Config
	evaluator search.Evaluator
	done      func(*Record)

	slots  []*gameSlot // without those that find no further game
	live   []*gameSlot // slots whose trees wait for the leaves
	leaves []*encode.Leaf
}

func (w *worker) run(ctx context.Context) error {
	for {
		if err := w.collect(ctx); err != nil || len(w.leaves) == 0 {
			return err
		}
		if err := w.evaluator.Evaluate(w.leaves); err != nil {
			return err
		}
		for _, g := range w.live {
			if err := g.tree.Backup(); err != nil {
				return err
			}
		}
		if w.cfg.Evaluations != nil {
			w.cfg.Evaluations.Add(int64(len(w.leaves)))
		}
	}
}

// collect gathers the leaves to evaluate. Each slot plays until it needs the network, and
// begins another game when one ends. The batch is full as long as games are left to begin. With
// no game in play it waits for one. No leaves mean that no games are left.
func (w *worker) collect(ctx context.Context) error {
	w.leaves, w.live = w.leaves[:0], w.live[:0]
	open := w.slots[:0]
	for _, g := range w.slots {
		ended, err := w.advance(ctx, g)
		if err != nil {
			return err
		}
		if !ended {
			open = append(open, g)
		}
	}
	w.slots = open
	if len(w.leaves) > 0 || len(w.slots) == 0 {
		return nil
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case number, more := <-w.cfg.Todo:
		if !more {
			return nil
		}
		if err := w.slots[0].begin(number); err != nil {
			return err
		}
		return w.collect(ctx)
	}
}

// advance plays in a slot until its tree has selected leaves, or there is no game to begin now.
// ended means that no further game will come.
func (w *worker) advance(ctx context.Context, g *gameSlot) (ended bool, err error) {
	for before := len(w.leaves); ; {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if g.record == nil {
			select {
			case number, more := <-w.cfg.Todo:
				if !more {
					return true, nil
				}
				if err := g.begin(number); err != nil {
					return false, err
				}
			default:
				return false, nil
			}
		}
		if w.leaves = g.tree.Select(w.evaluator, w.leaves); len(w.leaves) > before {
			w.live = append(w.live, g)
			return false, nil
		}
		r, err := g.move()
		if r != nil {
			g.record = nil
			w.done(r)
		}
		if err != nil {
			return false, err
		}
	}
}

// Record is a finished game.
type Record struct {
	Number  int
	Start   string // FEN of the start position
	Moves   []chess.Move
	Outcome chess.Outcome

	// Samples are in the order of the game: one for each move, or for each move with a full
	// search (see PlayoutCap). Config.Surprise repeats or drops samples.
	Samples []encode.Sample

	// RootValues are the search values of the moves, -1 to 1 for the side to move.
	RootValues []float32

	// Roots are the positions with a full search, in the order of the game. Each gave one
	// sample, before Config.Surprise.
	Roots []Root

	Thrown      int // attempts discarded before this one for exceeding MaxMoves
	Evaluations int // positions evaluated by the network, including discarded attempts
}

// Root says what a full search added to the network's policy at a ply. The target is the
// policy target of the sample. The priors are those of the search, with the noise and the
// temperature of the root.
type Root struct {
	Ply           int
	KL            float64 // Kullback-Leibler divergence of the target from the priors, nats; NaN without priors, see [search.Tree.Evaluated]
	PriorEntropy  float64 // nats; NaN likewise
	TargetEntropy float64 // nats
}
