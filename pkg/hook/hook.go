package hook

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"slices"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/hook/alamos"
)

// The arguments and results of scripts; see package alamos for the fields.
type (
	Generation   = alamos.Generation
	Game         = alamos.Game
	Metrics      = alamos.Metrics
	Series       = alamos.Series
	Labels       = alamos.Labels
	Progress     = alamos.Progress
	Evaluation   = alamos.Evaluation
	SearchResult = alamos.SearchResult
	SearchMove   = alamos.SearchMove
)

// Limits bound a script, and say where its log goes.
type Limits struct {
	Time   time.Duration // of a call, without the start of the process and the time of the network; 0: DefaultTime
	Memory int64         // bytes of its process; 0: DefaultMemory
	Log    io.Writer     // receives what the script prints, at most MaxLog bytes; nil discards it
	// Processes is how many calls of a session run at once, each in its own process;
	// 0 is taken as 1.
	Processes int
}

// Default limits of scripts.
const (
	DefaultTime   = time.Minute
	DefaultMemory = 1 << 30
	MaxLog        = 1 << 20
)

// withDefaults replaces zero fields.
func (l Limits) withDefaults() Limits {
	l.Time, l.Memory = cmp.Or(l.Time, DefaultTime), cmp.Or(l.Memory, DefaultMemory)
	if l.Log == nil {
		l.Log = io.Discard
	}
	l.Processes = max(1, l.Processes)
	return l
}

// Hook is a script in memory: the source that was read is the one that is checked, run
// and hashed, whatever happens to the file.
type Hook struct {
	path   string
	source []byte
}

// Read reads a script. It does not check its content.
func Read(path string) (*Hook, error) {
	source, err := disk.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("hook: %w", err)
	}
	return &Hook{path, source}, nil
}

// SHA256 returns the hash of the source in hexadecimal.
func (h *Hook) SHA256() string { return disk.SumOf(h.source) }

// Declared returns the names of the functions that the script declares, in the order
// of [Functions], without compiling it. It is quick, but only Hook.Functions finds out
// whether they can be called. It returns none for a file that is not Go.
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

// Compile compiles the script in a child process, without running any code of it, and
// returns the names of its functions, in the order of [Functions]. The faults of a script
// that does not compile are [config.Errors].
func (h *Hook) Compile(ctx context.Context, l Limits) (names []string, err error) {
	s := h.Open(l)
	defer s.Close()
	err = s.with(ctx, func(p *process) error {
		names = slices.Clone(p.functions)
		return nil
	})
	return names, err
}

// Functions is Compile, and also initializes the package variables.
func (h *Hook) Functions(ctx context.Context, l Limits) ([]string, error) {
	s := h.Open(l)
	defer s.Close()
	return s.Functions(ctx)
}
