package nn

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// BarePassOptions configure a BarePass.
type BarePassOptions struct {
	TrainerOptions
	// Fused selects the operations of a Trainer instead of libtorch's own.
	Fused bool
	// Whole makes one graph of the batch, and libtorch divides every operation among the
	// threads. Otherwise each thread has a shard of the batch, and libtorch's batch norm
	// covers that shard alone. Whole excludes Fused.
	Whole bool
}

// BarePass measures forward and backward passes of a network on one batch that is already
// in libtorch's memory. Its speed is the upper bound of a Trainer's, because it omits batch
// assembly, expansion of planes, losses, rounding of weights to the precision of the maps,
// and the optimizer. In place of losses it sums the outputs times fixed numbers. It learns
// nothing. One goroutine at a time may use it.
type BarePass struct {
	trainer *Trainer
	batch   *Batch
	parts   []barePart // one shard of the batch each
}

// barePart is the prepared data of a shard.
type barePart struct {
	maps  *ts.Tensor
	times outputs // factors of the outputs
}

// NewBarePass makes an untrained network of the spec and prepares a batch, of which it uses
// only the planes.
func NewBarePass(spec Spec, b *Batch, o BarePassOptions) (*BarePass, error) {
	if o.Fused && o.Whole {
		return nil, errors.New("bare passes: the operations of a trainer are for shards")
	}
	net, err := New(spec, 1)
	if err != nil {
		return nil, err
	}
	if net.sparse != nil {
		return nil, errors.New("bare passes: a sparse network has no maps")
	}
	if err := b.check(&net.spec); err != nil {
		return nil, err
	}
	o.library, o.whole = !o.Fused, o.Whole
	t, err := NewTrainer(net, Optimizer{}, o.TrainerOptions)
	if err != nil {
		return nil, err
	}
	x := &BarePass{trainer: t, batch: b, parts: make([]barePart, len(t.shards))}
	p := x.pass()
	err = p.each(func(s *shard, part *part) { x.parts[s.index] = prepare(s, part.graph, net, p.positions(s)) })
	p.close() // before the trainer, whose shards it needs
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return x, nil
}

// prepare makes the data of a shard, which owns it.
func prepare(s *shard, g *graph, n *Network, b *Batch) (part barePart) {
	for _, p := range n.params {
		if !p.trained { // libtorch would write to the running statistics from several threads
			own := s.keep(newStorage(p, g.gotch()))
			p.write(own, p.data)
			s.views[0].params[p] = own
		}
	}
	part.maps = s.keep(g.input(b.Planes, n.spec.Constant).ShallowClone())
	rng := rand.New(rand.NewPCG(1, uint64(s.index)))
	random := func(shape ...int) *ts.Tensor {
		return s.keep(g.fill(func(to []float32) {
			for i := range to {
				to[i] = float32(rng.NormFloat64())
			}
		}, shape...).ShallowClone())
	}
	if n.spec.PolicySize > 0 {
		part.times.logits = s.keep(g.like(random(b.N, n.spec.PolicySize)).ShallowClone())
	}
	if part.times.values = random(b.N); n.spec.Value == ValueWDL {
		part.times.values = random(b.N, 3)
	}
	if n.spec.MovesLeft {
		part.times.movesLeft = random(b.N)
	}
	return part
}

// Close frees the memory.
func (x *BarePass) Close() error { return x.trainer.Close() }

func (x *BarePass) pass() *pass {
	return x.trainer.pass(&x.trainer.replica, 0, x.batch, 0, x.batch.N, true, normMomentum)
}

// Run passes the batch forward and backward.
func (x *BarePass) Run() error {
	return x.trainer.do(func() error {
		p := x.pass()
		defer p.close()
		return p.each(func(s *shard, part *part) {
			g, data := part.graph, x.parts[s.index]
			dropGradients(s.views[0].leaves)
			recordGradients(true)
			defer recordGradients(false)
			out := x.trainer.net.forwardMaps(g, data.maps)
			var total *ts.Tensor
			for _, y := range [][2]*ts.Tensor{{out.logits, data.times.logits}, {out.values, data.times.values}, {out.movesLeft, data.times.movesLeft}} {
				if y[0] == nil {
					continue
				}
				sum := g.keep(g.keep(y[0].Mul(y[1], false)).Sum(gotch.Float, false))
				if total != nil {
					sum = g.keep(total.Add(sum, false))
				}
				total = sum
			}
			must(total.Backward())
			if g.generic {
				g.number(total) // waits for the device, which works in order
			}
		})
	})
}

