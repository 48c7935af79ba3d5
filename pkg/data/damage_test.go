package data

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alamos/pkg/encode"
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

func TestReadRefusesDamagedFiles(t *testing.T) {
	whole, err := marshal(meta, randomGames(newRand(1), 0, 3, 20, 40))
	if err != nil {
		t.Fatal(err)
	}
	// All of the footer, of which most says nothing about the samples, and
	// many places of the rows.
	for n := 0; n < len(whole); n++ {
		if n < len(whole)-2000 && n%7 != 0 {
			continue
		}
		if _, err := unmarshal(whole[:n:n]); err == nil {
			t.Fatalf("read when cut to %d bytes", n)
		}
		flipped := bytes.Clone(whole)
		flipped[n] ^= 1 << (n % 8)
		if _, err := unmarshal(flipped); err == nil {
			t.Fatalf("read with a bit of byte %d flipped", n)
		}
		flipped[n] = whole[n] ^ 0x20 // among others, the other case of a letter
		if _, err := unmarshal(flipped); err == nil {
			t.Fatalf("read with byte %d changed", n)
		}
	}
	path := filepath.Join(t.TempDir(), "gen.parquet")
	readDamaged(t, path, nil, "empty")
	readDamaged(t, path, whole[:len(whole)/2], "cut in half")
	readDamaged(t, path, whole[:len(whole)-1], "a byte too few")
	readDamaged(t, path, append(bytes.Clone(whole), 0), "a byte too many")
	readDamaged(t, path, append(bytes.Clone(whole), whole...), "written twice")
	readDamaged(t, path, []byte("game,ply\n0,0\n"), "a foreign file")
}

func TestReadNamesAMissingFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "nonesuch.parquet")
	_, err := Read(path)
	if !errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
}

// Files whose seal holds and whose content is wrong: of another version, or
// with metadata that does not belong to the rows.
func TestReadRefusesWrongMetadata(t *testing.T) {
	whole, err := marshal(meta, randomGames(newRand(1), 0, 3, 20, 40))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "gen.parquet")
	for _, test := range []struct{ old, new, want string }{
		{"alamos.version\x18\x011", "alamos.version\x18\x012", "format version \"2\""},
		{"alamos.samples\x18\x0260", "alamos.samples\x18\x0261", "differ in length"},
		{"alamos.games\x18\x013", "alamos.games\x18\x014", "3 games, the footer says 4"},
		{"alamos.games\x18\x013", "alamos.games\x18\x01x", "want a number"},
		{"alamos.variant", "alamos.variety", "footer has no alamos.variant"},
		{"atomic16", "atomic17", "atomic17"},
	} {
		if bytes.Count(whole, []byte(test.old)) != 1 {
			t.Fatalf("%q is not once in the file", test.old)
		}
		err := readDamaged(t, path, reseal(t, bytes.Replace(whole, []byte(test.old), []byte(test.new), 1)), "%q", test.new)
		if !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want %q", err, test.want)
		}
	}
}

// reseal gives changed bytes a seal that holds.
func reseal(t testing.TB, file []byte) []byte {
	digits, ok := sealAt(file)
	if !ok {
		t.Skip("no seal left")
	}
	copy(digits, unsealed[len(sealPrefix):])
	w := newSealer(io.Discard)
	w.hold()
	w.end = file
	if err := w.seal(); err != nil {
		t.Fatal(err)
	}
	return file
}

func FuzzRead(f *testing.F) {
	whole, err := marshal(meta, randomGames(newRand(1), 0, 2, 3, 5))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("PAR1PAR1"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if _, err := unmarshal(bytes.Clone(file)); err == nil && !bytes.Equal(file, whole) {
			t.Error("a changed file was read")
		}
		// Made on purpose, with a seal that holds: any outcome but a panic.
		made := bytes.NewReader(reseal(t, bytes.Clone(file)))
		_, _ = decode(made, made.Size())
		if r, err := NewReader("made", made, made.Size()); err == nil {
			_, _ = r.Games()
			var s encode.Sample
			for err == nil {
				err = r.Next(&s)
			}
		}
	})
}
