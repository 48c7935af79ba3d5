package data

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/stats"
)

// Machine is what changes how fast positions are made, and nothing else.
type Machine struct {
	Workers int // goroutines that read and encode; 0: as many as there are processors
	Engines int // processes of each engine; 0: as many as there are workers
}

// Set is a source of positions. It is for one goroutine at a time.
type SourceSet struct {
	cfg     Config
	seed    uint64
	machine Machine
	files   []string // sorted
	sizes   []int64  // of the files
	size    int64    // of all of them
	share   int64    // numbers that each has for its games, see numberOf
	key     string   // of the cursors
	starts  chess.Starts
	spare   sync.Pool // of *encode.Sample

	players, labels *engines // nil where there is no such engine
	answers         *Answers // of the next chunk, see Recall; nil: none

	// Where the set stands: before a chunk of a pass.
	at     Cursor         // Chunk 0: nowhere
	games  *ordered[item] // of the pass, from the games ahead on; nil: not begun
	ahead  []item         // games that were read for a decision and are of the chunk
	ended  bool           // no games come after those
	broken int            // games passed over after the last one
	known  map[int]Cursor // where chunks begin
}

// Progress counts what a call of [Set.Chunk] has done so far; it may be read at any
// time. Bytes are those of the games that are done, in files of which Size is the size
// of all; both are 0 for an engine's games.
type Progress struct {
	Games, Positions, Bytes, Size atomic.Int64
}

// Cursor is the place in the files where a chunk begins. It is kept beside a chunk
// so that a later process can go on from there: files before it are not read again, and
// of its own file what came before is passed over.
type Cursor struct {
	Key   string `json:"key"` // of configuration, files and seed
	Chunk int    `json:"chunk"`
	Pass  int    `json:"pass"` // from 1
	Mark  mark   `json:"mark"`
}

// Open prepares to make positions: it checks the configuration and looks for the
// files, but reads none, and starts no engine. Close the set after use.
func Open(cfg Config, seed uint64, m Machine) (*SourceSet, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if m.Workers <= 0 {
		m.Workers = runtime.GOMAXPROCS(0)
	}
	if m.Engines <= 0 {
		m.Engines = m.Workers
	}
	s := &SourceSet{cfg: cfg, seed: seed, machine: m, known: map[int]Cursor{}}
	s.spare.New = func() any { return new(encode.Sample) }
	for _, pattern := range cfg.Files {
		found, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("data: files %q: %w", pattern, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("data: files %q: there is no such file", pattern)
		}
		s.files = append(s.files, found...)
	}
	slices.Sort(s.files)
	s.files = slices.Compact(s.files)
	s.share = allNumbers / int64(max(1, len(s.files)))

	// What the places of games depend on; the rest of the configuration changes
	// what is made of them.
	key := sha256.New()
	fmt.Fprintf(key, "%s %s %d %d %d %v %v %d\n", cfg.Kind, cfg.Variant, cfg.Positions, cfg.Chunk, cfg.Games, cfg.SkipBroken, cfg.Label != nil, seed)
	for _, name := range s.files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("data: %s is not a file", name)
		}
		s.sizes = append(s.sizes, info.Size())
		s.size += info.Size()
		fmt.Fprintf(key, "%q %d\n", filepath.Base(name), info.Size())
	}
	s.key = hex.EncodeToString(key.Sum(nil)[:16])

	if cfg.Kind == Engine {
		var err error
		if s.starts, err = chess.ParseStarts(cfg.Variant, cfg.Start); err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		s.players = newEngines(cfg.Player.Command, cfg.Variant, m.Engines)
	}
	if cfg.Label != nil {
		s.labels = newEngines(cfg.Label.Command, cfg.Variant, m.Engines)
	}
	return s, nil
}

// Files are the files that were found, sorted by name. The caller may keep it.
func (s *SourceSet) Files() []string { return slices.Clone(s.files) }

// Close ends the engines.
func (s *SourceSet) Close() error {
	s.lose()
	for _, e := range []*engines{s.players, s.labels} {
		if e != nil {
			e.close()
		}
	}
	return nil
}

// Resume tells where a chunk begins, from the [Info] of the one before. A cursor of
// another configuration, other files or another seed is ignored.
func (s *SourceSet) Resume(c Cursor) {
	if c.Key == s.key && c.Chunk >= 1 && c.Pass >= 1 {
		s.known[c.Chunk] = c
	}
}

// errStop ends the making of positions where no more are wanted.
var errStop = errors.New("enough")

// All gives the positions of the first pass, its files in the order of
// [Set.Files], and nothing shuffled. The games of an engine have no end.
//
// An error is the last element, with a nil position.
func (s *SourceSet) All(ctx context.Context) iter.Seq2[*Position, error] {
	return func(yield func(*Position, error) bool) {
		err := s.walk(ctx, func(p *Position) error {
			if !yield(p, nil) {
				return errStop
			}
			return nil
		}, func(item, *tally) {})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// walk gives the positions of the first pass, files in their order, and after those of
// each game what was found out about it.
func (s *SourceSet) walk(ctx context.Context, each func(*Position) error, end func(item, *tally)) error {
	w := s.newWorker(nil)
	number := int32(0)
	return s.each(ctx, func(it item) error {
		w.tally = tally{}
		w.talk.begin(nil)
		err := it.game.positions(ctx, w, func(p *Position) error {
			p.Game = number
			return each(p)
		})
		number++
		if err == nil {
			end(it, &w.tally)
		}
		return err
	})
}

// each gives the games of the first pass, files in their order.
func (s *SourceSet) each(ctx context.Context, f func(item) error) error {
	if s.cfg.Kind == Engine {
		for n := 0; ; n++ {
			if err := f(item{game: s.selfPlayed(n)}); err != nil {
				return err
			}
		}
	}
	order := make([]int, len(s.files))
	for i := range order {
		order[i] = i
	}
	games := s.stream(ctx, 1, order, mark{})
	defer games.close()
	for {
		it, ok := games.next(ctx)
		switch {
		case !ok:
			return context.Cause(ctx)
		case it.err == io.EOF:
			return nil
		case it.err != nil:
			return it.err
		case it.game == nil:
			continue
		}
		if err := f(it); err != nil {
			return err
		}
	}
}

// selfPlayed is an engine's game against itself, from 0.
func (s *SourceSet) selfPlayed(n int) sourceGame {
	return &selfPlayed{where: fmt.Sprintf("game %d of the engine", n+1), seed: stats.Derive(s.seed, forGame, n), start: s.starts}
}
