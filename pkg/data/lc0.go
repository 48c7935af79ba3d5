package data

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// lc0File reads a file of Leela Chess Zero's training data, version 6. The file is either a
// chunk, a gzip file with the records of one game, or a tar of chunks as on lc0's servers,
// optionally compressed by gzip. Other files in a tar are skipped.
type lc0File struct {
	name   string // of the file, for errors
	in     *bufio.Reader
	tar    *tar.Reader // nil if the file is a chunk
	under  *tarStream  // the stream that tar reads
	chunks int         // chunks read
}

func openLC0(name string, in io.Reader) (*lc0File, error) {
	f := &lc0File{name: name, in: bufio.NewReaderSize(in, 1<<16)}
	fault := func(err error) error { return fmt.Errorf("lc0 data %s: %w", name, err) }
	head, err := f.in.Peek(sniffed)
	switch {
	case err != nil && err != io.EOF: // io.EOF: the file is shorter
		return nil, fault(err)
	case len(head) == 0:
		return nil, brokenError{fault(foreign(head, ""))}
	case isGzip(head):
		if !f.holdsTar() {
			return f, nil
		}
		z, err := gzip.NewReader(f.in)
		if err != nil {
			return nil, fault(err)
		}
		f.under = &tarStream{in: bufio.NewReaderSize(z, 1<<16)}
	case isTar(head):
		f.under = &tarStream{in: f.in}
	default:
		err := fault(fmt.Errorf("neither a gzip file nor a tar: want a chunk of training data (.gz) or a tar of chunks (.tar, .tar.gz); %w", foreign(head, "training data of lc0")))
		if formatOf(head) == "" && isChunkName(name) {
			err = brokenError{err}
		}
		return nil, err
	}
	f.tar = tar.NewReader(f.under)
	return f, nil
}

func isTar(head []byte) bool { return len(head) >= 262 && string(head[257:262]) == "ustar" }

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }

// holdsTar reports whether a gzip file holds a tar. It only peeks.
func (f *lc0File) holdsTar() bool {
	packed, _ := f.in.Peek(1 << 15) // the file may be shorter
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return false
	}
	head := make([]byte, sniffed)
	n, _ := io.ReadFull(z, head) // damage is reported when the records are read
	return isTar(head[:n])
}

// isChunkName reports whether a file's name is that of a chunk. If such a file does not
// begin like a chunk, it is a damaged chunk, as in a tar.
func isChunkName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, ".gz") && !strings.HasSuffix(name, ".tar.gz")
}

// lc0Games yields the games of a file.
func (s *Source) lc0Games(name string, in *CountingReader, yield func(pending, error) bool) error {
	f, err := openLC0(name, in)
	if errors.As(err, new(brokenError)) && len(s.files) == 1 {
		err = errors.Unwrap(err) // there is nothing beside the broken file
	}
	if errors.As(err, new(brokenError)) {
		yield(pending{}, err)
		return nil
	}
	if err != nil {
		return err
	}
	for {
		name, data, err := f.chunk()
		if errors.Is(err, io.ErrUnexpectedEOF) { // the file is truncated here
			yield(pending{at: in.Bytes}, brokenError{err})
			return nil
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		decode := func(seed uint64) (game, error) {
			g, err := decodeLC0(&s.cfg, name, data, seed)
			if err != nil {
				return game{}, brokenError{err}
			}
			return game{size: len(g.drawn), positions: g.positions}, nil
		}
		if !yield(pending{in.Bytes - int64(f.in.Buffered()), decode}, nil) {
			return nil
		}
	}
}

// maxLC0Chunk limits the size of a compressed chunk. The longest games have two or three
// megabytes.
const maxLC0Chunk = 64 << 20

// chunk reads the next chunk without decompressing it, so that chunks can be decoded in
// parallel. The name is for errors. After the last chunk it returns io.EOF.
func (f *lc0File) chunk() (name string, data []byte, err error) {
	name, in := f.name, io.Reader(f.in)
	switch {
	case f.tar != nil:
		chunk, err := f.nextInTar()
		if err != nil {
			return "", nil, err
		}
		name, in = name+", chunk "+chunk, f.tar
	case f.chunks > 0:
		return "", nil, io.EOF
	}
	f.chunks++
	data, err = io.ReadAll(io.LimitReader(in, maxLC0Chunk+1))
	if err == nil && len(data) > maxLC0Chunk {
		err = fmt.Errorf("a chunk of more than %d bytes", maxLC0Chunk)
	}
	if err != nil {
		return "", nil, fmt.Errorf("lc0 data %s: %w", name, err)
	}
	return name, data, nil
}

// nextInTar goes to the next chunk of the tar and returns its name.
func (f *lc0File) nextInTar() (string, error) {
	for {
		h, err := f.tar.Next()
		if err == io.EOF {
			err = f.under.end()
		}
		switch {
		case err == io.EOF && f.chunks == 0:
			return "", fmt.Errorf("lc0 data %s: a tar without a chunk: want files whose names end in .gz", f.name)
		case err == io.EOF:
			return "", io.EOF
		case err != nil:
			return "", fmt.Errorf("lc0 data %s, after chunk %d: %w", f.name, f.chunks, err)
		case h.Typeflag == tar.TypeReg && strings.HasSuffix(h.Name, ".gz"):
			return path.Base(h.Name), nil
		}
	}
}

// tarStream is the input of a tar.Reader. It detects a tar that is truncated between two
// files or has zeros between them. A tar.Reader takes both for the end.
type tarStream struct {
	in    io.Reader
	short bool // a read returned less than its buffer holds
}

func (s *tarStream) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	if err == io.EOF && n < len(b) {
		s.short = true
	}
	return n, err
}

// end returns io.EOF if the tar.Reader has read the two blocks that end a tar and only
// zeros follow. It reads to the end, so that gzip verifies its checksum.
func (s *tarStream) end() error {
	if s.short {
		return fmt.Errorf("the tar is cut off: it has no end: %w", io.ErrUnexpectedEOF)
	}
	b := make([]byte, 1<<12)
	for {
		n, err := s.Read(b)
		if len(bytes.Trim(b[:n], "\x00")) > 0 {
			return fmt.Errorf("the tar is damaged: data follows the zeros that mark its end: %w", io.ErrUnexpectedEOF)
		}
		if err != nil {
			return err
		}
	}
}

// lc0Records calls f with the records of a chunk as [lc0File.chunk] returns it. All calls
// get the same record. Errors name the chunk and the record, counted from 1.
func lc0Records(name string, data []byte, f func(*lc0Record) error) error {
	var b [lc0Size]byte
	var rec lc0Record
	fault := func(err error) error { return fmt.Errorf("lc0 data %s, record %d: %w", name, rec.ply+1, err) }
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fault(err)
	}
	for ; ; rec.ply++ {
		n, err := io.ReadFull(z, b[:])
		if err == io.EOF {
			return nil
		}
		if err == io.ErrUnexpectedEOF {
			err = fmt.Errorf("%d bytes of %d: the file is cut off or of another version: %w", n, lc0Size, err)
		}
		if err == nil {
			err = rec.decode(&b)
		}
		if err == nil {
			err = f(&rec)
		}
		if err != nil {
			return fault(err)
		}
	}
}
