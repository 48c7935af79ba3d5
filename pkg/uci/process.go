package uci

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
	"unicode/utf8"
)

// maxLine is the maximum line length. Real engines write at most a variant list of 2 KB or
// a principal variation of similar length. A game of a thousand moves is 6 KB.
const maxLine = 1 << 20

// errLineTooLong is readLine's error for a longer line.
var errLineTooLong = fmt.Errorf("a line of more than %d bytes", maxLine)

// Command describes how to run an engine.
type Command struct {
	Name     string    // for messages; the base name of Path if empty
	Path     string    // the program
	Args     []string  // its arguments
	Dir      string    // its working directory; "" means ours
	Settings []Setting // options set after the handshake
}

// name returns the engine's name for messages.
func (c Command) name() string { return cmp.Or(c.Name, filepath.Base(c.Path)) }

// process is a running program that communicates in lines. Reading and writing have
// deadlines, which pipes of package os support. Therefore no goroutine reads ahead, and a
// full pipe stops a program that floods us.
type process struct {
	cmd    *exec.Cmd
	in     *os.File // its standard input
	out    *os.File // its standard output
	buf    []byte   // read but not yet returned
	log    transcript
	exited chan struct{} // closed after the process has ended and state is valid
	state  error         // result of exec.Cmd.Wait
}

// startProcess runs the command in its own process group. Its children can be killed with
// it, and an interrupt at the terminal does not reach it. The kernel kills it when this
// program dies.
func startProcess(c Command) (*process, error) {
	childIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		childIn.Close()
		in.Close()
		return nil, err
	}
	p := &process{in: in, out: out, exited: make(chan struct{})}
	p.cmd = exec.Command(c.Path, c.Args...)
	p.cmd.Dir = c.Dir
	p.cmd.Stdin = childIn
	p.cmd.Stdout = childOut
	p.cmd.Stderr = &stderrLines{t: &p.log}
	p.cmd.WaitDelay = time.Second // a grandchild may keep standard error open
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		// The kernel treats the end of the thread that started a process as the parent's
		// death. Therefore this thread waits for the process.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.state = p.cmd.Wait()
			close(p.exited)
		}
	}()
	err = <-started
	childIn.Close()
	childOut.Close()
	if err != nil {
		in.Close()
		out.Close()
		return nil, err
	}
	return p, nil
}

// writeLine sends a line.
func (p *process) writeLine(line string, deadline time.Time) error {
	p.log.add("> ", line)
	if err := p.in.SetWriteDeadline(deadline); err != nil {
		return err
	}
	_, err := p.in.WriteString(line + "\n")
	return err
}

// readLine returns the next line without its end. It fails with os.ErrDeadlineExceeded at
// the deadline, io.EOF at the end, errLineTooLong, or the cause of ctx. It keeps an
// incomplete line for the next call.
func (p *process) readLine(ctx context.Context, deadline time.Time) (string, error) {
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	if err := p.out.SetReadDeadline(deadline); err != nil {
		return "", err
	}
	// Cancellation moves the deadline into the past, which ends the read.
	moved := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(moved)
		_ = p.out.SetReadDeadline(time.Unix(1, 0))
	})
	defer func() {
		if !stop() {
			<-moved // otherwise it could overwrite the deadline of the next call
		}
	}()
	searched := 0
	for {
		if i := bytes.IndexByte(p.buf[searched:], '\n'); i >= 0 {
			line := string(bytes.TrimRight(p.buf[:searched+i], "\r"))
			p.buf = p.buf[searched+i+1:]
			p.log.add("< ", line)
			return line, nil
		}
		searched = len(p.buf)
		if searched > maxLine {
			p.log.add("< ", string(p.buf[:transcriptWidth+1]))
			return "", errLineTooLong
		}
		var chunk [4096]byte
		n, err := p.out.Read(chunk[:])
		p.buf = append(p.buf, chunk[:n]...)
		if err != nil && n == 0 {
			if cause := context.Cause(ctx); cause != nil && errors.Is(err, os.ErrDeadlineExceeded) {
				return "", cause
			}
			return "", err
		}
	}
}

// wait waits for the process to end and returns its exit state. ok is false if the process
// still runs after the given time.
func (p *process) wait(d time.Duration) (state string, ok bool) {
	select {
	case <-p.exited:
		if p.cmd.ProcessState == nil {
			return p.state.Error(), true
		}
		return p.cmd.ProcessState.String(), true
	case <-time.After(d):
		return "", false
	}
}

// end closes the input of the process, gives it a grace period, and then kills its whole
// group. It returns after the process has ended.
func (p *process) end(grace time.Duration) {
	p.in.Close()
	if grace > 0 {
		p.wait(grace)
	}
	// The group outlives its leader while it has members. The call fails if it has none,
	// which needs no handling.
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.exited
	p.out.Close()
}

// transcriptLines is the number of kept lines, and transcriptWidth the number of bytes of
// each. They limit the size of an error.
const (
	transcriptLines = 200
	transcriptWidth = 500
)

// transcript keeps the last lines of a conversation. Several goroutines may use it, because
// standard error is read in parallel.
type transcript struct {
	mu    sync.Mutex
	lines []string
}

// add appends a line with the prefix "> ", "< " or "! ".
func (t *transcript) add(prefix, line string) {
	if len(line) > transcriptWidth {
		cut := transcriptWidth
		for cut > 0 && !utf8.RuneStart(line[cut]) {
			cut--
		}
		line = line[:cut] + " ..."
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, prefix+line)
	t.lines = t.lines[max(0, len(t.lines)-transcriptLines):]
}

// tail returns a copy of the kept lines, oldest first.
func (t *transcript) tail() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines)
}

// stderrLines is a writer that adds lines of standard error to a transcript.
type stderrLines struct {
	t    *transcript
	rest []byte
}

func (w *stderrLines) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, found := bytes.Cut(w.rest, []byte("\n"))
		if !found && len(line) <= transcriptWidth {
			return len(p), nil
		}
		w.t.add("! ", string(bytes.TrimRight(line, "\r")))
		w.rest = rest
	}
}
