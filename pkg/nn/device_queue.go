package nn

import (
	"runtime"
	"slices"
	"sync"

	"github.com/sugarme/gotch"
	"github.com/sugarme/gotch/ts"
)

// workersPer returns the number of threads that drive a device: one for each core of the
// processor, and eight for a CUDA device. One transfers its batch while the device computes those
// of others. The device is soon done with a small network, for which a thread takes longer to
// start the operations: on an H100, four threads reached 0.72 of the speed of eight with 10x128.
func workersPer(device string) int {
	if device == CPU {
		return runtime.GOMAXPROCS(0)
	}
	return 8
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

	evaluators []*deviceEvaluator // Each worker makes its evaluator and is its only user.

	mu      sync.Mutex
	waiting []request
}

// request holds n positions of one session, at most a batch.
type request struct {
	n int
	*buffers
	done chan<- error
}

// queuedEvaluator is a session's evaluator on a device. The session's goroutine packs the
// positions and unpacks the answers; the workers, which are few, only copy them.
type queuedEvaluator struct {
	queue *batchQueue
	done  chan error
}

// newEvaluator returns an evaluator for a session.
func (q *batchQueue) newEvaluator() *queuedEvaluator {
	return &queuedEvaluator{q, make(chan error, 1)}
}

func (e *queuedEvaluator) evaluate(n int, b *buffers) error {
	q := e.queue
	q.mu.Lock()
	q.waiting = append(q.waiting, request{n, b, e.done})
	q.mu.Unlock()
	q.workers <- q.serve // An earlier job may serve this request too.
	if err := <-e.done; err != nil {
		return err
	}
	if q.model.heads.policy != nil {
		softmax(n, b)
	}
	return nil
}

func (e *queuedEvaluator) close() {}

// serve runs on a worker and evaluates the waiting requests. There may be none if an
// earlier job served them.
func (q *batchQueue) serve(worker int) {
	taken := q.take()
	if len(taken) == 0 {
		return
	}
	err := q.run(worker, taken)
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
		if positions += q.waiting[n].n; positions > q.model.batch {
			break
		}
	}
	taken := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return taken
}

// starting serializes the first evaluation of every worker. In libtorch up to 2.9, threads
// that use cuBLAS for the first time add their workspaces to a table without a lock.
var starting sync.Mutex

func (q *batchQueue) run(worker int, taken []request) error {
	if e := q.evaluators[worker]; e != nil {
		return e.evaluate(taken)
	}
	starting.Lock()
	defer starting.Unlock()
	if err := enterDevice(q.frozen.device); err != nil {
		return err
	}
	q.evaluators[worker] = &deviceEvaluator{model: q.model, frozen: q.frozen}
	return q.evaluators[worker].evaluate(taken)
}

