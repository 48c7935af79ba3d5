package nn

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
)

// Checkpoint is a network after a generation, with the state that training needs to
// continue. On disk it is one safetensors file with tensors "network/...", "average/..." and
// "optimizer/...", and the header as JSON in the metadata. A file without this header is an
// error, because it holds another program's weights.
type Checkpoint struct {
	Header
	Snapshot
}

// Snapshot is the state of a network and its optimizer at one moment.
type Snapshot struct {
	Network, Optimizer Tensors
	// Average is the network with the average of the weights of many steps, which plays
	// instead of Network. It is empty if training does not average.
	Average Tensors
}

// Playing returns the weights to play with and to measure.
func (s *Snapshot) Playing() Tensors {
	if len(s.Average) > 0 {
		return s.Average
	}
	return s.Network
}

// Export returns the checkpoint with the weights to play with alone, about a third of its size.
func (c *Checkpoint) Export() *Checkpoint {
	out := &Checkpoint{Header: c.Header, Snapshot: Snapshot{Network: c.Playing()}}
	out.Training = nil
	return out
}

// TakeSnapshot returns a copy of the present state, without an average.
func TakeSnapshot(net *Network, tr *Trainer) (s Snapshot, err error) {
	if s.Network, err = net.State(); err == nil {
		s.Optimizer, err = tr.State()
	}
	return s, err
}

// Restore loads the snapshot into the network and the optimizer.
func (s *Snapshot) Restore(net *Network, tr *Trainer) error {
	if err := net.Load(s.Network); err != nil {
		return err
	}
	return tr.Load(s.Optimizer)
}

// Header describes a checkpoint.
type Header struct {
	Spec       Spec   `json:"spec"`
	Input      string `json:"input"`  // name of the planes
	Policy     string `json:"policy"` // name of the policy map
	Variant    string `json:"variant"`
	Generation int    `json:"generation"`
	Samples    int    `json:"samples"` // made by self-play so far
	// Training is the state from which training of the next generation starts. Package
	// train writes it.
	Training json.RawMessage `json:"training,omitempty"`
}

const (
	headerKey       = "alamos"
	networkPrefix   = "network/"
	averagePrefix   = "average/"
	optimizerPrefix = "optimizer/"
)

// Write writes the file atomically.
func (c *Checkpoint) Write(path string) error { return disk.WriteFile(path, c.Encode) }

// Encode writes what [Checkpoint.Write] writes into a file.
func (c *Checkpoint) Encode(w io.Writer) error {
	h, err := json.Marshal(c.Header)
	if err != nil {
		return err
	}
	all := Tensors{}
	all.Add("", c.Snapshot)
	return WriteSafetensors(w, all, map[string]string{headerKey: string(h)})
}

// IsModel reports whether a file's name ends like that of a checkpoint, or of a weight file of
// Leela Chess Zero.
func IsModel(name string) bool {
	return strings.HasSuffix(name, ".safetensors") || strings.HasSuffix(name, LeelaExt)
}

// ModelName returns the name of a model's file without its folder and end.
func ModelName(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), LeelaExt)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// ReadCheckpoint reads a checkpoint file, or a weight file of Leela Chess Zero.
func ReadCheckpoint(path string) (*Checkpoint, error) {
	if strings.HasSuffix(path, LeelaExt) {
		return readLeela(path)
	}
	all, meta, err := ReadSafetensors(path)
	if err != nil {
		return nil, err
	}
	c := &Checkpoint{Snapshot: all.Snapshot("")}
	if err := json.Unmarshal([]byte(meta[headerKey]), &c.Header); err != nil {
		return nil, fmt.Errorf("%s is not a checkpoint of alamos: its metadata has no readable %q entry (%v)", path, headerKey, err)
	}
	return c, nil
}

// Codec returns the network's variant and its encoders of planes and policy indices.
func (h *Header) Codec() (encode.Codec, chess.Variant, error) {
	v, err := chess.ParseVariant(h.Variant)
	if err != nil {
		return encode.Codec{}, v, fmt.Errorf("checkpoint: %w", err)
	}
	codec, err := encode.NewCodec(h.Input, h.Policy, v)
	if err != nil {
		return codec, v, fmt.Errorf("checkpoint: %w", err)
	}
	return codec, v, nil
}

