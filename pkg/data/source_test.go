package data

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"

	"alamos/pkg/disk"
	"alamos/pkg/encode"
)

var update = flag.Bool("update", false, "write the golden file")

const (
	gamesPGN     = "testdata/games.pgn"        // 24 games of stockfish against itself, six broken off
	sourceLc0Dir = "../encode/testdata/lc0_v6" // 30 games of lc0's
	lc0Files     = "../encode/testdata/lc0_v6/*.gz"
)

func codecOf(t testing.TB, planes, policy string) encode.Codec {
	t.Helper()
	c, err := encode.NewCodec(planes, policy, chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func open(t testing.TB, cfg Config, seed uint64, workers int) *Source {
	t.Helper()
	s, err := Open(cfg, seed, workers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// chunk makes a chunk and reads it back.
func chunk(t testing.TB, s *Source, g int, c encode.Codec) (Info, *Set) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chunk.parquet")
	info := chunkAt(t, s, g, c, path, nil)
	set, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if set.Len() != info.Positions || set.Meta().Generation != g {
		t.Fatalf("chunk %d has %d samples of generation %d, its Info says %+v", g, set.Len(), set.Meta().Generation, info)
	}
	return info, set
}

// chunkAt makes chunk g.
func chunkAt(t testing.TB, s *Source, g int, c encode.Codec, path string, a *Answers) Info {
	t.Helper()
	from, err := s.Seek(t.Context(), g, nil)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Chunk(t.Context(), from, c, path, a, nil)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// sumOf makes a chunk and returns the file's checksum.
func sumOf(t testing.TB, s *Source, g int, c encode.Codec, a ...*Answers) (Info, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "chunk.parquet")
	info := chunkAt(t, s, g, c, path, append(a, nil)[0])
	sum, err := disk.Sum(path)
	if err != nil {
		t.Fatal(err)
	}
	return info, sum
}

// games reads the test games.
func games(t testing.TB) []*chess.PGN {
	t.Helper()
	f, err := os.Open(gamesPGN)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := chess.NewPGNReader(f)
	var all []*chess.PGN
	for {
		g, err := r.Next()
		if err != nil {
			break
		}
		all = append(all, g)
	}
	return all
}

// The positions of a file are those of its games, each with the move played, the
// result, and what is left of the game.
func TestPositions(t *testing.T) {
	s := open(t, Config{Kind: PGN, Files: []string{gamesPGN}}, 1, 1)
	want := games(t)
	number, ply := 0, 0
	skip := func() {
		for number < len(want) && (want[number].Result == chess.Unfinished || ply == len(want[number].Moves)) {
			number, ply = number+1, 0
		}
	}
	for p, err := range s.All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		skip()
		if number == len(want) {
			t.Fatal("more positions than the games have")
		}
		g := want[number]
		best := slices.Index(p.Policy, 1)
		value := float32(g.Result)
		if ply%2 == 1 {
			value = -value
		}
		draw := float32(0)
		if g.Result == chess.Draw {
			draw = 1
		}
		switch {
		case int(p.Game) != number || int(p.Ply) != ply || p.At.Ply() != ply:
			t.Fatalf("game %d, ply %d (%d): want game %d, ply %d", p.Game, p.Ply, p.At.Ply(), number, ply)
		case best < 0 || p.Moves[best] != g.Moves[ply] || len(p.Policy) != len(p.Moves):
			t.Fatalf("game %d, ply %d: the move is not the one played", number, ply)
		case p.Value != value || p.Draw != draw || p.MovesLeft != float32(len(g.Moves)-ply):
			t.Fatalf("game %d, ply %d: value %v, draw %v, %v plies left: want %v, %v, %d", number, ply, p.Value, p.Draw, p.MovesLeft, value, draw, len(g.Moves)-ply)
		}
		ply++
	}
	if skip(); number != len(want) {
		t.Errorf("the positions end in game %d of %d", number, len(want))
	}
}

// Every game of a pass is in one chunk, every position occurs once, and chunks have the
// requested size.
func TestChunksOfAPass(t *testing.T) {
	c := codecOf(t, "mover15", "uci1968-mover")
	copies := t.TempDir()
	data, err := os.ReadFile(gamesPGN)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.pgn", "b.pgn", "c.pgn"} {
		if err := os.WriteFile(filepath.Join(copies, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	all := 0
	for _, g := range games(t) {
		if g.Result != chess.Unfinished {
			all += len(g.Moves)
		}
	}
	const size = 1500
	s := open(t, Config{Kind: PGN, Files: []string{copies + "/*.pgn"}, Chunk: size, Shuffle: 200}, 3, 0)
	positions, number, chunks := 0, 0, 0
	for g := 1; ; g++ {
		info, set := chunk(t, s, g, c)
		if info.Pass != 1 || info.Next.Chunk != g+1 {
			t.Fatalf("chunk %d: %+v", g, info)
		}
		if !info.Last && (info.Positions < size || info.Positions > size+400) || info.Last && (info.Positions < size/4 || info.Positions > size+size/4+800) {
			t.Errorf("chunk %d has %d positions, want about %d", g, info.Positions, size)
		}
		seen := map[[2]int32]bool{}
		for _, x := range samplesOf(set) {
			seen[[2]int32{x.Game, x.Ply}] = true
		}
		if len(seen) != info.Positions {
			t.Errorf("chunk %d has %d different positions of %d", g, len(seen), info.Positions)
		}
		if n := countGames(set); n != info.Games {
			t.Errorf("chunk %d has samples of %d games, of %d", g, n, info.Games)
		}
		positions += info.Positions
		number += info.Games + info.NoResult + info.NoMoves
		chunks++
		if info.White+info.Black+info.Draws+6 > number && info.Games > 30 {
			t.Errorf("chunk %d counts too many results: %+v", g, info)
		}
		if info.Last {
			break
		}
	}
	if positions != 3*all || number != 3*24 || chunks < 3 {
		t.Errorf("a pass has %d positions of %d games in %d chunks, want %d of %d", positions, number, chunks, 3*all, 3*24)
	}
	if info, _ := chunk(t, s, chunks+1, c); info.Pass != 2 {
		t.Errorf("after the last chunk comes %+v", info)
	}
}

// A chunk does not depend on the chunks made before it, the number of goroutines, or
// whether it is reached from a cursor or from the start.
func TestDeterministic(t *testing.T) {
	c := codecOf(t, "mover15", "uci1968-mover")
	for name, cfg := range map[string]Config{
		"pgn":       {Kind: PGN, Files: []string{gamesPGN}, Chunk: 700, Shuffle: 300},
		"pgn drawn": {Kind: PGN, Files: []string{gamesPGN, "testdata/*.pgn"}, Positions: 3, Chunk: 20, Shuffle: 7},
		"bound":     {Kind: PGN, Files: []string{gamesPGN}, Games: 7, Chunk: 300, Shuffle: 50},
		"lc0":       {Kind: LC0, Files: []string{lc0Files}, Positions: 2, Chunk: 25, Shuffle: 10},
	} {
		t.Run(name, func(t *testing.T) {
			var sums []string
			var infos []Info
			s := open(t, cfg, 5, 4)
			for g := 1; g <= 7; g++ {
				info, sum := sumOf(t, s, g, c)
				if slices.Contains(sums, sum) {
					t.Errorf("chunk %d is like one before it", g)
				}
				sums, infos = append(sums, sum), append(infos, info)
			}
			if infos[6].Pass < 2 {
				t.Errorf("seven chunks are no more than a pass: %+v", infos[6])
			}
			other := open(t, cfg, 5, 1)
			for _, g := range []int{6, 2, 7, 1, 1} {
				info, sum := sumOf(t, other, g, c)
				if sum != sums[g-1] || info != infos[g-1] {
					t.Errorf("chunk %d out of order: %+v, want %+v; equal bytes: %v", g, info, infos[g-1], sum == sums[g-1])
				}
			}
			for g := 2; g <= 7; g++ {
				var cursor Cursor
				text, err := json.Marshal(infos[g-2].Next)
				if err == nil {
					err = json.Unmarshal(text, &cursor)
				}
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(t.TempDir(), "chunk.parquet")
				info, err := open(t, cfg, 5, 2).Chunk(t.Context(), cursor, c, path, nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				if sum, err := disk.Sum(path); err != nil || sum != sums[g-1] || info != infos[g-1] {
					t.Errorf("chunk %d resumed: %+v, want %+v (%v)", g, info, infos[g-1], err)
				}
			}
			if _, sum := sumOf(t, open(t, cfg, 6, 0), 2, c); sum == sums[1] {
				t.Error("another seed gives the same chunk")
			}
		})
	}
}

// The contents of chunks do not change, so that published results can be repeated.
func TestGolden(t *testing.T) {
	var have strings.Builder
	for _, x := range []struct {
		name           string
		cfg            Config
		planes, policy string
	}{
		{"pgn", Config{Kind: PGN, Files: []string{gamesPGN}, Positions: 5, Chunk: 60, Shuffle: 20}, "alphazero119", "alphazero4672"},
		{"lc0", Config{Kind: LC0, Files: []string{lc0Files}, Positions: 1, Chunk: 20, Shuffle: 20}, "lc0-112", "lc0-1858"},
	} {
		s := open(t, x.cfg, 1, 0)
		for g := 1; g <= 3; g++ {
			info, set := chunk(t, s, g, codecOf(t, x.planes, x.policy))
			samples := samplesOf(set)
			sum := sha256.New()
			for _, x := range samples {
				fmt.Fprintln(sum, x.Game, x.Ply, x.Planes, x.Indices, x.Policy, x.Value)
			}
			have.WriteString(strings.Join([]string{x.name, describe(info), hex.EncodeToString(sum.Sum(nil)[:8]), describe(samples[0].Game), describe(samples[0].Ply), describe(samples[0].Indices), describe(samples[0].Value)}, "\t") + "\n")
		}
	}
	const golden = "testdata/golden.tsv"
	if *update {
		if err := os.WriteFile(golden, []byte(have.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if have.String() != string(want) {
		t.Errorf("chunks have changed (-update writes them):\n%s\nwant\n%s", &have, want)
	}
}

func describe(x any) string {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A position whose move the policy cannot express is left out and counted.
func TestUnexpressed(t *testing.T) {
	const text = "[Event \"?\"]\n[FEN \"8/P6k/8/8/8/8/7K/8 w - - 0 1\"]\n\n1. a8=N Kg7 2. Nb6 *\n" +
		"\n[Event \"?\"]\n[FEN \"8/P6k/8/8/8/8/7K/8 w - - 0 1\"]\n\n1. a8=N Kg7 2. Nb6 1-0\n"
	path := filepath.Join(t.TempDir(), "a.pgn")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s := open(t, Config{Kind: PGN, Files: []string{path}}, 1, 0)
	info, _ := chunk(t, s, 1, codecOf(t, "marro77", "marro4096"))
	if info.Unexpressed != 1 || info.Positions != 2 || info.Games != 1 || info.NoResult != 1 || info.White != 1 {
		t.Errorf("one promotion to a knight: %+v", info)
	}
}

// Damage is an error that names the place, and leaves no file. SkipBroken skips broken
// games.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := "[Event \"?\"]\n\n1. e4 e5 1-0\n\n"
	bad := write("bad.pgn", good+"[Event \"?\"]\n\n1. e4 e5 2. Ke3 1-0\n\n"+good+"[Event \"?\"]\n[Variant \"Atomic\"]\n\n1. e4 1-0\n\n"+good)
	none := write("none.pgn", "")
	unfinished := write("unfinished.pgn", "[Event \"?\"]\n\n1. e4 e5 *\n")
	gz, err := os.ReadFile(filepath.Join(sourceLc0Dir, "nn_game_000000.gz"))
	if err != nil {
		t.Fatal(err)
	}
	cut := write("cut.gz", string(gz[:len(gz)/2]))
	text := write("text.parquet", "not parquet")
	c := codecOf(t, "mover15", "uci1968-mover")
	other := codecOf(t, "alphazero119", "alphazero4672")
	ours := filepath.Join(dir, "ours.parquet")
	if _, err := open(t, Config{Kind: PGN, Files: []string{gamesPGN}}, 1, 0).Chunk(t.Context(), First, c, ours, nil, nil); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		cfg  Config
		want []string
	}{
		"illegal move": {Config{Kind: PGN, Files: []string{bad}}, []string{"data: ", "bad.pgn: pgn: game 2, line 7", "Ke3"}},
		"empty":        {Config{Kind: PGN, Files: []string{none}}, []string{"0 games", "no position"}},
		"no result":    {Config{Kind: PGN, Files: []string{unfinished}}, []string{"1 games", "no position"}},
		"cut":          {Config{Kind: LC0, Files: []string{cut}}, []string{"cut.gz", "record"}},
		"not lc0":      {Config{Kind: LC0, Files: []string{bad}}, []string{"bad.pgn", "neither a gzip file nor a tar"}},
		"not parquet":  {Config{Kind: Parquet, Files: []string{text}}, []string{"text.parquet", "Parquet"}},
		"encoding":     {Config{Kind: Parquet, Files: []string{ours}}, []string{"ours.parquet, game 0", "mover15", "alphazero119"}},
		"variant":      {Config{Kind: Parquet, Variant: chess.Atomic, Files: []string{ours}}, []string{"ours.parquet", "chess", "atomic"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := t.TempDir()
			s := open(t, x.cfg, 1, 3)
			for range 2 { // an error does not change what comes after it
				_, err := s.Chunk(t.Context(), First, other, filepath.Join(out, "chunk.parquet"), nil, nil)
				if err != nil && !strings.HasPrefix(err.Error(), "data: ") && !strings.HasPrefix(err.Error(), "lc0 data ") {
					t.Errorf("the error does not begin with what it is about: %v", err)
				}
				for _, want := range x.want {
					if err == nil || !strings.Contains(err.Error(), want) {
						t.Errorf("error %v, want one with %q", err, want)
					}
				}
			}
			if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
				t.Errorf("%v is left (%v)", left, err)
			}
		})
	}

	info, _ := chunk(t, open(t, Config{Kind: PGN, Files: []string{bad}, SkipBroken: true}, 1, 0), 1, c)
	if info.Broken != 2 || info.Games != 3 || info.Positions != 6 {
		t.Errorf("two broken games of five: %+v", info)
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	s := open(t, Config{Kind: PGN, Files: []string{gamesPGN}}, 1, 0)
	if _, err := s.Chunk(ctx, First, c, filepath.Join(dir, "stopped.parquet"), nil, nil); !errors.Is(err, stop) {
		t.Errorf("a chunk that is stopped: %v", err)
	}
	chunk(t, s, 1, c)
}

// The error for a file of the wrong kind names its kind.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	xz, parquet := []byte("\xfd7zXZ\x00\x00\x04"), []byte("PAR1 and so on")
	text, err := os.ReadFile(gamesPGN)
	if err != nil {
		t.Fatal(err)
	}
	chunk, err := os.ReadFile(lc0Names(t)[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range []struct {
		kind string
		data []byte
		want string
	}{
		{PGN, chunk, "it is training data of lc0, not games in PGN"},
		{PGN, xz, "it is compressed by xz, which is not read here: decompress it first"},
		{PGN, []byte{0, 1, 2}, "it is not games in PGN: it begins with"},
		{LC0, zipped(t, nil), "it has no records"},
		{LC0, nil, "the file is empty"},
		{LC0, text, "it is games in PGN, not training data of lc0"},
		{LC0, zipped(t, text), "no training data of lc0"},
		{LC0, xz, "it is compressed by xz"},
		{Parquet, nil, "the file is empty"},
		{Parquet, zipped(t, parquet), "it is compressed by gzip, which is not read here"},
		{Parquet, text, "it is games in PGN, not a file in Parquet"},
	} {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, x.data, 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := Summarize(t.Context(), path, x.kind, chess.Standard, new(Progress))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(s.Damage, x.want) || !strings.Contains(s.Damage, path) {
			t.Errorf("%s of %q: %q, want %q", x.kind, x.data[:min(8, len(x.data))], s.Damage, x.want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, x := range []struct {
		cfg  Config
		want string
	}{
		{Config{}, "data.kind: missing"},
		{Config{Kind: PGN}, "needs files"},
		{Config{Kind: PGN, Files: []string{"a"}, Positions: -1}, "data.positions: want"},
		{Config{Kind: PGN, Files: []string{"a"}, Policy: EngineMove}, "needs an engine that labels"},
		{Config{Kind: LC0, Files: []string{"a"}, Variant: chess.Atomic}, "chess"},
		{Config{Kind: LC0, Files: []string{"a"}, Label: &Label{}}, "labels games"},
		{Config{Kind: Parquet, Files: []string{"a"}, SkipBroken: true}, "only games in PGN"},
		{Config{Kind: Engine}, "needs games"},
		{Config{Kind: Engine, Games: 1}, "needs a limit"},
		{Config{Kind: Engine, Games: 1, Files: []string{"a"}}, "no files"},
		{Config{Kind: PGN, Files: []string{"testdata/none*"}}, "no such file"},
		{Config{Kind: PGN, Files: []string{"testdata"}}, "not a file"},
		{Config{Kind: PGN, Files: []string{"["}}, "files \"[\""},
	} {
		if _, err := Open(x.cfg, 1, 0); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: error %v, want %q", x.cfg, err, x.want)
		}
	}
}

// Sample files give back the samples that they have, whole or drawn.
func TestSampleFiles(t *testing.T) {
	c := codecOf(t, "mover15", "uci1968-mover")
	path := filepath.Join(t.TempDir(), "ours.parquet")
	if _, err := open(t, Config{Kind: PGN, Files: []string{gamesPGN}, Shuffle: 100}, 1, 0).Chunk(t.Context(), First, c, path, nil, nil); err != nil {
		t.Fatal(err)
	}
	from, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]int{}
	for _, s := range samplesOf(from) {
		s.Game = 0
		have[describe(s)]++
	}
	for _, n := range []int{0, 2} {
		info, set := chunk(t, open(t, Config{Kind: Parquet, Files: []string{path}, Positions: n}, 2, 0), 1, c)
		if want := map[int]int{0: from.Len(), 2: 2 * countGames(from)}[n]; info.Positions != want || info.Games != countGames(from) {
			t.Errorf("%d of each game: %+v, want %d positions of %d games", n, info, want, countGames(from))
		}
		for _, s := range samplesOf(set) {
			s.Game = 0
			if have[describe(s)] == 0 {
				t.Fatalf("%+v is not what the file has", s)
			}
		}
	}
}

// Of a sample file only a part is in memory: the first position of it takes no more of a
// long file than of a short one.
func TestSampleFilesAreStreamed(t *testing.T) {
	const rows = 40_000
	path := filepath.Join(t.TempDir(), "long.parquet")
	meta := Meta{Encoder: "lc0-112", Policy: "none", Variant: "chess"}
	err := Stream(path, meta, func(w *Writer) error {
		for i := range int32(rows) {
			if err := w.Add(&encode.Sample{Game: i / 100, Ply: i % 100, Planes: make([]uint64, 112)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	set, err := OpenFile(path, "", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	for p, err := range set.All(t.Context()) {
		if err != nil || p.Game != 0 || p.Ply != 0 {
			t.Fatalf("the first position is %+v, error %v", p, err)
		}
		break
	}
	runtime.ReadMemStats(&after)
	if all, took := uint64(rows*112*8), after.TotalAlloc-before.TotalAlloc; took > all/3 {
		t.Errorf("%d bytes allocated for the first of positions that take %d", took, all)
	}
}

// The progress in a file advances with each game, independent of the size of reads.
func TestProgress(t *testing.T) {
	text, err := os.ReadFile(gamesPGN)
	if err != nil {
		t.Fatal(err)
	}
	packed, ours := filepath.Join(t.TempDir(), "games.pgn.gz"), filepath.Join(t.TempDir(), "ours.parquet")
	if err := os.WriteFile(packed, zipped(t, text), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, Config{Kind: PGN, Files: []string{gamesPGN}}, 1, 0).Chunk(t.Context(), First, codecOf(t, "mover15", "uci1968-mover"), ours, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, cfg := range []Config{
		{Kind: PGN, Files: []string{gamesPGN}},
		{Kind: PGN, Files: []string{packed}},
		{Kind: PGN, Files: []string{gamesPGN, packed}},
		{Kind: LC0, Files: []string{sourceTarOf(t, lc0Names(t)[:12])}},
		{Kind: Parquet, Files: []string{ours}},
		{Kind: Parquet, Files: []string{writeMarro(t, marroRows(t, squareOrder{}, true))}},
	} {
		s := open(t, cfg, 1, 0)
		var done []int64
		if err := s.walk(t.Context(), func(*Position) error { return nil }, func(it item, _ Counts) { done = append(done, it.bytes) }); err != nil {
			t.Fatal(err)
		}
		widest := int64(0)
		for i := range done[1:] {
			widest = max(widest, done[i+1]-done[i])
		}
		if first, last := done[0], done[len(done)-1]; widest > s.size/5 || first > s.size/5 || last < s.size*9/10 || last > s.size {
			t.Errorf("%v of %d bytes: after the games %d", cfg.Files, s.size, done)
		}
	}
}

// Sample files keep the probability of a draw and the plies left; without a policy
// they have no moves, and no position is left out for its move.
func TestHeads(t *testing.T) {
	pgn := games(t)
	for _, policy := range []string{"uci1968", "none"} {
		info, set := chunk(t, open(t, Config{Kind: PGN, Files: []string{gamesPGN}}, 1, 0), 1, codecOf(t, "dtu24", policy))
		if info.Unexpressed != 0 {
			t.Errorf("policy %s: %+v", policy, info)
		}
		for _, s := range samplesOf(set) {
			g := pgn[s.Game]
			draw := float32(0)
			if g.Result == chess.Draw {
				draw = 1
			}
			if s.Value != float32(g.Result) || s.Draw != draw || s.MovesLeft != float32(len(g.Moves)-int(s.Ply)) || (len(s.Indices) > 0) != (policy != "none") {
				t.Fatalf("policy %s: sample %+v of a game of %d plies that ended %s", policy, s, len(g.Moves), g.Result)
			}
		}
	}
}
