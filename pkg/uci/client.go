package uci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// Kinds of failure. Every failure of an engine is an [*Error], and errors.Is finds its
// kind.
var (
	// ErrStart: the program cannot be run at all.
	ErrStart = errors.New("cannot be started")
	// ErrCrash: the process ended by itself.
	ErrCrash = errors.New("ended unexpectedly")
	// ErrStall: no response in time, not even after "stop".
	ErrStall = errors.New("does not answer")
	// ErrTime: the search took too long, but stopped on request. The engine remains usable.
	ErrTime = errors.New("took too long")
	// ErrIllegalMove: the engine returned a move that the position does not allow. The
	// engine remains usable.
	ErrIllegalMove = errors.New("played an illegal move")
	// ErrProtocol: the output is not UCI.
	ErrProtocol = errors.New("does not speak UCI")
	// ErrVariant: the engine does not prove that it knows the variant.
	ErrVariant = errors.New("cannot play the variant")
	// ErrOption: the engine lacks the option, or the value is invalid. Nothing was sent,
	// and the engine remains usable.
	ErrOption = errors.New("option refused")
	// ErrClosed: the engine was closed, or failed before.
	ErrClosed = errors.New("is closed")
)

// Error is a failure of an engine.
type Error struct {
	Engine string   // name of the engine
	Kind   error    // one of the kinds above
	Detail string   // description
	Cause  error    // the underlying error, if any
	Lines  []string // the last lines exchanged: "> " sent, "< " received, "! " from standard error
}

// Error returns engine, kind, detail and cause in one line. See [Error.Transcript]
// for the lines exchanged.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "engine %s %v", e.Engine, e.Kind)
	if e.Detail != "" {
		b.WriteString(": " + e.Detail)
	}
	if e.Cause != nil {
		b.WriteString(": " + e.Cause.Error())
	}
	return b.String()
}

// Unwrap returns kind and cause for errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Transcript returns the end of the conversation with the engine, one line each, for logs.
func (e *Error) Transcript() string {
	if len(e.Lines) == 0 {
		return ""
	}
	return strings.Join(e.Lines, "\n") + "\n"
}

// overrun is how long a search may go on beyond its limit of time.
const overrun = 5 * time.Second

// Timeouts limit the waiting for an engine. Zero fields mean the defaults.
type Timeouts struct {
	Handshake time.Duration // from the start to "uciok"; default 15 s
	Ready     time.Duration // from "isready" to "readyok"; default 10 s
	Search    time.Duration // a search without a time limit; default 2 minutes
	Stop      time.Duration // from "stop" to the move; default 10 s
	Quit      time.Duration // from "quit" to the end of the process; default 1 s
}

func (t Timeouts) withDefaults() Timeouts {
	return Timeouts{
		Handshake: cmp.Or(t.Handshake, 15*time.Second),
		Ready:     cmp.Or(t.Ready, 10*time.Second),
		Search:    cmp.Or(t.Search, 2*time.Minute),
		Stop:      cmp.Or(t.Stop, 10*time.Second),
		Quit:      cmp.Or(t.Quit, time.Second),
	}
}

// Client drives an external engine, a running process. One goroutine at a time may use it.
//
// After a crash, a stall or a breach of the protocol the process has ended and every call
// fails. Start a new client then. After other errors the engine remains usable.
type Client struct {
	// Options lists the engine's options in its order. It is read-only.
	Options []Option

	name   string // of the command
	id     string // "id name" as the engine reports it
	proc   *process
	wait   Timeouts
	failed error // the failure that ended the process

	chess960 bool // castling uses the notation of chess960
}

// Start runs an engine, completes the handshake, and sets the command's settings. The
// context limits the start only, not the life of the engine. A program that cannot be run
// fails with [ErrStart].
func Start(ctx context.Context, c Command, t Timeouts) (*Client, error) {
	e := &Client{name: c.name(), wait: t.withDefaults()}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	p, err := startProcess(c)
	if err != nil {
		return nil, &Error{Engine: e.name, Kind: ErrStart, Cause: err}
	}
	e.proc = p
	err = e.handshake(ctx)
	for _, s := range c.Settings {
		if err == nil {
			err = e.SetOption(s.Name, s.Value)
		}
	}
	if err == nil {
		err = e.Ready(ctx)
	}
	if err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// Name returns the name of the engine's command, for messages.
func (e *Client) Name() string { return e.name }

// ID returns the engine's own name, with its version.
func (e *Client) ID() string { return e.id }

// Err returns the reason why the engine is unusable, or nil.
func (e *Client) Err() error { return e.failed }

// Transcript returns a copy of the last lines exchanged, at most 200: "> " sent, "< "
// received, "! " from standard error.
func (e *Client) Transcript() []string { return e.proc.log.tail() }

// handshake sends "uci" and reads identity and options up to "uciok".
func (e *Client) handshake(ctx context.Context) error {
	if err := e.send("uci"); err != nil {
		return err
	}
	return e.until(ctx, "uciok", e.wait.Handshake, func(line string) (bool, bool) {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "uciok":
			return true, true
		case "id":
			if v, ok := strings.CutPrefix(rest, "name "); ok {
				e.id = strings.TrimSpace(v)
			}
			return true, false
		case "option":
			// A malformed option line adds no option.
			if o, err := ParseOption(line); err == nil {
				e.Options = append(e.Options, o)
			}
			return true, false
		}
		return false, false
	})
}

