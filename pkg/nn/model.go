package nn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"alamos/pkg/encode"
)

// Precisions of inference.
const (
	// Auto is BF16 on CUDA devices and on processors that support it in hardware
	// (avx512_bf16, which every processor with AMX has too), otherwise FP32.
	Auto = "auto"
	// FP32 is single precision. It differs from training by rounding only.
	FP32 = "fp32"
	// BF16 stores weights and maps with 8 bits of mantissa, and sums in single precision.
	// The dense layers of the value and of the moves left use single precision. On a
	// processor it needs avx512_bf16.
	BF16 = "bf16"
)

// InferenceOptions configure the evaluation of a network.
type InferenceOptions struct {
	Batch     int    // positions evaluated at once; 0 means DefaultBatch
	Precision string // Auto, FP32 or BF16; "" means Auto
	Device    string // see Devices; sessions are distributed round-robin

	libtorch bool // convolve with libtorch's operators, as in a set-up without oneDNN's headers
	generic  bool // use the evaluator for devices on the processor
	path     int  // instruction set of a sparse network, see sparsePaths

	devices []string // the devices in Device
}

const maxBatch = 1 << 14

// Model is a frozen copy of a network for inference. Several goroutines may use it.
type Model struct {
	spec      Spec
	batch     int
	block     int
	precision string
	devices   []string

	layers    // for inference on devices
	processor processor
	queues    []*batchQueue // one per device; nil on the processor

	mu     sync.Mutex
	turn   int // index in queues for the next session
	users  int // open sessions, plus one until the model is closed
	closed bool

	positions, places atomic.Int64 // see Work
}

// complete returns the options with every default made explicit and the precision chosen
// for the device.
func (o InferenceOptions) complete() (InferenceOptions, error) {
	o.Batch = cmp.Or(o.Batch, DefaultBatch)
	if o.Batch < 1 || o.Batch > maxBatch {
		return o, fmt.Errorf("inference: batch: want 1 to %d, have %d", maxBatch, o.Batch)
	}
	var err error
	if o.devices, o.Precision, err = openDevices(o.Device, o.Precision); err != nil {
		return o, fmt.Errorf("inference: %w", err)
	}
	return o, nil
}

// Compile makes a model of the network's present parameters.
func (n *Network) Compile(o InferenceOptions) (*Model, error) { return n.compile(o, false) }

// compile makes a model whose blocks are whole batches or a convenient part of them.
func (n *Network) compile(o InferenceOptions, whole bool) (*Model, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if n.spec.Trunk == TrunkTransformer && o.devices[0] == CPU {
		o.generic, o.Precision = true, FP32
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.pull(); err != nil {
		return nil, err
	}
	if err := n.finite(); err != nil {
		return nil, fmt.Errorf("compile network: %w", err)
	}
	m := &Model{
		spec: n.spec, batch: o.Batch, block: blockOf(&o),
		precision: o.Precision, devices: o.devices, layers: n.layers, users: 1,
	}
	if whole {
		m.block = o.Batch
	}
	err = caught(func() {
		if n.sparse != nil {
			m.processor = n.compileSparse(o.path)
			m.block, m.devices, m.precision = 1, []string{CPU}, INT8
			return
		}
		if !o.onDevice() {
			c := newCompiler(m.block, n.spec.Constant, &o)
			m.processor = c.processorModel
			c.network(n)
			return
		}
		for _, device := range o.devices {
			f := n.freeze(o.Precision == BF16, place{device, true})
			m.queues = append(m.queues, &batchQueue{model: m, frozen: f, workers: workersOf(device), evaluators: make([]*deviceEvaluator, workersPer(device))})
		}
	})
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("compile network: %w", err)
	}
	return m, nil
}

// onDevice reports whether complete options use the evaluator for devices.
func (o *InferenceOptions) onDevice() bool { return o.generic || o.devices[0] != CPU }

// blockOf returns the number of positions that are convolved at once. It divides a batch
// into blocks of about 4 positions in fp32: with 8 the smallest networks are 5 % faster and
// others no more than 1 %, but a partial batch costs as much as its blocks, and the last
// games of a generation or a tournament fill few places. Blocks have 8 positions in bf16,
// whose convolutions are shorter, so that the call is a larger part of them. On a graphics
// card, where the calls are most of the time of a small network, they have 512.
func blockOf(o *InferenceOptions) int {
	target := 4
	switch {
	case o.devices[0] != CPU:
		target = 512
	case o.Precision == BF16 || o.generic: // a transformer on the processor calls many small functions
		target = 8
	}
	blocks := (o.Batch + target - 1) / target
	return (o.Batch + blocks - 1) / blocks
}