// close frees the queue's memory on the device. No request may be waiting.
func (q *batchQueue) close() {
	for _, e := range q.evaluators {
		if e != nil {
			e.memory.close()
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
	blocks []*block
}

// block is positions that are evaluated as one, from one or more requests, and the memory
// for its input and its output.
type block struct {
	spans   []span
	n       int // positions
	in, out *ts.Tensor
}

// span is positions [first, end) of a request.
type span struct {
	*buffers
	first, end int
}

// moves returns the indices of the moves in the span.
func (s span) moves() []int32 { return s.indices[s.offsets[s.first]:s.offsets[s.end]] }

func (e *deviceEvaluator) evaluate(requests []request) error {
	return caught(func() {
		blocks := e.divide(requests)
		for _, b := range blocks {
			e.start(b)
		}
		waitFor(e.device)
		n := 0
		for _, b := range blocks {
			e.finish(b)
			n += b.n
		}
		e.model.count(n)
	})
}

// divide puts the positions of requests into blocks, in order.
func (e *deviceEvaluator) divide(requests []request) []*block {
	used := 0
	for _, r := range requests {
		for first := 0; first < r.n; {
			if used == 0 || e.blocks[used-1].n == e.model.block {
				if used == len(e.blocks) {
					e.blocks = append(e.blocks, new(block))
				}
				e.blocks[used].spans, e.blocks[used].n = e.blocks[used].spans[:0], 0
				used++
			}
			b := e.blocks[used-1]
			end := min(r.n, first+e.model.block-b.n)
			b.spans = append(b.spans, span{r.buffers, first, end})
			b.n += end - first
			first = end
		}
	}
	return e.blocks[:used]
}

// reserve returns memory for at least n numbers. It doubles the memory when it has to grow.
func (e *deviceEvaluator) reserve(t **ts.Tensor, n int, kind gotch.DType) *ts.Tensor {
	if *t == nil || int((*t).Numel()) < n {
		*t = e.memory.transferMemory(e.device, 2*n, kind)
	}
	return *t
}

// start starts the evaluation of a block, as a whole one.
func (e *deviceEvaluator) start(b *block) {
	g := e.graph()
	defer g.close()
	planes, words, moves := e.model.spec.Planes, e.model.block*e.planes, 0
	for _, s := range b.spans {
		moves += len(s.moves())
	}
	memory := e.reserve(&b.in, words+moves, gotch.Int64)
	in := numbers[uint64](memory)
	row, at := 0, words
	for _, s := range b.spans {
		for i := s.first; i < s.end; i++ {
			copy(in[row*e.planes:], s.planes[i*planes:][:planes]) // The padding planes stay 0.
			for _, index := range s.indices[s.offsets[i]:s.offsets[i+1]] {
				in[at] = uint64(row*e.model.spec.PolicySize + max(0, int(index)))
				at++
			}
			row++
		}
	}
	part := func(t *ts.Tensor, from, n int) *ts.Tensor {
		return g.keep(t.Narrow(0, int64(from), int64(n), false))
	}
	sent := g.send(part(memory, 0, words+moves))
	x := g.expand(g.keep(part(sent, 0, words).View([]int64{-1, int64(e.planes)}, false)))

	answers := e.model.forwardMaps(g, x)
	values := answers.values
	if e.model.spec.Value == ValueWDL {
		values = g.keep(g.keep(values.Softmax(1, gotch.Float, false)).Flatten(0, 1, false))
	}
	all := []*ts.Tensor{values}
	if answers.movesLeft != nil {
		all = append(all, answers.movesLeft)
	}
	if moves > 0 && answers.logits != nil {
		logits := g.keep(answers.logits.Flatten(0, 1, false))
		all = append(all, g.single(g.keep(logits.IndexSelect(0, part(sent, words, moves), false))))
	}
	out := g.keep(ts.Cat(all, 0))
	n := int(out.Numel())
	startCopy(part(e.reserve(&b.out, n, gotch.Float), 0, n), out)
}

// finish copies the outputs of a completed block.
func (e *deviceEvaluator) finish(b *block) {
	out, size := floats(b.out), e.model.block
	next := func(n int) (part []float32) {
		part, out = out[:n], out[n:]
		return part
	}
	var values, wdl, movesLeft []float32
	if e.model.spec.Value == ValueWDL {
		wdl = next(3 * size)
	} else {
		values = next(size)
	}
	if e.model.spec.MovesLeft {
		movesLeft = next(size)
	}
	row := 0
	for _, s := range b.spans {
		n := s.end - s.first
		if s.wdl != nil {
			copy(s.wdl[3*s.first:3*s.end], wdl[3*row:])
			for i := s.first; i < s.end; i++ {
				s.values[i] = s.wdl[3*i] - s.wdl[3*i+2]
			}
		} else {
			for i, x := range values[row : row+n] {
				if e.model.spec.Value == ValueLinear {
					x = bounded(x)
				}
				s.values[s.first+i] = x
			}
		}
		if s.movesLeft != nil {
			copy(s.movesLeft[s.first:s.end], movesLeft[row:])
		}
		if e.model.heads.policy != nil {
			copy(s.priors[s.offsets[s.first]:], next(len(s.moves())))
		}
		row += n
	}
}

// bounded is the value of an unbounded output, see cpp/kernels.h.
func bounded(x float32) float32 {
	inside := min(0.9, max(-0.9, x)) // keeps NaN
	beyond := x - inside
	return inside + 0.1*beyond/(0.1+max(beyond, -beyond))
}
