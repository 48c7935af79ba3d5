package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Position is a place in a file, or an override from the command line. Line and Col count
// from 1, Col in characters.
type Position struct {
	File      string
	Line, Col int
	Set       string // the override, as in "search.visits=100"; File is then SetFile
}

// SetFile is the file of overrides.
const SetFile = "--set"

// String returns "file:line:col", or "--set path=value" for an override.
func (p Position) String() string {
	if p.File == SetFile {
		return SetFile + " " + Printable(p.Set)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Place returns "file:line", or "--set" for an override.
func (p Position) Place() string {
	if p.File == SetFile {
		return SetFile
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Errorf returns a fault at the position.
func (p Position) Errorf(path, format string, args ...any) *Error {
	return &Error{Position: p, Path: path, Msg: fmt.Sprintf(format, args...)}
}

// Error is one fault of a file.
type Error struct {
	Position
	Path string // the key at fault, such as "search.visits"; empty if the fault concerns the whole file
	Msg  string // what the language wants and what the file has instead
	Hint string // advice; may be empty
	Err  error  // the underlying fault of the file system, if any
}

// Error returns one line: "file:line:col: path: message (hint)".
func (e *Error) Error() string {
	if e.Path != "" {
		return e.Position.String() + ": " + e.Path + ": " + e.Advice()
	}
	return e.Position.String() + ": " + e.Advice()
}

// Advice returns the fault without its place: "message (hint)".
func (e *Error) Advice() string {
	if e.Hint == "" {
		return e.Msg
	}
	return e.Msg + " (" + e.Hint + ")"
}

// Unwrap returns the underlying fault, so that errors.Is(err, fs.ErrNotExist) works.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) WithHint(h string) *Error {
	e.Hint = h
	return e
}

// Errors holds all faults of one load, sorted by file, line and column.
type Errors []*Error

// Error returns one line per fault.
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

// Sorted returns the faults in the order of their positions, without duplicates. Every
// trial of a sweep finds the same fault again.
func (e Errors) Sorted() Errors {
	slices.SortStableFunc(e, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Set, b.Set), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Msg, b.Msg))
	})
	return slices.CompactFunc(e, func(a, b *Error) bool { return a.Error() == b.Error() })
}

// DidYouMean returns a hint with the candidate nearest to word, or "" if none is near
// enough to be a typing error.
func DidYouMean(word string, candidates []string) string {
	if len(word) > 64 {
		return ""
	}
	slips := min(max(len(word)/4, 1), 3, len(word)-1)
	best, bestDistance := "", slips+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// distance is the optimal string alignment distance: the minimum number of insertions,
// deletions, substitutions and swaps of neighbors that turn a into b.
func distance(a, b string) int {
	var before []int // row i-2
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