// Precision returns FP32, BF16 or INT8.
func (m *Model) Precision() string { return m.precision }

// Batch returns the number of positions evaluated at once.
func (m *Model) Batch() int { return m.batch }

// Devices returns the devices of the model. Sessions are distributed round-robin.
func (m *Model) Devices() []string { return m.devices }

// GameSlots returns the number of games that each worker should play at once to fill the
// batches: two batches for each thread that evaluates. These threads are the workers on the
// processor, and the device's own threads otherwise. New games replace the games that end.
//
// A sparse network has no batches. With one game at a time a session remembers that game's
// positions, from which it evaluates the next ones.
func (m *Model) GameSlots(workers int) int {
	if m.sparse != nil {
		return 1
	}
	if m.queues == nil {
		return 2 * m.batch
	}
	return (2*m.batch*workersPer(m.devices[0])*len(m.queues) + workers - 1) / workers
}

// Work returns the number of positions that all sessions have evaluated, and the number of
// slots in their batches. An empty slot costs as much as a full one.
func (m *Model) Work() (positions, places int) {
	return int(m.positions.Load()), int(m.places.Load())
}

func (m *Model) count(positions int) {
	m.positions.Add(int64(positions))
	m.places.Add(int64((positions + m.block - 1) / m.block * m.block))
}

// Close prevents new sessions. The memory is freed when the last session is closed too.
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
		for _, d := range m.queues {
			d.close()
		}
		if m.processor != nil {
			m.processor.free()
			m.processor = nil
		}
	}
}

// Session evaluates positions with a model. Several sessions of a model run in parallel,
// each on its own goroutine. On the processor a session computes on its caller's thread. On
// a device a few threads evaluate the requests of all sessions together.
type Session struct {
	model *Model

	mu        sync.Mutex // guards the fields below
	evaluator evaluator
	buffers
	closed bool
}

func (m *Model) NewSession() (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed("model")
	}
	s := &Session{model: m, buffers: buffers{values: make([]float32, m.batch)}}
	if m.spec.Value == ValueWDL {
		s.wdl = make([]float32, 3*m.batch)
	}
	if m.spec.MovesLeft {
		s.movesLeft = make([]float32, m.batch)
	}
	if m.queues != nil {
		s.evaluator = m.queues[m.turn].newEvaluator()
		m.turn = (m.turn + 1) % len(m.queues)
	} else {
		var err error
		if s.evaluator, err = m.processor.newEvaluator(); err != nil {
			return nil, fmt.Errorf("new session: %w", err)
		}
	}
	m.users++
	return s, nil
}

// Evaluate evaluates any number of leaves. It fills Priors and Value, and WDL and MovesLeft
// if the network has these heads. It processes chunks of the model's batch and pads the
// last one, so that a result is the same to the bit whatever the other leaves are.
func (s *Session) Evaluate(leaves []*encode.Leaf) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed("session")
	}
	if err := s.model.check(leaves); err != nil {
		return err
	}
	for chunk := range slices.Chunk(leaves, s.model.batch) {
		if err := s.evaluate(chunk); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if a leaf does not fit the network.
func (m *Model) check(leaves []*encode.Leaf) error {
	for i, l := range leaves {
		if len(l.Planes) != m.spec.Planes {
			return fmt.Errorf("evaluate: leaf %d has %d planes, the network %d", i, len(l.Planes), m.spec.Planes)
		}
		for _, index := range l.Indices {
			if index < -1 || int(index) >= m.spec.PolicySize {
				return fmt.Errorf("evaluate: leaf %d: policy index %d is out of the range 0 to %d", i, index, m.spec.PolicySize-1)
			}
		}
	}
	return nil
}

// evaluate evaluates at most a batch of leaves.
func (s *Session) evaluate(leaves []*encode.Leaf) error {
	s.planes, s.indices = s.planes[:0], s.indices[:0]
	s.offsets = append(s.offsets[:0], 0)
	for _, l := range leaves {
		s.planes = append(s.planes, l.Planes...)
		s.indices = append(s.indices, l.Indices...)
		s.offsets = append(s.offsets, int32(len(s.indices)))
	}
	s.priors = slices.Grow(s.priors[:0], len(s.indices))[:len(s.indices)]
	if err := s.evaluator.evaluate(len(leaves), &s.buffers); err != nil {
		return fmt.Errorf("evaluate: %w", err)
	}
	if s.model.queues == nil { // A device's batches have positions of several sessions.
		s.model.count(len(leaves))
	}
	for i, l := range leaves {
		if math.IsNaN(float64(s.values[i])) {
			return errors.New("evaluate: the value is not a number: the network's parameters are too large, its training diverged")
		}
		l.Priors = append(l.Priors[:0], s.priors[s.offsets[i]:s.offsets[i+1]]...)
		if s.model.spec.PolicySize == 0 {
			for j := range l.Priors {
				l.Priors[j] = 1 / float32(len(l.Priors))
			}
		}
		l.Value = l.Sign * s.values[i]
		if s.wdl != nil {
			l.WDL = [3]float32(s.wdl[3*i:])
			if l.Sign < 0 {
				l.WDL[0], l.WDL[2] = l.WDL[2], l.WDL[0]
			}
		}
		if s.movesLeft != nil {
			l.MovesLeft = max(0, float32(s.model.spec.MovesLeftUnit)*s.movesLeft[i])
		}
	}
	return nil
}

// Close frees the session. Later use is an error, but another Close is not.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	s.evaluator.close()
	s.model.release()
}

