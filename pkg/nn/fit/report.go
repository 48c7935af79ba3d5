package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// What is printed: one plain line a step, with the seconds since the start, to
// standard output; a long step says so again every fifteen seconds. Warnings
// start with "warning:". A run with nothing to do prints one line.

// reporter prints the steps of a set-up.
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

// warn prints what will not work and what to do about it, and nothing fails.
func (r *reporter) warn(format string, args ...any) {
	r.step("warning: "+format, args...)
}

// close prints the last line; "nothing to do" when it is also the first.
func (r *reporter) close(what string) {
	if r.lines == 0 {
		what += ", nothing to do"
	}
	r.step("%s", what)
}

// long prints what a step is, and prints that it still goes on every fifteen
// seconds until the function it returns is called.
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
				r.step("... still at it: %s", what)
			case <-stop:
				return
			}
		}
	}()
	return func() { close(stop); <-stopped }
}

// output runs a command and returns what it prints on standard output. Its
// error carries the command and the last lines of what it printed.
func output(cmd *exec.Cmd) (string, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		said := lastLines(stderr.String()+stdout.String(), 12)
		return stdout.String(), fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, said)
	}
	return stdout.String(), nil
}

// lastLines returns the last n lines of text, indented.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > n {
		lines = lines[len(lines)-n:]
	}
	return "  " + strings.Join(lines, "\n  ")
}
