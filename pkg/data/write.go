package data

import (
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"alamos/pkg/disk"
	"alamos/pkg/encode"
)

// Columns in the order of the file, of which it need not have all: see Meta.
// Parquet groups of parquet-go are sorted by name.
const (
	columnDraw = iota
	columnGame
	columnIndices
	columnMovesLeft
	columnPlanes
	columnPly
	columnPolicy
	columnValue
	columnCount
)

var columnNames = [columnCount]string{"draw", "game", "indices", "moves_left", "planes", "ply", "policy", "value"}

// schema describes a file of the shape.
func (h *shape) schema() *parquet.Schema {
	// Neighboring integers are close to each other; words and floats are
	// best left to zstd.
	integer := parquet.Encoded(parquet.Int(32), &parquet.DeltaBinaryPacked)
	float := parquet.Encoded(parquet.Leaf(parquet.FloatType), &parquet.Plain)
	words := parquet.Encoded(parquet.Leaf(parquet.FixedLenByteArrayType(8*h.planes)), &parquet.Plain)
	nodes := [columnCount]parquet.Node{
		columnDraw: float, columnGame: integer, columnIndices: parquet.List(integer), columnMovesLeft: float,
		columnPlanes: words, columnPly: integer, columnPolicy: parquet.List(float), columnValue: float,
	}
	group := parquet.Group{}
	for _, c := range h.columns {
		group[columnNames[c]] = nodes[c]
	}
	return parquet.NewSchema("samples", group)
}

// Write writes the samples of a generation to path, in the order given. The
// file appears under its name when it is whole and on the disk; what stood
// there before is replaced. Equal arguments give equal bytes.
func Write(path string, meta Meta, samples []encode.Sample) error {
	return Stream(path, meta, func(w *Writer) error { return w.Write(samples) })
}

// Stream is Write of samples that are made one after the other: fill hands them
// to the writer, any number at a time, and the file is the same however many that
// is. Not more than a part of the file is in memory. When fill fails, so does
// Stream, and no file is written.
func Stream(path string, meta Meta, fill func(*Writer) error) error {
	h, err := meta.shape()
	if err != nil {
		return fmt.Errorf("samples %s: %w", path, err)
	}
	return disk.WriteFile(path, func(out io.Writer) error {
		w := newWriter(out, meta, h)
		if err := fill(w); err != nil {
			return err
		}
		return w.close()
	})
}

// groupRows is how many rows are in a row group, of which one is in memory while
// a file is written, and in many a reader: of the widest encodings 20 MB. None of the
// columns is cut into small pages.
const groupRows = 1 << 14

// Writer writes the samples of a file; see [Stream].
type Writer struct {
	meta  Meta
	shape shape
	out   *sealer
	file  *parquet.GenericWriter[any]

	games            map[int32]struct{}
	samples, targets int
}

func newWriter(out io.Writer, meta Meta, h shape) *Writer {
	w := &Writer{meta: meta, shape: h, out: newSealer(out), games: map[int32]struct{}{}}
	options := []parquet.WriterOption{
		h.schema(),
		parquet.Compression(&zstd.Codec{Concurrency: 1}),
		parquet.CreatedBy("alamos", version, ""), // no version of a library: it would change the bytes
		parquet.SkipPageBounds("planes"),
		parquet.KeyValueMetadata(keyChecksum, unsealed),
	}
	footer := meta.footer(0, 0) // close knows the numbers
	for _, key := range slices.Sorted(maps.Keys(footer)) {
		options = append(options, parquet.KeyValueMetadata(key, footer[key]))
	}
	w.file = parquet.NewGenericWriter[any](w.out, options...)
	return w
}

// Write appends samples to the file. It keeps nothing of them.
func (w *Writer) Write(samples []encode.Sample) error {
	for i := range samples {
		if err := w.shape.check(&samples[i]); err != nil {
			return fmt.Errorf("sample %d: %w", w.samples+i, err)
		}
	}
	for len(samples) > 0 {
		n := min(len(samples), groupRows-w.samples%groupRows)
		for i := range samples[:n] {
			w.games[samples[i].Game] = struct{}{}
			w.targets += len(samples[i].Indices)
		}
		if max(w.targets, w.samples+n) > math.MaxInt32 {
			return fmt.Errorf("%d samples with %d policy targets are too many for one file: write fewer games a generation", w.samples+n, w.targets)
		}
		if err := writeRows(w.file, w.shape, samples[:n]); err != nil {
			return err
		}
		if w.samples += n; w.samples%groupRows == 0 {
			if err := w.file.Flush(); err != nil {
				return err
			}
		}
		samples = samples[n:]
	}
	return nil
}

// close writes the rest of the file and its seal.
func (w *Writer) close() error {
	for key, value := range w.meta.footer(len(w.games), w.samples) {
		w.file.SetKeyValueMetadata(key, value)
	}
	w.out.hold()
	if err := w.file.Close(); err != nil {
		return err
	}
	return w.out.seal()
}

// chunkRows is how many rows are handed to a column at a time: enough to keep
// calls rare, few enough to keep the values in the cache.
const chunkRows = 512

// writeRows writes the samples column by column.
func writeRows(w *parquet.GenericWriter[any], h shape, samples []encode.Sample) error {
	var values [columnCount][]parquet.Value
	var place [columnCount]int
	for i, c := range h.columns {
		place[c] = i
	}
	add := func(column int, v parquet.Value) {
		values[column] = append(values[column], v.Level(0, 0, place[column]))
	}
	words := make([]byte, 0, chunkRows*8*h.planes)
	for chunk := range slices.Chunk(samples, chunkRows) {
		for c := range values {
			values[c] = values[c][:0]
		}
		words = words[:0]
		for i := range chunk {
			s := &chunk[i]
			from := len(words)
			for _, word := range s.Planes {
				words = binary.LittleEndian.AppendUint64(words, word)
			}
			add(columnDraw, parquet.FloatValue(s.Draw))
			add(columnGame, parquet.Int32Value(s.Game))
			add(columnMovesLeft, parquet.FloatValue(s.MovesLeft))
			add(columnPlanes, parquet.FixedLenByteArrayValue(words[from:]))
			add(columnPly, parquet.Int32Value(s.Ply))
			add(columnValue, parquet.FloatValue(s.Value))
			for k := range s.Indices {
				repetition := min(k, 1) // 0 starts a row, 1 goes on with it
				values[columnIndices] = append(values[columnIndices], parquet.Int32Value(s.Indices[k]).Level(repetition, 1, place[columnIndices]))
				values[columnPolicy] = append(values[columnPolicy], parquet.FloatValue(s.Policy[k]).Level(repetition, 1, place[columnPolicy]))
			}
		}
		for i, column := range w.ColumnWriters() {
			if _, err := column.WriteRowValues(values[h.columns[i]]); err != nil {
				return err
			}
		}
	}
	return nil
}
