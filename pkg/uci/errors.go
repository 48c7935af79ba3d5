package uci

import (
	"errors"
	"fmt"
	"strings"
)

// The kinds of failure. Every failure of an engine is an [*Error] for which
// errors.Is tells the kind.
var (
	// ErrStart: the program cannot be run at all.
	ErrStart = errors.New("cannot be started")
	// ErrCrash: the process ended by itself.
	ErrCrash = errors.New("ended unexpectedly")
	// ErrStall: no answer in time, not even after "stop".
	ErrStall = errors.New("does not answer")
	// ErrTime: the search took too long, and ended when it was told to stop.
	// The engine can still be used.
	ErrTime = errors.New("took too long")
	// ErrIllegalMove: the answer is a move that the position does not allow.
	// The engine can still be used.
	ErrIllegalMove = errors.New("played an illegal move")
	// ErrProtocol: the answer is not UCI.
	ErrProtocol = errors.New("does not speak UCI")
	// ErrVariant: the engine does not prove that it knows the variant.
	ErrVariant = errors.New("cannot play the variant")
	// ErrOption: the engine has no such option, or not with such a value.
	// Nothing was sent and the engine can still be used.
	ErrOption = errors.New("option refused")
	// ErrClosed: the engine was closed, or has failed before.
	ErrClosed = errors.New("is closed")
)

// Error is a failure of an engine.
type Error struct {
	Engine string   // name of the engine
	Kind   error    // one of the kinds above
	Detail string   // what happened, in words
	Cause  error    // the error underneath, if any
	Lines  []string // the last lines exchanged: "> " sent, "< " received, "! " from standard error
}

// Error tells engine, kind, detail and cause in one line. See [Error.Transcript]
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

// Unwrap gives kind and cause to errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.Cause == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Cause}
}

// Transcript is the end of the conversation with the engine, a line each, as it
// is to be written to a log beside the error.
func (e *Error) Transcript() string {
	if len(e.Lines) == 0 {
		return ""
	}
	return strings.Join(e.Lines, "\n") + "\n"
}
