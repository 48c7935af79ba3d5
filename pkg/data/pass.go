package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"sync"

	"alamos/pkg/disk"
	"alamos/pkg/stats"
)

// Cursor is the place in the files where a chunk begins. It is stored with the previous
// chunk, so that a later process continues there and reads no file before the cursor's.
type Cursor struct {
	Chunk int `json:"chunk"` // from 1
	Pass  int `json:"pass"`  // from 1
	File  int `json:"file"`  // from 0, in the order of the pass
	Game  int `json:"game"`  // from 0 in its file, including broken games
	Read  int `json:"read"`  // games of the pass before the cursor, without those that were found broken
}

// First is the cursor of the first chunk.
var First = Cursor{Chunk: 1, Pass: 1}

// pending is a game that was read but not decoded.
type pending struct {
	at int64 // bytes of the file up to the end of the game; an estimate in a compressed file

	// decode may run in another goroutine. The seed determines the drawn positions.
	decode func(seed uint64) (game, error)
}

// brokenError marks an unusable game in a file whose next game can be read.
type brokenError struct{ error }

func (e brokenError) Unwrap() error { return e.error }

// games yields the games of a file in their order. It continues after a [brokenError] and
// ends after another error. decode may return a brokenError, too.
func (s *Source) games(path string) iter.Seq2[pending, error] {
	return func(yield func(pending, error) bool) {
		f, err := disk.Open(path)
		if err != nil {
			yield(pending{}, fmt.Errorf("data: %w", err))
			return
		}
		defer f.Close() // read only, so nothing can be lost
		switch s.cfg.Kind {
		case Parquet:
			err = s.parquetGames(path, f, yield)
		case LC0:
			err = s.lc0Games(path, &CountingReader{In: f}, yield)
		default:
			err = s.pgnGames(path, &CountingReader{In: f}, yield)
		}
		if err != nil {
			yield(pending{}, err)
		}
	}
}

// CountingReader counts the bytes that are read through it.
type CountingReader struct {
	In    io.Reader
	Bytes int64
}

func (c *CountingReader) Read(b []byte) (int, error) {
	n, err := c.In.Read(b)
	c.Bytes += int64(n)
	return n, err
}

// item is a game of a pass, or the error that ends the pass.
type item struct {
	game   // without positions: the game is broken and skipped
	number int32
	after  Cursor
	bytes  int64 // bytes of the pass's files, up to the end of the game
	err    error
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
	return inOrder(ctx, s.workers, func(ctx context.Context, put func(func() item) bool) {
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

// read reads the games of a file that are not before the cursor.
func (p *pass) read(file int) error {
	if p.full() {
		return nil
	}
	number := 0
	for next, err := range p.games(p.files[file]) {
		before, broken := number < p.at.Game, errors.As(err, new(brokenError))
		if err != nil && !(broken && (before || p.cfg.SkipBroken)) {
			return err
		}
		number++
		if p.ctx.Err() != nil {
			return nil
		}
		if before {
			continue
		}
		p.at.Game++
		if !broken {
			p.at.Read++
		}
		it := item{number: p.number(file, number-1), after: p.at, bytes: p.before + next.at}
		seed := stats.Derive(p.seed, forGame, p.at.Pass, file, number-1)
		p.put(func() item {
			if broken {
				return it
			}
			it.game, it.err = next.decode(seed)
			if p.cfg.SkipBroken && errors.As(it.err, new(brokenError)) {
				it.err = nil
			}
			return it
		})
		if p.full() {
			return nil
		}
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
			q.positions += it.size
		}
	}
	return nil
}

// take removes the next game.
func (q *queue) take() item {
	it := q.items[0]
	q.items[0] = item{} // for the garbage collector
	q.items = q.items[1:]
	q.positions -= it.size
	q.at = it.after
	return it
}
