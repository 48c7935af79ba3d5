package data

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"alamos/pkg/chess"
)

// pgnFile reads the games of a PGN file.
type pgnFile struct {
	cfg   *Config
	name  string
	in    *counted      // the file
	plain *counted      // decompressed
	text  *bufio.Reader // of plain
	games *chess.PGNReader
	game  chess.PGN
	end   io.Closer
}

// openPGN opens a stream, which may be compressed.
func openPGN(cfg *Config, name string, in *counted) (*pgnFile, error) {
	plain, err := Decompress(in)
	if err != nil {
		return nil, fmt.Errorf("data: %s: %w", name, err)
	}
	count := &counted{in: plain}
	text := bufio.NewReaderSize(count, 1<<16)
	if head, _ := text.Peek(sniffed); isBinary(head) { // read errors are reported with the games
		return nil, errors.Join(fmt.Errorf("data: %s: %w", name, foreign(head, "games in PGN")), plain.Close())
	}
	f := &pgnFile{cfg: cfg, name: name, in: in, plain: count, text: text, games: chess.NewPGNReader(text), end: plain}
	f.games.SetVariant(cfg.Variant) // default for games without a variant tag; next checks the tag of the others
	return f, nil
}

// isBinary reports whether the bytes are not text in an encoding that extends ASCII.
func isBinary(head []byte) bool {
	return bytes.ContainsFunc(head, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != '\v' && r != 0x1a
	})
}

// Decompress returns the contents of a stream that may be compressed by gzip, zstd or
// bzip2, which it detects by the first bytes. Closing it does not close the stream.
func Decompress(in io.Reader) (io.ReadCloser, error) {
	b := bufio.NewReaderSize(in, 1<<16)
	head, err := b.Peek(4)
	switch {
	case err != nil && err != io.EOF: // io.EOF: the stream is shorter
		return nil, err
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, err
		}
		return z, nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(b, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(1<<27))
		if err != nil {
			return nil, err
		}
		return z.IOReadCloser(), nil
	case bytes.HasPrefix(head, []byte("BZh")):
		return io.NopCloser(bzip2.NewReader(b)), nil
	}
	return io.NopCloser(b), nil
}

// read reads the next game, or the readable part of a broken one.
func (f *pgnFile) read() (where string, err error) {
	err = f.games.NextInto(&f.game)
	number, line := f.games.Place()
	where = fmt.Sprintf("%s, game %d (line %d)", f.name, number, line)
	var broken *chess.PGNError
	switch {
	case err == io.EOF:
		return where, err
	case errors.As(err, &broken):
		err = brokenError{err}
	case err != nil:
		return where, fmt.Errorf("data: %s: %w", f.name, err)
	}
	if tag := f.game.Tag("Variant"); tag != "" {
		if v, bad := chess.ParseVariantTag(tag); bad != nil || v != f.cfg.Variant {
			return where, brokenError{fmt.Errorf("data: %s: its variant is %s, want %s", where, tag, f.cfg.Variant)}
		}
	}
	if err != nil {
		return where, brokenError{fmt.Errorf("data: %s: %w", f.name, errors.Unwrap(err))}
	}
	return where, nil
}

func (f *pgnFile) next(seed uint64) (func() (game, error), error) {
	where, err := f.read()
	if err != nil {
		return nil, err
	}
	g := &played{where: where, seed: seed, start: f.game.Start, moves: slices.Clone(f.game.Moves), result: f.game.Result}
	if g.result != chess.Unfinished || f.cfg.Label != nil {
		if g.counts = len(g.moves); f.cfg.Positions > 0 {
			g.counts = min(g.counts, f.cfg.Positions)
		}
	}
	return func() (game, error) { return g, nil }, nil
}

// at assumes that the bytes read ahead are compressed as well as the rest.
func (f *pgnFile) at() int64 {
	ahead := int64(f.text.Buffered() + f.games.Ahead())
	return int64(float64(f.in.bytes) * (1 - float64(ahead)/float64(max(1, f.plain.bytes))))
}

func (f *pgnFile) close() error { return f.end.Close() }

// formats are the first bytes of file formats.
var formats = []struct{ head, what string }{
	{"\x1f\x8b", "compressed by gzip"},
	{"\x28\xb5\x2f\xfd", "compressed by zstd"},
	{"BZh", "compressed by bzip2"},
	{"\xfd7zXZ\x00", "compressed by xz"},
	{"\x04\x22\x4d\x18", "compressed by lz4"},
	{"PK\x03\x04", "compressed by zip"},
	{"7z\xbc\xaf\x27\x1c", "compressed by 7-Zip"},
	{"PAR1", "a file in Parquet"},
	{"\x06\x00\x00\x00", "training data of lc0"},
	{"[Event ", "games in PGN"},
	{"alamos:", "an experiment"},
}

// sniffed is the number of bytes needed to recognize a format.
const sniffed = 512

// formatOf returns the format of a file from its first bytes, or "" if unknown.
func formatOf(head []byte) (what string) {
	for _, f := range formats {
		if bytes.HasPrefix(head, []byte(f.head)) {
			return f.what
		}
	}
	return ""
}

// foreign returns the error for a file of the wrong format. It names the format and
// suggests what to do.
func foreign(head []byte, want string) error {
	switch what := formatOf(head); {
	case strings.HasPrefix(what, "compressed"):
		return fmt.Errorf("it is %s, which is not read here: decompress it first", what)
	case what != "":
		return fmt.Errorf("it is %s, not %s: one source has files of one kind", what, want)
	}
	if len(head) == 0 {
		return fmt.Errorf("the file is empty")
	}
	return fmt.Errorf("it is not %s: it begins with %q", want, head[:min(8, len(head))])
}
