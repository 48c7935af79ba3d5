package selfplay

import (
	"context"
	"errors"
	"sync"
	"time"

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
func Play(ctx context.Context, cfg Config, codec encode.Codec, nets []search.Net, done func(*Record)) (Stats, error) {
	begin := time.Now()
	if len(nets) == 0 {
		return Stats{}, errors.New("self-play: no network: want one for each worker")
	}
	from, err := cfg.prepare(codec)
	if err != nil {
		return Stats{}, err
	}
	if cfg.Progress == nil {
		cfg.Progress = new(Progress)
	}
	todo := newQueue(cfg.Games, cfg.Skip)
	slots := (todo.left() + len(nets) - 1) / len(nets)
	if cfg.Parallel > 0 {
		slots = min(slots, cfg.Parallel)
	}

	workers, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex // guards total and calls of done
		total Stats
	)
	for _, n := range nets {
		wg.Go(func() {
			net := &timed{Net: n}
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
			w.stats.Network, w.stats.Batches = net.spent, net.calls
			mu.Lock()
			defer mu.Unlock()
			total.add(w.stats)
		})
	}
	wg.Wait()
	total.Elapsed = time.Since(begin)
	if err := ctx.Err(); err != nil {
		return total, err
	}
	return total, context.Cause(workers)
}

// worker plays games in its slots until no games are left.
type worker struct {
	cfg       *Config
	evaluator search.Evaluator
	todo      *queue
	done      func(*Record)
	stats     Stats

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
		w.stats.Evaluations += len(w.leaves)
		w.cfg.Progress.Evaluations.Add(int64(len(w.leaves)))
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
			if more, err := w.begin(g); err != nil {
				return err
			} else if !more {
				break
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

// begin begins the next game in an empty slot. It returns false if no games are left.
func (w *worker) begin(g *gameSlot) (bool, error) {
	if g.record != nil {
		return true, nil
	}
	number, ok := w.todo.next()
	if !ok {
		return false, nil
	}
	return true, g.begin(number)
}

// move plays the move of a game with a finished search.
func (w *worker) move(g *gameSlot) error {
	thrown := g.record.Thrown
	r, err := g.move()
	if err != nil {
		return err
	}
	w.cfg.Progress.Plies.Add(1)
	if g.record.Thrown > thrown {
		w.stats.Thrown++
		w.cfg.Progress.Thrown.Add(1)
	}
	if r != nil {
		g.record = nil
		w.stats.Games++
		w.stats.Plies += len(r.Moves)
		w.cfg.Progress.Games.Add(1)
		w.done(r)
	}
	return nil
}

// queue hands out the numbers of the games to play, in order.
type queue struct {
	mu      sync.Mutex
	numbers []int
}

func newQueue(games int, skip func(int) bool) *queue {
	q := new(queue)
	for i := range games {
		if skip == nil || !skip(i) {
			q.numbers = append(q.numbers, i)
		}
	}
	return q
}

func (q *queue) left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.numbers)
}

func (q *queue) next() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.numbers) == 0 {
		return 0, false
	}
	n := q.numbers[0]
	q.numbers = q.numbers[1:]
	return n, true
}

// timed measures the time spent in a network.
type timed struct {
	search.Net
	spent time.Duration
	calls int
}

func (t *timed) Evaluate(leaves []*encode.Leaf) error {
	begin := time.Now()
	defer func() { t.spent += time.Since(begin) }()
	t.calls++
	return t.Net.Evaluate(leaves)
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

// Stats summarizes a call of Play, finished or not.
type Stats struct {
	Games       int // finished games
	Thrown      int // discarded attempts
	Plies       int // plies of finished games
	Evaluations int // positions evaluated by the network, in all games
	Batches     int // network calls

	Elapsed time.Duration // duration of the whole call
	Network time.Duration // time inside the network, summed over workers
}

func (s *Stats) add(o Stats) {
	s.Games += o.Games
	s.Thrown += o.Thrown
	s.Plies += o.Plies
	s.Evaluations += o.Evaluations
	s.Batches += o.Batches
	s.Network += o.Network
}
