package nn

import (
	"cmp"
	"runtime"
	"sync"

	"github.com/sugarme/gotch/ts"
	"golang.org/x/sync/errgroup"
)

// shard is a thread of a trainer and its part of every batch. Shards wait for each other
// only in batch norm. On two cores this trains networks of 32 channels 1.5 times as fast as
// one graph with every operation divided among the threads, and much faster when another
// process needs a core.
type shard struct {
	index int
	calls chan func()

	// Used on the shard's thread only.
	scope // owns the tensors in the views
	views []*view
}

// view is the parameters as a shard sees them in a micro-batch: tensors that share their memory,
// or that of their rounded copies, but have their own gradients. With several micro-batches each
// has running statistics of its own, those of the first shard's.
type view struct {
	params map[*param]*ts.Tensor
	leaves handles // the trained parameters, with their gradients
}

func newShard(index, threads int) *shard {
	s := &shard{index: index, calls: make(chan func())}
	go func() {
		runtime.LockOSThread() // The thread is never unlocked: it has libtorch's settings, and ends with the goroutine.
		setThreads(threads)
		for f := range s.calls {
			f()
		}
	}()
	return s
}

// start makes the views of the micro-batches.
func (s *shard) start(params *parameters, count int, own bool) {
	recordGradients(false)
	for range count {
		v := &view{params: make(map[*param]*ts.Tensor)}
		for _, p := range params.all {
			var x *ts.Tensor
			if own && !p.trained {
				x = s.keep(newStorage(p, params.gotch()))
				copyTensor(x, params.full[p])
			} else {
				x = s.keep(cmp.Or(params.half[p], params.full[p]).Detach(false))
			}
			if p.trained {
				x = s.keep(x.SetRequiresGrad(true, false))
				v.leaves = append(v.leaves, x.Ctensor())
			}
			v.params[p] = x
		}
		s.views = append(s.views, v)
	}
}

// recordGradients switches the recording of operations for a backward pass.
func recordGradients(on bool) {
	_, err := ts.GradSetEnabled(on)
	must(err)
}

// each runs f for all shards in parallel. If one fails, the others stop waiting for it at
// the barrier b, which may be nil. The error is that of the first failure.
func each(shards []*shard, b barrier, f func(*shard)) error {
	var wait sync.WaitGroup
	var once sync.Once
	var failed error
	for _, s := range shards {
		wait.Add(1)
		s.calls <- func() {
			defer wait.Done()
			if err := caught(func() { f(s) }); err != nil {
				once.Do(func() { failed = err })
				if b != nil {
					abortBarrier(b)
				}
			}
		}
	}
	wait.Wait()
	return failed
}

// pass is one pass of a micro-batch through the network, with a part for each shard that has
// positions.
type pass struct {
	t       *Trainer
	r       *replica
	view    int // of the shards
	batch   *Batch
	whole   int // positions of the batch
	barrier barrier
	parts   []*part
	late    []late // of the parts
}

// part is a shard's part of a pass.
type part struct {
	*graph
	terms    terms
	loss     Loss     // terms as numbers, once they are read
	accuracy Accuracy // in evaluation
}

type passes []*pass

// micros returns the positions [from, to) of micro-batch m of a batch of n.
func (t *Trainer) micros(m, n int) (from, to int) { return n * m / t.micro, n * (m + 1) / t.micro }

// passes starts the passes of a batch. The caller closes them.
func (t *Trainer) passes(b *Batch, training bool, momentum float64) (all passes) {
	b = t.net.sparse.reflectedBatch(b)
	for _, r := range t.all() {
		for m := r.first; m < r.last; m++ {
			if from, to := t.micros(m, b.N); from < to {
				all = append(all, t.pass(r, m-r.first, b.part(from, to), from, b.N, training, momentum))
			}
		}
	}
	return all
}

