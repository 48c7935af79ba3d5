package nn

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// Precisions of inference.
const (
	// Auto is BF16 on CUDA devices and where the processor computes with it
	// (avx512_bf16, which every processor with AMX has too), otherwise FP32.
	Auto = "auto"
	// FP32 is single precision: it differs from training by rounding only.
	FP32 = "fp32"
	// BF16 keeps weights and maps with 8 bits of mantissa, and sums in single
	// precision. The dense layers of the value and of the moves left are computed in
	// single precision. On a processor it needs avx512_bf16.
	BF16 = "bf16"
)

// InferenceOptions say how to evaluate a network.
type InferenceOptions struct {
	Batch     int    // positions evaluated at once; 0: DefaultBatch
	Precision string // Auto, FP32 or BF16; "" is Auto
	Device    string // see Devices; sessions take turns on them

	libtorch bool // convolve by libtorch's operators, the path of a set-up without oneDNN's headers
	generic  bool // the evaluator for devices, though the device is the processor

	devices []string // that Device lists
}

const maxBatch = 1 << 14

// Model is a frozen copy of a network for inference. It is safe for use by
// several goroutines.
type Model struct {
	spec      Spec
	batch     int
	block     int
	precision string
	devices   []string

	mu      sync.Mutex
	natives []nativeModel // one on each device
	desks   []*desk       // of each; nil on the processor
	turn    int           // of the next session
	users   int           // sessions, and the model itself until it is closed
	closed  bool

	positions, places atomic.Int64 // see Work
}

// complete returns the options with every default made explicit and the precision
// chosen for this processor.
func (o InferenceOptions) complete() (InferenceOptions, error) {
	if o.Batch == 0 {
		o.Batch = DefaultBatch
	}
	if o.Batch < 1 || o.Batch > maxBatch {
		return o, fmt.Errorf("inference: batch: want 1 to %d, have %d", maxBatch, o.Batch)
	}
	if err := checkLibrary(); err != nil {
		return o, err
	}
	var err error
	if o.devices, err = Devices(o.Device); err != nil {
		return o, fmt.Errorf("inference: %w", err)
	}
	if o.Precision, err = Precision(o.Precision, o.devices[0]); err != nil {
		return o, fmt.Errorf("inference: %w", err)
	}
	return o, nil
}

// Compile makes a model of the network as it is now.
func (n *Network) Compile(o InferenceOptions) (*Model, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.pull(); err != nil {
		return nil, err
	}
	for _, p := range n.params {
		if !allFinite(p.data) {
			return nil, fmt.Errorf("compile network: %s has values that are not finite numbers: its training diverged", p.name)
		}
	}
	m := &Model{
		spec: n.spec, batch: o.Batch, block: blockOf(o.Batch, n.spec.Width, o.devices[0]),
		precision: o.Precision, devices: o.devices, users: 1,
	}
	for _, device := range o.devices {
		c := newCompiler(m.block, n.spec.Constant, device, &o)
		m.natives = append(m.natives, c.model)
		at := register(0)
		for _, l := range n.trunk {
			at = l.compile(c, at)
		}
		n.heads.compile(c, at)
		if c.err != nil {
			m.Close()
			return nil, fmt.Errorf("compile network: %w", c.err)
		}
		if device != CPU || o.generic {
			m.desks = append(m.desks, newDesk(m, c.model, device))
		}
	}
	return m, nil
}

// blockOf is the number of positions that are convolved at once: about as many as
// it takes for their number not to matter (8, or 32 where a convolution is so
// small that the call costs a good part of it; on a graphics card as many as give
// each of its processors a tile of a layer of 256 channels), and such that a batch
// is a whole number of blocks. A batch that is not full costs as much as its
// blocks.
func blockOf(batch, width int, device string) int {
	target := 8
	switch {
	case device != CPU:
		target = 256
	case width < 64:
		target = 32
	}
	blocks := (batch + target - 1) / target
	return (batch + blocks - 1) / blocks
}

func allFinite(v []float32) bool {
	for _, x := range v {
		if x-x != 0 { // NaN for an infinity too
			return false
		}
	}
	return true
}

// Precision is FP32 or BF16.
func (m *Model) Precision() string { return m.precision }

// Batch is the number of positions evaluated at once.
func (m *Model) Batch() int { return m.batch }

// Devices are those that it is on; sessions take turns.
func (m *Model) Devices() []string { return m.devices }

// Tables is how many games each of so many workers should play at once for batches to
// be full, two for each who asks, which is a worker on the processor and a lane on a
// device: while the first games end, others take their places.
func (m *Model) Tables(workers int) int {
	if m.desks == nil {
		return 2 * m.batch
	}
	return (2*m.batch*lanesEach*len(m.desks) + workers - 1) / workers
}

// Work is what all sessions have evaluated so far: positions, and the places in
// batches for them, which cost as much when they are empty.
func (m *Model) Work() (positions, places int) {
	return int(m.positions.Load()), int(m.places.Load())
}

func (m *Model) count(positions int) {
	m.positions.Add(int64(positions))
	m.places.Add(int64((positions + m.block - 1) / m.block * m.block))
}

// Close ends the making of sessions. The memory is freed when the last session
// is closed too.
func (m *Model) Close() {
	m.mu.Lock()
	done := m.closed
	m.closed = true
	m.mu.Unlock()
	if !done {
		m.release()
	}
}

func (m *Model) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users--; m.users == 0 {
		for _, d := range m.desks {
			d.close()
		}
		for _, native := range m.natives {
			freeModel(native)
		}
		m.natives = nil
	}
}
