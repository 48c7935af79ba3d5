package nn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"alamos/pkg/encode"
)

// Session evaluates positions with a model. Several sessions of a model run in
// parallel, a goroutine each: on the processor each computes on the thread of its
// caller; what those on a device ask is evaluated together, by a few threads of its own.
type Session struct {
	model *Model

	mu     sync.Mutex
	runner *runner // on the processor
	desk   *desk   // on a device
	closed bool
}

// runner evaluates positions with a native session, for one goroutine at a time.
type runner struct {
	model  *Model
	native nativeSession
	q      question
}

// question is a chunk of positions in the flat form that the evaluator reads.
type question struct {
	planes  []uint64  // [n][planes]
	offsets []int32   // [n+1]
	indices []int32   // [moves]
	priors  []float32 // [moves], out
	values  []float32 // [n], out

	wdl       []float32 // [n][3], out; nil where the network has no such value head
	movesLeft []float32 // [n] in movesLeftUnit, out; nil where the network has no such head
}

// NewSession makes a session of the model.
func (m *Model) NewSession() (*Session, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed("model")
	}
	s := &Session{model: m}
	if m.desks != nil {
		s.desk = m.desks[m.turn]
		m.turn = (m.turn + 1) % len(m.desks)
	} else {
		var err error
		if s.runner, err = newRunner(m, m.natives[0]); err != nil {
			return nil, err
		}
	}
	m.users++
	return s, nil
}

func newRunner(m *Model, native nativeModel) (*runner, error) {
	s, err := newSession(native)
	if err != nil {
		return nil, fmt.Errorf("new session: %w", err)
	}
	r := &runner{model: m, native: s, q: question{values: make([]float32, m.batch)}}
	if m.spec.Value == ValueWDL {
		r.q.wdl = make([]float32, 3*m.batch)
	}
	if m.spec.MovesLeft {
		r.q.movesLeft = make([]float32, m.batch)
	}
	return r, nil
}

// Evaluate answers any number of leaves: it fills Priors and Value, and WDL and
// MovesLeft where the network knows them. They are
// evaluated in chunks of the model's batch, the last padded, so that an answer is
// the same to the bit whatever the other leaves are. A full batch costs as much
// as a batch of one.
func (s *Session) Evaluate(leaves []*encode.Leaf) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed("session")
	}
	if err := s.model.check(leaves); err != nil {
		return err
	}
	if s.desk != nil {
		return s.desk.evaluate(leaves)
	}
	for chunk := range slices.Chunk(leaves, s.model.batch) {
		if err := s.runner.evaluate(chunk); err != nil {
			return err
		}
	}
	return nil
}

// check finds a leaf that is not for the network.
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

// evaluate answers at most a batch of leaves.
func (r *runner) evaluate(leaves []*encode.Leaf) error {
	q, spec := &r.q, &r.model.spec
	q.planes, q.indices = q.planes[:0], q.indices[:0]
	q.offsets = append(q.offsets[:0], 0)
	for _, l := range leaves {
		q.planes = append(q.planes, l.Planes...)
		q.indices = append(q.indices, l.Indices...)
		q.offsets = append(q.offsets, int32(len(q.indices)))
	}
	q.priors = slices.Grow(q.priors[:0], len(q.indices))[:len(q.indices)]
	if err := runSession(r.native, len(leaves), q); err != nil {
		return fmt.Errorf("evaluate: %w", err)
	}
	r.model.count(len(leaves))
	for i, l := range leaves {
		if math.IsNaN(float64(q.values[i])) {
			return errors.New("evaluate: the value is not a number: the network's parameters are too large, its training diverged")
		}
		l.Priors = append(l.Priors[:0], q.priors[q.offsets[i]:q.offsets[i+1]]...)
		if spec.PolicySize == 0 {
			for j := range l.Priors {
				l.Priors[j] = 1 / float32(len(l.Priors))
			}
		}
		l.Value = l.Sign * q.values[i]
		if q.wdl != nil {
			l.WDL = [3]float32(q.wdl[3*i:])
			if l.Sign < 0 {
				l.WDL[0], l.WDL[2] = l.WDL[2], l.WDL[0]
			}
		}
		if q.movesLeft != nil {
			l.MovesLeft = max(0, movesLeftUnit*q.movesLeft[i])
		}
	}
	return nil
}

func (r *runner) close() { freeSession(r.native) }

// Close frees the session. Any use afterwards is an error; another Close is not.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	if s.runner != nil {
		s.runner.close()
	}
	s.model.release()
}
