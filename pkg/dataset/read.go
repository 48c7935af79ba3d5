package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"

	"alamos/pkg/encode"
)

// Read reads a file that Write wrote. An error about its content, as opposed
// to one from the file system, has ErrDamaged in its tree.
func Read(path string) (*Set, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("samples: %w", err)
	}
	c, err := unmarshal(file)
	if err != nil {
		return nil, fmt.Errorf("samples %s: %w: %w; delete the file and run the experiment again, which makes it anew", path, ErrDamaged, err)
	}
	return newSet(c), nil
}

// unmarshal is the inverse of marshal.
func unmarshal(file []byte) (*columns, error) {
	if err := checkSeal(file); err != nil {
		return nil, err
	}
	return decode(file)
}

// decode reads a file whose seal holds. The seal keeps accidents away but not
// a file made on purpose, hence every length is checked here too, and a panic
// of the Parquet library becomes an error.
func decode(file []byte) (c *columns, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("unreadable Parquet: %v", r)
		}
	}()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	meta, games, samples, err := parseMeta(f.Lookup)
	if err != nil {
		return nil, err
	}
	h, err := meta.shape()
	if err != nil {
		return nil, err
	}
	if want := h.schema(); !parquet.EqualNodes(want, f.Schema()) {
		return nil, fmt.Errorf("columns are not those of encoder %s: have %v, want %v", meta.Encoder, f.Schema(), want)
	}

	c = &columns{meta: meta, shape: h}
	var offsets [columnCount][]int32 // of the two lists
	for _, group := range f.RowGroups() {
		for i, chunk := range group.ColumnChunks() {
			column := h.columns[i]
			if offsets[column], err = c.readChunk(column, chunk, offsets[column]); err != nil {
				return nil, fmt.Errorf("column %s: %w", columnNames[column], err)
			}
		}
	}
	c.offsets = append(offsets[columnIndices], int32(len(c.indices)))
	policyOffsets := append(offsets[columnPolicy], int32(len(c.policy)))
	n := len(c.game)
	if h.policy == 0 {
		c.offsets = make([]int32, n+1)
		policyOffsets = c.offsets
	}
	switch {
	case h.has(columnDraw) && len(c.draw) != n, h.has(columnMovesLeft) && len(c.movesLeft) != n:
		return nil, errors.New("columns differ in length")
	case len(c.ply) != n, len(c.value) != n, len(c.planes) != n*h.planes, len(c.offsets) != n+1, n != samples:
		return nil, errors.New("columns differ in length")
	case !slices.Equal(c.offsets, policyOffsets):
		return nil, errors.New("lists of indices and policy differ in length")
	}
	numbers := map[int32]struct{}{}
	var s encode.Sample
	for i := range n {
		c.sample(i, &s)
		if err := h.check(&s); err != nil {
			return nil, fmt.Errorf("row %d: %w", i, err)
		}
		numbers[s.Game] = struct{}{}
	}
	if c.numbers = len(numbers); c.numbers != games {
		return nil, fmt.Errorf("%d games, the footer says %d", c.numbers, games)
	}
	return c, nil
}

// readChunk appends the values of a column to c. For a list it also appends,
// to offsets, where each row begins.
func (c *columns) readChunk(column int, chunk parquet.ColumnChunk, offsets []int32) ([]int32, error) {
	pages := chunk.Pages()
	defer pages.Close()
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return offsets, nil
		}
		if err != nil {
			return nil, err
		}
		switch column {
		case columnIndices:
			offsets, err = appendRows(offsets, len(c.indices), page)
		case columnPolicy:
			offsets, err = appendRows(offsets, len(c.policy), page)
		}
		if err == nil {
			err = c.appendValues(column, page.Data())
		}
		parquet.Release(page)
		if err != nil {
			return nil, err
		}
	}
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