// ReadModel reads a checkpoint, with its encoders and its variant.
func ReadModel(path string) (c *Checkpoint, codec encode.Codec, v chess.Variant, err error) {
	if c, err = ReadCheckpoint(path); err != nil {
		return nil, codec, v, err
	}
	if codec, v, err = c.Codec(); err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return c, codec, v, err
}

// Compile makes a model of the network for inference.
func (c *Checkpoint) Compile(o InferenceOptions) (*Model, error) {
	net, err := Restore(c.Spec, c.Playing())
	if err != nil {
		return nil, err
	}
	return net.Compile(o)
}

// The safetensors format (https://github.com/huggingface/safetensors) has three parts: 8
// bytes with the length n of the header, little endian; n bytes with a JSON object that
// gives the dtype, shape and offsets of each tensor, and optionally strings by name under
// "__metadata__"; then the bytes of the tensors, little endian, without gaps. All our tensors
// have dtype F32. Our metadata has the SHA-256 of the file without it.

// Tensor is an array of numbers, in row-major order.
type Tensor struct {
	Shape []int
	Data  []float32
}

// Tensors are tensors by name.
type Tensors map[string]Tensor

// Add adds the tensors of a snapshot, with a prefix before their names. They share their
// memory.
func (t Tensors) Add(prefix string, s Snapshot) {
	for kind, tensors := range s.kinds() {
		for name, x := range *tensors {
			t[prefix+kind+name] = x
		}
	}
}

// Snapshot is the inverse of Add.
func (t Tensors) Snapshot(prefix string) Snapshot {
	s := Snapshot{Tensors{}, Tensors{}, Tensors{}}
	for kind, tensors := range s.kinds() {
		for name, x := range t {
			if rest, ok := strings.CutPrefix(name, prefix+kind); ok {
				(*tensors)[rest] = x
			}
		}
	}
	return s
}

// kinds returns the tensors of the snapshot by the prefix of their names in files.
func (s *Snapshot) kinds() map[string]*Tensors {
	return map[string]*Tensors{networkPrefix: &s.Network, averagePrefix: &s.Average, optimizerPrefix: &s.Optimizer}
}

// Clone returns a copy; that of nil is nil.
func (t Tensors) Clone() Tensors {
	c := maps.Clone(t)
	for name, x := range c {
		c[name] = Tensor{slices.Clone(x.Shape), slices.Clone(x.Data)}
	}
	return c
}

const (
	dtype       = "F32"
	maxTensor   = 1 << 40 // numbers, more than any network needs
	metadataKey = "__metadata__"
	checksumKey = "sha256"
)

// ErrDamaged means that a file is not a whole safetensors file, or that its checksum differs.
var ErrDamaged = errors.New("damaged safetensors file")

// check returns an error if the data does not match the shape.
func (t Tensor) check() error {
	n := 1
	for _, d := range t.Shape {
		if d < 0 || d > 0 && n > maxTensor/d {
			return fmt.Errorf("impossible shape %v", t.Shape)
		}
		n *= d
	}
	if n != len(t.Data) {
		return fmt.Errorf("shape %v needs %d numbers, there are %d", t.Shape, n, len(t.Data))
	}
	return nil
}

