package data

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/uci"
)

// How many positions a second each source gives, from its files to a sample file.
// To be read beside BenchmarkEncode, which only plays and encodes games that are in
// memory: what is between the two is reading, shuffling and writing.

// long writes a file many times over.
func long(b *testing.B, name string, times int) string {
	b.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), filepath.Base(name))
	if err := os.WriteFile(path, bytes.Repeat(data, times), 0o666); err != nil {
		b.Fatal(err)
	}
	return path
}

func benchmark(b *testing.B, cfg Config, planes, policy string) {
	c := codecOf(b, planes, policy)
	path := filepath.Join(b.TempDir(), "chunk.parquet")
	positions := 0
	s := open(b, cfg, 1, 0)
	b.ReportAllocs()
	from := First
	for b.Loop() {
		info, err := s.Chunk(b.Context(), from, c, path, nil, nil)
		if err != nil {
			b.Fatal(err)
		}
		positions += info.Positions
		from = info.Next
	}
	b.ReportMetric(float64(positions)/b.Elapsed().Seconds(), "positions/s")
}

func BenchmarkPGN(b *testing.B) {
	path := long(b, gamesPGN, 20)
	for _, x := range [][2]string{{"mover15", "uci1968-mover"}, {"alphazero119", "alphazero4672"}, {"dtu24", "uci1968"}} {
		b.Run(x[0], func(b *testing.B) {
			benchmark(b, Config{Kind: PGN, Files: []string{path}, Shuffle: 10_000}, x[0], x[1])
		})
	}
}

func BenchmarkSourceLC0(b *testing.B) {
	for name, cfg := range map[string]Config{
		"all": {Kind: LC0, Files: []string{lc0Files}, Shuffle: 1000},
		"one": {Kind: LC0, Files: []string{lc0Files}, Positions: 1, Shuffle: 1000},
	} {
		b.Run(name, func(b *testing.B) { benchmark(b, cfg, "lc0-112", "lc0-1858") })
	}
}

func BenchmarkSampleFile(b *testing.B) {
	c := codecOf(b, "mover15", "uci1968-mover")
	path := filepath.Join(b.TempDir(), "ours.parquet")
	if _, err := open(b, Config{Kind: PGN, Files: []string{long(b, gamesPGN, 20)}}, 1, 0).Chunk(b.Context(), First, c, path, nil, nil); err != nil {
		b.Fatal(err)
	}
	benchmark(b, Config{Kind: Parquet, Files: []string{path}, Shuffle: 10_000}, "mover15", "uci1968-mover")
}

func BenchmarkMarro(b *testing.B) {
	for name, fen := range map[string]bool{"FEN": true, "planes": false} {
		rows := marroRows(b, squareOrder{}, fen)
		for len(rows) < 20_000 {
			rows = append(rows, rows...)
		}
		path := writeMarro(b, rows)
		b.Run(name, func(b *testing.B) {
			benchmark(b, Config{Kind: Parquet, Files: []string{path}, Shuffle: 10_000}, marroMeta.Encoder, marroMeta.Policy)
		})
	}
}

func BenchmarkLabels(b *testing.B) {
	benchmark(b, Config{Kind: PGN, Files: []string{gamesPGN}, Label: &Label{Command: stockfish(b), Limit: uci.Limit{Depth: 1}}}, "dtu24", "uci1968")
}

func BenchmarkEngine(b *testing.B) {
	benchmark(b, Config{Kind: Engine, Games: 8, Player: Player{Command: stockfish(b), Limit: uci.Limit{Nodes: 100}, RandomPlies: 8}}, "mover15", "uci1968-mover")
}

func BenchmarkEncode(b *testing.B) {
	c := codecOf(b, "mover15", "uci1968-mover")
	w := (&Source{}).newWorker()
	var list []*played
	for _, g := range games(b) {
		list = append(list, &played{where: "a game", start: g.Start, moves: g.Moves, result: chess.Draw})
	}
	positions := 0
	var s encode.Sample
	for b.Loop() {
		for _, g := range list {
			err := g.positions(context.Background(), w, func(p *Position) error {
				positions++
				_, err := p.encode(c, &s, 0)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(positions)/b.Elapsed().Seconds(), "positions/s")
}
