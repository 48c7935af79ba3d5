package data

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/stats"
)

// openTable opens a sample file of alamos or of ChessMarro. It distinguishes them by their
// columns.
func openTable(s *Source, path string) (_ reader, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close())
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	head := make([]byte, sniffed)
	n, _ := f.ReadAt(head, 0) // a file may be shorter
	if head = head[:n]; !bytes.HasPrefix(head, []byte("PAR1")) {
		return nil, fmt.Errorf("data: %s: %w", path, foreign(head, "a file in Parquet"))
	}
	table, err := openParquet(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("data: %s: no whole Parquet file: %w", path, err)
	}
	if columns, ok := marroColumnsOf(table.Schema()); ok {
		return openMarro(s, path, f, table, columns)
	}
	return openSamples(s, path, f, table)
}

// sampleFile reads the games of a sample file in the order in which they end in the file.
// If the samples are shuffled, unfinished games stay in memory.
type sampleFile struct {
	cfg   *Config
	name  string
	file  *os.File
	size  int64
	rows  *Reader
	read  int                       // samples read
	left  map[int32]int             // number of unread samples of each game
	begun map[int32][]encode.Sample // samples read so far, of partly read games
}

func openSamples(s *Source, name string, file *os.File, table *parquet.File) (*sampleFile, error) {
	rows, err := newReader(name, table)
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	if v := rows.Meta().Variant; v != s.cfg.Variant.String() {
		return nil, fmt.Errorf("data: %s: its variant is %s, want %s", name, v, s.cfg.Variant)
	}
	left, err := rows.Games()
	if err != nil {
		return nil, fmt.Errorf("data: %w", err)
	}
	return &sampleFile{cfg: &s.cfg, name: name, file: file, size: table.Size(), rows: rows, left: left, begun: map[int32][]encode.Sample{}}, nil
}

// game reads to the end of a game and returns the game's samples by ply.
func (f *sampleFile) game() ([]encode.Sample, error) {
	for {
		s, err := f.rows.Next()
		if err == io.EOF {
			return nil, err
		}
		if err != nil {
			return nil, fmt.Errorf("data: %w", err)
		}
		f.read++
		samples := append(f.begun[s.Game], s)
		if f.left[s.Game]--; f.left[s.Game] > 0 {
			f.begun[s.Game] = samples
			continue
		}
		delete(f.begun, s.Game)
		delete(f.left, s.Game)
		slices.SortStableFunc(samples, func(a, b encode.Sample) int { return cmp.Compare(a.Ply, b.Ply) })
		return samples, nil
	}
}

func (f *sampleFile) next(seed uint64) (func() (game, error), error) {
	samples, err := f.game()
	if err != nil {
		return nil, err
	}
	g := &sampleGame{name: f.name, meta: f.rows.Meta(), samples: samples}
	if most := f.cfg.Positions; most > 0 {
		g.samples = nil
		for _, k := range draw(stats.NewRand(seed), 0, len(samples), most) {
			g.samples = append(g.samples, samples[k])
		}
	}
	return func() (game, error) { return g, nil }, nil
}

func (f *sampleFile) at() int64 { return f.size * int64(f.read) / int64(max(1, f.rows.Len())) }

func (f *sampleFile) close() error {
	f.rows.Close()
	return f.file.Close()
}

// sampleGame is a game of a sample file.
type sampleGame struct {
	name    string
	meta    Meta
	samples []encode.Sample
}

func (g *sampleGame) size() int { return len(g.samples) }

func (g *sampleGame) positions(_ context.Context, w *worker, yield func(*Position) error) error {
	p, c := &w.pos, &w.coded
	w.result = g.result()
	for i := range g.samples {
		c.Encoder, c.Policy, c.Sample = g.meta.Encoder, g.meta.Policy, g.samples[i]
		*p = Position{Policy: p.Policy[:0], Ply: c.Sample.Ply, Coded: c, Value: c.Sample.Value, Draw: c.Sample.Draw, MovesLeft: c.Sample.MovesLeft}
		p.NoResult = !HasResult(&c.Sample)
		if err := yield(p); err != nil {
			return fmt.Errorf("data: %s, game %d, ply %d: %w", g.name, c.Sample.Game, c.Sample.Ply, err)
		}
	}
	return nil
}

// result returns the result of the game if the samples show it. Values from the view of the
// side to move do not, because the samples do not name that side.
func (g *sampleGame) result() chess.Result {
	planes, err := encode.PlanesByName(g.meta.Encoder)
	if err != nil || !planes.White() {
		return chess.Unfinished
	}
	switch s := &g.samples[0]; {
	case s.Value == 1:
		return chess.WhiteWins
	case s.Value == -1:
		return chess.BlackWins
	case s.Value == 0 && s.Draw == 1:
		return chess.Draw
	}
	return chess.Unfinished
}
