package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"sync"

	"alamos/pkg/stats"
)

// Cursor is the place in the files where a chunk begins. It is stored with the previous
// chunk, so that a later process continues there and reads no file before the cursor's.
type Cursor struct {
	Chunk int `json:"chunk"` // from 1
	Pass  int `json:"pass"`  // from 1
	File  int `json:"file"`  // from 0, in the order of the pass
	Game  int `json:"game"`  // from 0 in its file, including broken games
	Read  int `json:"read"`  // games of the pass before the cursor; those that next reports as broken do not count
}

// First is the cursor of the first chunk.
var First = Cursor{Chunk: 1, Pass: 1}

// reader reads the games of a file in their order.
type reader interface {
	// next reads the next game. It leaves work that needs no order to decode, which may run
	// in another goroutine. seed determines the drawn positions. After a brokenError, which
	// decode may return too, next can be called again. The last error is io.EOF.
	next(seed uint64) (decode func() (game, error), err error)

	// at returns the number of bytes of the file up to the end of the last game read. It is
	// an estimate in a compressed file.
	at() int64

	close() error
}

// brokenError marks an unusable game in a file whose next game can be read.
type brokenError struct{ error }

func (e brokenError) Unwrap() error { return e.error }

func (s *Source) open(path string) (reader, error) {
	if s.cfg.Kind == Parquet {
		return openTable(s, path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	in := &counted{in: f}
	var r reader
	if s.cfg.Kind == LC0 {
		r, err = openLC0(&s.cfg, path, in)
	} else {
		r, err = openPGN(&s.cfg, path, in)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &closing{r, f}, nil
}

// closing is a reader that also closes its file.
type closing struct {
	reader
	file *os.File
}

func (c *closing) close() error { return errors.Join(c.reader.close(), c.file.Close()) }

// counted counts the bytes read.
type counted struct {
	in    io.Reader
	bytes int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.bytes += int64(n)
	return n, err
}

// item is a game of a pass, or the error that ends the pass.
type item struct {
	game   game // nil: the game is broken and skipped
	number int32
	after  Cursor
	bytes  int64 // bytes of the pass's files, up to the end of the game
	err    error
}

// size returns the number of positions that count toward a chunk's size.
func (it *item) size() int {
	if it.game == nil {
		return 0
	}
	return it.game.size()
}

// order returns the order in which a pass, from 1, reads the files. Pass 0 reads them in
// name order.
func (s *Source) order(pass int) []int {
	order := make([]int, len(s.files))
	for i := range order {
		order[i] = i
	}
	if pass > 0 && s.cfg.Games == 0 {
		order = stats.NewRand(stats.Derive(s.seed, forOrder, pass)).Perm(len(order))
	}
	return order
}

const allNumbers = math.MaxInt32

// number returns the number of a game, counting broken games, so that it is the same in
// every pass. A file with more games than its share uses numbers of the next file.
func (s *Source) number(file, game int) int32 {
	return int32((int64(file)*s.share + int64(game)) % allNumbers)
}

// pass yields the games of a pass from a cursor on, with the files in the given order.
func (s *Source) pass(ctx context.Context, from Cursor, order []int) iter.Seq[item] {
	return inOrder(ctx, s.machine.Workers, func(ctx context.Context, put func(func() item) bool) {
		p := &pass{Source: s, ctx: ctx, at: from, put: put}
		for i, file := range order {
			if i >= from.File {
				if err := p.read(file); err != nil {
					put(func() item { return item{err: err} })
					return
				}
				p.at.File, p.at.Game = p.at.File+1, 0
			}
			p.before += s.sizes[file]
		}
	})
}

// pass reads the games of a pass.
type pass struct {
	*Source
	ctx    context.Context
	at     Cursor
	before int64 // bytes of the previous files
	put    func(func() item) bool
}

// full reports whether the pass has reached the maximum number of games.
func (p *pass) full() bool { return p.cfg.Games > 0 && p.at.Read >= p.cfg.Games }

// skips reports whether an error is a broken game, which is skipped.
func (p *pass) skips(err error) bool { return p.cfg.SkipBroken && errors.As(err, new(brokenError)) }

// read reads the games of a file that are not before the cursor.
func (p *pass) read(file int) (err error) {
	if p.full() {
		return nil
	}
	r, err := p.open(p.files[file])
	if len(p.files) > 1 && p.skips(err) {
		after := p.at
		after.File, after.Game = after.File+1, 0
		p.put(func() item { return item{after: after} })
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, r.close()) }()
	for game := 0; !p.full() && p.ctx.Err() == nil; game++ {
		decode, err := r.next(stats.Derive(p.seed, forGame, p.at.Pass, file, game))
		if err == io.EOF {
			return nil
		}
		broken := p.skips(err)
		if err != nil && !broken && (game >= p.at.Game || !errors.As(err, new(brokenError))) {
			return err
		}
		if game < p.at.Game {
			continue
		}
		p.at.Game++
		if !broken {
			p.at.Read++
		}
		it := item{number: p.number(file, game), after: p.at, bytes: p.before + r.at()}
		p.put(func() item {
			if !broken {
				it.game, it.err = decode()
			}
			if p.skips(it.err) {
				it.game, it.err = nil, nil
			}
			return it
		})
	}
	return nil
}

// inOrder runs the tasks that feed passes to put, in n goroutines, and yields their results
// in the order of the tasks. feed runs in its own goroutine. When the loop or ctx ends,
// feed's context is canceled and put returns false. At most about 2n tasks are running or
// buffered.
func inOrder[R any](ctx context.Context, n int, feed func(ctx context.Context, put func(run func() R) bool)) iter.Seq[R] {
	type task struct {
		run    func() R
		result chan R
	}
	return func(yield func(R) bool) {
		queue, work := make(chan task, 2*n), make(chan task)
		var all sync.WaitGroup
		defer all.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for range n {
			all.Go(func() {
				for t := range work {
					t.result <- t.run()
				}
			})
		}
		all.Go(func() {
			defer close(queue)
			defer close(work)
			feed(ctx, func(run func() R) bool {
				if ctx.Err() != nil { // the channels below may have room
					return false
				}
				t := task{run, make(chan R, 1)}
				for _, to := range []chan<- task{queue, work} {
					select {
					case to <- t:
					case <-ctx.Done():
						return false
					}
				}
				return true
			})
		})
		for t := range queue {
			select {
			case r := <-t.result:
				if !yield(r) {
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}
}

// queue holds the next games of a pass. A chunk ends where enough positions follow it, so
// some games are read ahead.
type queue struct {
	at        Cursor // of the first game that was not taken
	next      func() (item, bool)
	cancel    func()
	stop      func()
	items     []item
	positions int // of items
	ended     bool
}

func (s *Source) newQueue(at Cursor) *queue {
	ctx, cancel := context.WithCancel(context.Background())
	next, stop := iter.Pull(s.pass(ctx, at, s.order(at.Pass)))
	return &queue{at: at, next: next, cancel: cancel, stop: stop}
}

func (q *queue) close() {
	q.cancel()
	q.stop()
}

// fill reads ahead until the queue has a game and at least that many positions, or the pass
// ends.
func (q *queue) fill(ctx context.Context, positions int) error {
	defer context.AfterFunc(ctx, q.cancel)()
	for !q.ended && (len(q.items) == 0 || q.positions < positions) {
		it, ok := q.next()
		switch err := context.Cause(ctx); {
		case err != nil:
			return err
		case it.err != nil:
			return it.err
		case !ok:
			q.ended = true
		default:
			q.items = append(q.items, it)
			q.positions += it.size()
		}
	}
	return nil
}

// take removes the next game.
func (q *queue) take() item {
	it := q.items[0]
	q.items[0] = item{} // for the garbage collector
	q.items = q.items[1:]
	q.positions -= it.size()
	q.at = it.after
	return it
}
