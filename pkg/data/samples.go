package data

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"slices"
	"unsafe"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
)

// row is a sample as stored in a sample file. The arrays are packed and little endian: the
// library reads and writes them three times faster than lists.
type row struct {
	Game      int32   `parquet:"game,delta"`
	Ply       int32   `parquet:"ply,delta"`
	Planes    []byte  `parquet:"planes,plain"`  // uint64 each
	Indices   []byte  `parquet:"indices,plain"` // int32 each
	Policy    []byte  `parquet:"policy,plain"`  // float32 each, one for each index
	Value     float32 `parquet:"value,plain"`
	Draw      float32 `parquet:"draw,plain"`
	MovesLeft float32 `parquet:"moves_left,plain"`
	Reply     int32   `parquet:"reply,delta"`
	Future    []byte  `parquet:"future,plain"` // uint64 each
}

// ErrDamaged is wrapped by every error about a file that exists but is not a complete
// sample file: truncated, changed, foreign, or of another version.
var ErrDamaged = errors.New("not a whole sample file")

// Meta describes the samples of a file. The footer of the file stores it as JSON.
type Meta struct {
	Encoder    string `json:"encoder"` // name of the planes, see encode.PlanesByName
	Policy     string `json:"policy"`  // name of the move encoding
	Variant    string `json:"variant"`
	Generation int    `json:"generation"` // at least 0

	// Recurring says that other generations may contain the same games under the same
	// numbers, see [Split].
	Recurring bool `json:"recurring,omitempty"`

	// Continued says that the samples have the opponent's replies, where a game has them.
	Continued bool `json:"continued,omitempty"`

	// Future is the number of plies to the later board of a sample; 0: there is none.
	Future int `json:"future,omitempty"`
}

// metaKey is the key of the footer's JSON. formatVersion is the version of the format, and
// readers accept no other.
const (
	metaKey       = "alamos"
	formatVersion = 3
)

type footer struct {
	Version int `json:"version"`
	Meta
}

// SameKind reports whether samples of both kinds can share a replay window.
func (m Meta) SameKind(o Meta) bool {
	return m.Encoder == o.Encoder && m.Policy == o.Policy && m.Variant == o.Variant && m.Future == o.Future
}

// shape holds the sizes of the samples that a Meta describes.
type shape struct {
	planes int // uint64 words per position
	policy int // length of the policy vector; 0: no policy
	future int // uint64 words of the later board
}

// Codec returns the encodings of the samples.
func (m Meta) Codec() (encode.Codec, error) {
	v, err := chess.ParseVariant(m.Variant)
	if err != nil {
		return encode.Codec{}, err
	}
	return encode.NewCodec(m.Encoder, m.Policy, v)
}

// shape validates the names and returns their sizes.
func (m Meta) shape() (shape, error) {
	c, err := m.Codec()
	if err != nil {
		return shape{}, err
	}
	if m.Generation < 0 {
		return shape{}, fmt.Errorf("generation %d is negative", m.Generation)
	}
	h := shape{planes: c.Planes.Count(), policy: c.Policy.Size()}
	if m.Future > 0 {
		h.future = encode.FutureWords
	}
	return h, nil
}

// HasResult reports whether the result of a sample's game is known. A sample without a
// result has value 0, no draw probability and no plies left.
func HasResult(s *encode.Sample) bool {
	return s.Draw >= 0 || s.Value != 0 || s.MovesLeft > 0
}

// sumTolerance is the allowed deviation of a policy's sum from 1. It is far above the
// rounding errors of float32 and far below the effect of a missing move.
const sumTolerance = 1e-3

// maxPliesLeft is the maximum of a sample's plies left: more are damage.
const maxPliesLeft = math.MaxInt32

