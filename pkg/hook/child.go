package hook

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// IsChild tells whether this process was started to run a script.
func IsChild() bool { return os.Getenv(childVariable) == "1" }

// RunChild runs the script that the parent process sends, answers, and returns
// the exit status. It does not return when a limit is passed: the process then
// ends itself.
func RunChild() int {
	stdin := bufio.NewReader(os.Stdin)
	var r request
	if err := gob.NewDecoder(stdin).Decode(&r); err != nil {
		fmt.Fprintln(os.Stderr, "fatal error: this process runs hook scripts for alamos and got none:", err)
		return 1
	}
	go func() { // without its parent a child has nobody to answer
		_, _ = io.Copy(io.Discard, stdin)
		os.Exit(1)
	}()

	var once sync.Once
	send := func(a answer) (err error) {
		once.Do(func() { err = gob.NewEncoder(os.Stdout).Encode(a) })
		return err
	}
	s := &script{path: r.Path, log: os.NewFile(logFile, "log")}
	debug.SetMemoryLimit(r.Memory)
	debug.SetMaxStack(2 * maxStack)
	if err := limitData(r.Memory + headroom); err != nil {
		fmt.Fprintln(os.Stderr, "fatal error: cannot limit memory:", err)
		return 1
	}
	w := newWatch(r.Time, r.Memory)
	go func() {
		for range time.Tick(watchEvery) {
			if msg := w.exceeded(); msg != "" {
				_ = send(answer{Fault: s.faultHere(msg)})
				os.Exit(1)
			}
		}
	}()
	m, fault := s.run(r.Source, r.Generation)
	if msg := w.exceeded(); msg != "" { // it ended before anybody looked
		m, fault = nil, s.faultHere(msg)
	}
	if err := send(answer{m, fault}); err != nil {
		fmt.Fprintln(os.Stderr, "fatal error:", err)
		return 1
	}
	return 0
}

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

// watch compares what a script has used up with its limits.
type watch struct {
	start  time.Time
	time   time.Duration
	memory int64
}

func newWatch(limit time.Duration, memory int64) *watch {
	return &watch{time.Now(), limit, memory}
}

// exceeded says which limit has been passed; "" for none. It is safe for use by
// many goroutines at once.
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
	case time.Since(w.start) > w.time:
		return fmt.Sprintf("still running after %v: stopped here (an endless loop?)", w.time)
	}
	return ""
}

func memoryMessage(limit int64) string {
	return fmt.Sprintf("more than %d MiB of memory: stopped here", limit>>20)
}
