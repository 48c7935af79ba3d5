package data

import (
	"context"
	"sync"
)

// ordered does tasks by several goroutines at once and gives their results in the
// order of the tasks.
type ordered[R any] struct {
	cancel context.CancelFunc
	queue  chan *task[R] // in order; closed after the last
	all    sync.WaitGroup
}

type task[R any] struct {
	do     func() R
	result R
	done   chan struct{}
}

// inOrder starts n goroutines that do what feed puts, one task each at a time. put
// tells whether to go on; feed runs in a goroutine of its own and ends soon after its ctx,
// which ends with the other one and at close. Results wait for next,
// not many more than there are goroutines. close must be called.
func inOrder[R any](ctx context.Context, n int, feed func(ctx context.Context, put func(do func() R) bool)) *ordered[R] {
	ctx, cancel := context.WithCancel(ctx)
	o := &ordered[R]{cancel: cancel, queue: make(chan *task[R], 2*n)}
	work := make(chan *task[R])
	for range n {
		o.all.Go(func() {
			for t := range work {
				t.result = t.do()
				close(t.done)
			}
		})
	}
	o.all.Go(func() {
		defer close(o.queue)
		defer close(work)
		feed(ctx, func(do func() R) bool {
			t := &task[R]{do: do, done: make(chan struct{})}
			for _, to := range []chan<- *task[R]{o.queue, work} {
				select {
				case to <- t:
				case <-ctx.Done():
					return false
				}
			}
			return true
		})
	})
	return o
}

// next gives the next result, and false when there is none or ctx has ended.
func (o *ordered[R]) next(ctx context.Context) (result R, ok bool) {
	var t *task[R]
	select {
	case t, ok = <-o.queue:
	case <-ctx.Done():
	}
	if !ok {
		return result, false
	}
	select {
	case <-t.done:
		return t.result, true
	case <-ctx.Done():
		return result, false
	}
}

// close ends feed and waits for all goroutines.
func (o *ordered[R]) close() {
	o.cancel()
	o.all.Wait()
}
