package hook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"alamos/pkg/chess"
	"alamos/pkg/config"
)

func TestMain(m *testing.M) {
	if IsChild() {
		os.Exit(RunChild())
	}
	if confined, dir, ok := strings.Cut(os.Getenv(escapeVariable), " "); ok {
		tryEscapes(dir, confined == "true")
		return
	}
	os.Exit(m.Run())
}

const startFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// generation has two games of atomic chess.
var generation = Generation{Number: 4, Variant: "atomic", Games: []Game{
	{Number: 0, Variant: "atomic", Start: startFEN, Result: "1-0", Reason: "king_exploded",
		Moves: strings.Fields("g1f3 d7d5 f3e5 e7e6 e5f7")},
	{Number: 1, Variant: "atomic", Start: startFEN, Result: "1/2-1/2", Reason: "threefold",
		Moves: strings.Fields("g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8")},
}}

func load(t testing.TB, path string) *Hook {
	t.Helper()
	h, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// check compiles a script and makes sure that it has the functions.
func check(ctx context.Context, h *Hook, want ...string) error {
	have, err := h.Functions(ctx, Limits{})
	for _, name := range want {
		if fault := h.Has(have, name); err == nil && fault != nil {
			return fault
		}
	}
	return err
}

// measure calls a script's Measure in a session of its own.
func measure(ctx context.Context, h *Hook, l Limits, g Generation) (Metrics, error) {
	s := h.Open(l)
	defer s.Close()
	m, err := s.Measure(ctx, g)
	return m.Metrics, err
}

func TestMeasure(t *testing.T) {
	var log bytes.Buffer
	for path, want := range map[string]Metrics{
		"testdata/explosions.go": {"explosion_share": 0.5, "explosion_mean_plies": 5},
		"testdata/tour.go": {
			"generation": 4, "plies": 13, "root": 5, "longest": 8, "checks": 0, "captures": 1, "white": 1,
			"undefined": math.NaN(), "recovered": 1, "moves": 20,
		},
	} {
		h := load(t, path)
		if err := check(t.Context(), h); err != nil {
			t.Fatal(err)
		}
		m, err := measure(t.Context(), h, Limits{Log: &log}, generation)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, m, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	if want := "results: decided=1 drawn=1\nvariant atomic\n"; log.String() != want {
		t.Errorf("log %q, want %q", log.String(), want)
	}
}

func TestMeasureOfNoGames(t *testing.T) {
	m, err := measure(t.Context(), load(t, "testdata/explosions.go"), Limits{}, Generation{Number: 1, Variant: "atomic"})
	if err != nil || len(m) != 2 || !math.IsNaN(m["explosion_share"]) {
		t.Errorf("%v, %v", m, err)
	}
}

// A comment "// want 3: text" in a script says that its line and column 3 must
// be in the error, with that text. The error has no other faults.
var wants = regexp.MustCompile(`// want (\d+): (.*)`)

func TestFaultsOfScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/bad/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".go"), func(t *testing.T) {
			t.Parallel()
			h := load(t, path)
			var want [][2]string // place and text
			limits := Limits{Memory: 128 << 20}
			for i, l := range strings.Split(string(h.source), "\n") {
				if m := wants.FindStringSubmatch(l); m != nil {
					want = append(want, [2]string{fmt.Sprintf("%s:%d:%s: ", path, i+1, m[1]), m[2]})
					if strings.Contains(l, "still running after 1s") {
						limits.Time = time.Second
					}
				}
			}
			err := callAny(t.Context(), h, limits)
			if _, ok := errors.AsType[*config.Error](err); !ok {
				t.Fatalf("error %v, want a fault", err)
			}
			have := strings.Split(err.Error(), "\n")
			if !slices.EqualFunc(have, want, func(have string, want [2]string) bool {
				return strings.HasPrefix(have, want[0]) && strings.Contains(have, want[1])
			}) {
				t.Errorf("error %v\nwant  %s", err, want)
			}
		})
	}
}

// callAny calls the first function that a script has.
func callAny(ctx context.Context, h *Hook, l Limits) error {
	s := h.Open(l)
	defer s.Close()
	names, err := s.Functions(ctx)
	if err != nil {
		return err
	}
	switch names[0] {
	case Measure:
		_, err = s.Measure(ctx, generation)
	case MeasureCheckpoint:
		_, err = s.MeasureCheckpoint(ctx, Checkpoint{Generation: 3, Variant: chess.Atomic, Network: counting{chess.Atomic}})
	case Evaluate:
		_, err = s.Evaluate(ctx, twoPositions())
	case Rate:
		_, err = s.Rate(ctx, Progress{Generation: 1, Generations: 2, Initial: 0.1})
	case Adjudicate:
		game := generation.Games[0]
		game.Scores = make([]float64, game.Plies())
		_, err = s.Adjudicate(ctx, []Game{game})
	case Stop:
		_, _, err = s.Stop(ctx, Progress{Generation: 1, Generations: 2})
	}
	return err
}

