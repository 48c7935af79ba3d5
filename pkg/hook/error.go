package hook

import "fmt"

// Error is a fault of a script: it does not compile, it panicked, it ran too
// long, it returned what it must not.
type Error struct {
	File      string // path as it was given to Read
	Line, Col int    // from 1; 0: the whole file
	Msg       string // one line
}

// Error returns "file:line:col: message".
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}
