package data

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/stats"
)

// parquetGames yields the games of a sample file of alamos or of ChessMarro. It
// distinguishes them by their columns.
func (s *Source) parquetGames(path string, f *os.File, yield func(pending, error) bool) error {
	head := make([]byte, sniffed)
	n, _ := f.ReadAt(head, 0) // a file may be shorter
	if head = head[:n]; !bytes.HasPrefix(head, []byte("PAR1")) {
		return fmt.Errorf("data: %s: %w", path, foreign(head, "a file in Parquet"))
	}
	table, err := openParquet(f)
	if err != nil {
		return fmt.Errorf("data: %s: no whole Parquet file: %w", path, err)
	}
	if columns, ok := marroColumnsOf(table.Schema()); ok {
		return s.marroGames(path, table, columns, yield)
	}
	return s.sampleGames(path, table, yield)
}

// sampleGames yields the games of a sample file in the order in which they end in the file.
// If the samples are shuffled, unfinished games stay in memory.
func (s *Source) sampleGames(name string, table *parquet.File, yield func(pending, error) bool) error {
	f, err := newReader(name, table)
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if v := f.meta.Variant; v != s.cfg.Variant.String() {
		return fmt.Errorf("data: %s: its variant is %s, want %s", name, v, s.cfg.Variant)
	}
	left, err := f.games() // number of unread samples of each game
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	begun := map[int32][]encode.Sample{} // samples of partly read games
	read := int64(0)
	for x, err := range f.all() {
		if err != nil {
			return fmt.Errorf("data: %w", err)
		}
		read++
		samples := append(begun[x.Game], x)
		if left[x.Game]--; left[x.Game] > 0 {
			begun[x.Game] = samples
			continue
		}
		delete(begun, x.Game)
		slices.SortStableFunc(samples, func(a, b encode.Sample) int { return cmp.Compare(a.Ply, b.Ply) })
		g := &sampleGame{name: name, meta: f.meta, samples: samples}
		decode := func(seed uint64) (game, error) {
			if most := s.cfg.Positions; most > 0 {
				g.samples = nil
				for _, k := range draw(stats.NewRand(seed), len(samples), most) {
					g.samples = append(g.samples, samples[k])
				}
			}
			return game{len(g.samples), g.positions}, nil
		}
		if !yield(pending{table.Size() * read / table.NumRows(), decode}, nil) {
			return nil
		}
	}
	return nil
}

// sampleGame is a game of a sample file.
type sampleGame struct {
	name    string
	meta    Meta
	samples []encode.Sample
}

func (g *sampleGame) positions(_ context.Context, w *worker, yield func(*Position) error) error {
	w.result = g.result()
	for _, s := range g.samples {
		if err := yield(&Position{Sample: s, Encoding: &g.meta}); err != nil {
			return fmt.Errorf("data: %s, game %d, ply %d: %w", g.name, s.Game, s.Ply, err)
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
