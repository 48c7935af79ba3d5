package data

import (
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

// item is a game of a pass, or the error that ends the pass: io.EOF after the last game.
type item struct {
	game   game // nil: the game was skipped
	number int32
	after  Cursor
	bytes  int64 // bytes of the pass's files, up to the end of the game
	broken int   // games skipped since the previous item, including this one
	err    error
}

// listed returns the order of the files by name.
func (s *Source) listed() []int {
	order := make([]int, len(s.files))
	for i := range order {
		order[i] = i
	}
	return order
}

// order returns the order in which a pass, from 1, reads the files.
func (s *Source) order(pass int) []int {
	if s.cfg.Games > 0 {
		return s.listed()
	}
	return stats.NewRand(stats.Derive(s.seed, forOrder, pass)).Perm(len(s.files))
}

const allNumbers = math.MaxInt32

// number returns the number of a game, counting broken games, so that it is the same in
// every pass. A file with more games than its share uses numbers of the next file.
func (s *Source) number(file, game int) int32 {
	return int32((int64(file)*s.share + int64(game)) % allNumbers)
}

// pass yields the games of a pass from a cursor on, with the files in the given order.
func (s *Source) pass(ctx context.Context, from Cursor, order []int) iter.Seq[item] {
	return inOrder(ctx, s.machine.Workers, func(_ context.Context, put func(func() item) bool) {
		p := &pass{Source: s, at: from, put: put}
		for _, file := range order[:min(from.File, len(order))] {
			p.before += s.sizes[file]
		}
		err := p.read(order)
		if err == nil {
			err = io.EOF
		}
		put(func() item { return item{broken: p.broken, err: err} })
	})
}

// pass reads the games of a pass.
type pass struct {
	*Source
	at     Cursor
	before int64 // bytes of the previous files
	broken int   // games skipped since the last item
	put    func(func() item) bool
}

func (p *pass) read(order []int) error {
	for p.at.File < len(order) && !p.full() {
		file := order[p.at.File]
		r, err := p.open(p.files[file])
		switch {
		case errors.As(err, new(brokenError)) && p.cfg.SkipBroken && len(p.files) > 1:
			p.broken++
		case err != nil:
			return err
		default:
			err := p.file(r, file)
			if closed := r.close(); err == nil || err == io.EOF {
				err = closed
			}
			if err != nil {
				return err
			}
		}
		p.before += p.sizes[file]
		p.at.File, p.at.Game = p.at.File+1, 0
	}
	return nil
}

// full reports whether the pass has reached the maximum number of games.
func (p *pass) full() bool { return p.cfg.Games > 0 && p.at.Read >= p.cfg.Games }

// file reads the games of a file. It returns io.EOF at the end of the file, and errStop if
// the consumer has stopped.
func (p *pass) file(r reader, file int) error {
	for range p.at.Game {
		if _, err := r.next(0); err != nil && !errors.As(err, new(brokenError)) {
			return err
		}
		if !p.put(func() item { return item{} }) {
			return errStop
		}
	}
	for !p.full() {
		decode, err := r.next(stats.Derive(p.seed, forGame, p.at.Pass, file, p.at.Game))
		switch {
		case errors.As(err, new(brokenError)) && p.cfg.SkipBroken:
			p.at.Game++
			p.broken++
			continue
		case err != nil:
			return err
		}
		p.at.Game++
		p.at.Read++
		it := item{number: p.number(file, p.at.Game-1), after: p.at, bytes: p.before + r.at(), broken: p.broken}
		p.broken = 0
		more := p.put(func() item {
			it.game, it.err = decode()
			if errors.As(it.err, new(brokenError)) && p.cfg.SkipBroken {
				it.game, it.err = nil, nil
				it.broken++
			}
			return it
		})
		if !more {
			return errStop
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

// gameQueue holds the games of a pass from a cursor on. Some are read ahead.
type gameQueue struct {
	at     Cursor // cursor before the first game read ahead
	next   func() (item, bool)
	close  func()
	ahead  []item
	size   int  // positions of the games read ahead
	ended  bool // no games follow those read ahead
	broken int  // games skipped after the last one
}

func (s *Source) gamesFrom(at Cursor) *gameQueue {
	next, stop := iter.Pull(s.pass(context.Background(), at, s.order(at.Pass)))
	return &gameQueue{at: at, next: next, close: stop}
}

// read reads one game ahead, or reaches the end of the pass.
func (q *gameQueue) read(ctx context.Context) error {
	broken := 0
	for !q.ended {
		it, _ := q.next() // the last item carries an error
		broken += it.broken
		switch err := context.Cause(ctx); {
		case err != nil:
			return err
		case it.err == io.EOF:
			q.ended, q.broken = true, broken
		case it.err != nil:
			return it.err
		case it.game != nil:
			it.broken = broken
			q.ahead = append(q.ahead, it)
			q.size += it.game.size()
			return nil
		}
	}
	return nil
}

// readPositions reads ahead until the queue holds that many positions or the pass ends.
func (q *gameQueue) readPositions(ctx context.Context, positions int) error {
	for q.size < positions && !q.ended {
		if err := q.read(ctx); err != nil {
			return err
		}
	}
	return nil
}

// take removes the next game. ok is false at the end of the pass.
func (q *gameQueue) take(ctx context.Context) (it item, ok bool, err error) {
	if len(q.ahead) == 0 {
		if err := q.read(ctx); err != nil || len(q.ahead) == 0 {
			return item{}, false, err
		}
	}
	it = q.ahead[0]
	q.ahead[0] = item{} // for the garbage collector
	q.ahead = q.ahead[1:]
	q.size -= it.game.size()
	q.at = it.after
	return it, true, nil
}
