package hook

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/hook/alamos"
)

// Parent and child speak gob, with a stream in each direction. The parent sends a
// script, and the child answers with the functions that it has; then a call, and the
// child answers with a result or a fault. In between the child may request evaluations
// of a checkpoint's network from the parent.

// order is a message to the child; one field is set.
type order struct {
	Script *source
	Call   *call
	Reply  *reply
}

// source is the script that a child runs.
type source struct {
	Path   string
	Text   []byte
	Time   time.Duration // of a call
	Memory int64
}

// call is a function and its argument: a Generation, checkpoint, Progress, []position or
// []Game.
type call struct {
	Function string
	Argument any
}

// checkpoint is an alamos.Checkpoint without its functions.
type checkpoint struct {
	Generation int
	Variant    string
	Samples    int
}

// position is an alamos.Position.
type position struct{ Variant, FEN string }

// wirePositions converts positions for the wire.
func wirePositions(all []chess.Position) []position {
	out := make([]position, len(all))
	for i := range all {
		out[i] = position{all[i].Variant().Spec(), all[i].FEN()}
	}
	return out
}

// report is a message from the child; one field is set.
type report struct {
	Log     []byte   // what the script printed
	Request *request // the child waits for a reply

	// The others end a call or the compilation.
	Fault     *config.Error
	Faults    config.Errors // of a script that does not compile
	Functions []string      // of the compiled script
	Labels    Labels        // of the metrics, after a call without a function
	Result    any           // Measured, []float64, float64, []chess.Result or a decision
}

func init() {
	for _, x := range []any{Generation{}, checkpoint{}, Progress{}, []position{}, []Game{}, Measured{}, []chess.Result{}, decision{}} {
		gob.Register(x)
	}
}

// request is a request to evaluate positions, by the network alone or by the search.
type request struct {
	Positions []position
	Visits    int // 0: by the network alone
}

// reply answers a request.
type reply struct {
	Evaluations []alamos.Evaluation
	Searches    []alamos.SearchResult
	Refusal     string // why there are no results
}

// process is a child process that has compiled a script. It is for one goroutine at a
// time. Its standard error has the message of the Go runtime if the process dies.
type process struct {
	hook   *Hook
	limits Limits

	cmd       *exec.Cmd
	orders    *gob.Encoder
	reports   *gob.Decoder
	death     bytes.Buffer // what it wrote to standard error
	functions []string     // that the script has
	ended     bool
}

const (
	// childVariable in the environment marks a child process.
	childVariable = "ALAMOS_HOOK_CHILD"
	// grace is how long a child may be silent beyond the script's time: for the
	// start of the process on a busy machine, and for its own report about a script
	// that ran too long.
	grace = 20 * time.Second
	// maxDeath is how many bytes of the message of a dying child are kept.
	maxDeath = 64 << 10
)

// start starts a child and gives it the script.
func start(ctx context.Context, h *Hook, l Limits) (*process, error) {
	fail := func(err error) (*process, error) {
		return nil, fmt.Errorf("hook %s: cannot start a process for it: %w", h.path, err)
	}
	self, err := os.Executable()
	if err != nil {
		return fail(err)
	}
	p := &process{hook: h, limits: l, cmd: exec.Command(self)}
	p.cmd.Env = append(os.Environ(), childVariable+"=1", "GOTRACEBACK=none")
	p.cmd.Stderr = &head{left: maxDeath, to: &p.death}
	p.cmd.WaitDelay = time.Second
	// The pipe stays open until the child has ended: the child takes the end of its
	// standard input for the parent's death. An interrupt at the terminal must not
	// reach the child.
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err1 := p.cmd.StdinPipe()
	stdout, err2 := p.cmd.StdoutPipe()
	if err := errors.Join(err1, err2); err != nil {
		return fail(err)
	}
	if err := p.cmd.Start(); err != nil {
		return fail(err)
	}
	p.orders, p.reports = gob.NewEncoder(stdin), gob.NewDecoder(stdout)
	r, err := p.exchange(ctx, order{Script: &source{h.path, h.source, l.Time, l.Memory}}, nil)
	if err != nil {
		return nil, err
	}
	p.functions = r.Functions
	return p, nil
}

// exchange sends an order and waits for the report, and answers requests meanwhile. The
// first error ends the process.
func (p *process) exchange(ctx context.Context, o order, n Network) (report, error) {
	var late atomic.Bool
	kill := func() { _ = p.cmd.Process.Kill() }
	clock := time.AfterFunc(p.limits.Time+grace, func() { late.Store(true); kill() })
	defer clock.Stop()
	unwatch := context.AfterFunc(ctx, kill)
	defer unwatch()
	_ = p.orders.Encode(o) // if the child has died, Decode fails, too
	for {
		var r report
		err := p.reports.Decode(&r)
		switch {
		case err != nil:
			waitErr := p.end()
			switch {
			case ctx.Err() != nil:
				return r, ctx.Err()
			case late.Load():
				return r, p.hook.fault("stopped: no answer after %v (limit %v)", p.limits.Time+grace, p.limits.Time)
			}
			return r, p.dead(waitErr)
		case r.Log != nil:
			_, _ = p.limits.Log.Write(r.Log)
		case r.Request != nil:
			clock.Stop() // the network's time is not the script's
			reply, err := answer(ctx, n, r.Request)
			if err != nil {
				_ = p.end()
				return r, err
			}
			clock.Reset(p.limits.Time + grace)
			_ = p.orders.Encode(order{Reply: reply})
		case r.Fault != nil:
			_ = p.end()
			return r, r.Fault
		case r.Faults != nil:
			_ = p.end()
			return r, r.Faults
		case !unwatch(): // ctx has ended, and the process with it
			_ = p.end()
			return r, ctx.Err()
		default:
			return r, nil
		}
	}
}

// answer evaluates positions for the script. If the network refuses a position, the
// reply says so; an error is the end of ctx.
func answer(ctx context.Context, n Network, q *request) (*reply, error) {
	var r reply
	positions := make([]chess.Position, len(q.Positions))
	for i, w := range q.Positions {
		v, known := chess.KnownVariant(w.Variant) // a script cannot make this process define rules
		err := errors.New("the network plays another variant")
		if known {
			positions[i], err = chess.ParseFEN(v, w.FEN)
		}
		if err != nil {
			return &reply{Refusal: fmt.Sprintf("position %d: %v", i, err)}, nil
		}
	}
	var err error
	if q.Visits > 0 {
		r.Searches, err = n.Search(ctx, positions, q.Visits)
	} else {
		r.Evaluations, err = n.Evaluate(ctx, positions)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return &reply{Refusal: err.Error()}, nil
	}
	return &r, nil
}

// end kills the process and waits for it; the error says how it ended.
func (p *process) end() error {
	if p.ended {
		return nil
	}
	p.ended = true
	_ = p.cmd.Process.Kill()
	return p.cmd.Wait()
}

// dead returns why a child ended without a report. The runtime writes a line such as
// "fatal error: ..."; without one the child was killed, which is not the script's fault.
func (p *process) dead(waitErr error) error {
	for line := range strings.Lines(p.death.String()) {
		if _, why, ok := strings.Cut(line, "fatal error: "); ok {
			if strings.Contains(why, "out of memory") || strings.Contains(why, "cannot allocate memory") {
				return p.hook.fault("%s", memoryMessage(p.limits.Memory))
			}
			return p.hook.fault("ended its process: %s", strings.TrimSpace(why))
		}
	}
	return fmt.Errorf("hook %s: its process ended without an answer (%v)", p.hook.path, waitErr)
}
