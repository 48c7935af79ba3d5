package nn

import (
	"runtime"
	"sync"

	"github.com/sugarme/gotch/ts"
)

// shard is a thread of a trainer and its part of every batch. Each shard works
// on one thread, and they wait for each other in batch norm only: on two cores
// networks of 32 channels are trained half as fast again so as by one graph whose
// every operation is divided, and much faster when another process needs a core.
type shard struct {
	index int
	calls chan func()

	// Used on the shard's thread only.
	scope  // owns the tensors in params
	params map[*param]*ts.Tensor
	leaves handles // the trained ones: the gradients are theirs
}

func newShard(index int) *shard {
	s := &shard{index: index, calls: make(chan func()), params: make(map[*param]*ts.Tensor)}
	go func() {
		runtime.LockOSThread() // never unlocked: libtorch's settings belong to the thread, which ends with the goroutine
		setThreads(1)
		for f := range s.calls {
			f()
		}
	}()
	return s
}

// start makes tensors that share the memory of the parameters and have gradients
// of their own.
func (s *shard) start(params *parameters) {
	gradients(false)
	for _, p := range params.all {
		x := s.keep(params.used(p).Detach(false))
		if p.trained {
			x = s.keep(x.SetRequiresGrad(true, false))
			s.leaves = append(s.leaves, x.Ctensor())
		}
		s.params[p] = x
	}
}

// gradients switches the recording of operations for a backward pass.
func gradients(on bool) {
	_, err := ts.GradSetEnabled(on)
	must(err)
}

// each runs f for shards at once. When one fails, those that wait for it in m are
// told; the error is that of the first.
func each(shards []*shard, m meeting, f func(*shard)) error {
	var wait sync.WaitGroup
	var once sync.Once
	var failed error
	for _, s := range shards {
		wait.Add(1)
		s.calls <- func() {
			defer wait.Done()
			if err := caught(func() { f(s) }); err != nil {
				once.Do(func() { failed = err })
				if m != nil {
					abortMeeting(m)
				}
			}
		}
	}
	wait.Wait()
	return failed
}

// pass is a batch on its way through the network, in as many parts as there are
// shards that have positions.
type pass struct {
	t       *Trainer
	shards  int
	meeting meeting
	graphs  []*graph
	totals  []*ts.Tensor // what each shard adds to the loss
	parts   []Loss       // the same as numbers, once they are read
	read    []func() Loss
	// In evaluation, of each shard.
	accuracies []Accuracy
}

// pass starts a pass of n positions. The caller closes it.
func (t *Trainer) pass(n int, training bool) *pass {
	p := &pass{t: t, shards: min(n, len(t.shards))}
	if training {
		p.meeting = newMeeting(p.shards)
	}
	for _, s := range t.shards[:p.shards] {
		p.graphs = append(p.graphs, &graph{
			place: t.params.place, params: s.params, half: t.options.Precision == BF16, training: training,
			masks:   masks{seed: t.seed, step: t.steps, first: n * s.index / p.shards},
			meeting: p.meeting, shard: s.index,
		})
	}
	p.totals, p.accuracies = make([]*ts.Tensor, p.shards), make([]Accuracy, p.shards)
	p.parts, p.read = make([]Loss, p.shards), make([]func() Loss, p.shards)
	return p
}

func (p *pass) each(f func(*shard)) error { return each(p.t.shards[:p.shards], p.meeting, f) }

// forward runs the batch forward. In training the loss is known after backward only, so
// that a device need not wait between the two until it is told what comes next.
func (p *pass) forward(b *Batch) error {
	return p.each(func(s *shard) {
		g := p.graphs[s.index]
		if g.training {
			forgetGradients(s.leaves)
			gradients(true)
			defer gradients(false)
		}
		part := b.part(b.N*s.index/p.shards, b.N*(s.index+1)/p.shards)
		out := p.t.net.forward(g, g.input(part.Planes, p.t.net.spec.Constant))
		p.totals[s.index], p.read[s.index] = p.t.loss(g, out, part, 1/float64(b.N))
		if g.training {
			return
		}
		p.parts[s.index] = p.read[s.index]()
		if out.logits != nil {
			p.accuracies[s.index] = g.accuracy(out.logits, part)
		}
	})
}

// backward makes the gradients of what forward has run in training.
func (p *pass) backward() error {
	return p.each(func(s *shard) {
		must(p.totals[s.index].Backward())
		p.parts[s.index] = p.read[s.index]()
	})
}

// loss is that of all parts.
func (p *pass) loss() (sum Loss) {
	for _, l := range p.parts {
		sum.Add(l, 1)
	}
	return sum
}

// close frees what the pass left in memory.
func (p *pass) close() {
	// A failure to free has no remedy, and the step is done.
	_ = each(p.t.shards[:p.shards], nil, func(s *shard) { p.graphs[s.index].close() })
	if p.meeting != nil {
		freeMeeting(p.meeting)
	}
}
