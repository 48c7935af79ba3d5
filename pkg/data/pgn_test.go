package data

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"alamos/pkg/disk"

	"alamos/pkg/encode"
)

// Compressed files give the same games as plain ones.
func TestCompressed(t *testing.T) {
	plain, err := os.ReadFile(gamesPGN)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) Config {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return Config{Kind: PGN, Files: []string{path}}
	}
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	configs := map[string]Config{
		"gzip": write("a.pgn.gz", zipped(t, plain)),
		"zstd": write("a.pgn.zst", z.EncodeAll(plain, nil)),
	}
	bzip2 := exec.Command("bzip2", "-c", gamesPGN)
	if packed, err := bzip2.Output(); err == nil {
		configs["bzip2"] = write("a.pgn.bz2", packed)
	} else {
		t.Logf("no bzip2 here, its files are not tried: %v", err)
	}
	c := codecOf(t, "mover15", "uci1968-mover")
	_, want := sumOf(t, open(t, Config{Kind: PGN, Files: []string{gamesPGN}}, 1, 0), 1, c)
	for name, cfg := range configs {
		if _, have := sumOf(t, open(t, cfg, 1, 0), 1, c); have != want {
			t.Errorf("%s: another chunk", name)
		}
	}

	for name, cfg := range map[string]Config{
		"cut":     write("cut.pgn.gz", zipped(t, plain)[:3000]),
		"cut too": write("cut.pgn.zst", z.EncodeAll(plain, nil)[:3000]),
		"damaged": write("damaged.pgn.gz", append(zipped(t, nil)[:10], 0xff, 0xff)),
	} {
		cfg.SkipBroken = true // a broken file is not a broken game
		_, err := open(t, cfg, 1, 0).Chunk(t.Context(), First, c, filepath.Join(t.TempDir(), "x"), nil, nil)
		if err == nil || !strings.Contains(err.Error(), filepath.Base(cfg.Files[0])) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// sourceTarOf makes a tar of files.
func sourceTarOf(t testing.TB, names []string) string {
	t.Helper()
	var file bytes.Buffer
	w := tar.NewWriter(&file)
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteHeader(&tar.Header{Name: "run/" + filepath.Base(name), Typeflag: tar.TypeReg, Size: int64(len(data)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.tar")
	if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// A tar of lc0's chunks gives what its chunks give; a cursor goes into the middle
// of it.
func TestTar(t *testing.T) {
	path := sourceTarOf(t, lc0Names(t)[:12])
	c := codecOf(t, "lc0-112", "lc0-1858")
	_, have := chunk(t, open(t, Config{Kind: LC0, Files: []string{path}}, 1, 0), 1, c)
	_, want := chunk(t, open(t, Config{Kind: LC0, Files: lc0Names(t)[:12], Games: 12}, 1, 0), 1, c)
	unnumbered := func(set *Set) []encode.Sample { // games have their numbers by file
		all := samplesOf(set)
		for i := range all {
			all[i].Game = 0
		}
		return all
	}
	if !reflect.DeepEqual(unnumbered(have), unnumbered(want)) {
		t.Error("a tar gives other samples than its chunks")
	}
	plain, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(t.TempDir(), "run.tgz")
	if err := os.WriteFile(packed, zipped(t, plain), 0o666); err != nil {
		t.Fatal(err)
	}
	_, have = chunk(t, open(t, Config{Kind: LC0, Files: []string{packed}}, 1, 0), 1, c)
	if !reflect.DeepEqual(unnumbered(have), unnumbered(want)) {
		t.Error("a tar that is compressed gives other samples than its chunks")
	}

	cfg := Config{Kind: LC0, Files: []string{path}, Positions: 1, Chunk: 4}
	s := open(t, cfg, 1, 0)
	info, _ := sumOf(t, s, 1, c)
	_, next := sumOf(t, s, 2, c)
	resumed := filepath.Join(t.TempDir(), "chunk.parquet")
	if _, err := open(t, cfg, 1, 0).Chunk(t.Context(), info.Next, c, resumed, nil, nil); err != nil {
		t.Fatal(err)
	}
	if have, err := disk.Sum(resumed); err != nil || have != next {
		t.Errorf("another chunk after a cursor in a tar (%v)", err)
	}
	if info.Next.Game != 4 {
		t.Errorf("the cursor is %+v, want it after four games", info.Next)
	}
}

// Whatever the bytes, games are read or refused by an error that names the file, and
// what is read can be encoded.
func FuzzPGN(f *testing.F) {
	plain, err := os.ReadFile(gamesPGN)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain[:1500])
	f.Add(zipped(f, plain[:800]))
	f.Add([]byte("[FEN \"8/P6k/8/8/8/8/7K/8 w - - 0 1\"]\n\n1. a8=N Kg7 2. Nb6 1-0"))
	f.Add([]byte("BZh9"))
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0})
	c := codecOf(f, "alphazero119", "alphazero4672")
	f.Fuzz(func(t *testing.T, data []byte) {
		source := &Source{cfg: Config{Kind: PGN, Positions: 3}}
		source.spare.New = func() any { return new(encode.Sample) }
		w := source.newWorker()
		in := &CountingReader{In: io.LimitReader(bytes.NewReader(data), 1<<20)}
		games := 0
		err := source.pgnGames("fuzz.pgn", in, func(p pending, err error) bool {
			if err == nil {
				g, _ := p.decode(uint64(games)) // nothing is left to fail
				m := w.samples(t.Context(), c, g, 0, new(Answers))
				if m.err != nil || m.Positions+m.Unexpressed > g.size {
					t.Errorf("%+v of %d positions: %v", m.Counts, g.size, m.err)
				}
			}
			games++
			return games < 50
		})
		if err != nil && !strings.Contains(err.Error(), "fuzz.pgn") {
			t.Errorf("the error does not name the file: %v", err)
		}
	})
}
