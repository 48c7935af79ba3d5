package data

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/encode"
	"alamos/pkg/stats"
	"alamos/pkg/uci"
)

// Counts are sums over games.
type Counts struct {
	Games       int `json:"games"` // games with positions, even if all of those are Unexpressed
	Positions   int `json:"positions"`
	NoResult    int `json:"games_without_result"` // games without positions: unfinished ones
	NoMoves     int `json:"games_without_moves"`  // games without positions: no move can be learned
	White       int `json:"white_wins"`           // results of Games
	Draws       int `json:"draws"`
	Black       int `json:"black_wins"`
	Unknown     int `json:"unknown_results"`       // Games whose winner the file does not name
	Broken      int `json:"broken,omitempty"`      // games skipped, see Config.SkipBroken
	Finished    int `json:"finished,omitempty"`    // games played out by the engine
	Unexpressed int `json:"unexpressed,omitempty"` // positions skipped: the policy encoding has no index for the target
}

func (c *Counts) Add(o Counts) {
	c.Games += o.Games
	c.Positions += o.Positions
	c.NoResult += o.NoResult
	c.NoMoves += o.NoMoves
	c.White += o.White
	c.Draws += o.Draws
	c.Black += o.Black
	c.Unknown += o.Unknown
	c.Broken += o.Broken
	c.Finished += o.Finished
	c.Unexpressed += o.Unexpressed
}

// LeftOut lists how many games gave no position, and why, such as "1 without a result, 2
// without moves". It returns "" if there are none.
func LeftOut(noResult, noMoves int) string {
	var parts []string
	if noResult > 0 {
		parts = append(parts, humanize.Comma(int64(noResult))+" without a result")
	}
	if noMoves > 0 {
		parts = append(parts, humanize.Comma(int64(noMoves))+" without moves")
	}
	return strings.Join(parts, ", ")
}

// Info describes the contents of a chunk.
type Info struct {
	Chunk, Pass int // from 1
	Counts
	Last bool // the chunk is the last of its pass
	Next Cursor
}

// Chunk writes the samples of the chunk at a cursor to a sample file, in the given
// encoding. The file's generation is the chunk's number. A game from files has the same
// number each time it recurs. An engine's games never recur, and are numbered from 0 within
// the chunk. After an error no file remains at the path. a and p may be nil.
func (s *Source) Chunk(ctx context.Context, from Cursor, c encode.Codec, path string, a *Answers, p *Progress) (Info, error) {
	if err := c.Supports(s.cfg.Variant); err != nil {
		return Info{}, fmt.Errorf("data: %w", err)
	}
	a, p = cmp.Or(a, new(Answers)), cmp.Or(p, new(Progress))
	p.Size.Store(s.size)
	meta := Meta{Encoder: c.Planes.Name(), Policy: c.Policy.Name(), Variant: s.cfg.Variant.Spec(), Generation: from.Chunk, Recurring: s.cfg.Kind != Engine, Continued: s.cfg.Continued, Future: s.cfg.Future}
	info := Info{Chunk: from.Chunk, Pass: from.Pass}
	var failed error // error in the positions, not in writing the file
	err := Stream(path, meta, func(w *Writer) error {
		failed = s.write(ctx, from, c, w, a, &info, p)
		return failed
	})
	if err = cmp.Or(failed, err); err != nil {
		s.discard()
		return Info{}, err
	}
	return info, nil
}

// Seek returns the cursor at which chunk g, from 1, begins. It reads everything before it,
// but encodes nothing and uses no engine. p may be nil.
func (s *Source) Seek(ctx context.Context, g int, p *Progress) (Cursor, error) {
	if g < 1 {
		return Cursor{}, fmt.Errorf("data: chunk %d: want a number from 1", g)
	}
	if s.cfg.Kind == Engine {
		return Cursor{Chunk: g, Pass: 1}, nil
	}
	p = cmp.Or(p, new(Progress))
	at, err := First, error(nil)
	for at.Chunk < g && err == nil {
		at, err = s.take(ctx, at, func(it item) error { p.Bytes.Store(it.bytes); return nil })
	}
	if err != nil {
		s.discard()
	}
	return at, err
}

// made is a game converted to samples, or the end of a chunk.
type made struct {
	Counts
	bytes   int64 // see item
	samples []*encode.Sample
	err     error
	next    Cursor // where the next chunk begins; set at the end of a chunk only
}

