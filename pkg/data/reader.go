package data

import (
	"fmt"
	"io"

	"alamos/pkg/encode"
)

// Reader reads the samples of a file one after the other, in their order. In memory
// are a few pages of each column, not the file.
type Reader struct {
	name  string
	in    io.ReaderAt
	size  int64
	pages *pages
	have  int // rows of the pages
	next  int // of those
	read  int // rows dropped
}

// batchRows is how many rows are taken off pages at a time.
const batchRows = 512

// NewReader reads a file of so many bytes, which Write wrote; errors call it by the
// name given, and are like those of [Read]. All of it is read once at this point: no
// sample is believed before the checksum has been seen to hold. Close the reader
// after use; what it reads from stays open.
func NewReader(name string, in io.ReaderAt, size int64) (*Reader, error) {
	if err := checkSeal(in, size); err != nil {
		return nil, damaged(name, err)
	}
	p, err := openPages(in, size)
	if err != nil {
		return nil, damaged(name, err)
	}
	return &Reader{name: name, in: in, size: size, pages: p}, nil
}

// Meta says what the samples are.
func (r *Reader) Meta() Meta { return r.pages.meta }

// Len is the number of samples.
func (r *Reader) Len() int { return r.pages.samples }

// Games reads how many samples each game has, by its number. It does not change which
// sample is the next.
func (r *Reader) Games() (map[int32]int, error) {
	games, err := countGames(r.in, r.size)
	return games, damaged(r.name, err)
}

// countGames reads the column of games.
func countGames(in io.ReaderAt, size int64) (games map[int32]int, err error) {
	defer recovered(&err)
	p, err := openPages(in, size)
	if err != nil {
		return nil, err
	}
	defer p.close()
	games, n := map[int32]int{}, 0
	for !p.parts[columnGame].ended {
		if err := p.read(columnGame); err != nil {
			return nil, fmt.Errorf("column %s: %w", columnNames[columnGame], err)
		}
		for _, g := range p.game {
			games[g]++
		}
		n += len(p.game)
		p.game = p.game[:0]
	}
	switch {
	case n != p.samples:
		return nil, errLengths
	case len(games) != p.games:
		return nil, fmt.Errorf("%d games, the footer says %d", len(games), p.games)
	}
	return games, nil
}

// Next copies the next sample to dst, whose slices are used again. It returns io.EOF
// when there are no more; reading cannot go on after another error.
func (r *Reader) Next(dst *encode.Sample) error {
	if r.next == r.have {
		r.pages.drop(r.have)
		r.read += r.have
		n, err := r.pages.fill(batchRows)
		switch {
		case err == nil && n == 0 && r.read != r.pages.samples, err == nil && r.read+n > r.pages.samples:
			err = errLengths
		case err == nil && n == 0:
			r.have, r.next = 0, 0
			return io.EOF
		}
		if err != nil {
			return damaged(r.name, err)
		}
		r.have, r.next = n, 0
	}
	r.pages.sample(r.next, dst)
	r.next++
	if err := r.pages.shape.check(dst); err != nil {
		return damaged(r.name, fmt.Errorf("row %d: %w", r.read+r.next-1, err))
	}
	return nil
}

// Close frees what the reader holds.
func (r *Reader) Close() { r.pages.close() }
