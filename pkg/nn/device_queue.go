package nn

import (
	"runtime"
	"slices"
	"sync"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"

	"alamos/pkg/encode"
)

// workersPerDevice is how many threads give a CUDA device work: while the batch of
// one is computed, the other's is on its way there.
const workersPerDevice = 2

// deviceWorkers are the threads that give one device work, for all models of the
// process.
//
// They are few and stay, since libtorch keeps a workspace of cuBLAS for every pair of
// a thread and a queue that it has met, and cuDNN's plans for every thread.
type deviceWorkers struct {
	mu      sync.Mutex
	arrived sync.Cond // of a job
	jobs    []func(worker int)
}

var (
	allWorkersMu sync.Mutex
	allWorkers   = map[string]*deviceWorkers{} // by device
)

// workersOf returns the workers of a device; they start with the first call.
func workersOf(device string) *deviceWorkers {
	allWorkersMu.Lock()
	defer allWorkersMu.Unlock()
	w := allWorkers[device]
	if w == nil {
		w = new(deviceWorkers)
		w.arrived.L = &w.mu
		allWorkers[device] = w
		for i := range workersPerDevice {
			go w.run(i)
		}
	}
	return w
}

func (w *deviceWorkers) run(worker int) {
	runtime.LockOSThread()
	setThreads(1)
	for {
		w.mu.Lock()
		for len(w.jobs) == 0 {
			w.arrived.Wait()
		}
		job := w.jobs[0]
		w.jobs = w.jobs[1:]
		w.mu.Unlock()
		job(worker)
	}
}

