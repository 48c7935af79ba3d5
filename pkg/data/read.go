package data

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"alamos/pkg/encode"
)

// Read reads a file that Write wrote. An error about its content, as opposed
// to one from the file system, has ErrDamaged in its tree.
func Read(path string) (*Set, error) {
	var set *Set
	err := withFile(path, func(in io.ReaderAt, size int64) error {
		if err := checkSeal(in, size); err != nil {
			return err
		}
		c, err := decode(in, size)
		if err == nil {
			set = newSet(c)
		}
		return err
	})
	return set, err
}

// ReadMeta tells what the samples of a file are. It reads the end of the file only,
// and does not know whether the rest is whole. Errors are like those of Read.
func ReadMeta(path string) (Meta, error) {
	var meta Meta
	err := withFile(path, func(in io.ReaderAt, size int64) error {
		p, err := openPages(in, size)
		if err == nil {
			meta = p.meta
		}
		return err
	})
	return meta, err
}

// withFile opens a file for f and names it in errors.
func withFile(path string, f func(in io.ReaderAt, size int64) error) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	defer file.Close() // nothing was written
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	return damaged(path, f(file, info.Size()))
}

// damaged says what is to be done about a file that is not as it was written.
func damaged(path string, err error) error {
	if err == nil {
		return nil
	}
	if errors.As(err, new(*fs.PathError)) { // the disk's fault
		return fmt.Errorf("samples: %w", err)
	}
	return fmt.Errorf("samples %s: %w: %w; delete the file and run the experiment again, which makes it anew", path, ErrDamaged, err)
}

// decode reads the rows of a file whose seal holds.
func decode(in io.ReaderAt, size int64) (*columns, error) {
	p, err := openPages(in, size)
	if err != nil {
		return nil, err
	}
	defer p.close()
	n, err := p.fill(math.MaxInt)
	if err != nil {
		return nil, err
	}
	if n != p.samples {
		return nil, errLengths
	}
	numbers := map[int32]struct{}{}
	var s encode.Sample
	for i := range n {
		p.sample(i, &s)
		if err := p.shape.check(&s); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		numbers[s.Game] = struct{}{}
	}
	if p.numbers = len(numbers); p.numbers != p.games {
		return nil, fmt.Errorf("%d games, the footer says %d", p.numbers, p.games)
	}
	return &p.columns, nil
}

// appendValues appends the values of a page to their column.
func (c *columns) appendValues(column int, v encoding.Values) error {
	want := encoding.Int32
	switch column {
	case columnPolicy, columnValue, columnDraw, columnMovesLeft:
		want = encoding.Float
	case columnPlanes:
		want = encoding.FixedLenByteArray
	}
	if v.Kind() != want {
		return fmt.Errorf("values are stored as %v, want %v", v.Kind(), want)
	}
	switch column {
	case columnGame:
		c.game = append(c.game, v.Int32()...)
	case columnIndices:
		c.indices = append(c.indices, v.Int32()...)
	case columnPly:
		c.ply = append(c.ply, v.Int32()...)
	case columnPolicy:
		c.policy = append(c.policy, v.Float()...)
	case columnValue:
		c.value = append(c.value, v.Float()...)
	case columnDraw:
		c.draw = append(c.draw, v.Float()...)
	case columnMovesLeft:
		c.movesLeft = append(c.movesLeft, v.Float()...)
	case columnPlanes:
		words, _ := v.FixedLenByteArray()
		for ; len(words) >= 8; words = words[8:] {
			c.planes = append(c.planes, binary.LittleEndian.Uint64(words))
		}
	}
	return nil
}

// appendRows appends the offset of each row of a page of a list column, whose
// first value has the place base.
func appendRows(offsets []int32, base int, page parquet.Page) ([]int32, error) {
	levels := page.RepetitionLevels()
	if base > math.MaxInt32-len(levels) {
		return nil, errors.New("too many values")
	}
	if page.NumNulls() != 0 {
		return nil, errors.New("an empty list: a position without a move")
	}
	for i, level := range levels {
		if level == 0 {
			offsets = append(offsets, int32(base+i))
		} else if len(offsets) == 0 {
			return nil, errors.New("a list without a row")
		}
	}
	return offsets, nil
}
