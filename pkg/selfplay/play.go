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
	todo := make(chan int, cfg.Games) // numbers of the games to play
	for i := range cfg.Games {
		if cfg.Skip == nil || !cfg.Skip(i) {
			todo <- i
		}
	}
	close(todo)
	slots := (len(todo) + len(nets) - 1) / len(nets)
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
				todo:      todo,
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

// worker plays games in its slots until no games are left.
type worker struct {
	cfg       *Config
	evaluator search.Evaluator
	todo      <-chan int
	done      func(*Record)

	slots  []*gameSlot // slots with a game
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
		for _, g := range w.slots {
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
// begins another game when one ends. The batch is full as long as games are left to begin.
func (w *worker) collect(ctx context.Context) error {
	w.leaves = w.leaves[:0]
	playing := w.slots[:0]
	for _, g := range w.slots {
		before := len(w.leaves)
		for {
			if err := ctx.Err(); err != nil {
				return err
			}
			if g.record == nil {
				number, more := <-w.todo
				if !more {
					break
				}
				if err := g.begin(number); err != nil {
					return err
				}
			}
			if w.leaves = g.tree.Select(w.evaluator, w.leaves); len(w.leaves) > before {
				playing = append(playing, g)
				break
			}
			if err := w.move(g); err != nil {
				return err
			}
		}
	}
	w.slots = playing
	return nil
}

// move plays the move of a game with a finished search.
func (w *worker) move(g *gameSlot) error {
	r, err := g.move()
	if r != nil {
		g.record = nil
		w.done(r)
	}
	return err
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
	KL            float64 // Kullback-Leibler divergence of the target from the priors, nats
	PriorEntropy  float64 // nats
	TargetEntropy float64 // nats
}
