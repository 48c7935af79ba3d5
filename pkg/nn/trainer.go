package nn

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// ErrDiverged says that a loss is no longer a finite number. The parameters are
// those from before the step.
var ErrDiverged = errors.New("training diverged: the loss is not a finite number; lower the learning rate")

// Loss is the mean over a batch of the two terms that training minimizes, and
// their weighted sum. Weight decay is not part of it.
type Loss struct {
	Total  float64
	Policy float64 // cross entropy over all moves of the policy, in nats
	Value  float64 // (z - v)^2
}

// TrainerOptions say on what hardware to train. They decide the last bits of the
// result, nothing else.
type TrainerOptions struct {
	Device  string // "cpu"; "" is the same
	Threads int    // of the CPU; 0: all
}

// Trainer takes gradient steps on a network. It keeps the parameters in libtorch
// memory, on an OS thread of its own that serves its methods: libtorch keeps
// gradient mode and thread counts by thread. It is safe for use by several
// goroutines; their calls run one after the other.
type Trainer struct {
	net     *Network
	weights Weights

	// Used on the trainer's thread only.
	params  scope // owns the tensors in tensors
	tensors map[*param]*ts.Tensor
	opt     optimizer
	changed bool // the tensors are newer than the network's parameters

	mu     sync.Mutex // guards calls against Close
	calls  chan call
	closed bool
}

type call struct {
	run  func() error
	done chan error
}

// NewTrainer starts a trainer that uses all processors. A network has at most
// one trainer at a time.
func NewTrainer(n *Network, o Optimizer) (*Trainer, error) {
	return NewTrainerOn(n, o, TrainerOptions{})
}

// NewTrainerOn starts a trainer on the given hardware.
func NewTrainerOn(n *Network, o Optimizer, on TrainerOptions) (*Trainer, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := checkDevice(on.Device); err != nil {
		return nil, err
	}
	if err := checkLibrary(); err != nil {
		return nil, err
	}
	if on.Threads < 0 {
		return nil, fmt.Errorf("trainer: threads: want at least 0, have %d", on.Threads)
	}
	if on.Threads == 0 {
		on.Threads = runtime.NumCPU()
	}
	t := &Trainer{net: n, weights: o.Weights, calls: make(chan call), tensors: make(map[*param]*ts.Tensor)}
	if t.weights == (Weights{}) {
		t.weights = Weights{Policy: 1, Value: 1}
	}

	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case n.closed:
		return nil, errClosed("network")
	case n.trainer != nil:
		return nil, errors.New("trainer: the network has a trainer already")
	}
	go t.serve(on.Threads)
	if err := t.do(func() { t.start(o) }); err != nil {
		return nil, errors.Join(err, t.stop())
	}
	n.trainer = t
	return t, nil
}

// serve is the trainer's thread.
func (t *Trainer) serve(threads int) {
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	setThreads(threads)
	for c := range t.calls {
		c.done <- c.run()
	}
}

// do runs f on the trainer's thread.
func (t *Trainer) do(f func()) error {
	return t.run(func() error { return caught(f) })
}

func (t *Trainer) run(f func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errClosed("trainer")
	}
	c := call{run: f, done: make(chan error)}
	t.calls <- c
	return <-c.done
}

// start makes the tensors.
func (t *Trainer) start(o Optimizer) {
	gradients(false)
	for _, p := range t.net.params {
		x := t.params.keep(ts.Empty(int64s(p.shape), gotch.Float, gotch.CPU))
		copy(floats(x), p.data)
		if p.trained {
			x = t.params.keep(x.SetRequiresGrad(true, false))
		}
		t.tensors[p] = x
	}
	t.opt = newSGD(o, t.net.params, t.tensors)
}

// gradients switches the recording of operations for a backward pass.
func gradients(on bool) {
	_, err := ts.GradSetEnabled(on)
	must(err)
}