// Group evaluates the leaves of one caller on several threads. It suits a caller that has
// the machine to itself, such as the search of a single game. With many callers, a Session
// each is faster, because no caller waits for another.
//
// With a sparse network, whose positions are not worth a change of threads, every caller
// computes on its own thread, and callers do not wait for each other.
type Group struct {
	model *Model

	evaluating sync.Mutex // by the sessions together

	mu       sync.Mutex
	sessions []*Session
	free     []*Session // of a sparse network: without a caller
}

// NewGroup makes a group with a session per thread. It is fastest with as many leaves at a
// time as the batches of all sessions hold: a group of two sessions with batches of 8 is
// for 16.
func (m *Model) NewGroup(threads int) (*Group, error) {
	g := &Group{model: m}
	for range max(1, threads) {
		s, err := m.NewSession()
		if err != nil {
			g.Close()
			return nil, err
		}
		g.sessions = append(g.sessions, s)
	}
	if m.sparse != nil {
		g.free = slices.Clone(g.sessions)
	}
	return g, nil
}

// Evaluate is [Session.Evaluate], with results that are the same to the bit.
func (g *Group) Evaluate(leaves []*encode.Leaf) error {
	if g.model.sparse != nil {
		s, err := g.take()
		if err != nil {
			return err
		}
		defer g.give(s)
		return s.Evaluate(leaves)
	}
	g.evaluating.Lock()
	defer g.evaluating.Unlock()
	var wait sync.WaitGroup
	errs := make([]error, len(g.sessions))
	parts := share(len(leaves), len(g.sessions), g.model.block)
	for i, n := range parts {
		part := leaves[:n]
		leaves = leaves[n:]
		switch {
		case i == len(parts)-1: // This thread evaluates the last part, because it would only wait.
			errs[i] = g.sessions[i].Evaluate(part)
		case n > 0:
			wait.Go(func() { errs[i] = g.sessions[i].Evaluate(part) })
		}
	}
	wait.Wait()
	return errors.Join(errs...)
}

// take returns a session without a caller, the one that was given back last, or a new one.
func (g *Group) take() (*Session, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := len(g.free); n > 0 {
		s := g.free[n-1]
		g.free = g.free[:n-1]
		return s, nil
	}
	s, err := g.model.NewSession()
	if err == nil {
		g.sessions = append(g.sessions, s)
	}
	return s, err
}

func (g *Group) give(s *Session) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.free = append(g.free, s)
}

// share divides n positions among workers, in whole blocks where possible.
func share(n, workers, block int) []int {
	parts := make([]int, workers)
	blocks := (n + block - 1) / block
	for i := range parts {
		parts[i] = min(n, (blocks+i)/workers*block)
		n -= parts[i]
	}
	return parts
}

// Sessions returns the sessions of the group, one for each thread.
func (g *Group) Sessions() []*Session { return g.sessions }

func (g *Group) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.sessions {
		s.Close()
	}
}
