package nn

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
)

// ErrDiverged reports a loss that is not a finite number. The trained parameters are those from
// before the step; running statistics of batch norm may have changed.
var ErrDiverged = errors.New("training diverged: the loss is not a finite number; lower the learning rate")

// TrainerOptions select the hardware and the precision of training. Without micro-batches
// (Optimizer.MicroBatches) the number of threads changes the low-order bits of the trained weights,
// because sums are added in another order.
type TrainerOptions struct {
	// Device lists devices, see Devices. Each gets an equal part of the micro-batches of
	// Optimizer.MicroBatches; with fewer micro-batches than devices, the first ones do. Their
	// number changes no bit of the weights.
	Device  string
	Threads int // processor threads; 0 means all. Another device uses one
	// Precision is Auto, FP32 or BF16; "" means Auto. BF16 computes with maps and weights
	// of 8 bits of mantissa, and keeps the parameters in single precision. It is twice as
	// fast and ends at the same losses. No loss of playing strength is known: in four pairs
	// of runs of the quickstart the score against the untrained network was 8, 13 and 43 %
	// lower and 56 % higher than in single precision, and chance alone causes such
	// differences.
	Precision string

	generic bool // use the operations for devices on the processor
	library bool // use libtorch's operations instead of ours; see BarePass
	whole   bool // use one shard and divide each operation among the threads; see BarePass
	copies  int  // replicas on each device; 0 means 1
	devices []string
}

// complete returns the options with every default made explicit.
func (on TrainerOptions) complete() (TrainerOptions, error) {
	if on.Threads < 0 {
		return on, fmt.Errorf("trainer: threads: want at least 0, have %d", on.Threads)
	}
	devices, precision, err := openDevices(on.Device, on.Precision)
	if err != nil {
		return on, fmt.Errorf("trainer: %w", err)
	}
	on.devices, on.Precision = slices.Repeat(devices, max(1, on.copies)), precision
	on.generic = on.generic || devices[0] != CPU
	switch {
	case on.generic:
		on.Threads = 1
	case on.Threads == 0:
		on.Threads = runtime.GOMAXPROCS(0)
	}
	return on, nil
}

// Trainer takes gradient steps on a network. It divides every batch into micro-batches, these
// among its replicas, and a replica's among its threads. Several goroutines may use it; their
// calls run one after the other.
type Trainer struct {
	net     *Network
	loss    LossSettings
	clip    float64 // highest norm of the gradient, 0: no limit
	seed    uint64  // seed of the dropout masks
	micro   int     // micro-batches of a batch
	options TrainerOptions

	mu      sync.Mutex // guards the fields below
	replica            // the first one, which has what the others copy
	others  []*replica
	opt     optimizer
	norm    float64 // of the last step's gradient
	changed bool    // the tensors are newer than the network's parameters
	closed  bool
}

// NewTrainer starts a trainer. A network has at most one trainer at a time.
func NewTrainer(n *Network, o Optimizer, on TrainerOptions) (*Trainer, error) {
	o, err := o.Complete()
	if err != nil {
		return nil, err
	}
	if n.sparse != nil {
		on.Precision = FP32
	}
	if on, err = on.complete(); err != nil {
		return nil, err
	}
	t := &Trainer{net: n, loss: o.Loss, clip: o.GradientClip, seed: o.Seed, micro: max(1, o.MicroBatches), options: on, norm: math.NaN()}

	n.mu.Lock()
	defer n.mu.Unlock()
	if n.trainer != nil {
		return nil, errors.New("trainer: the network has a trainer already")
	}
	if err := caught(func() { t.start(o) }); err != nil {
		return nil, errors.Join(err, t.stop())
	}
	n.trainer = t
	return t, nil
}

// start allocates the tensors and starts the shards. With micro-batches each thread of the
// processor has a replica of its own, which shares the parameters: then the number of threads
// changes no sum.
func (t *Trainer) start(o Optimizer) {
	devices, threads := t.options.devices, t.options.Threads
	if t.micro > 1 && !t.options.generic {
		devices, threads = slices.Repeat(devices, threads), 1
	}
	count := min(len(devices), t.micro)
	var leaves []handles
	for i := range count {
		r := &t.replica
		if i > 0 {
			r = &replica{}
			t.others = append(t.others, r)
		}
		if i == 0 || t.options.generic {
			r.params = &parameters{}
			r.params.start(t.net, t.options.Precision == BF16, place{devices[i], t.options.generic})
		} else {
			r.params = t.params
		}
		r.first, r.last = t.micro*i/count, t.micro*(i+1)/count
		r.start(threads, t.options.whole, t.micro > 1)
		for view := range r.last - r.first {
			for _, s := range r.shards {
				leaves = append(leaves, s.views[view].leaves)
			}
		}
	}
	t.opt.start(o, t.params, leaves)
}

