package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"alamos/pkg/disk"
	"alamos/pkg/encode"
)

// Columns in the order of the file. Parquet groups of parquet-go are sorted by
// name.
const (
	columnGame = iota
	columnIndices
	columnPlanes
	columnPly
	columnPolicy
	columnValue
	columnCount
)

// schemaOf describes a file whose positions have the given number of planes.
func schemaOf(planes int) *parquet.Schema {
	// Neighboring integers are close to each other; words and floats are
	// best left to zstd.
	integer := parquet.Encoded(parquet.Int(32), &parquet.DeltaBinaryPacked)
	float := parquet.Encoded(parquet.Leaf(parquet.FloatType), &parquet.Plain)
	words := parquet.Encoded(parquet.Leaf(parquet.FixedLenByteArrayType(8*planes)), &parquet.Plain)
	return parquet.NewSchema("samples", parquet.Group{
		"game":    integer,
		"indices": parquet.List(integer),
		"planes":  words,
		"ply":     integer,
		"policy":  parquet.List(float),
		"value":   float,
	})
}

// Write writes the samples of a generation to path, in the order given. The
// file appears under its name when it is whole and on the disk; what stood
// there before is replaced. Equal arguments give equal bytes.
func Write(path string, meta Meta, samples []encode.Sample) error {
	file, err := marshal(meta, samples)
	if err != nil {
		return fmt.Errorf("samples %s: %w", path, err)
	}
	return disk.WriteBytes(path, file)
}

// marshal returns the bytes of the file.
func marshal(meta Meta, samples []encode.Sample) ([]byte, error) {
	h, err := meta.shape()
	if err != nil {
		return nil, err
	}
	games, targets := map[int32]bool{}, 0
	for i := range samples {
		if err := h.check(&samples[i]); err != nil {
			return nil, fmt.Errorf("sample %d: %w", i, err)
		}
		games[samples[i].Game] = true
		targets += len(samples[i].Indices)
	}
	if max(targets, len(samples)) > math.MaxInt32 {
		return nil, fmt.Errorf("%d samples with %d policy targets are too many for one file: write fewer games a generation", len(samples), targets)
	}

	options := []parquet.WriterOption{
		schemaOf(h.planes),
		parquet.Compression(&zstd.Codec{Concurrency: 1}),
		parquet.CreatedBy("alamos", version, ""), // no version of a library: it would change the bytes
		parquet.SkipPageBounds("planes"),
		parquet.KeyValueMetadata(keyChecksum, unsealed),
	}
	footer := meta.footer(len(games), len(samples))
	for _, key := range slices.Sorted(maps.Keys(footer)) {
		options = append(options, parquet.KeyValueMetadata(key, footer[key]))
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[any](&out, options...)
	if err := writeRows(w, h, samples); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := seal(out.Bytes()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// chunkRows is how many rows are handed to a column at a time: enough to keep
// calls rare, few enough to keep the values in the cache.
const chunkRows = 512

// writeRows writes the samples column by column.
func writeRows(w *parquet.GenericWriter[any], h shape, samples []encode.Sample) error {
	var values [columnCount][]parquet.Value
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
			values[columnGame] = append(values[columnGame], parquet.Int32Value(s.Game).Level(0, 0, columnGame))
			values[columnPlanes] = append(values[columnPlanes], parquet.FixedLenByteArrayValue(words[from:]).Level(0, 0, columnPlanes))
			values[columnPly] = append(values[columnPly], parquet.Int32Value(s.Ply).Level(0, 0, columnPly))
			values[columnValue] = append(values[columnValue], parquet.FloatValue(s.Value).Level(0, 0, columnValue))
			for k := range s.Indices {
				repetition := min(k, 1) // 0 starts a row, 1 goes on with it
				values[columnIndices] = append(values[columnIndices], parquet.Int32Value(s.Indices[k]).Level(repetition, 1, columnIndices))
				values[columnPolicy] = append(values[columnPolicy], parquet.FloatValue(s.Policy[k]).Level(repetition, 1, columnPolicy))
			}
		}
		for c, column := range w.ColumnWriters() {
			if _, err := column.WriteRowValues(values[c]); err != nil {
				return err
			}
		}
	}
	return nil
}