// scriptOf makes a hook of the body of Measure.
func scriptOf(body string) *Hook {
	return &Hook{"x.go", []byte("package main\n\nimport (\n\t\"fmt\"\n\n\t\"alamos/pkg/hook/alamos\"\n)\n\nfunc Measure(g alamos.Generation) alamos.Metrics {\n" + body + "\n}\n")}
}

func TestSyntaxError(t *testing.T) {
	err := check(t.Context(), scriptOf("if len(g.Games) = 0 {\n}\nfmt.Print(1 2)\nreturn nil"))
	if err == nil || !strings.HasPrefix(err.Error(), "x.go:10:4: expected boolean expression") || !strings.Contains(err.Error(), "\nx.go:12:13: missing ','") {
		t.Errorf("error %v", err)
	}
}

// More than the operating system gives the process: the place is lost, not the
// reason.
func TestVeryMuchMemoryAtOnce(t *testing.T) {
	_, err := measure(t.Context(), scriptOf("n := 1 << 36\ns := make([]byte, n)\nfmt.Print(len(s))\nreturn nil"), Limits{}, generation)
	if err == nil || !strings.HasPrefix(err.Error(), "x.go:1:1: more than 1024 MiB of memory") {
		t.Errorf("error %v", err)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(100*time.Millisecond, func() { cancel(nil) })
	_, err := measure(ctx, scriptOf("for {\nfmt.Print()\n}"), Limits{}, generation)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The log of a failed script is kept, and an endless log does not fill the memory of the
// parent.
func TestLogOfAScriptThatPrintsWithoutEnd(t *testing.T) {
	var log bytes.Buffer
	_, err := measure(t.Context(), scriptOf("for {\nfmt.Println(\"once more\")\n}"), Limits{Time: 2 * time.Second, Log: &log}, generation)
	if err == nil || !strings.Contains(err.Error(), "still running") {
		t.Errorf("error %v", err)
	}
	if !strings.HasPrefix(log.String(), "once more\n") || log.Len() > MaxLog {
		t.Errorf("%d bytes of log", log.Len())
	}
}

// The output of a script is not read as its result.
func TestPrintsAreNoAnswer(t *testing.T) {
	m, err := measure(t.Context(), scriptOf("print(\"a\")\nprintln(\"b\")\nfmt.Print(\"c\")\nreturn alamos.Metrics{\"n\": 1}"), Limits{Log: io.Discard}, generation)
	if err != nil || m["n"] != 1 {
		t.Errorf("%v, %v", m, err)
	}
}

func TestIllegalMoveEndsTheHook(t *testing.T) {
	g := generation
	g.Games = []Game{{Number: 7, Variant: "atomic", Start: startFEN, Moves: []string{"e2e4", "e2e4"}}}
	_, err := measure(t.Context(), scriptOf("fmt.Print(len(g.Games[0].Positions()))\nreturn nil"), Limits{}, g)
	if err == nil || !strings.Contains(err.Error(), "x.go:10:1: panic: game 7, ply 1: ") {
		t.Errorf("error %v", err)
	}
}

// Check sets package variables and does not call Measure.
func TestCheck(t *testing.T) {
	if err := check(t.Context(), load(t, "testdata/bad/no_metrics.go")); err != nil {
		t.Error(err)
	}
	if err := check(t.Context(), load(t, "testdata/bad/several.go")); err == nil {
		t.Error("no error")
	}
}

func TestReadOfNoFile(t *testing.T) {
	if _, err := Read("testdata/nonesuch.go"); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "nonesuch.go") {
		t.Errorf("error %v", err)
	}
}

// benchmarkGames is a generation of the size of the thesis'.
func benchmarkGames() Generation {
	g := Generation{Number: 1, Variant: "atomic"}
	moves := []string{}
	for range 20 {
		moves = append(moves, generation.Games[1].Moves[:4]...)
	}
	for i := range 250 {
		g.Games = append(g.Games, Game{Number: i, Variant: "atomic", Start: startFEN, Moves: moves, Result: "1/2-1/2", Reason: "threefold"})
	}
	return g
}

func BenchmarkMeasure(b *testing.B) {
	for _, name := range []string{"explosions", "tour"} {
		b.Run(name, func(b *testing.B) {
			h, g := load(b, "testdata/"+name+".go"), benchmarkGames()
			for b.Loop() {
				if _, err := measure(b.Context(), h, Limits{}, g); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// To compile a script runs no code of it.
func TestCompileRunsNothing(t *testing.T) {
	for _, name := range []string{"testdata/bad/endless_at_start.go", "testdata/remembers.go"} {
		if names, err := load(t, name).Compile(t.Context(), Limits{Time: 2 * time.Second}); err != nil || len(names) == 0 {
			t.Errorf("%s: %q (%v)", name, names, err)
		}
	}
}
