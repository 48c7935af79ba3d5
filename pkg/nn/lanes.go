package nn

import (
	"runtime"
	"sync"
)

// lanesEach is how many threads ask a CUDA device for work: while one's batch is
// computed, the other's is on its way there.
const lanesEach = 2

// lanes are the threads that ask one device for work, for all models of the process.
//
// They are few and stay, since libtorch keeps a workspace of cuBLAS for every pair of
// a thread and a queue that it has met, and cuDNN's plans for every thread.
type lanes struct {
	mu    sync.Mutex
	some  sync.Cond // there is something to do
	queue []func(lane int)
}

var (
	lanesMu sync.Mutex // guards lanesOf
	lanesOf = map[string]*lanes{}
)

// lanesFor are the lanes of a device; they begin with the first call.
func lanesFor(device string) *lanes {
	lanesMu.Lock()
	defer lanesMu.Unlock()
	l := lanesOf[device]
	if l == nil {
		l = new(lanes)
		l.some.L = &l.mu
		lanesOf[device] = l
		for i := range lanesEach {
			go l.run(i)
		}
	}
	return l
}

func (l *lanes) run(lane int) {
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
func (l *lanes) do(what func(lane int)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = append(l.queue, what)
	l.some.Signal()
}
