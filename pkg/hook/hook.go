package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"slices"
	"time"

	"alamos/pkg/hook/alamos"
)

// What scripts get and return; see package alamos for the fields.
type (
	Generation   = alamos.Generation
	Game         = alamos.Game
	Metrics      = alamos.Metrics
	Progress     = alamos.Progress
	Evaluation   = alamos.Evaluation
	SearchResult = alamos.SearchResult
	SearchMove   = alamos.SearchMove
)

// Limits are what a script may use up, and where its log goes.
type Limits struct {
	Time   time.Duration // of a call of the script, without the start of its process and what it waits for; 0: DefaultTime
	Memory int64         // bytes of its process; 0: DefaultMemory
	Log    io.Writer     // what the script prints, at most MaxLog bytes; nil: nowhere
	// Processes is how many calls of a session run beside each other, in a
	// process each; 0 is taken as 1.
	Processes int
}

// Limits of scripts, unless told otherwise.
const (
	DefaultTime   = time.Minute
	DefaultMemory = 1 << 30
	MaxLog        = 1 << 20
)

// withDefaults fills in what is 0.
func (l Limits) withDefaults() Limits {
	if l.Time <= 0 {
		l.Time = DefaultTime
	}
	if l.Memory <= 0 {
		l.Memory = DefaultMemory
	}
	if l.Log == nil {
		l.Log = io.Discard
	}
	l.Processes = max(1, l.Processes)
	return l
}

// Hook is a script in memory: what was read is what is checked, run and hashed,
// whatever happens to the file.
type Hook struct {
	path   string
	source []byte
}

// Read reads a script. It does not look at its content.
func Read(path string) (*Hook, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("hook: %w", err)
	}
	return &Hook{path, source}, nil
}

// Path is the path of the script as it was given to Read.
func (h *Hook) Path() string { return h.path }

// SHA256 returns the hash of the source in hexadecimal.
func (h *Hook) SHA256() string {
	sum := sha256.Sum256(h.source)
	return hex.EncodeToString(sum[:])
}

// Declared names the functions that the script declares, in the order of
// [Functions], without compiling it: quick, but only Check tells whether they can be
// called. Of what is no Go file it names none.
func (h *Hook) Declared() []string {
	f, err := parser.ParseFile(token.NewFileSet(), h.path, h.source, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var names []string
	for _, want := range functions {
		if slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
			have, ok := d.(*ast.FuncDecl)
			return ok && have.Recv == nil && have.Name.Name == want.Name
		}) {
			names = append(names, want.Name)
		}
	}
	return names
}

// Check compiles the script, sets its package variables without calling any of
// its functions, and makes sure that it has those that are wanted.
func (h *Hook) Check(ctx context.Context, l Limits, want ...string) error {
	have, err := h.Functions(ctx, l)
	if err != nil {
		return err
	}
	for _, name := range want {
		if err := h.Has(have, name); err != nil {
			return err
		}
	}
	return nil
}

// Functions compiles the script and names the functions that it has, in the order
// of [Functions].
func (h *Hook) Functions(ctx context.Context, l Limits) ([]string, error) {
	s := h.Open(l)
	defer s.Close()
	return s.Functions(ctx)
}

// Measure calls the script's Measure in a session of its own.
func (h *Hook) Measure(ctx context.Context, l Limits, g Generation) (Metrics, error) {
	s := h.Open(l)
	defer s.Close()
	return s.Measure(ctx, g)
}