// write writes the samples of the chunk at a cursor.
func (s *Source) write(ctx context.Context, from Cursor, c encode.Codec, w *Writer, a *Answers, info *Info, p *Progress) error {
	workers := make(chan *worker, s.workers)
	for range s.workers {
		workers <- s.newWorker()
	}
	games := inOrder(ctx, s.workers, func(ctx context.Context, put func(func() made) bool) {
		seen := map[int32]bool{}
		next, err := s.take(ctx, from, func(it item) error {
			if it.positions != nil && seen[it.number] { // samples of two games with the same number could not be distinguished
				return fmt.Errorf("data: two games of a chunk have the number %d: of %d files none may have more than %d games: pack the small ones together, or import fewer at a time", it.number, len(s.files), s.share)
			}
			seen[it.number] = true
			more := put(func() made {
				if it.positions == nil {
					return made{Counts: Counts{Broken: 1}}
				}
				w := <-workers
				defer func() { workers <- w }()
				m := w.samples(ctx, c, it.game, it.number, a)
				m.bytes = it.bytes
				return m
			})
			if !more {
				return errStop
			}
			return nil
		})
		put(func() made { return made{next: next, err: err} })
	})
	add := func(sample *encode.Sample) error {
		err := w.Add(sample)
		s.spare.Put(sample)
		return err
	}
	buffer := shuffler[*encode.Sample]{rng: stats.NewRand(stats.Derive(s.seed, forShuffle, info.Chunk)), size: s.cfg.Shuffle}
	for m := range games {
		if m.err != nil {
			return cmp.Or(context.Cause(ctx), m.err)
		}
		info.Add(m.Counts)
		info.Next = m.next
		if len(m.samples) > 0 {
			p.Games.Add(1)
		}
		p.Positions.Add(int64(len(m.samples)))
		p.Bytes.Store(max(p.Bytes.Load(), m.bytes))
		for _, sample := range m.samples {
			if sample, full := buffer.add(sample); full {
				if err := add(sample); err != nil {
					return err
				}
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	info.Last = info.Next.Pass != info.Pass
	if info.Positions == 0 {
		return fmt.Errorf("data: %d games of chunk %d have no position that %s and %s can express", info.Games, info.Chunk, c.Planes.Name(), c.Policy.Name())
	}
	for _, sample := range buffer.rest() {
		if err := add(sample); err != nil {
			return err
		}
	}
	return nil
}

// errStop ends a walk over games early.
var errStop = errors.New("enough")

// take calls f with the games of the chunk at a cursor. It returns the cursor of the next
// chunk.
func (s *Source) take(ctx context.Context, from Cursor, f func(item) error) (next Cursor, err error) {
	if s.cfg.Kind == Engine {
		for i := range s.cfg.Games {
			if err := f(item{game: s.selfPlayed((from.Chunk-1)*s.cfg.Games + i), number: int32(i)}); err != nil {
				return Cursor{}, err
			}
		}
		return Cursor{Chunk: from.Chunk + 1, Pass: 1}, nil
	}
	q := s.ahead
	if q == nil || q.at != from {
		s.discard()
		q = s.newQueue(from)
		s.ahead = q
	}
	positions, games, broken := 0, 0, 0
	for last := s.cfg.Chunk == 0; ; {
		if quarter := (s.cfg.Chunk + 3) / 4; !last && positions >= s.cfg.Chunk {
			if err := q.fill(ctx, quarter); err != nil {
				return Cursor{}, err
			}
			if q.positions >= quarter {
				break
			}
			last = true // the rest of the pass is too small for its own chunk
		}
		if err := q.fill(ctx, 0); err != nil {
			return Cursor{}, err
		}
		if len(q.items) == 0 {
			break
		}
		it := q.take()
		if err := f(it); err != nil {
			return Cursor{}, err
		}
		positions += it.size
		if it.positions == nil {
			broken++
		} else {
			games++
		}
	}
	q.at.Chunk = from.Chunk + 1
	if len(q.items) > 0 {
		return q.at, nil
	}
	s.discard()
	if positions == 0 && (games == 0 || s.cfg.Label == nil || s.cfg.Label.Finish == uci.Limit{}) {
		return Cursor{}, fmt.Errorf("data: %d files, %d games in them, have no position to learn from", len(s.files), games+broken)
	}
	return Cursor{Chunk: from.Chunk + 1, Pass: from.Pass + 1}, nil
}

// discard discards the games that were read ahead.
func (s *Source) discard() {
	if s.ahead != nil {
		s.ahead.cancel()
		s.ahead.stop()
		s.ahead = nil
	}
}
