package hook

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Parent and child speak gob: one request to the child's standard input, one
// answer from its standard output. What the script prints comes over a pipe of
// its own, so that it can disturb neither; standard error is the runtime's, for
// a process that dies.

// request is what a child is to do.
type request struct {
	Path       string
	Source     []byte
	Time       time.Duration
	Memory     int64
	Generation *Generation // nil: only check
}

// answer is what came of it.
type answer struct {
	Metrics Metrics
	Fault   *Error
}

const (
	// childVariable in the environment makes a process a child.
	childVariable = "ALAMOS_HOOK_CHILD"
	// logFile is the child's file descriptor for the log.
	logFile = 3
	// grace is how long a child may be silent beyond the script's time: the
	// start of the process, on a busy machine, and its own account of a
	// script that has run too long.
	grace = 20 * time.Second
)

// run lets a child do the work; g is nil for a check.
func (h *Hook) run(ctx context.Context, l Limits, g *Generation) (Metrics, error) {
	if IsChild() {
		return nil, errors.New("hook: a script's process asks for another: main or TestMain must begin with hook.IsChild")
	}
	if l.Time <= 0 {
		l.Time = DefaultTime
	}
	if l.Memory <= 0 {
		l.Memory = DefaultMemory
	}
	if l.Log == nil {
		l.Log = io.Discard
	}
	var in bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(request{h.path, h.source, l.Time, l.Memory, g}); err != nil {
		return nil, fmt.Errorf("hook %s: %w", h.path, err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("hook %s: %w", h.path, err)
	}

	limited, cancel := context.WithTimeout(ctx, l.Time+grace)
	defer cancel()
	out, death, log := &head{left: maxAnswer}, &head{left: maxDeath}, &head{left: MaxLog, to: l.Log}
	logReader, logWriter, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("hook %s: %w", h.path, err)
	}
	defer logReader.Close()
	cmd := exec.CommandContext(limited, self)
	cmd.Env = append(os.Environ(), childVariable+"=1", "GOTRACEBACK=none")
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = out, death, []*os.File{logWriter}
	cmd.WaitDelay = time.Second
	// The pipe stays open until the child has ended: it takes its end for
	// the parent's death.
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	_ = logWriter.Close()
	if err != nil {
		return nil, fmt.Errorf("hook %s: cannot start a process for it: %w", h.path, err)
	}
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		_, _ = io.Copy(log, logReader)
	}()
	go func() { _, _ = stdin.Write(in.Bytes()) }() // a child that dies early is seen below
	waitErr := cmd.Wait()
	<-logged

	var a answer
	decodeErr := gob.NewDecoder(bytes.NewReader(out.bytes())).Decode(&a)
	switch {
	case decodeErr == nil && a.Fault != nil:
		return nil, a.Fault
	case decodeErr == nil:
		return a.Metrics, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, h.fault("stopped: no answer after %v (limit %v)", l.Time+grace, l.Time)
	}
	// The runtime says why it gave up in a line such as "fatal error: ...".
	for line := range strings.Lines(string(death.bytes())) {
		if _, why, ok := strings.Cut(line, "fatal error: "); ok {
			if strings.Contains(why, "out of memory") || strings.Contains(why, "cannot allocate memory") {
				return nil, h.fault("%s", memoryMessage(l.Memory))
			}
			return nil, h.fault("ended its process: %s", strings.TrimSpace(why))
		}
	}
	return nil, h.fault("its process ended without an answer (%v)", waitErr)
}

// fault is an Error about the whole script.
func (h *Hook) fault(format string, args ...any) *Error {
	return &Error{File: h.path, Msg: fmt.Sprintf(format, args...)}
}

// How much is kept of what a child writes.
const (
	maxAnswer = 16 << 20
	maxDeath  = 64 << 10
)

// head keeps the beginning of what is written to it, or passes that on, and
// swallows the rest.
type head struct {
	left int
	to   io.Writer // nil: keep
	kept bytes.Buffer
}

func (h *head) Write(b []byte) (int, error) {
	n := len(b)
	b = b[:min(n, h.left)]
	h.left -= len(b)
	if h.to != nil {
		_, _ = h.to.Write(b)
	} else {
		h.kept.Write(b)
	}
	return n, nil
}

func (h *head) bytes() []byte { return h.kept.Bytes() }
