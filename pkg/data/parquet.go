package data

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/stats"
)

// parquetGames yields the games of a sample file of alamos or of ChessMarro. It
// distinguishes them by their columns.
func (s *Source) parquetGames(path string, f *os.File, yield func(pending, error) bool) error {
	head := make([]byte, sniffed)
	n, _ := f.ReadAt(head, 0) // a file may be shorter
	if head = head[:n]; !bytes.HasPrefix(head, []byte("PAR1")) {
		return fmt.Errorf("data: %s: %w", path, foreign(head, "a file in Parquet"))
	}
	table, err := openParquet(f)
	if err != nil {
		return fmt.Errorf("data: %s: no whole Parquet file: %w", path, err)
	}
	if columns, ok := marroColumnsOf(table.Schema()); ok {
		return s.marroGames(path, table, columns, yield)
	}
	return s.sampleGames(path, table, yield)
}

// sampleGames yields the games of a sample file in the order in which they end in the file.
// If the samples are shuffled, unfinished games stay in memory.
func (s *Source) sampleGames(name string, table *parquet.File, yield func(pending, error) bool) error {
	f, err := newReader(name, table)
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	if v := f.meta.Variant; v != s.cfg.Variant.Spec() {
		return fmt.Errorf("data: %s: its variant is %s, want %s", name, v, s.cfg.Variant)
	}
	left, err := f.games() // number of unread samples of each game
	if err != nil {
		return fmt.Errorf("data: %w", err)
	}
	begun := map[int32][]encode.Sample{} // samples of partly read games
	read := int64(0)
	for x, err := range f.all() {
		if err != nil {
			return fmt.Errorf("data: %w", err)
		}
		read++
		samples := append(begun[x.Game], x)
		if left[x.Game]--; left[x.Game] > 0 {
			begun[x.Game] = samples
			continue
		}
		delete(begun, x.Game)
		slices.SortStableFunc(samples, func(a, b encode.Sample) int { return cmp.Compare(a.Ply, b.Ply) })
		g := &sampleGame{name: name, meta: f.meta, samples: samples}
		decode := func(seed uint64) (game, error) {
			if most := s.cfg.Positions; most > 0 {
				g.samples = nil
				for _, k := range draw(stats.NewRand(seed), len(samples), most) {
					g.samples = append(g.samples, samples[k])
				}
			}
			return game{size: len(g.samples), positions: g.positions}, nil
		}
		if !yield(pending{table.Size() * read / table.NumRows(), decode}, nil) {
			return nil
		}
	}
	return nil
}

// sampleGame is a game of a sample file.
type sampleGame struct {
	name    string
	meta    Meta
	samples []encode.Sample
}

func (g *sampleGame) positions(_ context.Context, w *worker, yield func(*Position) error) error {
	w.result = g.result()
	for _, s := range g.samples {
		if err := yield(&Position{Sample: s, Encoding: &g.meta}); err != nil {
			return fmt.Errorf("data: %s, game %d, ply %d: %w", g.name, s.Game, s.Ply, err)
		}
	}
	return nil
}

// result returns the result of the game if the samples show it. Values from the view of the
// side to move do not, because the samples do not name that side.
func (g *sampleGame) result() chess.Result {
	planes, err := encode.PlanesByName(g.meta.Encoder)
	if err != nil || !planes.White() {
		return chess.Unfinished
	}
	switch s := &g.samples[0]; {
	case s.Value == 1:
		return chess.WhiteWins
	case s.Value == -1:
		return chess.BlackWins
	case s.Value == 0 && s.Draw == 1:
		return chess.Draw
	}
	return chess.Unfinished
}

// A damaged or hostile file can claim sizes that it does not have, and the Parquet library
// allocates what it is told before it reads. It also takes values of one column for those
// of another where a column is shorter than its rows. Therefore openParquet first compares
// every claim with the file: the length of the footer, the places of the columns, the
// header of every page, and the number of values.
const (
	// maxPageHeader is the maximum length of a page's header in bytes. It has counts, and
	// at most the smallest and largest value of the page.
	maxPageHeader = 16 << 10
	// maxPageSize is the maximum size of a page in bytes after decompression. Writers make
	// pages of about 1 MiB; parquet-go's and pandas' are smaller.
	maxPageSize = 64 << 20
	// maxPageValues is the maximum number of values of a page. Repeated values take no
	// space, so the size of a page does not bound it.
	maxPageValues = 8 << 20
)

