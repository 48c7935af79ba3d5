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

// errEmpty is wrapped by errors about empty files.
var errEmpty = errors.New("the file is empty")

// lc0Reader streams the records of a file of Leela Chess Zero's training data, version 6.
// The file is either a chunk, a gzip file with the records of one game, or a tar of chunks
// as on lc0's servers, optionally compressed by gzip. Other files in a tar are skipped. The
// reader holds one record in memory at a time.
type lc0Reader struct {
	name  string        // of the file
	in    *bufio.Reader // the file
	tar   *tar.Reader   // nil if the file is a chunk
	under *tarStream    // the stream that tar reads
	gzip  *gzip.Reader
	open  bool   // gzip has an open chunk
	chunk string // name of the chunk in its tar
	games int    // chunks opened
	ply   int    // records read from the open chunk
	bytes [lc0Size]byte
}

// newLC0Reader reads a file from a stream. Errors contain the name.
func newLC0Reader(name string, in io.Reader) (*lc0Reader, error) {
	r := &lc0Reader{name: name, in: bufio.NewReaderSize(in, 1<<16), gzip: new(gzip.Reader)}
	head, err := r.in.Peek(tarHead)
	switch {
	case len(head) == 0 && err == io.EOF:
		return nil, fmt.Errorf("lc0 data %s: %w", name, errEmpty)
	case isGzip(head):
		if r.holdsTar() {
			z, err := gzip.NewReader(r.in)
			if err != nil {
				return nil, fmt.Errorf("lc0 data %s: %w", name, err)
			}
			r.under = &tarStream{in: bufio.NewReaderSize(z, 1<<16)}
		}
	case isTar(head):
		r.under = &tarStream{in: r.in}
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("lc0 data %s: %w", name, err)
	default:
		return nil, fmt.Errorf("lc0 data %s: neither a gzip file nor a tar: want a chunk of training data (.gz) or a tar of chunks (.tar, .tar.gz)", name)
	}
	if r.under != nil {
		r.tar = tar.NewReader(r.under)
	}
	return r, nil
}

// tarHead is the number of bytes needed to recognize a tar.
const tarHead = 257 + len(tarMagic)

const tarMagic = "ustar"

func isTar(head []byte) bool {
	return len(head) >= tarHead && string(head[tarHead-len(tarMagic):tarHead]) == tarMagic
}

func isGzip(head []byte) bool { return len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b }

// holdsTar reports whether a gzip file holds a tar. It only peeks.
func (r *lc0Reader) holdsTar() bool {
	packed, _ := r.in.Peek(1 << 15) // the file may be shorter
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return false
	}
	head := make([]byte, tarHead)
	n, _ := io.ReadFull(z, head) // damage is reported when the records are read
	return isTar(head[:n])
}

// next reads the next record into rec and sets all its fields. It returns io.EOF after the
// last record. Every other error names the file, the chunk in a tar and the record, counted
// from 1; do not read on after it. next does not allocate per record.
func (r *lc0Reader) next(rec *lc0Record) error {
	for {
		if !r.open {
			if err := r.nextChunk(); err != nil {
				return err
			}
		}
		n, err := io.ReadFull(r.gzip, r.bytes[:])
		switch {
		case err == io.EOF: // end of a chunk
			r.open = false
			continue
		case err == io.ErrUnexpectedEOF:
			return r.fail(fmt.Errorf("%d bytes of %d: the file is cut off or of another version: %w", n, lc0Size, err))
		case err != nil:
			return r.fail(err)
		}
		if err := rec.decode(&r.bytes); err != nil {
			return r.fail(err)
		}
		rec.ply = r.ply
		r.ply++
		return nil
	}
}

// maxLC0Chunk limits the size of a compressed chunk that chunkData reads. The longest games
// have two or three megabytes.
const maxLC0Chunk = 64 << 20

// chunkData reads the next chunk without decompressing it, so that several [lc0Reader]s can
// decode chunks in parallel. The name is for their errors.
func (r *lc0Reader) chunkData() (name string, data []byte, err error) {
	in, err := r.find()
	if err != nil {
		return "", nil, err
	}
	if name = r.name; r.tar != nil {
		name += ", " + r.chunk
	}
	data, err = io.ReadAll(io.LimitReader(in, maxLC0Chunk+1))
	if err == nil && len(data) > maxLC0Chunk {
		err = fmt.Errorf("a chunk of more than %d bytes", maxLC0Chunk)
	}
	if err != nil {
		return "", nil, r.fail(err)
	}
	return name, data, nil
}

// nextChunk opens the next chunk. It returns io.EOF after the last one.
func (r *lc0Reader) nextChunk() error {
	in, err := r.find()
	if err != nil {
		return err
	}
	if err := r.gzip.Reset(in); err != nil {
		return r.fail(err)
	}
	r.open = true
	return nil
}

// find goes to the next chunk and returns its bytes. It returns io.EOF after the last one.
func (r *lc0Reader) find() (io.Reader, error) {
	r.open = false
	in := io.Reader(r.in)
	switch {
	case r.tar == nil && r.games > 0:
		return nil, io.EOF
	case r.tar != nil:
		for {
			h, err := r.tar.Next()
			if err == io.EOF {
				err = r.under.end()
			}
			if err == io.EOF && r.games == 0 {
				return nil, fmt.Errorf("lc0 data %s: a tar without a chunk: want files whose names end in .gz", r.name)
			}
			if err == io.EOF {
				return nil, io.EOF
			}
			if err != nil {
				return nil, fmt.Errorf("lc0 data %s, after chunk %d: %w", r.name, r.games, err)
			}
			if h.Typeflag == tar.TypeReg && strings.HasSuffix(h.Name, ".gz") {
				r.chunk = path.Base(h.Name)
				break
			}
		}
		in = r.tar
	}
	r.games++
	r.ply = 0
	return in, nil
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
		for _, x := range b[:n] {
			if x != 0 {
				return fmt.Errorf("the tar is damaged: zeros that would be its end, and more after them: %w", io.ErrUnexpectedEOF)
			}
		}
		if err != nil {
			return err
		}
	}
}

// fail adds the location to an error.
func (r *lc0Reader) fail(err error) error {
	if err == io.EOF { // the file ends too early
		err = io.ErrUnexpectedEOF
	}
	if r.tar != nil {
		return fmt.Errorf("lc0 data %s, chunk %s, record %d: %w", r.name, r.chunk, r.ply+1, err)
	}
	return fmt.Errorf("lc0 data %s, record %d: %w", r.name, r.ply+1, err)
}
