package data

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	humanize "github.com/dustin/go-humanize"

	"alamos/pkg/chess"
	"alamos/pkg/stats"

	"alamos/pkg/encode"
)

// Info says what a chunk holds.
type Info struct {
	Chunk, Pass         int  // from 1
	Games, Positions    int  // games that have positions, also where all of those are Unexpressed
	NoResult, NoMoves   int  // games without: unfinished ones, and those without a move
	White, Draws, Black int  // results of the games, as far as they are known
	Broken              int  // games passed over, see Config.SkipBroken
	Finished            int  // games played out by the engine
	Unexpressed         int  // positions left out: the policy encoding has no index for the target
	Last                bool // the pass ends with this chunk
	Next                Cursor
}

// LeftOut lists how many games gave no position, and why: "1 without a result,
// 2 without moves". It is empty where there are none.
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

// Chunk writes the samples of chunk g, from 1, in an encoding to a file of package
// dataset, as generation g. A game of files has the same number whenever it comes again;
// an engine's games, which never do, are numbered from 0 within the chunk. On an error
// nothing is left at the path.
//
// Chunks are made fastest in their order. For another one everything before it is
// read again, but nothing is encoded or asked of an engine; see [Set.Resume]. p may
// be nil.
func (s *SourceSet) Chunk(ctx context.Context, g int, c encode.Codec, path string, p *Progress) (Info, error) {
	info := Info{Chunk: g}
	if g < 1 {
		return info, fmt.Errorf("data: chunk %d: want a number from 1", g)
	}
	if err := c.Supports(s.cfg.Variant); err != nil {
		return info, fmt.Errorf("data: %w", err)
	}
	if p == nil {
		p = new(Progress)
	}
	p.Size.Store(s.size)
	meta := Meta{Encoder: c.Planes.Name(), Policy: c.Policy.Name(), Variant: s.cfg.Variant.String(), Generation: g, Recurring: s.cfg.Kind != Engine}
	var failed error // of the positions, which has nothing to do with the file
	err := Stream(path, meta, func(w *Writer) error {
		if failed = s.seek(ctx, g, p); failed == nil {
			info.Pass = s.at.Pass
			failed = s.write(ctx, c, w, &info, p)
		}
		return failed
	})
	if err = cmp.Or(failed, err); err != nil {
		s.lose()
		return Info{Chunk: g}, err
	}
	info.Last = s.at.Pass != info.Pass
	info.Next = s.at
	return info, nil
}

// made is a game as samples.
type made struct {
	tally
	bytes       int64 // see item
	samples     []*encode.Sample
	unexpressed int
	err         error
}

