package experiment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a file; Line and Col count from 1, Col in characters.
type Position struct {
	File      string
	Line, Col int
}

// String returns "file:line:col".
func (p Position) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col) }

// line returns "file:line"; of an override, whose number says little, "--set".
func (p Position) line() string {
	if p.File == setFile {
		return setFile
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Error is one fault of an experiment file.
type Error struct {
	File      string
	Line, Col int
	Set       string // the override that it is in, if it is in one: File is then --set, and Line its number
	Path      string // the key it is about, "search.visits"; empty when it is about the file
	Msg       string // what is wanted and what is there instead
	Hint      string // what to do about it; may be empty
	Err       error  // the fault of the file system beneath, if any
}

// Error returns one line: "file:line:col: path: message (hint)", of an override
// "--set path=value: ...".
func (e *Error) Error() string {
	var b strings.Builder
	if e.Set != "" {
		fmt.Fprintf(&b, "%s %s: ", setFile, printable(e.Set))
	} else {
		fmt.Fprintf(&b, "%s:%d:%d: ", e.File, e.Line, e.Col)
	}
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	b.WriteString(e.Msg)
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

// Unwrap returns the fault beneath, so that errors.Is(err, fs.ErrNotExist) works.
func (e *Error) Unwrap() error { return e.Err }

// Errors are all faults found in one Load, sorted by file, line and column.
type Errors []*Error

// Error returns one line for each fault.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, err := range e {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap lets errors.Is and errors.As look at each fault.
func (e Errors) Unwrap() []error {
	list := make([]error, len(e))
	for i, err := range e {
		list[i] = err
	}
	return list
}

// of gives the faults of overrides their texts.
func (e Errors) of(set []string) Errors {
	for _, err := range e {
		if err.File == setFile && err.Line <= len(set) {
			err.Set = set[err.Line-1]
		}
	}
	return e
}

// sorted returns the faults in the order they are printed, each once: the same
// fault is met again in every trial of a sweep.
func (e Errors) sorted() Errors {
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Msg, b.Msg))
	})
	return slices.CompactFunc(e, func(a, b *Error) bool { return a.Error() == b.Error() })
}
