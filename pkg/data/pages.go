package data

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// pages reads the columns of a file page by page: the rows of columns are some that
// follow each other, which fill adds to and drop takes from. The seal of a file keeps
// accidents away but not a file made on purpose, hence every length is checked here
// too, and a panic of the Parquet library becomes an error.
type pages struct {
	columns
	samples, games int // as the footer says

	groups []parquet.RowGroup
	parts  [columnCount]part
	policy []int32 // offsets of the policy, which must be those of the indices
}

// part is how far a column has been read.
type part struct {
	leaf  int           // its place among the columns of the file
	group int           // row groups begun
	pages parquet.Pages // of the last one; nil: none is open
	ended bool
}

var errLengths = errors.New("columns differ in length")

func openPages(in io.ReaderAt, size int64) (p *pages, err error) {
	defer recovered(&err)
	f, err := parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, err
	}
	p = &pages{groups: f.RowGroups()}
	if p.meta, p.games, p.samples, err = parseMeta(f.Lookup); err != nil {
		return nil, err
	}
	if p.shape, err = p.meta.shape(); err != nil {
		return nil, err
	}
	if want := p.shape.schema(); !parquet.EqualNodes(want, f.Schema()) {
		return nil, fmt.Errorf("columns are not those of encoder %s: have %v, want %v", p.meta.Encoder, f.Schema(), want)
	}
	for leaf, column := range p.shape.columns {
		p.parts[column].leaf = leaf
	}
	return p, nil
}

// recovered makes an error of a panic.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("unreadable Parquet: %v", r)
	}
}

// fill reads on until there are so many rows, or all that are left, and returns how
// many there are.
func (p *pages) fill(rows int) (n int, err error) {
	defer recovered(&err)
	for i, column := range p.shape.columns {
		for !p.parts[column].ended && p.rows(column) < rows {
			if err := p.read(column); err != nil {
				return 0, fmt.Errorf("column %s: %w", columnNames[column], err)
			}
		}
		if have := min(rows, p.rows(column)); i == 0 {
			n = have
		} else if have != n {
			return 0, errLengths
		}
	}
	if p.shape.policy == 0 {
		p.offsets = make([]int32, n+1)
	} else if !slices.Equal(p.offsets[:n+1], p.policy[:n+1]) {
		return 0, errors.New("lists of indices and policy differ in length")
	}
	return n, nil
}

// rows is how many whole rows of a column there are.
func (p *pages) rows(column int) int {
	switch column {
	case columnGame:
		return len(p.game)
	case columnIndices:
		return max(0, len(p.offsets)-1)
	case columnPly:
		return len(p.ply)
	case columnPolicy:
		return max(0, len(p.policy)-1)
	case columnValue:
		return len(p.value)
	case columnDraw:
		return len(p.draw)
	case columnMovesLeft:
		return len(p.movesLeft)
	}
	return len(p.planes) / p.shape.planes
}

// read reads a page of a column, or finds that there is none.
func (p *pages) read(column int) error {
	at := &p.parts[column]
	for {
		if at.pages == nil {
			if at.group == len(p.groups) {
				at.ended = true
				switch column { // where the last row ends
				case columnIndices:
					p.offsets = append(p.offsets, int32(len(p.indices)))
				case columnPolicy:
					p.policy = append(p.policy, int32(len(p.columns.policy)))
				}
				return nil
			}
			at.pages = p.groups[at.group].ColumnChunks()[at.leaf].Pages()
			at.group++
		}
		page, err := at.pages.ReadPage()
		if err == io.EOF {
			err = at.pages.Close()
			at.pages = nil
			if err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		switch column {
		case columnIndices:
			p.offsets, err = appendRows(p.offsets, len(p.indices), page)
		case columnPolicy:
			p.policy, err = appendRows(p.policy, len(p.columns.policy), page)
		}
		if err == nil {
			err = p.appendValues(column, page.Data())
		}
		parquet.Release(page)
		return err
	}
}

// drop forgets the first n rows.
func (p *pages) drop(n int) {
	if n == 0 {
		return
	}
	if p.shape.policy > 0 {
		p.indices = slices.Delete(p.indices, 0, int(p.offsets[n]))
		p.columns.policy = slices.Delete(p.columns.policy, 0, int(p.policy[n]))
		for _, offsets := range []*[]int32{&p.offsets, &p.policy} {
			gone := (*offsets)[n]
			*offsets = slices.Delete(*offsets, 0, n)
			for i := range *offsets {
				(*offsets)[i] -= gone
			}
		}
	}
	p.game = slices.Delete(p.game, 0, n)
	p.ply = slices.Delete(p.ply, 0, n)
	p.planes = slices.Delete(p.planes, 0, n*p.shape.planes)
	p.value = slices.Delete(p.value, 0, n)
	if p.draw != nil {
		p.draw = slices.Delete(p.draw, 0, n)
	}
	if p.movesLeft != nil {
		p.movesLeft = slices.Delete(p.movesLeft, 0, n)
	}
}

func (p *pages) close() {
	for i := range p.parts {
		if at := &p.parts[i]; at.pages != nil {
			_ = at.pages.Close() // it was only read
			at.pages = nil
		}
	}
}