// Step takes one gradient step on a batch and returns the loss before it.
func (t *Trainer) Step(b *Batch, lr float64) (Loss, error) {
	if math.IsNaN(lr) || math.IsInf(lr, 0) || lr < 0 {
		return Loss{}, fmt.Errorf("trainer: learning rate %v", lr)
	}
	if err := b.check(&t.net.spec); err != nil {
		return Loss{}, err
	}
	var loss Loss
	err := t.run(func() error {
		var diverged error
		err := caught(func() {
			g := t.graph(true)
			defer g.close()
			gradients(true)
			defer gradients(false)
			var total *ts.Tensor
			if total, loss = t.loss(g, b); loss.finite() {
				must(total.Backward())
				gradients(false)
				t.opt.step(lr)
				t.changed = true
			} else {
				diverged = ErrDiverged
			}
		})
		return errors.Join(err, diverged)
	})
	return loss, err
}

// Loss returns the loss on a batch, the network in evaluation: batch norm uses
// its running statistics, and nothing changes.
func (t *Trainer) Loss(b *Batch) (Loss, error) {
	if err := b.check(&t.net.spec); err != nil {
		return Loss{}, err
	}
	var loss Loss
	err := t.do(func() {
		g := t.graph(false)
		defer g.close()
		_, loss = t.loss(g, b)
	})
	if err == nil && !loss.finite() {
		err = ErrDiverged
	}
	return loss, err
}

func (l Loss) finite() bool { return !math.IsNaN(l.Total) && !math.IsInf(l.Total, 0) }

func (t *Trainer) graph(training bool) *graph {
	return &graph{device: gotch.CPU, params: t.tensors, training: training}
}

// loss returns the total as a tensor to differentiate, and all terms as numbers.
func (t *Trainer) loss(g *graph, b *Batch) (*ts.Tensor, Loss) {
	spec := &t.net.spec
	logits, values := t.net.forward(g, g.input(b.Planes, spec.Constant))

	target := g.zeros(b.N, spec.PolicySize)
	b.scatter(floats(target), spec.PolicySize)
	logs := g.keep(logits.LogSoftmax(1, gotch.Float, false))
	sum := g.keep(g.keep(target.Mul(logs, false)).Sum(gotch.Float, false))
	policy := g.keep(sum.MulScalar(g.scalar(-1/float64(b.N)), false))

	z := g.empty(b.N)
	copy(floats(z), b.Values)
	value := g.keep(g.keep(g.keep(values.Sub(z, false)).Square(false)).Mean(gotch.Float, false))

	w := t.weights
	total := g.keep(g.keep(policy.MulScalar(g.scalar(w.Policy), false)).Add(g.keep(value.MulScalar(g.scalar(w.Value), false)), false))
	return total, Loss{
		Total:  float64(floats(total)[0]),
		Policy: float64(floats(policy)[0]),
		Value:  float64(floats(value)[0]),
	}
}

// State is a copy of the optimizer's state. Together with the network's it
// continues training bit for bit.
func (t *Trainer) State() (Tensors, error) {
	var s Tensors
	err := t.do(func() { s = t.opt.state() })
	return s, err
}

// Load replaces the optimizer's state by what State returned for the same
// network and kind of optimizer. On an error the state is unchanged.
func (t *Trainer) Load(s Tensors) error {
	return t.run(func() error {
		var bad error
		err := caught(func() { bad = t.opt.load(s) })
		if err = errors.Join(err, bad); err != nil {
			return fmt.Errorf("load optimizer: %w", err)
		}
		return nil
	})
}

// pull copies the parameters to the network, whose lock the caller holds.
func (t *Trainer) pull() error {
	return t.do(func() {
		if !t.changed {
			return
		}
		for p, x := range t.tensors {
			copy(p.data, floats(x))
		}
		t.changed = false
	})
}

// push copies the parameters from the network, whose lock the caller holds.
func (t *Trainer) push() error {
	return t.do(func() {
		for p, x := range t.tensors {
			copy(floats(x), p.data)
		}
		t.changed = false
	})
}

// Close leaves what was learned in the network and frees the trainer's memory.
// Any use afterwards is an error; another Close is not.
func (t *Trainer) Close() error {
	t.net.mu.Lock()
	defer t.net.mu.Unlock()
	if t.net.trainer != t {
		return nil
	}
	err := t.pull()
	t.net.trainer = nil
	return errors.Join(err, t.stop())
}

// stop frees the tensors and ends the thread.
func (t *Trainer) stop() error {
	err := t.do(func() {
		if t.opt != nil {
			t.opt.close()
		}
		t.params.close()
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.closed = true
		close(t.calls)
	}
	return err
}