// check returns an error if s does not fit the shape.
func (h shape) check(s *encode.Sample) error {
	fault := func(format string, args ...any) error {
		return fmt.Errorf("game %d, ply %d: "+format, append([]any{s.Game, s.Ply}, args...)...)
	}
	switch {
	case s.Game < 0 || s.Ply < 0:
		return fault("want numbers from 0")
	case len(s.Planes) != h.planes:
		return fault("%d planes, the encoder has %d", len(s.Planes), h.planes)
	case len(s.Indices) != len(s.Policy):
		return fault("%d policy indices with %d targets", len(s.Indices), len(s.Policy))
	case !(s.Value >= -1 && s.Value <= 1):
		return fault("value %v, want -1 to 1", s.Value)
	case !(s.Draw <= 1 && !math.IsInf(float64(s.Draw), 0)):
		return fault("probability %v of a draw, want at most 1", s.Draw)
	case !(math.Abs(float64(s.MovesLeft)) <= maxPliesLeft):
		return fault("%v plies left", s.MovesLeft)
	case len(s.Future) != h.future:
		return fault("a later board of %d words, want %d", len(s.Future), h.future)
	case h.policy == 0 && len(s.Indices) > 0:
		return fault("%d policy indices, but there is no policy", len(s.Indices))
	case h.policy == 0:
		return nil
	case int(s.Reply) >= h.policy:
		return fault("policy index %d of the reply, want at most %d", s.Reply, h.policy-1)
	}
	sum := 0.0
	for i, index := range s.Indices {
		if index < 0 || int(index) >= h.policy {
			return fault("policy index %d, want 0 to %d", index, h.policy-1)
		}
		if p := s.Policy[i]; !(p >= 0) {
			return fault("policy target %v, want at least 0", p)
		}
		sum += float64(s.Policy[i])
	}
	if !(math.Abs(sum-1) <= sumTolerance) {
		return fault("policy targets have the sum %v, want 1", sum)
	}
	return nil
}

// groupRows is the number of rows of a row group, and batchRows the number of rows
// converted at a time. A writer holds one row group in memory: 20 MB with the largest
// encodings.
const (
	groupRows = 1 << 14
	batchRows = 512
)

