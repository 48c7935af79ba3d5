package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"alamos/pkg/stats"
)

// reader reads the games of a file in their order.
type reader interface {
	// next reads what must be read in turn of the next game, and gives what makes
	// the game of it, which may be called by another goroutine. seed is for what is
	// drawn for the game. After a brokenError it can be called again; the last
	// error is io.EOF. What makes the game may return a brokenError too.
	next(seed uint64) (func() (sourceGame, error), error)

	// skip passes over n > 0 games. It returns io.EOF when there were fewer.
	skip(n int) error

	// at is how many bytes of the file come before the end of the game that was read
	// last; of compressed ones about so many.
	at() int64

	close() error
}

// open opens a file for reading.
func (s *SourceSet) open(path string) (reader, error) {
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
		r, err = sourceOpenLC0(&s.cfg, path, in)
	} else {
		r, err = openPGN(&s.cfg, path, in)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &closing{r, f}, nil
}

// closing closes the file too.
type closing struct {
	reader
	file *os.File
}

func (c *closing) close() error { return errors.Join(c.reader.close(), c.file.Close()) }

// counted counts what is read.
type counted struct {
	in    io.Reader
	bytes int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.in.Read(b)
	c.bytes += int64(n)
	return n, err
}

// mark is a place between two games of a pass.
type mark struct {
	File int `json:"file"` // in the order of the pass
	Game int `json:"game"` // of those of the file, broken ones among them
	Read int `json:"read"` // games of the pass before it; of the broken ones those that were found so when they were decoded
}

// item is a game of a pass, or the error that ends it: io.EOF after the last game.
type item struct {
	game   sourceGame // nil: it was passed over
	number int32      // see numberOf
	after  mark
	bytes  int64 // of the files of the pass, up to its end
	broken int   // games passed over since the item before, this one among them
	err    error
}

// order is the order in which a pass, from 1, reads the files.
func (s *SourceSet) order(pass int) []int {
	if s.cfg.Games == 0 {
		return stats.NewRand(stats.Derive(s.seed, forOrder, pass)).Perm(len(s.files))
	}
	listed := make([]int, len(s.files))
	for i := range listed {
		listed[i] = i
	}
	return listed
}

// numberOf numbers the games of the files, broken ones among them: the same game has the
// same number in every pass. Each file has an equal share of the numbers there are, and
// takes those of the next where it has more games than that.
func (s *SourceSet) numberOf(file, game int) int32 {
	return int32((int64(file)*s.share + int64(game)) % allNumbers)
}

const allNumbers = math.MaxInt32

// numbered notes the number of another game of a chunk. It is an error where two games
// have one, since their samples could not be told apart.
func (s *SourceSet) numbered(seen map[int32]bool, number int32) error {
	if seen[number] {
		return fmt.Errorf("data: two games of a chunk have the number %d: of %d files none may have more than %d games: pack the small ones together, or import fewer at a time", number, len(s.files), s.share)
	}
	seen[number] = true
	return nil
}

// stream reads the games of a pass from a mark on, files in the given order.
// Nothing but the decoding of games goes on side by side.
func (s *SourceSet) stream(ctx context.Context, pass int, order []int, from mark) *ordered[item] {
	return inOrder(ctx, s.machine.Workers, func(ctx context.Context, put func(func() item) bool) {
		broken := 0
		end := func(err error) {
			b := broken // the mark after the last game is of no use
			put(func() item { return item{broken: b, err: err} })
		}
		at := from
		var before int64 // bytes of the files before
		for _, file := range order[:min(from.File, len(order))] {
			before += s.sizes[file]
		}
		for ; at.File < len(order); at = (mark{File: at.File + 1, Read: at.Read}) {
			file := order[at.File]
			r, err := s.open(s.files[file])
			if errors.As(err, new(brokenError)) && s.cfg.SkipBroken && len(s.files) > 1 {
				broken++
				before += s.sizes[file]
				continue
			}
			if err != nil {
				end(err)
				return
			}
			if at.Game > 0 {
				err = skipGames(ctx, r, at.Game)
			}
			for err == nil && (s.cfg.Games == 0 || at.Read < s.cfg.Games) {
				var decode func() (sourceGame, error)
				decode, err = r.next(stats.Derive(s.seed, forGame, pass, file, at.Game))
				switch {
				case err == nil:
					at.Game++
					at.Read++
					it := item{number: s.numberOf(file, at.Game-1), after: at, bytes: before + r.at(), broken: broken}
					broken = 0
					if !put(func() item {
						it.game, it.err = decode()
						if errors.As(it.err, new(brokenError)) && s.cfg.SkipBroken {
							it.game, it.err = nil, nil
							it.broken++
						}
						return it
					}) {
						_ = r.close() // what it says is of no use any more
						return
					}
				case errors.As(err, new(brokenError)) && s.cfg.SkipBroken:
					at.Game++
					broken++
					err = nil
				}
			}
			if closed := r.close(); err == nil || err == io.EOF {
				err = closed
			}
			if err != nil {
				end(err)
				return
			}
			if s.cfg.Games > 0 && at.Read >= s.cfg.Games {
				break
			}
			before += s.sizes[file]
		}
		end(io.EOF)
	})
}

// skipAtOnce is how many games are passed over between two looks at the context.
const skipAtOnce = 256

// skipGames passes over n games, of which a file may have millions.
func skipGames(ctx context.Context, r reader, n int) error {
	for n > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		some := min(n, skipAtOnce)
		if err := r.skip(some); err != nil {
			return err
		}
		n -= some
	}
	return nil
}