// all returns the replicas.
func (t *Trainer) all() []*replica { return append([]*replica{&t.replica}, t.others...) }

// Precision returns FP32 or BF16.
func (t *Trainer) Precision() string { return t.options.Precision }

// Threads returns the number of threads that train, on each device.
func (t *Trainer) Threads() int {
	if t.micro > 1 && !t.options.generic {
		return len(t.all())
	}
	return t.options.Threads
}

// Devices returns the devices that train.
func (t *Trainer) Devices() []string {
	return t.options.devices[:min(len(t.options.devices), len(t.all()))]
}

// do runs f with exclusive access to the trainer.
func (t *Trainer) do(f func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errClosed("trainer")
	}
	return f()
}

// Step takes one gradient step on a batch and returns the loss before it.
func (t *Trainer) Step(b *Batch, lr float64) (Loss, error) {
	if math.IsNaN(lr) || math.IsInf(lr, 0) || lr < 0 {
		return Loss{}, fmt.Errorf("trainer: learning rate %v", lr)
	}
	loss, _, err := t.run(b, true, func(p *pass) error {
		t.changed = true
		return errors.Join(t.step(p, lr), t.share(normMomentum, p.whole))
	})
	return loss, err
}

// step takes the optimizer's step on the threads of a pass or, with micro-batches, on those of all
// replicas on the processor.
func (t *Trainer) step(p *pass, lr float64) error {
	shards, b := t.shards[:len(p.parts)], p.barrier
	if t.micro > 1 && !t.options.generic {
		shards = nil
		for _, r := range t.all() {
			shards = append(shards, r.shards...)
		}
		b = newBarrier(len(shards))
		defer freeBarrier(b)
	}
	t.opt.begin()
	return each(shards, b, func(s *shard) {
		i := slices.Index(shards, s)
		norm := t.opt.step(b, i, len(shards), lr)
		if i == 0 { // equal in all shards
			t.norm = norm
		}
	})
}

// GradientNorm returns the norm of the gradient of the last step, over all parameters
// together and before clipping, and whether that step clipped it. The norm is NaN before the
// first step, and if the step did not measure it: a device other than the processor measures
// every 16th step.
func (t *Trainer) GradientNorm() (norm float64, clipped bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.norm, t.clip > 0 && t.norm > t.clip
}

// UpdateNorms passes a batch forward as in training and changes nothing but the running
// statistics of batch norm, of which momentum is the share of this batch: 1 for the first, 1/2 for
// the second and so on make them a mean of the batches.
func (t *Trainer) UpdateNorms(b *Batch, momentum float64) error {
	if err := b.check(&t.net.spec); err != nil {
		return err
	}
	return t.do(func() error {
		t.changed = true
		passes := t.passes(b, true, momentum)
		defer passes.close()
		return errors.Join(passes.each((*pass).forward), t.share(momentum, b.N))
	})
}

// Measure returns the loss and the accuracy on a batch without changing anything. Batch
// norm uses its running statistics.
func (t *Trainer) Measure(b *Batch) (Loss, Accuracy, error) {
	return t.run(b, false, func(*pass) error { return nil })
}

// run passes a batch forward, and in training backward, and then calls next.
func (t *Trainer) run(b *Batch, training bool, next func(*pass) error) (loss Loss, accuracy Accuracy, err error) {
	if err := b.check(&t.net.spec); err != nil {
		return loss, accuracy, err
	}
	err = t.do(func() error {
		if training {
			if err := t.dropGradients(); err != nil {
				return err
			}
		}
		passes := t.passes(b, training, normMomentum)
		defer passes.close()
		err := passes.each(func(p *pass) error {
			if err := p.forward(); err != nil || !training {
				return err
			}
			return p.backward()
		})
		if err != nil {
			return err
		}
		for _, p := range passes {
			for _, part := range p.parts {
				loss.Add(part.loss, 1)
				accuracy.Add(part.accuracy)
			}
		}
		if !loss.finite() {
			return errors.Join(ErrDiverged, t.copy())
		}
		return next(passes[0])
	})
	return loss, accuracy, err
}

