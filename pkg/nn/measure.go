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
	net     *Network
	options BarePassOptions

	params parameters
	shards []*shard
	parts  []*barePart // one shard of the batch each
	closed bool
}

// barePart is the prepared data of a shard.
type barePart struct {
	scope
	maps  *ts.Tensor
	times outputs // factors of the outputs
}

// NewBarePass makes an untrained network of the spec and prepares a batch, of which it uses
// only the planes.
func NewBarePass(spec Spec, b *Batch, o BarePassOptions) (*BarePass, error) {
	var err error
	if o.TrainerOptions, err = o.complete(); err != nil {
		return nil, err
	}
	if o.Fused && o.Whole {
		return nil, errors.New("bare passes: the operations of a trainer are for shards")
	}
	net, err := New(spec, 1)
	if err != nil {
		return nil, err
	}
	if err := b.check(&net.spec); err != nil {
		return nil, err
	}
	x := &BarePass{net: net, options: o}
	if err := caught(func() { x.start(b) }); err != nil {
		return nil, errors.Join(err, x.Close())
	}
	return x, nil
}

func (x *BarePass) start(b *Batch) {
	x.params.start(x.net, x.options.Precision == BF16, x.options.place())
	shards, threads := min(x.options.Threads, b.N), 1
	if x.options.Whole {
		shards, threads = 1, x.options.Threads
	}
	for i := range shards {
		x.shards = append(x.shards, newShard(i))
		x.parts = append(x.parts, new(barePart))
	}
	must(each(x.shards, nil, func(s *shard) {
		setThreads(threads)
		s.start(&x.params)
		x.place(s, b.part(b.N*s.index/shards, b.N*(s.index+1)/shards))
	}))
}

// place prepares the data of a shard.
func (x *BarePass) place(s *shard, b *Batch) {
	part := x.parts[s.index]
	for _, p := range x.net.params {
		if !p.trained { // libtorch would write to the running statistics from several threads
			own := s.keep(newStorage(p, x.params.gotch()))
			p.write(own, p.data)
			s.params[p] = own
		}
	}
	g := x.graph(s, nil)
	defer g.close()
	part.maps = part.keep(g.input(b.Planes, x.net.spec.Constant).ShallowClone())
	rng := rand.New(rand.NewPCG(1, uint64(s.index)))
	random := func(shape ...int) *ts.Tensor {
		return part.keep(g.fill(func(to []float32) {
			for i := range to {
				to[i] = float32(rng.NormFloat64())
			}
		}, shape...).ShallowClone())
	}
	spec := &x.net.spec
	if spec.PolicySize > 0 {
		if part.times.logits = random(b.N, spec.PolicySize); g.half {
			part.times.logits = part.keep(part.times.logits.Totype(gotch.BFloat16, false))
		}
	}
	if part.times.values = random(b.N); spec.Value == ValueWDL {
		part.times.values = random(b.N, 3)
	}
	if spec.MovesLeft {
		part.times.movesLeft = random(b.N)
	}
}

func (x *BarePass) graph(s *shard, m barrier) *graph {
	return &graph{
		place: x.params.place, params: s.params, constant: x.params.constant, half: x.options.Precision == BF16,
		training: true, barrier: m, shard: s.index, library: !x.options.Fused,
	}
}

// Precision is FP32 or BF16.
func (x *BarePass) Precision() string { return x.options.Precision }