// Option finds an option by its name, ignoring case as UCI requires. It returns nil if the
// engine lacks it.
func (e *Client) Option(name string) *Option {
	for i := range e.Options {
		if strings.EqualFold(e.Options[i].Name, name) {
			return &e.Options[i]
		}
	}
	return nil
}

// SetOption sets an option. It first checks that the engine has it and accepts the value,
// because engines silently ignore what they do not know. Otherwise it fails with
// [ErrOption].
func (e *Client) SetOption(name, value string) error {
	o := e.Option(name)
	if o == nil {
		return e.fault(ErrOption, fmt.Sprintf("it has no option %q", name), nil)
	}
	if err := o.check(value); err != nil {
		return e.fault(ErrOption, o.Name, err)
	}
	if o.Type == "combo" { // some engines compare the case too
		value = o.spelled(value)
	}
	return e.send(o.command(value))
}

// Ready waits until the engine has processed all commands.
func (e *Client) Ready(ctx context.Context) error {
	if err := e.send("isready"); err != nil {
		return err
	}
	return e.until(ctx, "readyok", e.wait.Ready, func(line string) (bool, bool) {
		return strings.HasPrefix(line, "info"), line == "readyok"
	})
}

// NewGame announces that the next position belongs to another game.
func (e *Client) NewGame(ctx context.Context) error {
	if err := e.send("ucinewgame"); err != nil {
		return err
	}
	return e.Ready(ctx)
}

// Close sends quit to the engine. If the engine does not end, Close kills it with all its
// child processes. It may be called more than once.
func (e *Client) Close() {
	if e.failed != nil {
		return
	}
	// A failed write is irrelevant, because the process ends anyway.
	_ = e.proc.writeLine("quit", time.Now().Add(e.wait.Quit))
	e.proc.end(e.wait.Quit)
	e.failed = e.fault(ErrClosed, "", nil)
}

// fault makes an error of this engine.
func (e *Client) fault(kind error, detail string, cause error) *Error {
	return &Error{Engine: e.name, Kind: kind, Detail: detail, Cause: cause, Lines: e.Transcript()}
}

// fail ends the process, which is no longer trustworthy, and returns the error. After a
// crash it waits briefly for the exit state.
func (e *Client) fail(kind error, detail string, cause error) error {
	if kind == ErrCrash {
		if state, ok := e.proc.wait(2 * time.Second); ok {
			detail = strings.TrimPrefix(detail+": "+state, ": ")
		}
	}
	e.proc.end(0)
	// The error is made last, because the transcript then includes what the process wrote
	// to standard error while it ended.
	e.failed = e.fault(kind, detail, cause)
	return e.failed
}

// send sends a line. An engine that does not accept it has stalled or crashed.
func (e *Client) send(line string) error {
	if e.failed != nil {
		return e.failed
	}
	err := e.proc.writeLine(line, time.Now().Add(e.wait.Ready))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return e.fail(ErrStall, fmt.Sprintf("it does not read its input (%q)", clip(line)), nil)
	}
	return e.fail(ErrCrash, fmt.Sprintf("while being sent %q", clip(line)), nil)
}

// until reads lines until take reports the last one. For each line take reports whether it
// is UCI and whether it is the last. want names the awaited line in errors. When ctx ends,
// until returns its cause and leaves the engine busy. Any other error ends the engine.
func (e *Client) until(ctx context.Context, want string, d time.Duration, take func(line string) (known, last bool)) error {
	if e.failed != nil {
		return e.failed
	}
	err := e.listen(ctx, want, d, take)
	if fault, ok := errors.AsType[*Error](err); ok {
		return e.fail(fault.Kind, fault.Detail, fault.Cause)
	}
	return err
}

// maxIgnored limits consecutive lines that are not UCI while the client waits. Real engines
// write a banner of one line.
const maxIgnored = 10_000

// listen is until, but never ends the engine.
func (e *Client) listen(ctx context.Context, want string, d time.Duration, take func(line string) (known, last bool)) error {
	deadline := time.Now().Add(d)
	known, ignored := 0, 0 // number of lines; ignored counts since the last known one
	for {
		line, err := e.proc.readLine(ctx, deadline)
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded) && ignored > 0 && known == 0:
			return e.fault(ErrProtocol, fmt.Sprintf("no %s within %v, only lines that are not UCI (%d)", want, d, ignored), nil)
		case errors.Is(err, os.ErrDeadlineExceeded):
			return e.fault(ErrStall, fmt.Sprintf("no %s within %v", want, d), nil)
		case errors.Is(err, errLineTooLong):
			return e.fault(ErrProtocol, fmt.Sprintf("while waiting for %s", want), err)
		case ctx.Err() != nil:
			return err
		default:
			return e.fault(ErrCrash, fmt.Sprintf("while waiting for %s", want), nil)
		}
		switch ok, last := take(strings.TrimSpace(line)); {
		case last:
			return nil
		case ok:
			known, ignored = known+1, 0
		default:
			if ignored++; ignored > maxIgnored {
				return e.fault(ErrProtocol, fmt.Sprintf("%d lines that are not UCI while waiting for %s", ignored, want), nil)
			}
		}
	}
}
