package uci

import (
	"bytes"
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

// maxLine is the longest line that is read. The longest that real engines write is a
// variant list of 2 KB or a principal variation of as much; a game of a thousand moves
// is 6 KB.
const maxLine = 1 << 20

// errLineTooLong is what readLine returns for a longer line.
var errLineTooLong = fmt.Errorf("a line of more than %d bytes", maxLine)

// Command says how an engine is run.
type Command struct {
	Name     string    // for messages; the base name of Path when empty
	Path     string    // the program
	Args     []string  // its arguments
	Dir      string    // its working directory; "" for ours
	Env      []string  // added to our environment, "NAME=value"
	Settings []Setting // options set after the handshake
}

// name is what messages call the engine.
func (c Command) name() string {
	if c.Name != "" {
		return c.Name
	}
	return filepath.Base(c.Path)
}

// process is a running program that we talk to in lines. Reading and writing
// have deadlines, which pipes of package os support. So no goroutine reads ahead,
// and a program that floods us is stopped by its full pipe.
type process struct {
	cmd    *exec.Cmd
	in     *os.File // its standard input
	out    *os.File // its standard output
	buf    []byte   // read and not yet returned
	log    transcript
	exited chan struct{} // closed when the process has ended and state is valid
	state  error         // what exec.Cmd.Wait returned
}

// startProcess runs the command in a process group of its own: what it starts can be
// killed with it, and an interrupt at the terminal does not reach it. The kernel kills
// it when this program dies.
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
	p.cmd.WaitDelay = time.Second // a grandchild may hold standard error open
	if len(c.Env) > 0 {
		p.cmd.Env = append(os.Environ(), c.Env...)
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		// The kernel takes the end of the thread that started a process for the
		// parent's death: the thread waits for the process.
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

// readLine returns the next line, without its end. It fails with
// os.ErrDeadlineExceeded at the deadline, io.EOF at the end, errLineTooLong, or
// the cause of ctx. A line that was not complete is kept for the next call.
func (p *process) readLine(ctx context.Context, deadline time.Time) (string, error) {
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	if err := p.out.SetReadDeadline(deadline); err != nil {
		return "", err
	}
	// A canceled context moves the deadline into the past, which ends the read.
	moved := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(moved)
		_ = p.out.SetReadDeadline(time.Unix(1, 0))
	})
	defer func() {
		if !stop() {
			<-moved // or it could spoil the deadline of the next call
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

// wait waits for the process to end by itself and returns how it ended; ok is false
// if it is still running after the given time.
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

// end closes the input of the process, gives it some time to end by itself, and then
// kills its whole group. It returns when the process is gone.
func (p *process) end(grace time.Duration) {
	p.in.Close()
	if grace > 0 {
		p.wait(grace)
	}
	// The group outlives its leader while it has members. When it has none, the call
	// fails, and there is nothing to do.
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.exited
	p.out.Close()
}

// transcriptLines is how many lines of a conversation are kept, and
// transcriptWidth how many bytes of each: an error must not carry megabytes
// because an engine wrote them.
const (
	transcriptLines = 200
	transcriptWidth = 500
)

// transcript keeps the last lines of a conversation. It is safe for use by many
// goroutines: standard error is read beside the conversation itself.
type transcript struct {
	mu    sync.Mutex
	lines []string
}

// add keeps a line; prefix is "> ", "< " or "! ".
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

// tail copies the lines kept, oldest first.
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