// each calls f with each pass, those of a replica one after the other.
func (all passes) each(f func(*pass) error) error {
	var replicas errgroup.Group
	for i, p := range all {
		if i > 0 && p.r == all[i-1].r {
			continue
		}
		replicas.Go(func() error {
			for _, q := range all[i:] {
				if q.r != p.r {
					break
				}
				if err := f(q); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return replicas.Wait()
}

func (all passes) close() {
	for _, p := range all {
		p.close()
	}
}

// pass starts a pass of positions that are those from first on of a batch.
func (t *Trainer) pass(r *replica, view int, b *Batch, first, whole int, training bool, momentum float64) *pass {
	p := &pass{t: t, r: r, view: view, batch: b, whole: whole, parts: make([]*part, min(b.N, len(r.shards)))}
	if training {
		p.barrier = newBarrier(len(p.parts))
	}
	if t.micro > 1 { // the view has the statistics of the micro-batch alone
		momentum = 1
	}
	for i := range p.parts {
		p.parts[i] = &part{graph: &graph{
			place: r.params.place, params: r.shards[i].views[view].params, constant: r.params.constant, places: r.params.places, half: t.options.Precision == BF16,
			training: training, momentum: momentum, library: t.options.library,
			masks:   masks{seed: t.seed, step: uint64(t.opt.steps), first: first + p.first(i)},
			barrier: p.barrier, shard: i,
		}}
		if training && t.net.sparse != nil && !t.options.generic {
			p.parts[i].late = newLate()
			p.late = append(p.late, p.parts[i].late)
		}
	}
	return p
}

// first returns the index of a shard's first position in the micro-batch.
func (p *pass) first(shard int) int { return p.batch.N * shard / len(p.parts) }

// positions returns a shard's positions.
func (p *pass) positions(s *shard) *Batch {
	return p.batch.part(p.first(s.index), p.first(s.index+1))
}

// each runs f for all parts in parallel, on the threads of their shards.
func (p *pass) each(f func(*shard, *part)) error {
	return each(p.r.shards[:len(p.parts)], p.barrier, func(s *shard) { f(s, p.parts[s.index]) })
}

// forward runs the positions forward. In training, the loss is read after backward, so that a
// device does not idle between the two.
func (p *pass) forward() error {
	return p.each(func(s *shard, part *part) {
		if part.training {
			recordGradients(true)
			defer recordGradients(false)
		}
		positions := p.positions(s)
		if p.t.net.sparse != nil && !part.generic {
			p.inChunks(part, positions, 1/float64(p.whole))
			return
		}
		out := p.t.net.forward(part.graph, positions.Planes, p.t.net.spec.Constant)
		part.terms = p.t.terms(part.graph, out, positions, 1/float64(p.whole))
		if part.training {
			return
		}
		part.loss = part.terms.read(part.graph)
		if out.logits != nil {
			part.accuracy = part.graph.accuracy(out.logits, positions, p.t.legal())
		}
	})
}

// chunk is the number of positions of a sparse network whose activations stay in the cache.
const chunk = 512

// inChunks passes the positions of a part forward, and in training backward, a chunk at a
// time. Each backward pass adds to the gradients. It suits networks without batch norm.
func (p *pass) inChunks(part *part, positions *Batch, scale float64) {
	for from := 0; from < positions.N; from += chunk {
		some := positions.part(from, min(from+chunk, positions.N))
		some.Moves, some.Replies = some.Moves.alone(), some.Replies.alone()
		p.inChunk(part, some, scale)
	}
}

func (p *pass) inChunk(part *part, b *Batch, scale float64) {
	g := *part.graph
	g.scope = scope{}
	defer g.close()
	if p.t.legal() {
		g.listed = &b.Moves
	}
	out := p.t.net.forward(&g, b.Planes, p.t.net.spec.Constant)
	terms := p.t.terms(&g, out, b, scale)
	if part.training {
		must(terms.total.Backward())
	} else if out.logits != nil {
		part.accuracy.Add(g.accuracy(out.logits, b, p.t.legal()))
	}
	part.loss.Add(terms.read(&g), 1)
}

// backward computes the gradients of a training pass.
func (p *pass) backward() error {
	if p.late != nil { // the rest was done in chunks
		return p.addLate()
	}
	return p.each(func(_ *shard, part *part) {
		must(part.terms.total.Backward())
		part.loss = part.terms.read(part.graph)
	})
}

// addLate adds up the gradients of tables, each shard those of some columns. Leaves of the first
// shard take them.
func (p *pass) addLate() error {
	leaves := p.r.shards[0].views[p.view].leaves
	// Always on one thread, whose part of the heap gets the memory back.
	if err := each(p.r.shards[:1], nil, func(*shard) { startLate(p.late, leaves) }); err != nil {
		return err
	}
	err := p.each(func(s *shard, _ *part) { addLate(p.late, leaves, s.index, len(p.parts)) })
	p.freeLate()
	return err
}

func (p *pass) freeLate() {
	for _, l := range p.late {
		freeLate(l)
	}
	p.late = nil
}

// close frees the memory of the pass.
func (p *pass) close() {
	// A failure to free has no remedy, and the step is complete.
	_ = p.each(func(_ *shard, part *part) { part.close() })
	p.freeLate()
	if p.barrier != nil {
		freeBarrier(p.barrier)
	}
}
