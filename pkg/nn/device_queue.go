package nn

import (
	"runtime"
	"slices"
	"sync"

	"alamos/pkg/encode"
)

// desk is where sessions of a model on a device hand in what they ask: a lane that
// is free takes all that waits, up to a batch, and evaluates it together. So many
// workers can descend trees, each with few positions at a time, and the device still
// has large batches, the larger the longer it is busy.
type batchQueue struct {
	model  *Model
	native nativeModel
	lanes  *deviceWorkers

	runners [workersPerDevice]*runner // each is used on its lane alone, and made there

	mu      sync.Mutex
	waiting []request
}

// ask is at most a batch of leaves of one session.
type request struct {
	leaves []*encode.Leaf
	done   chan<- error
}

func newBatchQueue(m *Model, native nativeModel, device string) *batchQueue {
	return &batchQueue{model: m, native: native, lanes: workersOf(device)}
}

// starting keeps the first work of all runners apart: with libtorch up to 2.9, threads
// that meet cuBLAS for the first time enter their workspaces in a table without a lock.
var starting sync.Mutex

// evaluate answers any number of leaves.
func (d *batchQueue) evaluate(leaves []*encode.Leaf) error {
	parts := slices.Collect(slices.Chunk(leaves, d.model.batch))
	done := make(chan error, len(parts))
	d.mu.Lock()
	for _, part := range parts {
		d.waiting = append(d.waiting, request{part, done})
	}
	d.mu.Unlock()

	for range parts { // a call for each, whichever it is that the call answers
		d.lanes.do(d.serve)
	}
	var failed error
	for range parts {
		if err := <-done; failed == nil {
			failed = err
		}
	}
	return failed
}

// serve answers, on a lane, what waits: nothing, where calls before have answered it.
func (d *batchQueue) serve(lane int) {
	asked := d.take()
	if len(asked) == 0 {
		return
	}
	var leaves []*encode.Leaf
	for _, a := range asked {
		leaves = append(leaves, a.leaves...)
	}
	err := d.run(lane, leaves)
	for _, a := range asked {
		a.done <- err
	}
}

// take takes, from those who have waited the longest, as much as a batch has room for.
func (d *batchQueue) take() []request {
	d.mu.Lock()
	defer d.mu.Unlock()
	n, positions := 0, 0
	for ; n < len(d.waiting); n++ {
		if positions += len(d.waiting[n].leaves); positions > d.model.batch {
			break
		}
	}
	asked := slices.Clone(d.waiting[:n])
	d.waiting = slices.Delete(d.waiting, 0, n)
	return asked
}

func (d *batchQueue) run(lane int, leaves []*encode.Leaf) error {
	if r := d.runners[lane]; r != nil {
		return r.evaluate(leaves)
	}
	starting.Lock()
	defer starting.Unlock()
	r, err := newRunner(d.model, d.native)
	if err != nil {
		return err
	}
	d.runners[lane] = r
	return r.evaluate(leaves)
}

// close frees what the desk has on the device. Nobody may be waiting.
func (d *batchQueue) close() {
	for _, r := range d.runners {
		if r != nil {
			r.close()
		}
	}
}

// lanesEach is how many threads ask a CUDA device for work: while one's batch is
// computed, the other's is on its way there.
const workersPerDevice = 2

// lanes are the threads that ask one device for work, for all models of the process.
//
// They are few and stay, since libtorch keeps a workspace of cuBLAS for every pair of
// a thread and a queue that it has met, and cuDNN's plans for every thread.
type deviceWorkers struct {
	mu    sync.Mutex
	some  sync.Cond // there is something to do
	queue []func(lane int)
}

var (
	allWorkersMu sync.Mutex // guards lanesOf
	allWorkers   = map[string]*deviceWorkers{}
)

// lanesFor are the lanes of a device; they begin with the first call.
func workersOf(device string) *deviceWorkers {
	allWorkersMu.Lock()
	defer allWorkersMu.Unlock()
	l := allWorkers[device]
	if l == nil {
		l = new(deviceWorkers)
		l.some.L = &l.mu
		allWorkers[device] = l
		for i := range workersPerDevice {
			go l.run(i)
		}
	}
	return l
}

func (l *deviceWorkers) run(lane int) {
	runtime.LockOSThread()
	for {
		l.mu.Lock()
		for len(l.queue) == 0 {
			l.some.Wait()
		}
		do := l.queue[0]
		l.queue = l.queue[1:]
		l.mu.Unlock()
		do(lane)
	}
}

// do has a lane do something, in the order of the calls.
func (l *deviceWorkers) do(what func(lane int)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, what)
	l.some.Signal()
}
