package data

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// lc0Names are the files of lc0's games.
func lc0Names(t testing.TB) []string {
	t.Helper()
	names, err := filepath.Glob(lc0Files)
	if err != nil || len(names) == 0 {
		t.Fatalf("no games of lc0's: %v", err)
	}
	return names
}

// recordsOf gives the bytes of a game's records.
func recordsOf(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func zipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const recordSize = 8356

func lc0Codecs(t testing.TB) encode.Codec { return codecOf(t, "lc0-112", "lc0-1858") }

// replayed decodes a game from its records and returns the samples of the replayed game in
// lc0's own encodings.
func replayed(t testing.TB, name string, data []byte) (g *lc0Game, samples []encode.Sample) {
	t.Helper()
	g, err := decodeLC0(&Config{}, name, zipped(t, data), 1)
	if err != nil {
		t.Fatal(err)
	}
	c := lc0Codecs(t)
	err = g.positions(t.Context(), (&Source{}).newWorker(), func(p *Position) error {
		var s encode.Sample
		ok, err := p.encode(c, &s, 0)
		if !ok {
			t.Errorf("ply %d is not expressed", p.Ply)
		}
		sortByIndex(&s) // its moves are in the order of generation
		samples = append(samples, s)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return g, samples
}

func sortByIndex(s *encode.Sample) {
	for i := range s.Indices {
		for k := i; k > 0 && s.Indices[k] < s.Indices[k-1]; k-- {
			s.Indices[k], s.Indices[k-1] = s.Indices[k-1], s.Indices[k]
			s.Policy[k], s.Policy[k-1] = s.Policy[k-1], s.Policy[k]
		}
	}
}

// A replayed game of lc0 gives the samples of its records, bit for bit. A file that begins
// in the middle, as after the moves of an opening book, does too, except for repetitions of
// positions before the first record's history.
func TestLC0Replay(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds, and minutes with the race detector")
	}
	positions, late, shortened := 0, 0, 0
	for _, name := range lc0Names(t) {
		data := recordsOf(t, name)
		for from := 0; from < len(data)/recordSize; from += 17 {
			g, replayed := replayed(t, name, data[from*recordSize:])
			var direct []encode.Sample
			err := lc0Records(name, zipped(t, data[from*recordSize:]), func(r *lc0Record) error {
				s := encode.Sample{Reply: -1}
				sampleOf(r, &s)
				direct = append(direct, s)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(direct) != len(replayed) || len(direct) != len(g.moves) {
				t.Fatalf("%s: %d samples, %d of the game played again", name, len(direct), len(replayed))
			}
			b := chess.NewGame(chess.StartPosition(chess.Standard))
			if err := g.first.set(b); err != nil {
				t.Fatal(err)
			}
			if want := min(from, 7); b.Ply() != want {
				shortened++ // a capture en passant seven plies before
				if b.Ply() < want-1 {
					t.Errorf("%s from record %d: %d plies of history are found, want %d", name, from+1, b.Ply(), want)
				}
			}
			for i := range direct {
				if from > 0 { // these know more than can be played again
					for h := range 8 {
						direct[i].Planes[h*lc0Step+12], replayed[i].Planes[h*lc0Step+12] = 0, 0
					}
					if b.Ply() < min(from, 7) {
						continue
					}
				}
				if !reflect.DeepEqual(direct[i], replayed[i]) {
					t.Fatalf("%s from record %d, record %d:\n%v\nplayed again\n%v", name, from+1, i+1, direct[i], replayed[i])
				}
				positions++
				if from > 0 {
					late++
				}
			}
		}
	}
	if positions < 3000 || late < 1000 || shortened > 20 {
		t.Errorf("%d positions, %d of games that begin late, %d games with less history than there is", positions, late, shortened)
	}
}

// Records of every input format are replayed. Formats from 3 on store the side to move,
// castling and en passant differently; these records are made from real ones.
func TestSourceLC0Formats(t *testing.T) {
	for _, name := range lc0Names(t)[:6] {
		data := recordsOf(t, name)
		_, want := replayed(t, name, data)
		for _, format := range []uint32{2, 3, 4, 5, 132, 133} {
			converted := bytes.Clone(data)
			for i := 0; i < len(data); i += recordSize {
				r := converted[i:][:recordSize]
				binary.LittleEndian.PutUint32(r[4:], format)
				for k, file := range []byte{1, 1 << 7, 1, 1 << 7} {
					if r[8272+k] != 0 {
						r[8272+k] = file
					}
				}
				if format >= 3 {
					r[8278] = r[8276] << 7
					r[8276] = 0
					clear(r[7440+8*lc0Step : 7440+8*8*lc0Step])
				}
			}
			if _, have := replayed(t, name, converted); !reflect.DeepEqual(have, want) {
				t.Errorf("%s in format %d: the replayed game is another", name, format)
			}
		}
	}
}

// In other encodings than lc0's, the samples equal those made from the moves.
func TestLC0OtherEncodings(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(sourceLc0Dir, "moves.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	c := codecOf(t, "alphazero119", "alphazero4672")
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n")[1:] {
		f := strings.Split(line, "\t")
		_, set := chunk(t, open(t, Config{Kind: LC0, Files: []string{filepath.Join(sourceLc0Dir, f[0])}}, 1, 0), 1, c)
		g := chess.NewGame(chess.StartPosition(chess.Standard))
		planes := make([]uint64, c.Planes.Count())
		result := map[string]float32{"whitewon": 1, "blackwon": -1, "draw": 0}
		for i, s := range samplesOf(set) {
			c.Planes.Encode(planes, g)
			value, known := result[f[1]]
			if i%2 == 1 && value != 0 {
				value = -value
			}
			if int(s.Ply) != i || !reflect.DeepEqual(s.Planes, planes) || known && s.Value != value {
				t.Fatalf("%s, ply %d: another sample (value %v, %s)", f[0], i, s.Value, f[1])
			}
			m, err := g.Position().ParseUCI(strings.Fields(f[4])[i])
			if err != nil {
				t.Fatal(err)
			}
			g.Play(m)
		}
	}
}

// Replaying the game finds records that do not belong together.
func TestLC0Damage(t *testing.T) {
	data := recordsOf(t, lc0Names(t)[0])
	codecs := []encode.Codec{codecOf(t, "alphazero119", "alphazero4672"), lc0Codecs(t)}
	for name, x := range map[string]struct {
		change func([]byte)
		want   string
	}{
		"left out":   {func(b []byte) { copy(b[3*recordSize:], b[5*recordSize:]) }, "record 4: its position is not the one"},
		"played":     {func(b []byte) { binary.LittleEndian.PutUint16(b[recordSize+8344:], 1857) }, "record 2: uci move \"h2h1b\""},
		"legal":      {func(b []byte) { binary.LittleEndian.PutUint32(b[2*recordSize+8+4*1857:], 0) }, "record 3: it has 31 legal moves, and there are 30"},
		"no king":    {func(b []byte) { clear(b[7440+8*5:][:8]) }, "record 1:"},
		"castling":   {func(b []byte) { clear(b[7440+8*3:][:8]) }, "record 1:"},
		"two pieces": {func(b []byte) { copy(b[7440+8*3:][:8], b[7440+8*4:][:8]) }, "record 1: two pieces on"},
	} {
		changed := bytes.Clone(data)
		x.change(changed)
		path := filepath.Join(t.TempDir(), "changed.gz")
		if err := os.WriteFile(path, zipped(t, changed), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, c := range codecs {
			s := open(t, Config{Kind: LC0, Files: []string{path}}, 1, 0)
			_, err := s.Chunk(t.Context(), First, c, filepath.Join(t.TempDir(), "x"), nil, nil)
			if err == nil || !strings.Contains(err.Error(), "changed.gz, "+x.want) {
				t.Errorf("%s for %s: error %v, want %q", name, c.Planes.Name(), err, x.want)
			}
		}
	}
}

// SkipBroken skips and counts damaged chunks, in a tar and as files, and the chunk at which a
// tar is truncated.
func TestLC0SkipBroken(t *testing.T) {
	names := lc0Names(t)[:6]
	changed := recordsOf(t, names[2])
	changed[recordSize+7440] ^= 1
	bad := filepath.Join(t.TempDir(), "bad.gz")
	if err := os.WriteFile(bad, zipped(t, changed), 0o666); err != nil {
		t.Fatal(err)
	}
	names[2] = bad
	whole := sourceTarOf(t, names)
	b, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	cut, between := filepath.Join(t.TempDir(), "cut.tar"), filepath.Join(t.TempDir(), "between.tar")
	for path, data := range map[string][]byte{cut: b[:len(b)-4096], between: b[:len(b)-1024]} {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	empty := filepath.Join(t.TempDir(), "empty.gz")
	if err := os.WriteFile(empty, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	zeros := filepath.Join(t.TempDir(), "zeros.gz")
	if err := os.WriteFile(zeros, make([]byte, 5000), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, x := range map[string]struct {
		files         []string
		games, broken int
	}{
		"zeros":        {append([]string{zeros}, names...), 5, 2},
		"zeros in tar": {[]string{sourceTarOf(t, append([]string{zeros}, names...))}, 5, 2},
		"tar":          {[]string{whole}, 5, 1},
		"cut tar":      {[]string{cut}, 4, 2},
		"no end":       {[]string{between}, 5, 2},
		"chunks":       {append([]string{empty}, names...), 5, 2},
	} {
		for _, c := range []encode.Codec{codecOf(t, "mover15", "uci1968-mover"), lc0Codecs(t)} {
			cfg := Config{Kind: LC0, Files: x.files}
			if _, err := open(t, cfg, 1, 0).Chunk(t.Context(), First, c, filepath.Join(t.TempDir(), "x"), nil, nil); err == nil {
				t.Errorf("%s: no error without SkipBroken", name)
			}
			cfg.SkipBroken = true
			if info, _ := chunk(t, open(t, cfg, 1, 0), 1, c); info.Games != x.games || info.Broken != x.broken {
				t.Errorf("%s: %+v, want %d games, %d broken", name, info, x.games, x.broken)
			}
		}
	}
}

// Files that are no chunks are not skipped, and neither is a single file.
func TestLC0SkipsChunksOnly(t *testing.T) {
	dir := t.TempDir()
	zeros := make([]byte, 5000)
	for name, x := range map[string]struct {
		data []byte
		want string
	}{
		"games.gz":   {[]byte("[Event \"?\"]\n"), "it is games in PGN, not training data of lc0"},
		"packed.gz":  {[]byte("\xfd7zXZ\x00\x00\x04"), "it is compressed by xz"},
		"run.tar":    {zeros, "neither a gzip file nor a tar"},
		"run.tar.gz": {zeros, "neither a gzip file nor a tar"},
		"only.gz":    {zeros, "neither a gzip file nor a tar"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, x.data, 0o666); err != nil {
			t.Fatal(err)
		}
		cfg := Config{Kind: LC0, Files: []string{path}, SkipBroken: true}
		if name != "only.gz" {
			cfg.Files = append(cfg.Files, lc0Names(t)[0])
		}
		_, err := open(t, cfg, 1, 0).Chunk(t.Context(), First, lc0Codecs(t), filepath.Join(dir, "x"), nil, nil)
		if err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: error %v, want %q", name, err, x.want)
		}
	}
}

// For any bytes, the reader does not panic, and every position can be encoded.
func FuzzLC0(f *testing.F) {
	for _, name := range lc0Names(f)[:2] {
		data := recordsOf(f, name)
		f.Add(data[:min(len(data), 3*recordSize)], uint32(1))
		f.Add(data[8*recordSize:min(len(data), 10*recordSize)], uint32(3))
	}
	c := codecOf(f, "alphazero119", "alphazero4672")
	f.Fuzz(func(t *testing.T, data []byte, format uint32) {
		if len(data) >= recordSize {
			binary.LittleEndian.PutUint32(data[4:], format)
		}
		g, err := decodeLC0(&Config{Positions: 2}, "fuzz", zipped(t, data), 1)
		if err != nil {
			return
		}
		w := (&Source{}).newWorker()
		var s encode.Sample
		if err := g.positions(t.Context(), w, func(p *Position) error { _, err := p.encode(c, &s, 0); return err }); err != nil && !strings.Contains(err.Error(), "record") {
			t.Errorf("the error names no record: %v", err)
		}
	})
}
