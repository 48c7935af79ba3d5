package nn

import (
	"errors"
	"fmt"
	"sync"
)

// Precisions of inference.
const (
	// Auto is BF16 where the processor computes with it (avx512_bf16, which every
	// processor with AMX has too), otherwise FP32.
	Auto = "auto"
	// FP32 is single precision: it differs from training by rounding only.
	FP32 = "fp32"
	// BF16 keeps weights and maps with 8 bits of mantissa, and sums in single
	// precision. The dense layers of the value and of the moves left are computed in single precision. It needs
	// avx512_bf16.
	BF16 = "bf16"
)

// InferenceOptions say how to evaluate a network.
type InferenceOptions struct {
	Batch     int    // positions evaluated at once; 0: 32
	Precision string // Auto, FP32 or BF16; "" is Auto
	Device    string // "cpu"; "" is the same

	libtorch bool // convolve by libtorch's operators, the path of a set-up without oneDNN's headers
}

const (
	defaultBatch = 32
	maxBatch     = 1 << 14
)

// Model is a frozen copy of a network for inference. It is safe for use by
// several goroutines.
type Model struct {
	spec      Spec
	batch     int
	block     int
	precision string

	mu     sync.Mutex
	native nativeModel
	users  int // sessions, and the model itself until it is closed
	closed bool
}

// complete returns the options with every default made explicit and the precision
// chosen for this processor.
func (o InferenceOptions) complete() (InferenceOptions, error) {
	if o.Batch == 0 {
		o.Batch = defaultBatch
	}
	if o.Batch < 1 || o.Batch > maxBatch {
		return o, fmt.Errorf("inference: batch: want 1 to %d, have %d", maxBatch, o.Batch)
	}
	if err := errors.Join(checkDevice(o.Device), checkLibrary()); err != nil {
		return o, err
	}
	switch o.Precision {
	case "", Auto:
		o.Precision = FP32
		if hasBF16() {
			o.Precision = BF16
		}
	case FP32:
	case BF16:
		if !hasBF16() {
			return o, errors.New("inference: precision: this processor has no bf16 arithmetic (avx512_bf16); use fp32 or auto")
		}
	default:
		return o, fmt.Errorf("inference: precision: no %q; there is auto, fp32, bf16", o.Precision)
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
	block := blockOf(o.Batch, n.spec.Width)
	c := newCompiler(block, n.spec.Constant, o.Precision == BF16, o.libtorch)
	at := register(0)
	for _, l := range n.trunk {
		at = l.compile(c, at)
	}
	n.heads.compile(c, at)
	if c.err != nil {
		freeModel(c.model)
		return nil, fmt.Errorf("compile network: %w", c.err)
	}
	return &Model{spec: n.spec, batch: o.Batch, block: block, precision: o.Precision, native: c.model, users: 1}, nil
}

// blockOf is the number of positions that are convolved at once: about as many as
// it takes for their number not to matter (8, or 32 where a convolution is so
// small that the call costs a good part of it), and such that a batch is a whole
// number of blocks. A batch that is not full costs as much as its blocks.
func blockOf(batch, width int) int {
	target := 8
	if width < 64 {
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
		freeModel(m.native)
		m.native = nil
	}
}
