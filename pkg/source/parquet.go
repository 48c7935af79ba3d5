package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"alamos/pkg/dataset"
)

// openParquet opens a sample file of this program, or one of ChessMarro's, which it
// knows by its columns.
func openParquet(s *Set, path string) (_ reader, err error) {
	defer func() {
		if r := recover(); r != nil { // of the Parquet library, about a damaged file
			err = fmt.Errorf("data: %s: unreadable Parquet: %v", path, r)
		}
	}()
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	keep := false
	defer func() {
		if !keep {
			err = errors.Join(err, f.Close())
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	table, err := parquet.OpenFile(&countedAt{f, s}, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("data: %s: no whole Parquet file: %w", path, err)
	}
	if columns, ok := marroColumnsOf(table.Schema()); ok {
		r, err := openMarro(s, path, f, table, columns)
		keep = err == nil
		return r, err
	}
	set, err := dataset.Read(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	s.count(info.Size())
	if v := set.Meta().Variant; v != s.cfg.Variant.String() {
		return nil, fmt.Errorf("data: %s: its variant is %s, want %s", path, v, s.cfg.Variant)
	}
	return newSampleFile(s, path, set), nil
}

// countedAt counts what is read.
type countedAt struct {
	in  io.ReaderAt
	set *Set
}

func (c *countedAt) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.in.ReadAt(b, at)
	c.set.count(int64(n))
	return n, err
}

// sampleFile reads the games of a sample file. The file is in memory, for it is only
// believed when its checksum has been seen to hold.
type sampleFile struct {
	cfg   *Config
	name  string
	set   *dataset.Set
	games [][]int32 // places of the samples of each game, by ply
}

func newSampleFile(s *Set, name string, set *dataset.Set) *sampleFile {
	f := &sampleFile{cfg: &s.cfg, name: name, set: set}
	type row struct{ game, ply, place int32 }
	rows := make([]row, set.Len())
	for i := range rows {
		game, ply := set.Place(i)
		rows[i] = row{game, ply, int32(i)}
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.game, b.game), cmp.Compare(a.ply, b.ply), cmp.Compare(a.place, b.place))
	})
	for i, r := range rows {
		if i == 0 || r.game != rows[i-1].game {
			f.games = append(f.games, nil)
		}
		last := &f.games[len(f.games)-1]
		*last = append(*last, r.place)
	}
	return f
}

func (f *sampleFile) next(seed uint64) (func() (game, error), error) {
	if len(f.games) == 0 {
		return nil, io.EOF
	}
	g := &sampleGame{file: f, places: f.games[0]}
	f.games = f.games[1:]
	if most := f.cfg.Positions; most > 0 {
		drawn := draw(newRand(seed), 0, len(g.places), most)
		places := make([]int32, len(drawn))
		for i, k := range drawn {
			places[i] = g.places[k]
		}
		g.places = places
	}
	return func() (game, error) { return g, nil }, nil
}

func (f *sampleFile) skip(n int) error {
	if n > len(f.games) {
		return io.EOF
	}
	f.games = f.games[n:]
	return nil
}

func (f *sampleFile) close() error { return nil }

// sampleGame is a game of a sample file.
type sampleGame struct {
	file   *sampleFile
	places []int32
}

func (g *sampleGame) size() int { return len(g.places) }

func (g *sampleGame) positions(_ context.Context, w *worker, yield func(*Position) error) error {
	meta := g.file.set.Meta()
	p, c := &w.pos, &w.coded
	for _, place := range g.places {
		c.Encoder, c.Policy = meta.Encoder, meta.Policy
		g.file.set.Sample(int(place), &c.Sample)
		*p = Position{Policy: p.Policy[:0], Ply: c.Sample.Ply, Coded: c, Value: c.Sample.Value, Draw: c.Sample.Draw, MovesLeft: c.Sample.MovesLeft}
		if err := yield(p); err != nil {
			return fmt.Errorf("data: %s, game %d, ply %d: %w", g.file.name, c.Sample.Game, c.Sample.Ply, err)
		}
	}
	return nil
}
