package nn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"alamos/pkg/encode"
)

// Session evaluates positions with a model, on one thread. Several sessions of a
// model run in parallel, a goroutine each.
type Session struct {
	model *Model

	mu     sync.Mutex
	native nativeSession // nil when closed
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
	native, err := newSession(m.natives[m.turn])
	if err != nil {
		return nil, fmt.Errorf("new session: %w", err)
	}
	m.turn = (m.turn + 1) % len(m.natives)
	m.users++
	q := question{values: make([]float32, m.batch)}
	if m.spec.Value == ValueWDL {
		q.wdl = make([]float32, 3*m.batch)
	}
	if m.spec.MovesLeft {
		q.movesLeft = make([]float32, m.batch)
	}
	return &Session{model: m, native: native, q: q}, nil
}

// Evaluate answers any number of leaves: it fills Priors and Value, and WDL and
// MovesLeft where the network knows them. They are
// evaluated in chunks of the model's batch, the last padded, so that an answer is
// the same to the bit whatever the other leaves are. A full batch costs as much
// as a batch of one.
func (s *Session) Evaluate(leaves []*encode.Leaf) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.native == nil {
		return errClosed("session")
	}
	for chunk := range slices.Chunk(leaves, s.model.batch) {
		if err := s.evaluate(chunk); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) evaluate(leaves []*encode.Leaf) error {
	q, spec := &s.q, &s.model.spec
	q.planes, q.indices = q.planes[:0], q.indices[:0]
	q.offsets = append(q.offsets[:0], 0)
	for i, l := range leaves {
		if len(l.Planes) != spec.Planes {
			return fmt.Errorf("evaluate: leaf %d has %d planes, the network %d", i, len(l.Planes), spec.Planes)
		}
		for _, index := range l.Indices {
			if index < -1 || int(index) >= spec.PolicySize {
				return fmt.Errorf("evaluate: leaf %d: policy index %d is out of the range 0 to %d", i, index, spec.PolicySize-1)
			}
		}
		q.planes = append(q.planes, l.Planes...)
		q.indices = append(q.indices, l.Indices...)
		q.offsets = append(q.offsets, int32(len(q.indices)))
	}
	q.priors = slices.Grow(q.priors[:0], len(q.indices))[:len(q.indices)]
	if err := runSession(s.native, len(leaves), q); err != nil {
		return fmt.Errorf("evaluate: %w", err)
	}
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

// Close frees the session. Any use afterwards is an error; another Close is not.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.native != nil {
		freeSession(s.native)
		s.native = nil
		s.model.release()
	}
}