// do has a worker do a job, in the order of the calls.
func (w *deviceWorkers) do(job func(worker int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs = append(w.jobs, job)
	w.arrived.Signal()
}

// batchQueue gathers the requests of a model's sessions on a device: a worker that is
// free takes all that waits, up to a batch, and evaluates it together. So many
// goroutines can descend trees, each with few positions at a time, and the device still
// has large batches, the larger the longer it is busy.
type batchQueue struct {
	model   *Model
	frozen  *frozen
	workers *deviceWorkers

	runners [workersPerDevice]*runner // each is used on its worker alone, and made there

	mu      sync.Mutex
	waiting []request
}

// request is at most a batch of leaves of one session.
type request struct {
	leaves []*encode.Leaf
	done   chan<- error
}

// starting keeps the first work of all runners apart: with libtorch up to 2.9, threads
// that meet cuBLAS for the first time enter their workspaces in a table without a lock.
var starting sync.Mutex

// evaluate answers any number of leaves.
func (q *batchQueue) evaluate(leaves []*encode.Leaf) error {
	parts := slices.Collect(slices.Chunk(leaves, q.model.batch))
	done := make(chan error, len(parts))
	q.mu.Lock()
	for _, part := range parts {
		q.waiting = append(q.waiting, request{part, done})
	}
	q.mu.Unlock()

	for range parts { // a job for each, whichever requests the job answers
		q.workers.do(q.serve)
	}
	var failed error
	for range parts {
		if err := <-done; failed == nil {
			failed = err
		}
	}
	return failed
}

// serve answers, on a worker, the requests that wait: none, where an earlier job has
// answered them.
func (q *batchQueue) serve(worker int) {
	taken := q.take()
	if len(taken) == 0 {
		return
	}
	var leaves []*encode.Leaf
	for _, r := range taken {
		leaves = append(leaves, r.leaves...)
	}
	err := q.run(worker, leaves)
	for _, r := range taken {
		r.done <- err
	}
}

// take takes the oldest requests that fit into a batch.
func (q *batchQueue) take() []request {
	q.mu.Lock()
	defer q.mu.Unlock()
	n, positions := 0, 0
	for ; n < len(q.waiting); n++ {
		if positions += len(q.waiting[n].leaves); positions > q.model.batch {
			break
		}
	}
	taken := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return taken
}

func (q *batchQueue) run(worker int, leaves []*encode.Leaf) error {
	if r := q.runners[worker]; r != nil {
		return r.evaluate(leaves)
	}
	starting.Lock()
	defer starting.Unlock()
	if err := enterDevice(q.frozen.device); err != nil {
		return err
	}
	q.runners[worker] = newRunner(q.model, &deviceEvaluator{model: q.model, frozen: q.frozen})
	return q.runners[worker].evaluate(leaves)
}

// close frees what the queue has on the device. No request may be waiting.
func (q *batchQueue) close() {
	for _, r := range q.runners {
		if r != nil {
			r.evaluator.close()
		}
	}
	q.frozen.close()
}

// deviceEvaluator evaluates on a device, with the forward pass of training: a batch's
// blocks are all started, and then waited for together. Packed planes and the numbers
// of the moves go there, and the logits of these and the outputs of the other heads
// come back.
type deviceEvaluator struct {
	model *Model
	*frozen
	memory scope
	blocks []*transfer
}

// transfer is memory for what goes to the device and what comes back, of a block.
type transfer struct{ in, out *ts.Tensor }

func (e *deviceEvaluator) evaluate(n int, b *buffers) error {
	return caught(func() {
		size := e.model.block
		for first := 0; first < n; first += size {
			if k := first / size; k == len(e.blocks) {
				e.blocks = append(e.blocks, new(transfer))
			}
			e.start(e.blocks[first/size], b, first, min(n, first+size))
		}
		waitFor(e.device)
		for first := 0; first < n; first += size {
			e.finish(e.blocks[first/size], b, first, min(n, first+size))
		}
		if e.model.heads.policy != nil {
			softmax(n, b)
		}
	})
}

// reserve makes room for so many numbers, or twice as many when there is less.
func (e *deviceEvaluator) reserve(t **ts.Tensor, n int, kind gotch.DType) *ts.Tensor {
	if *t == nil || int((*t).Numel()) < n {
		*t = e.memory.transferMemory(e.device, 2*n, kind)
	}
	return *t
}

// start starts the evaluation of the positions from first up to end, as a whole block.
func (e *deviceEvaluator) start(t *transfer, b *buffers, first, end int) {
	g := e.graph()
	defer g.close()
	planes, words := e.model.spec.Planes, e.model.block*e.planes
	moves := b.indices[b.offsets[first]:b.offsets[end]]
	memory := e.reserve(&t.in, words+len(moves), gotch.Int64)
	in := numbers[uint64](memory)
	for i := first; i < end; i++ {
		copy(in[(i-first)*e.planes:], b.planes[i*planes:][:planes]) // planes beyond stay 0
	}
	to := in[words:]
	for i := first; i < end; i++ {
		for _, index := range b.indices[b.offsets[i]:b.offsets[i+1]] {
			to[0] = uint64((i-first)*e.model.spec.PolicySize + max(0, int(index)))
			to = to[1:]
		}
	}
	part := func(t *ts.Tensor, from, n int) *ts.Tensor {
		return g.keep(t.Narrow(0, int64(from), int64(n), false))
	}
	sent := g.send(part(memory, 0, words+len(moves)))
	x := g.expand(g.keep(part(sent, 0, words).View([]int64{-1, int64(e.planes)}, false)))

	answers := e.model.forward(g, x)
	values := answers.values
	if b.wdl != nil {
		values = g.keep(g.keep(values.Softmax(1, gotch.Float, false)).Flatten(0, 1, false))
	}
	all := []*ts.Tensor{values}
	if answers.movesLeft != nil {
		all = append(all, answers.movesLeft)
	}
	if len(moves) > 0 && answers.logits != nil {
		logits := g.keep(answers.logits.Flatten(0, 1, false))
		all = append(all, g.single(g.keep(logits.IndexSelect(0, part(sent, words, len(moves)), false))))
	}
	out := g.keep(ts.Cat(all, 0))
	n := int(out.Numel())
	startCopy(part(e.reserve(&t.out, n, gotch.Float), 0, n), out)
}

// finish takes the answers of a block that was waited for.
func (e *deviceEvaluator) finish(t *transfer, b *buffers, first, end int) {
	out, size := floats(t.out), e.model.block
	if b.wdl != nil {
		copy(b.wdl[3*first:3*end], out)
		out = out[3*size:]
		for i := first; i < end; i++ {
			b.values[i] = b.wdl[3*i] - b.wdl[3*i+2]
		}
	} else {
		for i := first; i < end; i++ {
			b.values[i] = min(1, max(-1, out[i-first])) // NaN stays NaN
		}
		out = out[size:]
	}
	if b.movesLeft != nil {
		copy(b.movesLeft[first:end], out)
		out = out[size:]
	}
	if e.model.heads.policy != nil {
		copy(b.priors[b.offsets[first]:b.offsets[end]], out)
	}
}

func (e *deviceEvaluator) close() { e.memory.close() }
