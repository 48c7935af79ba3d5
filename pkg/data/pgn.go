package data

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"alamos/pkg/chess"
)

// pgnGames yields the games of a PGN file, which may be compressed.
func (s *Source) pgnGames(name string, in *CountingReader, yield func(pending, error) bool) error {
	unpacked, err := Decompress(in)
	if err != nil {
		return fmt.Errorf("data: %s: %w", name, err)
	}
	defer unpacked.Close()
	plain := &CountingReader{In: unpacked}
	text := bufio.NewReaderSize(plain, 1<<16)
	if head, _ := text.Peek(sniffed); isBinary(head) { // read errors are reported with the games
		return fmt.Errorf("data: %s: %w", name, foreign(head, "games in PGN"))
	}
	games := chess.NewPGNReader(text)
	games.SetVariant(s.cfg.Variant) // all games are read by these rules; a tag that names others is an error below
	for {
		g, err := s.pgnGame(name, games)
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.As(err, new(brokenError)) {
			return err
		}
		// Assume that the bytes read ahead are compressed as well as the rest.
		ahead := int64(text.Buffered() + games.Ahead())
		at := int64(float64(in.Bytes) * (1 - float64(ahead)/float64(max(1, plain.Bytes))))
		if !yield(pending{at, func(seed uint64) (game, error) {
			g.seed = seed
			return game{size: g.size, positions: g.positions, read: g}, nil
		}}, err) {
			return nil
		}
	}
}

// pgnGame reads the next game.
func (s *Source) pgnGame(name string, games *chess.PGNReader) (*played, error) {
	var g chess.PGN
	err := games.NextInto(&g)
	number, line := games.Place()
	where := fmt.Sprintf("%s, game %d (line %d)", name, number, line)
	broken := errors.As(err, new(*chess.PGNError))
	switch {
	case err == io.EOF:
		return nil, err
	case err != nil && !broken:
		return nil, fmt.Errorf("data: %s: %w", name, err)
	}
	if !g.Of(s.cfg.Variant) {
		return nil, brokenError{fmt.Errorf("data: %s: its variant is %s, want %s", where, g.Tag("Variant"), s.cfg.Variant)}
	}
	if broken {
		return nil, brokenError{fmt.Errorf("data: %s: %w", name, err)}
	}
	p := &played{where: where, start: g.Start, moves: g.Moves, result: g.Result}
	if p.result != chess.Unfinished || s.cfg.Label != nil {
		if p.size = len(p.moves); s.cfg.Positions > 0 {
			p.size = min(p.size, s.cfg.Positions)
		}
	}
	return p, nil
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
	case isGzip(head):
		return gzip.NewReader(b)
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
