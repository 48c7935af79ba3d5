package data

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// readDamaged writes a file of the given bytes and wants Read to refuse it.
func readDamaged(t *testing.T, path string, file []byte, what string, args ...any) error {
	t.Helper()
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err := streamed(path); !errors.Is(err, ErrDamaged) {
		t.Fatalf(what+": streamed as %d samples, error %v", append(args, len(s), err)...)
	}
	_, err := Read(path)
	if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "delete the file") {
		t.Fatalf(what+": error %v", append(args, err)...)
	}
	return err
}

// A changed byte of a page is an error, for pages have checksums. Elsewhere it is an
// error or harmless enough that samples come out; only the manifest of a run, which has
// a checksum of the whole file, finds it.
func TestReadRefusesDamagedFiles(t *testing.T) {
	samples := randomGames(newRand(1), 0, 3, 20, 40)
	whole, err := marshal(meta, samples)
	if err != nil {
		t.Fatal(err)
	}
	const from, to = 1000, 5000 // within the page of the planes
	for n := 0; n < len(whole); n += 11 {
		if _, err := unmarshal(whole[:n:n]); err == nil {
			t.Fatalf("read when cut to %d bytes", n)
		}
		flipped := bytes.Clone(whole)
		flipped[n] ^= 1 << (n % 8)
		switch p, err := unmarshal(flipped); {
		case err == nil && n >= from && n < to:
			t.Fatalf("read with a bit of byte %d flipped", n)
		case err != nil && strings.Contains(err.Error(), "runtime error"):
			t.Fatalf("the library fails with a bit of byte %d flipped: %v", n, err)
		case err == nil && len(p.places) != len(samples):
			t.Fatalf("%d samples with a bit of byte %d flipped", len(p.places), n)
		}
	}
	path := filepath.Join(t.TempDir(), "gen.parquet")
	readDamaged(t, path, nil, "empty")
	readDamaged(t, path, whole[:len(whole)/2], "cut in half")
	readDamaged(t, path, whole[:len(whole)-1], "a byte too few")
	readDamaged(t, path, append(bytes.Clone(whole), 0), "a byte too many")
	readDamaged(t, path, []byte("game,ply\n0,0\n"), "a foreign file")
	readDamaged(t, path, marshalRows(t, []struct{ Game int32 }{{1}}, ""), "a table of another program")
	about := `{"version": 3, "encoder": "atomic16", "policy": "uci1968", "variant": "atomic", "generation": 1}`
	readDamaged(t, path, marshalRows(t, []struct{ Game int32 }{{1}}, about), "other columns")
	readDamaged(t, path, marshalRows(t, []row{{Planes: make([]byte, 8*16-1)}}, about), "a part of a plane")
	readDamaged(t, path, marshalRows(t, []row{{Planes: make([]byte, 8*16), Indices: make([]byte, 4)}}, about), "an index without a target")
}

// marshalRows returns a file with any rows, whose footer says this about them.
func marshalRows[R any](t *testing.T, rows []R, about string) []byte {
	t.Helper()
	var out bytes.Buffer
	var options []parquet.WriterOption
	if about != "" {
		options = append(options, parquet.KeyValueMetadata(metaKey, about))
	}
	w := parquet.NewGenericWriter[R](&out, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestReadNamesAMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nonesuch.parquet")
	_, err := Read(path)
	if !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

// Metadata that does not belong to the rows.
func TestReadRefusesWrongMetadata(t *testing.T) {
	whole, err := marshal(meta, randomGames(newRand(1), 0, 3, 20, 40))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gen.parquet")
	for _, test := range []struct{ old, new, want string }{
		{`"version":3`, `"version":4`, "format version 4"},
		{`"version":3`, `"version":x`, "footer: invalid character"},
		{`"generation":3`, `"generation":x`, "footer: invalid character"},
		{"alamos\x18", "alamot\x18", "footer has no alamos"},
		{"atomic16", "atomic17", "atomic17"},
		{"uci1968", "dtu1968", "dtu1968"},
	} {
		if bytes.Count(whole, []byte(test.old)) != 1 {
			t.Fatalf("%q is not once in the file", test.old)
		}
		err := readDamaged(t, path, bytes.Replace(whole, []byte(test.old), []byte(test.new), 1), "%q", test.new)
		if !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	whole, err := marshal(meta, randomGames(newRand(1), 0, 2, 3, 5))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, file []byte) { // any outcome but a panic
		_, _ = unmarshal(bytes.Clone(file))
	})
}