// Tower measures the 3x3 convolutions of a network's trunk, with prepacked weights and
// ReLU, but without heads, residual additions, norms or attention. Its speed is the upper
// bound of a Session of the same shape. One goroutine at a time may use it.
type Tower struct {
	model     *Model     // a plain trunk with as many convolutions
	evaluator evaluator  // on the processor
	input     *ts.Tensor // on a device
	closed    bool
}

// NewTower makes a tower with the spec's planes, depth and width. It uses the batch, the
// precision and the first device of the options.
func NewTower(s Spec, o InferenceOptions) (*Tower, error) {
	s, err := s.Complete()
	if err != nil {
		return nil, err
	}
	if s.Trunk == TrunkSparse || s.Trunk == TrunkTransformer {
		return nil, fmt.Errorf("new tower: the trunk %s has no convolutions", s.Trunk)
	}
	// The weights are those at the start of training, so that maps neither vanish nor
	// overflow: a processor multiplies zeros with less power, and clocks higher.
	n, err := New(Spec{Planes: s.Planes, Constant: s.Constant, Trunk: TrunkPlain, Depth: s.convolutions(), Width: s.Width}, 1)
	if err != nil {
		return nil, err
	}
	for _, l := range n.trunk {
		if l.norm != nil {
			value(0.01)(l.norm.beta.data, nil)
		}
	}
	t := new(Tower)
	if t.model, err = n.compile(o, true); err != nil {
		return nil, fmt.Errorf("new tower: %w", err)
	}
	if t.model.queues == nil {
		t.evaluator, err = t.model.processor.newEvaluator()
	} else {
		err = caught(func() {
			f := t.model.queues[0].frozen
			g := f.graph()
			defer g.close()
			t.input = f.keep(g.input(make([]uint64, t.model.batch*f.planes), make([]bool, f.planes)).ShallowClone())
			waitFor(f.device)
		})
	}
	if err != nil {
		t.Close()
		return nil, fmt.Errorf("new tower: %w", err)
	}
	return t, nil
}

// Run convolves one batch, on the calling thread or by a worker of the device.
func (t *Tower) Run() error {
	if t.closed {
		return errClosed("tower")
	}
	var err error
	if t.evaluator != nil {
		err = t.evaluator.(*processorEvaluator).convolve()
	} else {
		done := make(chan error)
		t.model.queues[0].workers <- func(int) { done <- t.runOnDevice() }
		err = <-done
	}
	if err != nil {
		return fmt.Errorf("run tower: %w", err)
	}
	return nil
}

func (t *Tower) runOnDevice() error {
	f := t.model.queues[0].frozen
	if err := enterDevice(f.device); err != nil {
		return err
	}
	return caught(func() {
		g := f.graph()
		defer g.close()
		g.forward(t.model.layers.trunk, t.input)
		waitFor(f.device)
	})
}

func (t *Tower) Close() {
	if t.closed {
		return
	}
	t.closed = true
	if t.evaluator != nil {
		t.evaluator.close()
	}
	t.model.Close()
}

// matrixSize is large enough for a graphics card to reach its highest speed.
const matrixSize = 8192

// MatrixSpeed measures products of large square matrices on a device for about d. It
// returns operations per second, where a multiply-add is two operations. This is the upper
// bound of convolutions there.
func MatrixSpeed(device, precision string, d time.Duration) (perSecond float64, err error) {
	return matrixSpeed(device, precision, matrixSize, d)
}

func matrixSpeed(device, precision string, size int64, d time.Duration) (perSecond float64, err error) {
	err = caught(func() {
		g := &graph{place: place{device: device}}
		defer g.close()
		kind := gotch.Float
		if precision == BF16 {
			kind = gotch.BFloat16
		}
		// The numbers are random, because a card multiplies equal ones with less power, and
		// clocks higher.
		a := g.keep(g.keep(ts.Randn([]int64{size, size}, gotch.Float, g.gotch())).Totype(kind, false))
		products := func(n int) {
			for range n {
				c, err := a.Matmul(a, false)
				must(err)
				must(c.Drop())
			}
			// The device works in order, so this waits for the products.
			g.number(g.keep(g.keep(a.Slice(0, []int64{0}, []int64{1}, 1, false)).Sum(gotch.Float, false)))
		}
		products(1) // warm-up: loads the libraries
		n, began := 0, time.Now()
		for n == 0 || time.Since(began) < d {
			products(8)
			n += 8
		}
		perSecond = float64(n) * 2 * float64(size) * float64(size) * float64(size) / time.Since(began).Seconds()
	})
	return perSecond, err
}