// entry is a tensor in the header of a file.
type entry struct {
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

// WriteSafetensors writes the tensors and the metadata, both sorted by name, so that equal
// content gives equal bytes, and their checksum.
func WriteSafetensors(w io.Writer, t Tensors, meta map[string]string) error {
	sum, err := checksum(t, meta)
	if err != nil {
		return err
	}
	sealed := map[string]string{checksumKey: sum}
	maps.Copy(sealed, meta)
	return writeTensors(w, t, sealed)
}

// checksum returns the SHA-256 of the file with these tensors and metadata.
func checksum(t Tensors, meta map[string]string) (string, error) {
	h := sha256.New()
	err := writeTensors(h, t, meta)
	return hex.EncodeToString(h.Sum(nil)), err
}

func writeTensors(w io.Writer, t Tensors, meta map[string]string) error {
	header := make(map[string]any, len(t)+1)
	if len(meta) > 0 {
		header[metadataKey] = meta
	}
	names := slices.Sorted(maps.Keys(t))
	var end uint64
	for _, name := range names {
		x := t[name]
		if name == metadataKey {
			return fmt.Errorf("write safetensors: no tensor can be named %s", name)
		}
		if err := x.check(); err != nil {
			return fmt.Errorf("write safetensors: tensor %s: %w", name, err)
		}
		e := entry{DType: dtype, Shape: x.Shape, Offsets: [2]uint64{end, end + 4*uint64(len(x.Data))}}
		if e.Shape == nil {
			e.Shape = []int{}
		}
		header[name] = e
		end = e.Offsets[1]
	}
	text, err := json.Marshal(header) // Marshal sorts the keys.
	if err != nil {
		return fmt.Errorf("write safetensors: %w", err)
	}
	for len(text)%8 != 0 { // Padding aligns the numbers to eight bytes.
		text = append(text, ' ')
	}
	out := bufio.NewWriterSize(w, 1<<16)
	out.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(text))))
	out.Write(text)
	for _, name := range names {
		if err := binary.Write(out, binary.LittleEndian, t[name].Data); err != nil {
			return err
		}
	}
	return out.Flush()
}

// ReadSafetensors reads a file. If the file is incomplete or malformed, or if it has a checksum
// that differs, the error is an [ErrDamaged] and names the file.
func ReadSafetensors(path string) (Tensors, map[string]string, error) {
	data, err := disk.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	t, meta, err := parseSafetensors(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w: %w", path, ErrDamaged, err)
	}
	return t, meta, nil
}

func parseSafetensors(data []byte) (t Tensors, meta map[string]string, err error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("truncated: %d bytes, too few for the length of the header", len(data))
	}
	n, data := binary.LittleEndian.Uint64(data), data[8:]
	if n > uint64(len(data)) {
		return nil, nil, fmt.Errorf("truncated: the header has %d bytes, the file %d after its length", n, len(data))
	}
	body := data[n:]
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data[:n], &fields); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	entries := make(map[string]entry, len(fields))
	for name, field := range fields {
		if name == metadataKey {
			err = json.Unmarshal(field, &meta)
		} else {
			var e entry
			err = json.Unmarshal(field, &e)
			entries[name] = e
		}
		if err != nil {
			return nil, nil, fmt.Errorf("header: %s: %w", name, err)
		}
	}
	names := slices.SortedFunc(maps.Keys(entries), func(a, b string) int {
		x, y := entries[a].Offsets, entries[b].Offsets
		return cmp.Or(slices.Compare(x[:], y[:]), cmp.Compare(a, b))
	})
	t = make(Tensors, len(names))
	var end uint64
	for _, name := range names {
		e := entries[name]
		from, to := e.Offsets[0], e.Offsets[1]
		switch {
		case from != end || to < from || (to-from)%4 != 0:
			return nil, nil, fmt.Errorf("tensor %s: has bytes %d to %d, but the tensor before it ends at %d", name, from, to, end)
		case e.DType != dtype:
			return nil, nil, fmt.Errorf("tensor %s: want dtype %s, have %s", name, dtype, e.DType)
		case to > uint64(len(body)):
			return nil, nil, fmt.Errorf("tensor %s: truncated: it ends at byte %d of %d", name, to, len(body))
		}
		x := Tensor{e.Shape, make([]float32, (to-from)/4)}
		if _, err := binary.Decode(body[from:to], binary.LittleEndian, x.Data); err != nil {
			return nil, nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		t[name] = x
		if err := x.check(); err != nil {
			return nil, nil, fmt.Errorf("tensor %s: %w", name, err)
		}
		end = to
	}
	if end != uint64(len(body)) {
		return nil, nil, fmt.Errorf("%d bytes after the last tensor", uint64(len(body))-end)
	}
	want, sealed := meta[checksumKey]
	if !sealed { // the file of another program
		return t, meta, nil
	}
	delete(meta, checksumKey)
	if have, err := checksum(t, meta); err != nil || have != want {
		return nil, nil, errors.New("its checksum differs")
	}
	return t, meta, nil
}