// write makes the samples of the chunk that the set stands before.
func (s *SourceSet) write(ctx context.Context, c encode.Codec, w *Writer, info *Info, p *Progress) error {
	workers := make(chan *worker, s.machine.Workers)
	for range s.machine.Workers {
		workers <- s.newWorker(&c)
	}
	var broken int
	var failed error // of the files
	work, cancel := context.WithCancel(ctx)
	defer cancel()
	games := inOrder(work, s.machine.Workers, func(_ context.Context, put func(func() made) bool) {
		seen := map[int32]bool{}
		broken, failed = s.take(work, func(it item) error {
			if err := s.numbered(seen, it.number); err != nil {
				return err
			}
			ok := put(func() made {
				w := <-workers
				defer func() { workers <- w }()
				m := made{bytes: it.bytes}
				m.samples, m.unexpressed, m.err = w.samples(work, it.game, it.number)
				m.tally = w.tally
				return m
			})
			if !ok {
				return context.Cause(work)
			}
			return nil
		})
	})
	closed := false
	end := func() {
		if !closed {
			closed = true
			cancel()
			games.close()
		}
	}
	defer end()

	out := &writer{to: w, spare: &s.spare}
	buffer := shuffler[*encode.Sample]{rng: stats.NewRand(stats.Derive(s.seed, forShuffle, info.Chunk)), size: s.cfg.Shuffle}
	for {
		m, ok := games.next(ctx)
		if !ok {
			break
		}
		if m.err != nil {
			return m.err
		}
		info.add(&m)
		p.Bytes.Store(m.bytes)
		if len(m.samples) > 0 {
			p.Games.Add(1)
		}
		p.Positions.Add(int64(len(m.samples)))
		for _, sample := range m.samples {
			if sample, full := buffer.add(sample); full {
				if err := out.add(sample); err != nil {
					return err
				}
			}
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	end()
	if failed != nil {
		return failed
	}
	info.Broken = broken
	if info.Positions == 0 {
		return fmt.Errorf("data: %d games of chunk %d have no position that %s and %s can express", info.Games, info.Chunk, c.Planes.Name(), c.Policy.Name())
	}
	for _, sample := range buffer.rest() {
		if err := out.add(sample); err != nil {
			return err
		}
	}
	return out.flush()
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

// writer hands samples on in bunches and keeps their memory.
type writer struct {
	to    *Writer
	spare interface{ Put(any) }
	held  []*encode.Sample
	bunch []encode.Sample
}

const bunchSize = 512

func (w *writer) add(s *encode.Sample) error {
	if w.held = append(w.held, s); len(w.held) < bunchSize {
		return nil
	}
	return w.flush()
}

func (w *writer) flush() error {
	w.bunch = w.bunch[:0]
	for _, s := range w.held {
		w.bunch = append(w.bunch, *s)
	}
	err := w.to.Write(w.bunch)
	for _, s := range w.held {
		w.spare.Put(s)
	}
	w.held = w.held[:0]
	return err
}

// seek makes the set stand before chunk g.
func (s *SourceSet) seek(ctx context.Context, g int, p *Progress) error {
	if s.cfg.Kind == Engine {
		s.at = Cursor{Key: s.key, Chunk: g, Pass: 1}
		return nil
	}
	if s.at.Chunk != g {
		s.lose()
		s.at = Cursor{Key: s.key, Chunk: 1, Pass: 1}
		for chunk, c := range s.known {
			if chunk <= g && chunk > s.at.Chunk {
				s.at = c
			}
		}
	}
	for s.at.Chunk < g {
		if _, err := s.take(ctx, func(it item) error { p.Bytes.Store(it.bytes); return nil }); err != nil {
			return err
		}
	}
	return nil
}

// lose forgets where the set stands.
func (s *SourceSet) lose() {
	if s.games != nil {
		s.games.close()
	}
	s.at, s.games, s.ahead, s.ended, s.broken = Cursor{}, nil, nil, false, 0
}

// take gives the games of the chunk that the set stands before, and
// makes it stand before the next. It returns the number of broken games among them. After an error
// the set stands nowhere in particular.
func (s *SourceSet) take(ctx context.Context, f func(item) error) (broken int, err error) {
	if s.cfg.Kind == Engine {
		for i := range s.cfg.Games {
			if err := f(item{game: s.selfPlayed((s.at.Chunk-1)*s.cfg.Games + i), number: int32(i)}); err != nil {
				return 0, err
			}
		}
		s.at.Chunk++
		return 0, nil
	}
	if s.games == nil {
		s.games = s.stream(context.Background(), s.at.Pass, s.order(s.at.Pass), s.at.Mark)
	}
	size, games := 0, 0
	for whole := false; ; {
		if s.cfg.Chunk > 0 && size >= s.cfg.Chunk && !whole {
			worth, err := s.look(ctx)
			if err != nil {
				return broken, err
			}
			if worth {
				break
			}
			whole = true
		}
		if len(s.ahead) == 0 {
			if err := s.read(ctx); err != nil {
				return broken, err
			}
			if len(s.ahead) == 0 {
				break
			}
		}
		it := s.ahead[0]
		s.ahead[0] = item{}
		s.ahead = s.ahead[1:]
		if err := f(it); err != nil {
			return broken, err
		}
		size += it.game.size()
		games++
		broken += it.broken
		s.at.Mark = it.after
	}
	if s.ended && len(s.ahead) == 0 {
		if size == 0 && (games == 0 || s.cfg.Label == nil || s.cfg.Label.Finish == Limit{}) {
			return broken, fmt.Errorf("data: %d files, %d games in them, have no position to learn from", len(s.files), games+broken+s.broken)
		}
		broken += s.broken
		chunk := s.at.Chunk
		pass := s.at.Pass
		s.lose()
		s.at = Cursor{Key: s.key, Chunk: chunk, Pass: pass + 1}
	}
	s.at.Chunk++
	s.known[s.at.Chunk] = s.at
	return broken, nil
}

// look reads ahead and reports whether what is left of the pass is worth a chunk of
// its own: a quarter of one.
func (s *SourceSet) look(ctx context.Context) (bool, error) {
	chunk, rest := s.cfg.Chunk, 0
	for _, it := range s.ahead {
		rest += it.game.size()
	}
	for 4*rest < chunk && !s.ended {
		n := len(s.ahead)
		if err := s.read(ctx); err != nil {
			return false, err
		}
		for _, it := range s.ahead[n:] {
			rest += it.game.size()
		}
	}
	return 4*rest >= chunk, nil
}

// read reads a game ahead, or finds that there is none.
func (s *SourceSet) read(ctx context.Context) error {
	if s.ended {
		return nil
	}
	broken := 0
	for {
		it, ok := s.games.next(ctx)
		switch {
		case !ok:
			return context.Cause(ctx)
		case it.err == io.EOF:
			s.ended, s.broken = true, broken+it.broken
			return nil
		case it.err != nil:
			return it.err
		}
		broken += it.broken
		if it.game != nil {
			it.broken = broken
			s.ahead = append(s.ahead, it)
			return nil
		}
	}
}