// dropGradients forgets the gradients of the last step, also those of shards and micro-batches that
// a small batch leaves without positions.
func (t *Trainer) dropGradients() error {
	var err error
	for _, r := range t.all() {
		err = errors.Join(err, each(r.shards, nil, func(s *shard) {
			for _, v := range s.views {
				dropGradients(v.leaves)
			}
		}))
	}
	return err
}

// State returns a copy of the optimizer's state. With the network's state, training resumes
// bit for bit.
func (t *Trainer) State() (s Tensors, err error) {
	err = t.do(func() error { return caught(func() { s = t.opt.state() }) })
	return s, err
}

// Load replaces the optimizer's state with a result of State for the same network and kind
// of optimizer. On an error the state is unchanged.
func (t *Trainer) Load(s Tensors) error {
	return t.do(func() error {
		var bad error
		err := caught(func() { bad = t.opt.load(s) })
		if err = errors.Join(err, bad); err != nil {
			return fmt.Errorf("load optimizer: %w", err)
		}
		return nil
	})
}

// legal reports whether the policy's softmax is over the legal moves.
func (t *Trainer) legal() bool { return t.loss.PolicyMask == MaskLegal }

// pull copies the parameters to the network. The caller holds the network's lock.
func (t *Trainer) pull() error {
	return t.do(func() error {
		if !t.changed {
			return nil
		}
		t.changed = false
		return caught(t.params.pull)
	})
}

// push copies the parameters from the network. The caller holds the network's lock.
func (t *Trainer) push() error {
	return t.do(func() error {
		t.changed = false
		if err := caught(t.params.push); err != nil {
			return err
		}
		return t.copy()
	})
}

// Close copies the trained parameters to the network and frees the trainer's memory. Later
// use is an error, but another Close is not.
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

// stop frees the tensors and ends the threads.
func (t *Trainer) stop() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	var err error
	for _, r := range t.all() {
		err = errors.Join(err, r.stop())
	}
	return errors.Join(err, caught(func() {
		t.opt.close()
		for _, r := range t.all() {
			if r == &t.replica || r.params != t.params {
				r.params.close()
			}
		}
	}))
}

// replica has the parameters on a device, and threads that compute there. It computes the
// micro-batches [first, last) of every batch, one after the other.
type replica struct {
	params      *parameters // on the processor all replicas have the same ones
	shards      []*shard
	first, last int
}

func (r *replica) start(threads int, whole, own bool) {
	shards, perShard := threads, 1
	if whole {
		shards, perShard = 1, threads
	}
	for i := range shards {
		r.shards = append(r.shards, newShard(i, perShard))
	}
	must(each(r.shards, nil, func(s *shard) { s.start(r.params, r.last-r.first, own) }))
}

func (r *replica) stop() error {
	err := each(r.shards, nil, func(s *shard) { s.close() })
	for _, s := range r.shards {
		close(s.calls)
	}
	return err
}

// share takes what a pass in training has changed from the views of the micro-batches to the
// first replica, and copies that to the others. Running statistics move by the mean of the
// micro-batches' statistics, of which momentum is the share. The batch has n positions.
func (t *Trainer) share(momentum float64, n int) error {
	if t.micro == 1 {
		return nil
	}
	err := caught(func() {
		for _, p := range t.params.all {
			if p.trained {
				continue
			}
			running, batch := make([]float32, p.size()), make([]float32, p.size())
			mean := make([]float64, p.size())
			p.read(running, t.params.full[p])
			for _, r := range t.all() {
				for view, v := range r.shards[0].views {
					if from, to := t.micros(r.first+view, n); from == to { // of a small batch
						continue
					}
					p.read(batch, v.params[p])
					for i, x := range batch {
						mean[i] += float64(x) / float64(min(n, t.micro))
					}
				}
			}
			for i, m := range mean {
				running[i] = float32((1-momentum)*float64(running[i]) + momentum*m)
			}
			p.write(t.params.full[p], running)
		}
	})
	if err != nil {
		return err
	}
	return t.copy()
}

// copy copies the parameters of the first replica to the others, and its running statistics to
// the views of the micro-batches.
func (t *Trainer) copy() error {
	if t.micro == 1 {
		return nil
	}
	return caught(func() {
		for _, p := range t.params.all {
			for _, r := range t.all() {
				if r.params != t.params {
					copyTensor(r.params.full[p], t.params.full[p])
					if half := r.params.half[p]; half != nil {
						copyTensor(half, t.params.half[p])
					}
				}
				if p.trained {
					continue
				}
				for _, s := range r.shards {
					for _, v := range s.views {
						copyTensor(v.params[p], t.params.full[p])
					}
				}
			}
		}
	})
}