// Write writes the samples of a generation to path in the given order. The file appears
// under its name only when it is complete and on disk, and replaces an existing file. Equal
// arguments give equal bytes.
func Write(path string, meta Meta, samples []encode.Sample) error {
	return Stream(path, meta, func(w *Writer) error {
		for i := range samples {
			if err := w.Add(&samples[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Stream is like Write for samples that are made one at a time: fill adds them to the
// writer. If fill fails, Stream fails and writes no file.
func Stream(path string, meta Meta, fill func(*Writer) error) error {
	h, err := meta.shape()
	if err != nil {
		return fmt.Errorf("samples %s: %w", path, err)
	}
	return disk.WriteFile(path, func(out io.Writer) error {
		w, err := newWriter(out, meta, h)
		if err != nil {
			return err
		}
		if err := fill(w); err != nil {
			return err
		}
		return w.close()
	})
}

// Writer writes the samples of a file; see [Stream].
type Writer struct {
	shape   shape
	file    *parquet.GenericWriter[row]
	rows    []row // batchRows rows, of which the first samples%batchRows are not written yet
	samples int   // samples added
}

func newWriter(out io.Writer, meta Meta, h shape) (*Writer, error) {
	about, err := json.Marshal(footer{formatVersion, meta})
	if err != nil {
		return nil, err
	}
	file := parquet.NewGenericWriter[row](out,
		parquet.Compression(&zstd.Codec{Concurrency: 1}),
		parquet.CreatedBy("alamos", "", ""), // a library version would change the bytes
		parquet.MaxRowsPerRowGroup(groupRows),
		parquet.SkipPageBounds("planes"), parquet.SkipPageBounds("indices"), parquet.SkipPageBounds("policy"),
		parquet.KeyValueMetadata(metaKey, string(about)))
	return &Writer{shape: h, file: file, rows: make([]row, batchRows)}, nil
}

// Add appends a sample to the file. It does not retain s.
func (w *Writer) Add(s *encode.Sample) error {
	if err := w.shape.check(s); err != nil {
		return fmt.Errorf("sample %d: %w", w.samples, err)
	}
	w.rows[w.samples%batchRows].set(s)
	if w.samples++; w.samples%batchRows > 0 {
		return nil
	}
	_, err := w.file.Write(w.rows)
	return err
}

// close writes the remaining rows and the footer.
func (w *Writer) close() error {
	if _, err := w.file.Write(w.rows[:w.samples%batchRows]); err != nil {
		return err
	}
	return w.file.Close()
}

func (r *row) set(s *encode.Sample) {
	r.Game, r.Ply, r.Value, r.Draw, r.MovesLeft, r.Reply = s.Game, s.Ply, s.Value, s.Draw, s.MovesLeft, s.Reply
	r.Planes = packed(r.Planes, s.Planes)
	r.Indices = packed(r.Indices, s.Indices)
	r.Policy = packed(r.Policy, s.Policy)
	r.Future = packed(r.Future, s.Future)
}

// packed returns the bytes of numbers, little endian. It reuses the memory of b.
func packed(b []byte, numbers any) []byte {
	b, err := binary.Append(b[:0], binary.LittleEndian, numbers)
	if err != nil {
		panic(err) // numbers is a slice of numbers of fixed size
	}
	return b
}

// sample converts a row to a sample. The sample shares no memory with the row.
func (r *row) sample() (encode.Sample, error) {
	planes, err1 := unpacked[uint64](r.Planes)
	indices, err2 := unpacked[int32](r.Indices)
	policy, err3 := unpacked[float32](r.Policy)
	future, err4 := unpacked[uint64](r.Future)
	return encode.Sample{
		Game: r.Game, Ply: r.Ply, Planes: planes, Indices: indices, Policy: policy,
		Value: r.Value, Draw: r.Draw, MovesLeft: r.MovesLeft, Reply: r.Reply, Future: future,
	}, cmp.Or(err1, err2, err3, err4)
}

// unpacked is the inverse of packed.
func unpacked[T uint64 | int32 | float32](b []byte) ([]T, error) {
	if len(b) == 0 {
		return nil, nil
	}
	var zero T
	numbers := make([]T, len(b)/binary.Size(zero))
	if n, err := binary.Decode(b, binary.LittleEndian, numbers); err != nil || n < len(b) {
		return nil, errors.New("an array has a part of a number")
	}
	return numbers, nil
}

// reader reads the samples of a file. It holds a few pages of each column in memory, not
// the whole file.
type reader struct {
	name  string
	file  *parquet.File
	meta  Meta
	shape shape
}

// newReader checks that a Parquet file is a sample file. Errors contain the name, and wrap
// [ErrDamaged] if they concern the content.
func newReader(name string, f *parquet.File) (r *reader, err error) {
	defer func() { err = damaged(name, err) }()
	defer recovered(&err)
	text, ok := f.Lookup(metaKey)
	if !ok {
		return nil, errors.New("another program wrote it: the footer has no alamos")
	}
	var about footer
	if err := json.Unmarshal([]byte(text), &about); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	if about.Version != formatVersion {
		return nil, fmt.Errorf("format version %d, this alamos reads version %d", about.Version, formatVersion)
	}
	h, err := about.shape()
	if err != nil {
		return nil, err
	}
	if want := parquet.SchemaOf(row{}); !parquet.EqualNodes(want, f.Schema()) {
		return nil, fmt.Errorf("its columns are %v, want %v", f.Schema(), want)
	}
	return &reader{name: name, file: f, meta: about.Meta, shape: h}, nil
}

// games returns the number of samples of each game, by game number.
func (r *reader) games() (map[int32]int, error) {
	type column struct {
		Game int32 `parquet:"game,delta"`
	}
	games := map[int32]int{}
	for x, err := range typedRows[column](r.file) {
		if err != nil {
			return nil, damaged(r.name, err)
		}
		games[x.Game]++
	}
	return games, nil
}

// all yields the samples, which the caller owns. An error is the last element.
func (r *reader) all() iter.Seq2[encode.Sample, error] {
	return func(yield func(encode.Sample, error) bool) {
		number := 0
		for x, err := range typedRows[row](r.file) {
			var s encode.Sample
			if err == nil {
				if s, err = x.sample(); err == nil {
					err = r.shape.check(&s)
				}
				if err != nil {
					err = fmt.Errorf("row %d: %w", number, err)
				}
			}
			if !yield(s, damaged(r.name, err)) || err != nil {
				return
			}
			number++
		}
	}
}

// rowReader reads the rows of a Parquet file.
type rowReader[T any] interface {
	Read(rows []T) (int, error)
	Close() error
}

// typedRows yields the rows of a file as values of a type, see rowsOf.
func typedRows[T any](f *parquet.File) iter.Seq2[*T, error] {
	return rowsOf(f, func() rowReader[T] { return parquet.NewGenericReader[T](f) })
}

// rowsOf yields the rows of a file from a reader. A row is valid until the next one. An error
// is the last element.
func rowsOf[T any](f *parquet.File, open func() rowReader[T]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var rows rowReader[T]
		batch := make([]T, batchRows)
		read := func() (n int, err error) {
			defer recovered(&err)
			if rows == nil {
				rows = open()
			}
			return rows.Read(batch)
		}
		defer func() {
			if rows != nil {
				_ = rows.Close() // read only, so nothing can be lost
			}
		}()
		for left := int(f.NumRows()); ; {
			n, err := read()
			switch {
			case n > 0 && n <= left: // an error recurs at the next read
			case err == io.EOF && left == 0 && n == 0:
				return
			case err == nil || err == io.EOF:
				yield(nil, errors.New("its columns differ in length"))
				return
			default:
				yield(nil, err)
				return
			}
			for i := range n {
				if !yield(&batch[i], nil) {
					return
				}
			}
			left -= n
		}
	}
}

// Read reads a file written by Write. Errors about its content wrap ErrDamaged; errors of
// the file system do not.
func Read(path string) (*Set, error) { return ReadInto(path, nil) }

// ReadInto is Read with the samples in mapped memory, unless that is nil: a set can then be
// larger than the memory of the machine. It must not be used after the memory is closed.
func ReadInto(path string, mapped *disk.Mapped) (*Set, error) {
	var p *part
	err := withReader(path, func(r *reader) (err error) {
		p, err = r.part(mapped)
		return err
	})
	if err != nil {
		return nil, err
	}
	return newSet(p), nil
}

// part reads all samples.
func (r *reader) part(mapped *disk.Mapped) (*part, error) {
	p := &part{meta: r.meta, shape: r.shape, mapped: mapped}
	for x, err := range typedRows[row](r.file) {
		if err == nil {
			if err = p.add(x); err != nil {
				err = fmt.Errorf("row %d: %w", len(p.places), err)
			}
		}
		if err != nil {
			return nil, damaged(r.name, err)
		}
	}
	return p, nil
}

// ReadMeta returns the description of a file's samples. It reads only the end of the file,
// so it does not detect damage elsewhere. Errors are like those of Read.
func ReadMeta(path string) (meta Meta, err error) {
	err = withReader(path, func(r *reader) error { meta = r.meta; return nil })
	return meta, err
}

// SampleBytes returns the memory of a sample with a number of words, those of the planes and
// of the later board, and of moves.
func SampleBytes(words, moves int) int64 {
	return int64(unsafe.Sizeof(place{})) + int64(recordBytes) + 8*int64(words) + 8*int64(moves)
}

// Memory returns the number of samples of a file and the memory that Read takes for them at
// least. It reads only the end of the file, like ReadMeta.
func Memory(path string) (samples int, bytes int64, err error) {
	err = withReader(path, func(r *reader) error {
		samples = int(r.file.NumRows())
		bytes = int64(samples) * SampleBytes(0, 0)
		for _, group := range r.file.Metadata().RowGroups {
			for _, column := range group.Columns {
				if slices.Contains([]string{"planes", "indices", "policy", "future"}, column.MetaData.PathInSchema[0]) {
					bytes += column.MetaData.TotalUncompressedSize - 4*column.MetaData.NumValues // each has its length before it
				}
			}
		}
		return nil
	})
	return samples, bytes, err
}

// withReader calls f with a reader of the file.
func withReader(path string, f func(*reader) error) error {
	file, err := disk.Open(path)
	if err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	defer file.Close() // read only, so nothing can be lost
	table, err := openParquet(file)
	if err != nil {
		return damaged(path, err)
	}
	r, err := newReader(path, table)
	if err != nil {
		return err
	}
	return f(r)
}

// damaged adds advice to the error for a damaged file.
func damaged(path string, err error) error {
	if err == nil {
		return nil
	}
	if errors.As(err, new(*fs.PathError)) { // an error of the disk, not of the content
		return fmt.Errorf("samples: %w", err)
	}
	return fmt.Errorf("samples %s: %w: %w; delete the file and run the experiment again, which writes it again", path, ErrDamaged, err)
}
