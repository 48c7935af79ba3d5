package nn

import (
	"runtime"
	"slices"
	"sync"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"

	"alamos/pkg/encode"
)

// workersPer returns the number of threads that drive a device: two for a CUDA device, of which
// one transfers its batch while the device computes that of the other, and one for each core of
// the processor.
func workersPer(device string) int {
	if device == CPU {
		return runtime.GOMAXPROCS(0)
	}
	return 2
}

// deviceWorkers are the threads that drive one device, for all models of the process. They
// receive jobs, which get the number of the worker that runs them.
//
// They are few and live as long as the process, because libtorch keeps a cuBLAS workspace
// for every pair of thread and stream, and cuDNN plans for every thread.
type deviceWorkers chan func(worker int)

var (
	allWorkersMu sync.Mutex
	allWorkers   = map[string]deviceWorkers{} // by device
)

// workersOf returns the workers of a device. The first call starts them.
func workersOf(device string) deviceWorkers {
	allWorkersMu.Lock()
	defer allWorkersMu.Unlock()
	w := allWorkers[device]
	if w == nil {
		w = make(deviceWorkers)
		allWorkers[device] = w
		for i := range workersPer(device) {
			go w.run(i)
		}
	}
	return w
}

func (w deviceWorkers) run(worker int) {
	runtime.LockOSThread()
	setThreads(1)
	for job := range w {
		job(worker)
	}
}

// batchQueue gathers the requests of a model's sessions on a device. A free worker takes
// all waiting requests, up to a batch, and evaluates them together. Therefore many
// goroutines can search with a few positions each, and the device still gets large batches;
// they grow with its load.
type batchQueue struct {
	model   *Model
	frozen  *frozen
	workers deviceWorkers

	runners []*runner // Each worker makes its runner and is its only user.

	mu      sync.Mutex
	waiting []request
}

// request holds leaves of one session, at most a batch.
type request struct {
	leaves []*encode.Leaf
	done   chan<- error
}

// starting serializes the first evaluation of every runner. In libtorch up to 2.9, threads
// that use cuBLAS for the first time add their workspaces to a table without a lock.
var starting sync.Mutex

// evaluate evaluates any number of leaves.
func (q *batchQueue) evaluate(leaves []*encode.Leaf) error {
	parts := slices.Collect(slices.Chunk(leaves, q.model.batch))
	done := make(chan error, len(parts))
	q.mu.Lock()
	for _, part := range parts {
		q.waiting = append(q.waiting, request{part, done})
	}
	q.mu.Unlock()

	for range parts { // There is one job per part, but a job may serve other requests.
		q.workers <- q.serve
	}
	var failed error
	for range parts {
		if err := <-done; failed == nil {
			failed = err
		}
	}
	return failed
}

// serve runs on a worker and evaluates the waiting requests. There may be none if an
// earlier job served them.
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

// take removes the oldest requests that fit into a batch.
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

// close frees the queue's memory on the device. No request may be waiting.
func (q *batchQueue) close() {
	for _, r := range q.runners {
		if r != nil {
			r.evaluator.close()
		}
	}
	q.frozen.close()
}

// deviceEvaluator evaluates on a device with the forward pass of training. It starts all
// blocks of a batch before it waits for them. It sends packed planes and the policy indices
// of the moves, and receives the logits of these moves and the outputs of the other heads.
type deviceEvaluator struct {
	model *Model
	*frozen
	memory scope
	blocks []*transfer
}

// transfer is the memory for the input and the output of a block.
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

// reserve returns memory for at least n numbers. It doubles the memory when it has to grow.
func (e *deviceEvaluator) reserve(t **ts.Tensor, n int, kind gotch.DType) *ts.Tensor {
	if *t == nil || int((*t).Numel()) < n {
		*t = e.memory.transferMemory(e.device, 2*n, kind)
	}
	return *t
}

// start starts the evaluation of positions [first, end) as a whole block.
func (e *deviceEvaluator) start(t *transfer, b *buffers, first, end int) {
	g := e.graph()
	defer g.close()
	planes, words := e.model.spec.Planes, e.model.block*e.planes
	moves := b.indices[b.offsets[first]:b.offsets[end]]
	memory := e.reserve(&t.in, words+len(moves), gotch.Int64)
	in := numbers[uint64](memory)
	for i := first; i < end; i++ {
		copy(in[(i-first)*e.planes:], b.planes[i*planes:][:planes]) // The padding planes stay 0.
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

	answers := e.model.forwardMaps(g, x)
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

// finish copies the outputs of a completed block.
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
			b.values[i] = min(1, max(-1, out[i-first])) // keeps NaN
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