// Run passes the batch forward and backward.
func (x *BarePass) Run() error {
	if x.closed {
		return errClosed("bare network")
	}
	m := newBarrier(len(x.shards))
	defer freeBarrier(m)
	return each(x.shards, m, func(s *shard) {
		part, g := x.parts[s.index], x.graph(s, m)
		defer g.close()
		dropGradients(s.leaves)
		recordGradients(true)
		defer recordGradients(false)
		out := x.net.forward(g, part.maps)
		var total *ts.Tensor
		for _, y := range [][2]*ts.Tensor{{out.logits, part.times.logits}, {out.values, part.times.values}, {out.movesLeft, part.times.movesLeft}} {
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
}

// Close frees the memory.
func (x *BarePass) Close() error {
	if x.closed {
		return nil
	}
	x.closed = true
	err := each(x.shards, nil, func(s *shard) {
		x.parts[s.index].close()
		s.close()
	})
	for _, s := range x.shards {
		close(s.calls)
	}
	return errors.Join(err, caught(x.params.close))
}

// Tower measures the 3x3 convolutions of a network's trunk, with prepacked weights and
// ReLU, but without heads, residual additions, norms or attention. Its speed is the upper
// bound of a Session of the same shape. One goroutine at a time may use it.
type Tower struct {
	closed bool

	model     processorModel // on the processor
	evaluator *processorEvaluator

	layers  // on a device
	frozen  *frozen
	input   *ts.Tensor
	workers *deviceWorkers
}

// NewTower makes a tower with the spec's planes, depth and width. It uses the batch, the
// precision and the first device of the options.
func NewTower(s Spec, o InferenceOptions) (*Tower, error) {
	s, err := s.Complete()
	if err != nil {
		return nil, err
	}
	if o, err = o.complete(); err != nil {
		return nil, err
	}
	t, n := new(Tower), plainNetwork(&s)
	if !o.onDevice() {
		err = t.startOnProcessor(n, &o)
	} else {
		err = caught(func() { t.startOnDevice(n, &o) })
	}
	if err != nil {
		t.Close()
		return nil, fmt.Errorf("new tower: %w", err)
	}
	return t, nil
}

// plainNetwork returns the convolutions of a spec's trunk, each with ReLU, without heads.
// The weights are those at the start of training, so that maps neither vanish nor overflow:
// a processor multiplies zeros with less power, and clocks higher.
func plainNetwork(s *Spec) *Network {
	d, n := &declare{seed: 1}, &Network{spec: *s}
	in := s.Planes
	for i := range s.convolutions() {
		l := newConvNorm(d, fmt.Sprintf("conv%d", i), fmt.Sprintf("norm%d", i), in, s.Width, 3, relu)
		value(0.01)(l.beta.data, nil)
		n.trunk, in = append(n.trunk, l), s.Width
	}
	n.params, n.convNorms = d.params, d.convNorms
	return n
}

func (t *Tower) startOnProcessor(n *Network, o *InferenceOptions) error {
	c := newCompiler(o.Batch, n.spec.Constant, o)
	n.compileTrunk(c)
	if t.model = c.processorModel; c.err != nil {
		return c.err
	}
	var err error
	t.evaluator, err = t.model.newEvaluator()
	return err
}

func (t *Tower) startOnDevice(n *Network, o *InferenceOptions) {
	t.layers, t.workers = n.layers, workersOf(o.devices[0])
	t.frozen = n.freeze(o.Precision == BF16, place{o.devices[0], true})
	g := t.frozen.graph()
	defer g.close()
	t.input = t.frozen.keep(g.input(make([]uint64, o.Batch*t.frozen.planes), make([]bool, t.frozen.planes)).ShallowClone())
	waitFor(t.frozen.device)
}

// Run convolves one batch, on the calling thread or by a worker of the device.
func (t *Tower) Run() error {
	if t.closed {
		return errClosed("tower")
	}
	var err error
	if t.evaluator != nil {
		err = t.evaluator.convolve()
	} else {
		done := make(chan error)
		t.workers.do(func(int) { done <- t.runOnDevice() })
		err = <-done
	}
	if err != nil {
		return fmt.Errorf("run tower: %w", err)
	}
	return nil
}

func (t *Tower) runOnDevice() error {
	if err := enterDevice(t.frozen.device); err != nil {
		return err
	}
	return caught(func() {
		g := t.frozen.graph()
		defer g.close()
		t.forwardTrunk(g, t.input)
		waitFor(t.frozen.device)
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
	if t.model.model != nil {
		t.model.free()
	}
	if t.frozen != nil {
		t.frozen.close()
	}
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
