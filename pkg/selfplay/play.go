package selfplay

import (
	"context"
	"errors"
	"sync"
	"time"

	"alamos/pkg/encode"
	"alamos/pkg/search"
)

// Play plays the games of cfg, a worker for each of nets, and hands each
// finished game to done, one call at a time but in no certain order. The nets
// must give the same answers.
//
// Games are given to workers as they become free. The first error, or the end
// of ctx, stops all of them within a batch of the network; Play then returns
// that error, or ctx.Err(), and games that were not finished are lost.
func Play(ctx context.Context, cfg Config, codec encode.Codec, nets []search.Net, done func(*Record)) (Stats, error) {
	begin := time.Now()
	if len(nets) == 0 {
		return Stats{}, errors.New("self-play: no network: want one a worker")
	}
	from, err := cfg.prepare(codec)
	if err != nil {
		return Stats{}, err
	}
	if cfg.Progress == nil {
		cfg.Progress = new(Progress)
	}
	todo := newQueue(cfg.Games, cfg.Skip)
	tables := (todo.left() + len(nets) - 1) / len(nets)
	if cfg.Parallel > 0 {
		tables = min(tables, cfg.Parallel)
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
			for range tables {
				w.tables = append(w.tables, newTable(&cfg, codec, from))
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

// worker plays games at its tables until there are none left.
type worker struct {
	cfg       *Config
	evaluator search.Evaluator
	todo      *queue
	done      func(*Record)
	stats     Stats

	tables []*table // at which games are played
	leaves []*encode.Leaf
}

func (w *worker) run(ctx context.Context) error {
	for {
		if err := w.ask(ctx); err != nil || len(w.leaves) == 0 {
			return err
		}
		if err := w.evaluator.Evaluate(w.leaves); err != nil {
			return err
		}
		for _, t := range w.tables {
			if err := t.tree.Backup(); err != nil {
				return err
			}
		}
		w.stats.Evaluations += len(w.leaves)
		w.cfg.Progress.Evaluations.Add(int64(len(w.leaves)))
	}
}

// ask collects what the games need the network for. Games go on until each needs
// it, others taking the places of those that end: as long as there are games to
// begin, the batch is full.
func (w *worker) ask(ctx context.Context) error {
	w.leaves = w.leaves[:0]
	playing := w.tables[:0]
	for _, t := range w.tables {
		asked := len(w.leaves)
		for {
			if err := ctx.Err(); err != nil {
				return err
			}
			if goes, err := w.begin(t); err != nil {
				return err
			} else if !goes {
				break
			}
			if w.leaves = t.tree.Select(w.evaluator, w.leaves); len(w.leaves) > asked {
				playing = append(playing, t)
				break
			}
			if err := w.move(t); err != nil {
				return err
			}
		}
	}
	w.tables = playing
	return nil
}

// begin begins the next game at a table without one; it returns false when there
// is none left.
func (w *worker) begin(t *table) (bool, error) {
	if t.record != nil {
		return true, nil
	}
	number, ok := w.todo.next()
	if !ok {
		return false, nil
	}
	return true, t.begin(number)
}

// move makes the move of a game whose search is done.
func (w *worker) move(t *table) error {
	thrown := t.record.Thrown
	r, err := t.move()
	if err != nil {
		return err
	}
	w.cfg.Progress.Plies.Add(1)
	if t.record.Thrown > thrown {
		w.stats.Thrown++
		w.cfg.Progress.Thrown.Add(1)
	}
	if r != nil {
		t.record = nil
		w.stats.Games++
		w.stats.Plies += len(r.Moves)
		w.cfg.Progress.Games.Add(1)
		w.done(r)
	}
	return nil
}

// queue gives out the numbers of the games to play, in order.
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

// timed is a network with a clock.
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
