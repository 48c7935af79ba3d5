package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// A packed file is found out by its content and read like a plain one; a file
// that breaks off is unreadable, and what came before is counted.
func TestPGNCheckUnpacks(t *testing.T) {
	const game = "[Event \"a\"]\n\n1. e4 e5 2. Nf3 *\n\n"
	text := strings.Repeat(game, 20000)
	pack := func(w io.WriteCloser, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var gz, zst bytes.Buffer
	pack(gzip.NewWriter(&gz), nil)
	w, err := zstd.NewWriter(&zst)
	pack(w, err)

	for _, c := range []struct {
		name   string
		data   []byte
		games  int
		broken string
	}{
		{"plain.pgn", []byte(text), 20000, ""},
		{"games.pgn.gz", gz.Bytes(), 20000, ""},
		{"games.pgn.zst", zst.Bytes(), 20000, ""},
		{"no-suffix", gz.Bytes(), 20000, ""},
		{"empty.pgn", nil, 0, ""},
		{"short.pgn.gz", gz.Bytes()[:gz.Len()-20], -1, "unexpected EOF"},
		{"short.pgn.zst", zst.Bytes()[:zst.Len()-20], -1, "EOF"},
		{"header.pgn.gz", gz.Bytes()[:5], 0, "EOF"},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		check := pgnCheck{File: path, Variants: map[string]int{}, Results: map[string]map[string]int{}}
		err := check.run(context.Background(), nil, nil)
		if c.broken == "" && err != nil || c.broken != "" && (err == nil || !strings.Contains(err.Error(), c.broken) || !strings.Contains(err.Error(), c.name)) {
			t.Errorf("%s: error %v, want %q in it", c.name, err, c.broken)
		}
		if c.games >= 0 && (check.Games != c.games || check.Plies != 3*c.games || check.Bytes != int64(c.games*len(game))) {
			t.Errorf("%s: %d games, %d plies, %d bytes", c.name, check.Games, check.Plies, check.Bytes)
		}
	}
}
