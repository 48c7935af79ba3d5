package hook

import (
	"fmt"
	"runtime/metrics"
	"sync"
	"time"
)

const (
	// maxStack is how many bytes of stack a script may use: tens of thousands
	// of calls inside each other.
	maxStack = 64 << 20
	// watchEvery is how often limits are looked at.
	watchEvery = 5 * time.Millisecond
	// headroom is how many bytes of writable memory a process may have beyond
	// its limit before the operating system stops it: for stacks, memory that
	// the runtime holds and does not use, and a busy machine on which nobody
	// looks for a while. Who is stopped by the operating system cannot say
	// where it was.
	headroom = 1 << 30
)

// watch compares what a script has used up with its limits. It is safe for use by
// many goroutines at once.
type watch struct {
	limit  time.Duration
	memory int64

	mu    sync.Mutex // guards what follows
	spent time.Duration
	since time.Time // zero while the script waits
}

func newWatch(limit time.Duration, memory int64) *watch {
	return &watch{limit: limit, memory: memory, since: time.Now()}
}

// begin starts to look; what it returns ends that. Where a limit is passed, tell is
// called with the reason and must not return.
func (w *watch) begin(tell func(string)) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	ticks := time.NewTicker(watchEvery)
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case <-ticks.C:
				if msg := w.exceeded(); msg != "" {
					tell(msg)
					return
				}
			}
		}
	}()
	return func() {
		ticks.Stop()
		close(done)
		<-ended
	}
}

// pause stops the clock: the script waits for something that is not its own.
func (w *watch) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent += time.Since(w.since)
	w.since = time.Time{}
}

// resume starts the clock again.
func (w *watch) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = time.Now()
}

// time is how long the script has run.
func (w *watch) time() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.since.IsZero() {
		return w.spent
	}
	return w.spent + time.Since(w.since)
}

// exceeded says which limit has been passed; "" for none.
func (w *watch) exceeded() string {
	usage := []metrics.Sample{
		{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"},
		{Name: "/memory/classes/heap/stacks:bytes"},
	}
	metrics.Read(usage)
	bytes := func(i int) int64 { return int64(usage[i].Value.Uint64()) }
	switch {
	case bytes(2) > maxStack:
		return "calls go too deep: stopped here (endless recursion?)"
	case bytes(0)-bytes(1) > w.memory:
		return memoryMessage(w.memory)
	case w.time() > w.limit:
		return fmt.Sprintf("still running after %v: stopped here (an endless loop?)", w.limit)
	}
	return ""
}

func memoryMessage(limit int64) string {
	return fmt.Sprintf("more than %d MiB of memory: stopped here", limit>>20)
}
