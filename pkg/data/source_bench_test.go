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

func BenchmarkSource(b *testing.B) {
	c := codecOf(b, "mover15", "uci1968-mover")
	pgn, ours := long(b, gamesPGN, 20), filepath.Join(b.TempDir(), "ours.parquet")
	if _, err := open(b, Config{Kind: PGN, Files: []string{pgn}}, 1, 0).Chunk(b.Context(), First, c, ours, nil, nil); err != nil {
		b.Fatal(err)
	}
	marro := func(fen bool) string {
		rows := marroRows(b, squareOrder{}, fen)
		for len(rows) < 20_000 {
			rows = append(rows, rows...)
		}
		return writeMarro(b, rows)
	}
	for _, x := range []struct {
		name           string
		cfg            Config
		planes, policy string
	}{
		{"pgn/mover15", Config{Kind: PGN, Files: []string{pgn}, Shuffle: 10_000}, "mover15", "uci1968-mover"},
		{"pgn/alphazero119", Config{Kind: PGN, Files: []string{pgn}, Shuffle: 10_000}, "alphazero119", "alphazero4672"},
		{"pgn/dtu24", Config{Kind: PGN, Files: []string{pgn}, Shuffle: 10_000}, "dtu24", "uci1968"},
		{"lc0/all", Config{Kind: LC0, Files: []string{lc0Files}, Shuffle: 1000}, "lc0-112", "lc0-1858"},
		{"lc0/one", Config{Kind: LC0, Files: []string{lc0Files}, Positions: 1, Shuffle: 1000}, "lc0-112", "lc0-1858"},
		{"ours", Config{Kind: Parquet, Files: []string{ours}, Shuffle: 10_000}, "mover15", "uci1968-mover"},
		{"marro/FEN", Config{Kind: Parquet, Files: []string{marro(true)}, Shuffle: 10_000}, marroMeta.Encoder, marroMeta.Policy},
		{"marro/planes", Config{Kind: Parquet, Files: []string{marro(false)}, Shuffle: 10_000}, marroMeta.Encoder, marroMeta.Policy},
		{"labels", Config{Kind: PGN, Files: []string{gamesPGN}, Label: &Label{Limit: uci.Limit{Depth: 1}}}, "dtu24", "uci1968"},
		{"engine", Config{Kind: Engine, Games: 8, Player: Player{Limit: uci.Limit{Nodes: 100}, RandomPlies: 8}}, "mover15", "uci1968-mover"},
	} {
		b.Run(x.name, func(b *testing.B) {
			switch {
			case x.cfg.Label != nil:
				x.cfg.Label.Command = stockfish(b)
			case x.cfg.Kind == Engine:
				x.cfg.Player.Command = stockfish(b)
			}
			c := codecOf(b, x.planes, x.policy)
			path := filepath.Join(b.TempDir(), "chunk.parquet")
			positions := 0
			s := open(b, x.cfg, 1, 0)
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
		})
	}
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
