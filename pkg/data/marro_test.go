package data

import (
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// marroFields is a row as ChessMarro's program writes it, with a column more.
type marroFields struct {
	Board    []int64 `parquet:"board,list"`
	Best     int64   `parquet:"best"`
	FEN      string  `parquet:"fen_original,optional"`
	Opponent string  `parquet:"opponent"`
}

// marroRows are the positions of the test games in ChessMarro's form.
func marroRows(t testing.TB, o squareOrder, fen bool) (rows []marroFields) {
	t.Helper()
	c := codecOf(t, marroMeta.Encoder, marroMeta.Policy)
	planes := make([]uint64, c.Planes.Count())
	for _, game := range games(t)[:4] {
		g := chess.NewGame(game.Start)
		for _, m := range game.Moves {
			best := c.Policy.Index(g.Position(), m)
			if best >= 0 {
				c.Planes.Encode(planes, g)
				row := marroFields{Best: int64(best), Opponent: "unknown"}
				for _, b := range planes {
					row.Board = append(row.Board, int64(o.apply(b)))
				}
				if g.Position().Turn() == chess.Black {
					row.Board[marroTurn] = -1 // as some of its programs do
				}
				if fen {
					row.FEN = g.Position().FEN()
				}
				rows = append(rows, row)
			}
			g.Play(m)
		}
	}
	return rows
}

func writeMarro(t testing.TB, rows []marroFields) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "marro.parquet.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[marroFields](f, parquet.Compression(&parquet.Gzip), parquet.MaxRowsPerRowGroup(100))
	if _, err = w.Write(rows); err == nil {
		err = w.Close()
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Training on values refuses files without results: ChessMarro's files and those
// imported from them. Files of games have results.
func TestNoResults(t *testing.T) {
	dir := t.TempDir()
	marro, ours, games := writeMarro(t, marroRows(t, squareOrder{}, true)), filepath.Join(dir, "ours.parquet"), filepath.Join(dir, "games.parquet")
	c := codecOf(t, marroMeta.Encoder, marroMeta.Policy)
	for path, cfg := range map[string]Config{
		ours:  {Kind: Parquet, Files: []string{marro}},
		games: {Kind: PGN, Files: []string{gamesPGN}},
	} {
		if _, err := open(t, cfg, 1, 0).Chunk(t.Context(), First, c, path, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	for path, none := range map[string]bool{marro: true, ours: true, games: false} {
		_, err := open(t, Config{Kind: Parquet, Files: []string{path}, Results: true}, 1, 0).Chunk(t.Context(), First, c, filepath.Join(dir, "x"), nil, nil)
		if none && (err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "has no result") || !strings.Contains(err.Error(), "training.loss.value: 0")) {
			t.Errorf("%s: error %v", path, err)
		} else if !none && err != nil {
			t.Error(err)
		}
	}
}

// ChessMarro's files give its encodings their boards, however squares are numbered,
// with a FEN and without; with one they give every other encoding.
func TestMarro(t *testing.T) {
	own := codecOf(t, marroMeta.Encoder, marroMeta.Policy)
	other := codecOf(t, "mover15", "uci1968-mover")
	want := marroRows(t, squareOrder{}, true)
	for _, o := range squareOrders {
		for _, fen := range []bool{true, false} {
			path := writeMarro(t, marroRows(t, o, fen))
			cfg := Config{Kind: Parquet, Files: []string{path}}
			info, set := chunk(t, open(t, cfg, 1, 0), 1, own)
			if info.Positions != len(want) || info.Games != len(want) {
				t.Fatalf("%d rows give %+v", len(want), info)
			}
			// One order stays: rows are in it where no buffer shuffles.
			for i, s := range samplesOf(set) {
				target := int64(-1)
				for k, p := range s.Policy {
					if p == 1 {
						target = int64(s.Indices[k])
					}
				}
				marks := 0
				for k, b := range want[i].Board {
					if k >= marroLegal {
						marks += bits.OnesCount64(uint64(b))
					}
					if k != marroTurn && s.Planes[k] != uint64(b) {
						t.Fatalf("order %v, FEN %v, row %d: plane %d is %#x, want %#x", o, fen, i+1, k, s.Planes[k], uint64(b))
					}
				}
				if s.Planes[marroTurn] != 0 || target != want[i].Best || len(s.Indices) != marks || s.Value != 0 {
					t.Fatalf("order %v, FEN %v, row %d: %v, want move %d of %d", o, fen, i+1, s, want[i].Best, marks)
				}
			}
			s := open(t, cfg, 1, 0)
			if fen {
				if _, set := chunk(t, s, 1, other); set.Len() != len(want) {
					t.Errorf("%d rows in another encoding, want %d", set.Len(), len(want))
				}
			} else if _, err := s.Chunk(t.Context(), First, other, filepath.Join(t.TempDir(), "x"), nil, nil); err == nil || !strings.Contains(err.Error(), "row 1") || !strings.Contains(err.Error(), "marro77 and marro4096 only") {
				t.Errorf("rows without a FEN in another encoding: %v", err)
			}
		}
	}
}

// A row with a FEN gives a position, and a row without one gives planes.
func TestMarroPositions(t *testing.T) {
	for _, fen := range []bool{true, false} {
		rows := marroRows(t, squareOrder{}, fen)[:50]
		n := 0
		for p, err := range open(t, Config{Kind: Parquet, Files: []string{writeMarro(t, rows)}}, 1, 0).All(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if fen && (p.Encoding != nil || p.At.Position().FEN() != rows[n].FEN) || !fen && (p.At != nil || *p.Encoding != marroMeta) {
				t.Fatalf("row %d, FEN %v: %+v", n+1, fen, p)
			}
			n++
		}
		if n != len(rows) {
			t.Errorf("%d positions of %d rows", n, len(rows))
		}
	}
}

func TestMarroDamage(t *testing.T) {
	for name, x := range map[string]struct {
		change func(rows []marroFields)
		want   string
	}{
		"short":   {func(r []marroFields) { r[3].Board = r[3].Board[:76] }, "row 4: board has 76 integers"},
		"long":    {func(r []marroFields) { r[3].Board = append(r[3].Board, 0) }, "row 4: board is not a list of 77"},
		"no move": {func(r []marroFields) { r[9].Best = 4096 }, "row 10: best is 4096"},
		"illegal": {func(r []marroFields) { r[9].Best = 32 }, "row 10: its move"},
		"FEN":     {func(r []marroFields) { r[1].FEN = "8/8" }, "row 2: fen_original"},
		"other":   {func(r []marroFields) { r[5].FEN = r[30].FEN }, "row 6: its boards contradict"},
		"later":   {func(r []marroFields) { r[1200].FEN = r[30].FEN }, "row 1201: its boards are not those of its FEN"},
	} {
		rows := marroRows(t, squareOrder{}, true)
		for len(rows) < 1300 {
			rows = append(rows, rows[:min(len(rows), 1300-len(rows))]...)
		}
		x.change(rows)
		s := open(t, Config{Kind: Parquet, Files: []string{writeMarro(t, rows)}}, 1, 0)
		_, err := s.Chunk(t.Context(), First, codecOf(t, "mover15", "uci1968-mover"), filepath.Join(t.TempDir(), "x"), nil, nil)
		if err == nil || !strings.Contains(err.Error(), "marro.parquet.gz, "+x.want) {
			t.Errorf("%s: error %v, want %q", name, err, x.want)
		}
	}
}

// No file makes the reader panic.
func FuzzMarro(f *testing.F) {
	rows := marroRows(f, squareOrder{}, true)[:20]
	file, err := os.ReadFile(writeMarro(f, rows))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file, 0, byte(0))
	f.Add(file, len(file)-100, byte(1))
	f.Add(file, len(file)/2, byte(0x80))
	c := codecOf(f, marroMeta.Encoder, marroMeta.Policy)
	f.Fuzz(func(t *testing.T, file []byte, at int, flip byte) {
		if at >= 0 && at < len(file) {
			file[at] ^= flip
		}
		path := filepath.Join(t.TempDir(), "fuzz.parquet")
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		s := open(t, Config{Kind: Parquet, Files: []string{path}}, 1, 1)
		var sample encode.Sample
		for p, err := range s.All(t.Context()) {
			if err != nil {
				if !strings.Contains(err.Error(), "fuzz.parquet") {
					t.Errorf("the error does not name the file: %v", err)
				}
				return
			}
			if p.Encoding != nil {
				if _, err := p.encode(c, &sample, 0); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
