package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// reporter prints the steps of a set-up: one line per step, with the seconds since the
// start. A long step repeats its line every fifteen seconds. Warnings begin with "warning:". A
// run with nothing to do prints one line.
type reporter struct {
	mu    sync.Mutex
	out   io.Writer
	start time.Time
	lines int
}

func newReporter(out io.Writer) *reporter { return &reporter{out: out, start: time.Now()} }

// step prints one line.
func (r *reporter) step(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines++
	fmt.Fprintf(r.out, "%6.1fs  %s\n", time.Since(r.start).Seconds(), fmt.Sprintf(format, args...))
}

// warn prints what will not work and what to do about it. The set-up continues.
func (r *reporter) warn(format string, args ...any) {
	r.step("warning: "+format, args...)
}

// close prints the last line. If it is the first, too, it ends with "nothing to do".
func (r *reporter) close(what string) {
	if r.lines == 0 {
		what += ", nothing to do"
	}
	r.step("%s", what)
}

// long prints a step, and repeats it every fifteen seconds until done is called.
func (r *reporter) long(format string, args ...any) (done func()) {
	what := fmt.Sprintf(format, args...)
	r.step("%s", what)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(15 * time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.step("... still running: %s", what)
			case <-stop:
				return
			}
		}
	}()
	return func() { close(stop); <-stopped }
}
