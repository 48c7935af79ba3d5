package hook

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// IsChild reports whether this process was started to run a script.
func IsChild() bool { return os.Getenv(childVariable) == "1" }

// RunChild runs the script that the parent process sends, answers calls of its
// functions until the parent ends, and returns the exit status. It does not return
// if a limit is exceeded: the process then ends itself.
func RunChild() int {
	c := &child{orders: make(chan order), reports: gob.NewEncoder(os.Stdout)}
	go c.listen()
	if err := c.serve(); err != nil {
		fmt.Fprintln(os.Stderr, "fatal error:", err)
		return 1
	}
	return 0
}

// child is the side of a process that runs a script.
type child struct {
	orders chan order

	mu      sync.Mutex // guards what follows
	reports *gob.Encoder
	silent  bool // the last report has been sent
}

// listen passes the parent's messages on. When the parent has ended, it ends the
// process, whatever the script is doing.
func (c *child) listen() {
	in := gob.NewDecoder(bufio.NewReader(os.Stdin))
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			os.Exit(1)
		}
		c.orders <- o
	}
}

// serve loads the script and answers calls. A fault is its last report.
func (c *child) serve() error {
	from := (<-c.orders).Script
	if from == nil {
		return fmt.Errorf("this process runs hook scripts for alamos and got none")
	}
	debug.SetMemoryLimit(from.Memory)
	debug.SetMaxStack(2 * maxStack)
	if err := limitData(from.Memory + headroom); err != nil {
		return fmt.Errorf("cannot limit memory: %w", err)
	}
	if err := confine(); err != nil {
		return fmt.Errorf("cannot confine the script: %w", err)
	}
	s := &script{path: from.Path, log: c}
	r := c.watched(s, from, func(*watch) report {
		faults := s.compile(from.Text) // sets the names
		return report{Faults: faults, Functions: s.names}
	})
	for {
		failed := r.Fault != nil || r.Faults != nil
		if err := c.say(r, failed); err != nil || failed {
			return err
		}
		o := <-c.orders
		if o.Call == nil {
			return fmt.Errorf("a reply without a request")
		}
		r = c.watched(s, from, func(w *watch) report {
			return s.call(o.Call, func(q request) reply {
				w.paused.Store(true)
				defer w.paused.Store(false)
				if err := c.say(report{Request: &q}, false); err != nil {
					os.Exit(1) // the parent has ended
				}
				return *(<-c.orders).Reply
			})
		})
	}
}

// Write sends what the script prints.
func (c *child) Write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	return len(b), c.say(report{Log: b}, false)
}

// say sends a report, unless the last one has been sent.
func (c *child) say(r report, last bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.silent {
		select {} // the process is about to end
	}
	c.silent = last
	return c.reports.Encode(r)
}

// watched runs a part of the script within its limits.
func (c *child) watched(s *script, from *source, work func(*watch) report) report {
	w := &watch{limit: from.Time, memory: from.Memory}
	defer w.begin(func(msg string) {
		_ = c.say(report{Fault: s.faultHere(msg)}, true)
		os.Exit(1)
	})()
	r := work(w)
	if msg := w.exceeded(); msg != "" { // it ended between two checks
		return report{Fault: s.faultHere(msg)}
	}
	return r
}

const (
	// maxStack is how many bytes of stack a script may use: tens of thousands
	// of calls inside each other.
	maxStack = 64 << 20
	// watchEvery is the time between two checks of the limits.
	watchEvery = 5 * time.Millisecond
	// headroom is how many bytes of writable memory a process may have beyond
	// its limit before the operating system stops it: for stacks, memory that
	// the runtime holds and does not use, and a busy machine that delays the checks.
	// A process that the operating system stops cannot report its line.
	headroom = 1 << 30
)

// watch compares what a script has used with its limits.
type watch struct {
	limit  time.Duration
	memory int64
	paused atomic.Bool // the script waits for the network
	spent  atomic.Int64
}

// begin starts the checks; the function that it returns ends them. If a limit is
// exceeded, begin calls fail with the reason; fail must not return.
func (w *watch) begin(fail func(string)) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	ticks := time.NewTicker(watchEvery)
	last := time.Now()
	go func() {
		defer close(ended)
		for {
			select {
			case <-done:
				return
			case now := <-ticks.C:
				if !w.paused.Load() {
					w.spent.Add(int64(now.Sub(last)))
				}
				last = now
				if msg := w.exceeded(); msg != "" {
					fail(msg)
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

// exceeded returns which limit is exceeded; "" for none.
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
	case time.Duration(w.spent.Load()) > w.limit:
		return fmt.Sprintf("still running after %v: stopped here (an endless loop?)", w.limit)
	}
	return ""
}

func memoryMessage(limit int64) string {
	return fmt.Sprintf("more than %d MiB of memory: stopped here", limit>>20)
}

// limitData lets this process map at most the given bytes of writable memory
// beyond what it has. It is the second line of defense behind watch, for a script that
// allocates much at once; the runtime then ends the process. The writable memory of a
// Go process, unlike its address space, follows what it uses.
func limitData(more int64) error {
	statm, err := os.ReadFile("/proc/self/statm") // in pages; the sixth number is data and stack
	if err != nil {
		return err
	}
	var size, resident, shared, text, lib, data int64
	if _, err := fmt.Sscan(string(statm), &size, &resident, &shared, &text, &lib, &data); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_DATA, &limit); err != nil {
		return err
	}
	limit.Cur = min(limit.Max, uint64(data*int64(os.Getpagesize())+more))
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &limit)
}
