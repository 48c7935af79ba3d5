package data

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/chess"
	"alamos/pkg/stats"

	"alamos/pkg/encode"
)

// Info describes the contents of a chunk.
type Info struct {
	Chunk, Pass         int  // from 1
	Games, Positions    int  // games with positions, even if all of those are Unexpressed
	NoResult, NoMoves   int  // games without positions: unfinished ones, and those without a move
	White, Draws, Black int  // results of the games, where known
	Broken              int  // games skipped, see Config.SkipBroken
	Finished            int  // games played out by the engine
	Unexpressed         int  // positions skipped: the policy encoding has no index for the target
	Last                bool // the chunk is the last of its pass
	Next                Cursor
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

// Chunk writes the samples of the chunk at a cursor to a sample file, in the given
// encoding. The file's generation is the chunk's number. A game from files has the same
// number each time it recurs. An engine's games never recur, and are numbered from 0 within
// the chunk. After an error no file remains at the path. a and p may be nil.
func (s *Source) Chunk(ctx context.Context, from Cursor, c encode.Codec, path string, a *Answers, p *Progress) (Info, error) {
	if err := c.Supports(s.cfg.Variant); err != nil {
		return Info{}, fmt.Errorf("data: %w", err)
	}
	if p == nil {
		p = new(Progress)
	}
	p.Size.Store(s.size)
	meta := Meta{Encoder: c.Planes.Name(), Policy: c.Policy.Name(), Variant: s.cfg.Variant.String(), Generation: from.Chunk, Recurring: s.cfg.Kind != Engine}
	info := Info{Chunk: from.Chunk, Pass: from.Pass}
	var failed error // error in the positions, not in writing the file
	err := Stream(path, meta, func(w *Writer) error {
		failed = s.write(ctx, from, c, w, a, &info, p)
		return failed
	})
	if err = cmp.Or(failed, err); err != nil {
		s.closeGames()
		return Info{}, err
	}
	return info, nil
}

// Seek returns the cursor at which chunk g, from 1, begins. It reads everything before it
// that this source has not read, but encodes nothing and uses no engine. p may be nil.
func (s *Source) Seek(ctx context.Context, g int, p *Progress) (Cursor, error) {
	switch {
	case g < 1:
		return Cursor{}, fmt.Errorf("data: chunk %d: want a number from 1", g)
	case s.cfg.Kind == Engine:
		return Cursor{Chunk: g, Pass: 1}, nil
	}
	at := First
	if s.reached.Chunk > 0 && s.reached.Chunk <= g {
		at = s.reached
	}
	for at.Chunk < g {
		var err error
		_, at, err = s.take(ctx, at, func(it item) error {
			if p != nil {
				p.Bytes.Store(it.bytes)
			}
			return nil
		})
		if err != nil {
			s.closeGames()
			return Cursor{}, err
		}
	}
	return at, nil
}

// made is a game converted to samples.
type made struct {
	tally
	bytes       int64 // see item
	samples     []*encode.Sample
	unexpressed int
	err         error
}

// write writes the samples of the chunk at a cursor.
func (s *Source) write(ctx context.Context, from Cursor, c encode.Codec, w *Writer, a *Answers, info *Info, p *Progress) error {
	workers := make(chan *worker, s.machine.Workers)
	for range s.machine.Workers {
		workers <- s.newWorker(&c)
	}
	var filesErr error
	games := inOrder(ctx, s.machine.Workers, func(ctx context.Context, put func(func() made) bool) {
		seen := map[int32]bool{}
		info.Broken, info.Next, filesErr = s.take(ctx, from, func(it item) error {
			if seen[it.number] { // samples of two games with the same number could not be distinguished
				return fmt.Errorf("data: two games of a chunk have the number %d: of %d files none may have more than %d games: pack the small ones together, or import fewer at a time", it.number, len(s.files), s.share)
			}
			seen[it.number] = true
			more := put(func() made {
				w := <-workers
				defer func() { workers <- w }()
				samples, unexpressed, err := w.samples(ctx, it.game, it.number, a)
				return made{w.tally, it.bytes, samples, unexpressed, err}
			})
			if !more {
				return errStop
			}
			return nil
		})
	})
	add := func(sample *encode.Sample) error {
		err := w.Add(sample)
		s.spare.Put(sample)
		return err
	}
	buffer := shuffler[*encode.Sample]{rng: stats.NewRand(stats.Derive(s.seed, forShuffle, info.Chunk)), size: s.cfg.Shuffle}
	counts := *info // the other goroutine uses info until the loop ends
	for m := range games {
		if m.err != nil {
			return cmp.Or(context.Cause(ctx), m.err)
		}
		counts.add(&m)
		p.Bytes.Store(m.bytes)
		if len(m.samples) > 0 {
			p.Games.Add(1)
		}
		p.Positions.Add(int64(len(m.samples)))
		for _, sample := range m.samples {
			if sample, full := buffer.add(sample); full {
				if err := add(sample); err != nil {
					return err
				}
			}
		}
	}
	if err := cmp.Or(context.Cause(ctx), filesErr); err != nil {
		return err
	}
	counts.Broken, counts.Next = info.Broken, info.Next
	counts.Last = counts.Next.Pass != counts.Pass
	*info = counts
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

func (info *Info) add(m *made) {
	switch {
	case m.noResult:
		info.NoResult++
		return
	case m.noMoves:
		info.NoMoves++
		return
	}
	info.Games++
	info.Positions += len(m.samples)
	info.Unexpressed += m.unexpressed
	if m.finished {
		info.Finished++
	}
	switch m.result {
	case chess.WhiteWins:
		info.White++
	case chess.Draw:
		info.Draws++
	case chess.BlackWins:
		info.Black++
	}
}

// take calls f with the games of the chunk at a cursor. It returns the number of broken
// games that it skipped and the cursor of the next chunk.
func (s *Source) take(ctx context.Context, from Cursor, f func(item) error) (broken int, next Cursor, err error) {
	if s.cfg.Kind == Engine {
		for i := range s.cfg.Games {
			if err := f(item{game: s.selfPlayed((from.Chunk-1)*s.cfg.Games + i), number: int32(i)}); err != nil {
				return 0, Cursor{}, err
			}
		}
		return 0, Cursor{Chunk: from.Chunk + 1, Pass: 1}, nil
	}
	if s.games == nil || s.games.at != from {
		s.closeGames()
		s.games = s.gamesFrom(from)
	}
	q, size, games := s.games, 0, 0
	for last := s.cfg.Chunk == 0; ; {
		if !last && size >= s.cfg.Chunk {
			quarter := (s.cfg.Chunk + 3) / 4
			if err := q.readPositions(ctx, quarter); err != nil {
				return 0, Cursor{}, err
			}
			if q.size >= quarter {
				break
			}
			last = true // the rest of the pass is too small for its own chunk
		}
		it, ok, err := q.take(ctx)
		if err != nil {
			return 0, Cursor{}, err
		}
		if !ok {
			break
		}
		if err := f(it); err != nil {
			return 0, Cursor{}, err
		}
		size += it.game.size()
		games++
		broken += it.broken
	}
	if q.ended && len(q.ahead) == 0 {
		broken += q.broken
		if size == 0 && (games == 0 || s.cfg.Label == nil || s.cfg.Label.Finish == Limit{}) {
			return 0, Cursor{}, fmt.Errorf("data: %d files, %d games in them, have no position to learn from", len(s.files), games+broken)
		}
		q.at = Cursor{Pass: from.Pass + 1}
		s.closeGames()
	}
	q.at.Chunk = from.Chunk + 1
	s.reached = q.at
	return broken, q.at, nil
}

// closeGames discards the games that were read ahead.
func (s *Source) closeGames() {
	if s.games != nil {
		s.games.close()
		s.games = nil
	}
}
