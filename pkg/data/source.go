package data

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/stats"
	"alamos/pkg/uci"
)

// Source makes positions from files or from an engine's games. Only one goroutine may use
// it at a time.
type Source struct {
	cfg     Config
	seed    uint64
	workers int      // see Open
	files   []string // sorted
	sizes   []int64  // of the files
	size    int64    // total size of the files
	share   int64    // game numbers reserved for each file, see number
	starts  chess.Starts
	spare   sync.Pool // of *encode.Sample

	players, labelers *uci.Pool // nil if the source has no such engine
	labelNetwork      labelNetwork
	ahead             *queue // games that follow the last chunk; nil: none were read
}

// Progress counts the work of a call of [Source.Chunk]. It may be read at any time. Bytes
// counts the bytes of finished games, and Size is the total size of the files; both are 0
// for an engine's games.
type Progress struct {
	Games, Positions, Bytes, Size atomic.Int64
}

// progressEvery is the interval between reports of progress.
const progressEvery = 250 * time.Millisecond

// Watch calls report at intervals, and a last time when the caller calls done.
func (p *Progress) Watch(report func()) (done func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for more := true; more; report() {
			select {
			case <-tick.C:
			case <-end:
				more = false
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// Open validates the configuration and finds the files. It reads no file and starts no
// engine. workers is the number of goroutines that read and encode, and of processes of each
// engine. It changes only the speed. 0 is one per processor. Close the source after use.
func Open(cfg Config, seed uint64, workers int) (*Source, error) {
	if err := cfg.Check(); err != nil {
		return nil, err
	}
	if cfg.Kind == Run {
		return nil, fmt.Errorf("data: the sample files of the run %s are not named", cfg.Run)
	}
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	s := &Source{cfg: cfg, seed: seed, workers: workers}
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
	}
	if cfg.Kind == Engine {
		var err error
		if s.starts, err = chess.ParseStarts(cfg.Variant, cfg.Start); err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		s.players = newEngines(cfg.Player.Command, cfg.Variant, workers)
	}
	if cfg.Label != nil && cfg.Label.Model == "" {
		s.labelers = newEngines(cfg.Label.Command, cfg.Variant, workers)
	}
	return s, nil
}

// Files returns the files found, sorted by name.
func (s *Source) Files() []string { return slices.Clone(s.files) }

// UsesEngine reports whether chunks need an engine.
func (s *Source) UsesEngine() bool { return s.players != nil || s.labelers != nil }

// Identity identifies everything that determines the engines' answers in chunk g. Answers
// stored under the same identity can be reused. It identifies files by name and size, and
// engines by command.
func (s *Source) Identity(g int) (string, error) {
	names := make([]string, len(s.files))
	for i, file := range s.files {
		names[i] = filepath.Base(file)
	}
	cfg := s.cfg
	cfg.Files, cfg.Test = names, nil
	text, err := json.Marshal(struct {
		Config Config
		Sizes  []int64
		Seed   uint64
		Chunk  int
	}{cfg, s.sizes, s.seed, g})
	return string(text), err
}

// Close stops the engines, and drops what games ahead have made.
func (s *Source) Close() {
	s.discard()
	for _, e := range []*uci.Pool{s.players, s.labelers} {
		if e != nil {
			e.Close()
		}
	}
	s.labelNetwork.close()
}

// All yields the positions of the first pass, unshuffled, with the files in the order of
// [Source.Files]. An error is the last element, with a nil position.
func (s *Source) All(ctx context.Context) iter.Seq2[*Position, error] {
	return func(yield func(*Position, error) bool) {
		err := s.walk(ctx, func(p *Position) error {
			if !yield(p, nil) {
				return errStop
			}
			return nil
		}, func(item, Counts) {})
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// walk calls each with the positions of the first pass, with the files in name order, and
// calls end after each game.
func (s *Source) walk(ctx context.Context, each func(*Position) error, end func(item, Counts)) error {
	w := s.newWorker()
	number := int32(0)
	for it := range s.pass(ctx, First, s.order(0)) {
		if it.err != nil {
			return it.err
		}
		if it.positions == nil {
			continue
		}
		positions := 0
		err := w.positions(ctx, it.game, nil, func(p *Position) error {
			positions++
			p.Game = number
			return each(p)
		})
		if err != nil {
			return err
		}
		end(it, w.count(positions))
		number++
	}
	return context.Cause(ctx)
}

// selfPlayed returns game n, from 0, of an engine against itself.
func (s *Source) selfPlayed(n int) game {
	g := &selfPlayed{where: fmt.Sprintf("game %d of the engine", n+1), seed: stats.Derive(s.seed, forGame, n), start: s.starts}
	return game{positions: g.positions}
}

// KindOf returns the kind of source from a file's name.
func KindOf(path string) (string, error) {
	base := strings.ToLower(filepath.Base(path))
	for _, of := range []struct{ part, kind string }{{".pgn", PGN}, {".parquet", Parquet}, {".gz", LC0}, {".tar", LC0}, {".tgz", LC0}} {
		if strings.Contains(base, of.part) {
			return of.kind, nil
		}
	}
	return "", fmt.Errorf("%s: its name does not say what it holds: want .pgn (compressed or not), .parquet, or .gz or .tar of lc0's", path)
}

// OpenFile opens a single file with all positions of all its games, unshuffled. An empty
// kind is derived from the file's name. The variant applies to the games; a sample file
// stores its own.
func OpenFile(path, kind string, v chess.Variant) (*Source, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	if kind == "" {
		var err error
		if kind, err = KindOf(path); err != nil {
			return nil, err
		}
	}
	if kind == Parquet {
		if meta, err := ReadMeta(path); err == nil {
			if v, err = chess.ParseVariant(meta.Variant); err != nil {
				return nil, fmt.Errorf("data: %s: %w", path, err)
			}
		} // otherwise the file is ChessMarro's or damaged, which reading detects
	}
	return Open(Config{Kind: kind, Variant: v, Files: []string{disk.Pattern(path)}}, 0, 0)
}

// Summary describes the contents of a file.
type Summary struct {
	File    string `json:"file"`
	Kind    string `json:"kind"`
	Bytes   int64  `json:"bytes"`
	Variant string `json:"variant"`
	// Encoder and Policy are the encodings of a file with encoded positions.
	Encoder string `json:"encoder,omitempty"`
	Policy  string `json:"policy,omitempty"`

	Counts

	// ValueMean and ValueVariance are those of the values to learn, for the side to move or as a
	// file has them. The variance is the squared error of always saying the mean.
	ValueMean     float64 `json:"value_mean"`
	ValueVariance float64 `json:"value_variance"`

	Damage string `json:"damage,omitempty"` // why reading stopped early
}

// Summarize reads a file to its end or to its first damage, see [OpenFile]. Damage is not
// an error. Summarize returns an error if the file or kind does not exist, or if ctx has
// ended.
func Summarize(ctx context.Context, path, kind string, v chess.Variant, p *Progress) (*Summary, error) {
	set, err := OpenFile(path, kind, v)
	if err != nil {
		return nil, err
	}
	defer set.Close() // read only, so nothing can be lost
	p.Size.Store(set.size)
	out := &Summary{File: path, Kind: set.cfg.Kind, Bytes: set.size, Variant: set.cfg.Variant.Spec()}
	values := 0
	each := func(pos *Position) error {
		p.Positions.Add(1)
		if HasResult(&pos.Sample) { // Welford's sums
			values++
			d := float64(pos.Value) - out.ValueMean
			out.ValueMean += d / float64(values)
			out.ValueVariance += d * (float64(pos.Value) - out.ValueMean)
		}
		if c := pos.Encoding; c != nil {
			out.Encoder, out.Policy = c.Encoder, c.Policy
		}
		return nil
	}
	err = set.walk(ctx, each, func(it item, c Counts) {
		p.Bytes.Store(it.bytes)
		p.Games.Add(int64(c.Games))
		out.Add(c)
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	out.ValueVariance /= max(1, float64(values))
	if err != nil {
		out.Damage = strings.TrimPrefix(err.Error(), "data: ")
	}
	return out, nil
}