// readerAt is a file, or its content in memory.
type readerAt interface {
	io.ReaderAt
	io.Seeker
}

// openParquet opens a Parquet file whose claims are true, see above.
func openParquet(in readerAt) (f *parquet.File, err error) {
	defer recovered(&err)
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if err := checkFooter(in, size); err != nil {
		return nil, err
	}
	if f, err = parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true)); err != nil {
		return nil, err
	}
	rows := int64(0)
	for _, group := range f.Metadata().RowGroups {
		rows += group.NumRows
		for _, column := range group.Columns {
			path := column.MetaData.PathInSchema
			leaf, ok := f.Schema().Lookup(path...)
			if !ok {
				return nil, fmt.Errorf("column %q: it is not in the schema", path)
			}
			if n := column.MetaData.NumValues; leaf.MaxRepetitionLevel == 0 && n != group.NumRows {
				return nil, fmt.Errorf("column %q: it claims %d values for %d rows", path, n, group.NumRows)
			}
			if err := checkColumn(in, size, &column.MetaData, leaf.MaxDefinitionLevel > 0); err != nil {
				return nil, fmt.Errorf("column %q: %w", path, err)
			}
		}
	}
	if rows != f.NumRows() {
		return nil, fmt.Errorf("it claims %d rows, and its groups have %d", f.NumRows(), rows)
	}
	return f, nil
}

// recovered converts a panic of the Parquet library, caused by a malformed file, to an
// error.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("unreadable Parquet: %v", r)
	}
}

// checkFooter checks the claimed length of the footer. A file begins with "PAR1" and ends
// with the footer, its length in four bytes, and "PAR1".
func checkFooter(in io.ReaderAt, size int64) error {
	const magic = "PAR1"
	var tail [8]byte
	if _, err := in.ReadAt(tail[:], size-int64(len(tail))); err != nil || string(tail[4:]) != magic {
		return errors.New("it does not end as a Parquet file does: truncated?")
	}
	if length := int64(binary.LittleEndian.Uint32(tail[:])); length > size-int64(len(magic)+len(tail)) {
		return fmt.Errorf("its footer claims %d bytes, and the file has %d", length, size)
	}
	return nil
}

// checkColumn checks the claims of the pages of a column in a row group: headers, each
// followed by the bytes of its page. Only an optional column can have nulls.
func checkColumn(in io.ReaderAt, size int64, column *format.ColumnMetaData, optional bool) error {
	at := column.DataPageOffset
	if column.DictionaryPageOffset != 0 {
		at = column.DictionaryPageOffset
	}
	length := column.TotalCompressedSize
	if at < 0 || length < 0 || at > size || length > size-at {
		return fmt.Errorf("it claims the bytes %d to %d of a file of %d", at, at+length, size)
	}
	total := int64(0) // values of data pages
	buffer := make([]byte, maxPageHeader)
	for end := at + length; at < end; {
		head := buffer[:min(maxPageHeader, end-at)]
		if _, err := in.ReadAt(head, at); err != nil {
			return err
		}
		r := new(thrift.CompactProtocol).NewReaderFromBytes(head)
		var page format.PageHeader
		if err := thrift.NewDecoder(r).Decode(&page); err != nil {
			return fmt.Errorf("the header of the page at byte %d: %w", at, err)
		}
		at += int64(r.BytesRead())
		values := max(page.DataPageHeader.V.NumValues, page.DataPageHeaderV2.V.NumValues)
		total += int64(values)
		values = max(values, page.DictionaryPageHeader.V.NumValues)
		nulls := page.DataPageHeaderV2.V.NumNulls
		switch compressed := int64(page.CompressedPageSize); {
		case compressed < 0 || compressed > end-at:
			return fmt.Errorf("the page at byte %d claims %d bytes, and the column has %d more", at, compressed, end-at)
		case page.UncompressedPageSize < 0 || page.UncompressedPageSize > maxPageSize:
			return fmt.Errorf("the page at byte %d claims %d bytes after decompression: at most %d are read", at, page.UncompressedPageSize, maxPageSize)
		case values > maxPageValues:
			return fmt.Errorf("the page at byte %d claims %d values: at most %d are read", at, values, maxPageValues)
		case nulls < 0 || nulls > values || nulls > 0 && !optional:
			return fmt.Errorf("the page at byte %d claims %d nulls among %d values", at, nulls, values)
		default:
			at += compressed
		}
	}
	if total != column.NumValues {
		return fmt.Errorf("its pages have %d values, and it claims %d", total, column.NumValues)
	}
	return nil
}
