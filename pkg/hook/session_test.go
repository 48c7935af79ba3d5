package hook

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/hook/alamos"
)

// counting is a network of a variant: it finds a position worth its number of
// legal moves / 100, and its search the same with the first move visited most.
type counting struct{ variant chess.Variant }

func (n counting) Evaluate(_ context.Context, positions []chess.Position) ([]Evaluation, error) {
	all := make([]Evaluation, len(positions))
	for i := range positions {
		if v := positions[i].Variant(); v != n.variant {
			return nil, fmt.Errorf("this network plays %s, not %s", n.variant, v)
		}
		var l chess.MoveList
		positions[i].LegalMoves(&l)
		e := Evaluation{Value: float64(l.Len()) / 100, Policy: map[string]float64{}}
		for _, m := range l.Slice() {
			e.Policy[positions[i].UCI(m)] = 1 / float64(l.Len())
		}
		all[i] = e
	}
	return all, nil
}

func (n counting) Search(ctx context.Context, positions []chess.Position, visits int) ([]SearchResult, error) {
	all, err := n.Evaluate(ctx, positions)
	if err != nil {
		return nil, err
	}
	out := make([]SearchResult, len(all))
	for i, e := range all {
		move := e.Moves()[0]
		out[i] = SearchResult{Value: e.Value, Moves: []SearchMove{{Move: move, Visits: visits}}, PV: []string{move}}
	}
	return out, nil
}

func twoPositions() []chess.Position {
	p := chess.StartPosition(chess.Atomic)
	q := p
	m, _ := q.ParseUCI("e2e4")
	q.Play(m)
	return []chess.Position{p, q}
}

func open(t testing.TB, path string, l Limits) *Session {
	s := load(t, path).Open(l)
	t.Cleanup(s.Close)
	return s
}

// One script has all functions; one process serves them all.
func TestSession(t *testing.T) {
	ctx := t.Context()
	s := open(t, "testdata/all.go", Limits{})
	names, err := s.Functions(ctx)
	if want := []string{Measure, MeasureCheckpoint, Evaluate, Rate, Adjudicate, Stop}; err != nil || !cmp.Equal(names, want) {
		t.Fatalf("%v, %v", names, err)
	}
	m, err := s.Measure(ctx, generation)
	if err != nil || m.Metrics["games"] != 2 {
		t.Errorf("Measure: %v, %v", m, err)
	}
	values, err := s.Evaluate(ctx, twoPositions())
	if err != nil || !cmp.Equal(values, []float64{0.2, -0.2}) {
		t.Errorf("Evaluate: %v, %v", values, err)
	}
	rate, err := s.Rate(ctx, Progress{Generation: 2, Initial: 0.5, Epochs: []alamos.Epoch{{Rate: 0.25, Train: alamos.Loss{Total: 2}}}})
	if err != nil || rate != 0.125 {
		t.Errorf("Rate: %v, %v", rate, err)
	}
	games := []Game{
		{Variant: "atomic", Start: startFEN, Moves: []string{"e2e4"}, Scores: []float64{0.1}},
		{Variant: "atomic", Start: startFEN, Moves: []string{"e2e4", "e7e5"}, Scores: []float64{0.1, -0.99}},
	}
	results, err := s.Adjudicate(ctx, games)
	if err != nil || !cmp.Equal(results, []chess.Result{chess.Unfinished, chess.BlackWins}) {
		t.Errorf("Adjudicate: %v, %v", results, err)
	}
	stop, reason, err := s.Stop(ctx, Progress{Generation: 3, Past: []alamos.Summary{{Metrics: map[string]float64{"a.b": 7}}}})
	if err != nil || !stop || reason != "generation 3 has 7" {
		t.Errorf("Stop: %v, %q, %v", stop, reason, err)
	}
	m, err = s.MeasureCheckpoint(ctx, Checkpoint{Generation: 3, Variant: chess.Atomic, Samples: 50, Network: counting{chess.Atomic}})
	// 20 positions after a move of White, each with 20 moves; a search with 9 visits.
	if want := (Metrics{"generation": 3, "samples": 50, "value": 0.2, "share": 0.05, "likeliest": 1, "visits": 9, "length": 1}); err != nil || !cmp.Equal(m.Metrics, want, cmpopts.EquateApprox(0, 1e-12)) {
		t.Errorf("MeasureCheckpoint: %v, %v", m, err)
	}
	if err := check(ctx, s.hook, Stop, Rate); err != nil {
		t.Error(err)
	}
}

// Scripts and networks know positions by rules of a file from each other, also if several have
// one name.
func TestRulesOfAFile(t *testing.T) {
	s := open(t, "testdata/all.go", Limits{})
	for _, promotion := range []string{"q", "qn"} {
		v, err := chess.ParseVariant(fmt.Sprintf(`{"name":"some","promotion":%q}`, promotion))
		if err != nil {
			t.Fatal(err)
		}
		values, err := s.Evaluate(t.Context(), []chess.Position{chess.StartPosition(v)})
		if err != nil || !cmp.Equal(values, []float64{0.2}) {
			t.Errorf("%v, %v", values, err)
		}
		m, err := s.MeasureCheckpoint(t.Context(), Checkpoint{Variant: v, Network: counting{variant: v}})
		if err != nil || m.Metrics["visits"] != 9 {
			t.Errorf("%v, %v", m.Metrics, err)
		}
	}
}

// Package variables of a script do not survive a call.
func TestCallsDoNotKnowOfEachOther(t *testing.T) {
	s := open(t, "testdata/remembers.go", Limits{})
	for range 3 {
		values, err := s.Evaluate(t.Context(), twoPositions())
		if err != nil || !cmp.Equal(values, []float64{0.11, 0.22}) {
			t.Fatalf("%v, %v", values, err)
		}
	}
}

// A process that a fault has ended is replaced.
func TestSessionAfterAFault(t *testing.T) {
	s := open(t, "testdata/sometimes.go", Limits{Time: 3 * time.Second})
	for i, want := range []string{"", "panic: generation 1", "", "still running after 3s", "", "calls go too deep", ""} {
		_, err := s.Measure(t.Context(), Generation{Number: i, Variant: "atomic"})
		var fault *config.Error
		switch {
		case want == "" && err != nil, want != "" && !errors.As(err, &fault):
			t.Errorf("%d: %v, want %q", i, err, want)
		case want != "" && (!strings.Contains(fault.Msg, want) || fault.Line == 0):
			t.Errorf("%d: %v, want %q", i, err, want)
		}
	}
}

func TestCanceledCall(t *testing.T) {
	s := open(t, "testdata/sometimes.go", Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	if _, err := s.Measure(ctx, Generation{Number: 3}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := s.Measure(t.Context(), Generation{}); err != nil {
		t.Error(err)
	}
}

// Calls of many goroutines return with any number of processes.
func TestProcesses(t *testing.T) {
	s := open(t, "testdata/all.go", Limits{Processes: 2})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 20 {
				rate, err := s.Rate(t.Context(), Progress{Initial: float64(i + 1), Epochs: make([]alamos.Epoch, j)})
				if want := float64(i+1) / float64(int(1)<<(2*j)); err != nil || rate != want {
					t.Errorf("%v, %v, want %v", rate, err, want)
				}
			}
		})
	}
	wg.Wait()
	pids := map[int]bool{}
	for range 2 {
		p := <-s.pool
		pids[p.cmd.Process.Pid] = true
		defer func() { s.pool <- p }()
	}
	if len(pids) != 2 {
		t.Errorf("%d processes", len(pids))
	}
}

// A process ends with its session.
func TestClose(t *testing.T) {
	s := open(t, "testdata/all.go", Limits{})
	if _, err := s.Functions(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := <-s.pool
	s.pool <- p
	s.Close()
	if err := p.cmd.Process.Signal(os.Interrupt); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("error %v", err)
	}
	if _, err := s.Functions(t.Context()); err != nil { // another one
		t.Error(err)
	}
}

// A killed process is not a fault of the script. The next call starts another.
func TestKilledProcess(t *testing.T) {
	s := open(t, "testdata/sometimes.go", Limits{})
	if _, err := s.Functions(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := <-s.pool
	time.AfterFunc(100*time.Millisecond, func() { _ = p.cmd.Process.Kill() })
	s.pool <- p
	_, err := s.Measure(t.Context(), Generation{Number: 3})
	var fault *config.Error
	if err == nil || errors.As(err, &fault) || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("error %v", err)
	}
	if _, err := s.Measure(t.Context(), Generation{}); err != nil {
		t.Error(err)
	}
}

func TestNoSuchFunction(t *testing.T) {
	s := open(t, "testdata/explosions.go", Limits{})
	_, err := s.Rate(t.Context(), Progress{})
	want := "testdata/explosions.go:1:1: no function Rate: want func Rate(p alamos.Progress) float64"
	if err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
	if err := check(t.Context(), s.hook, Measure, Rate); err == nil || err.Error() != want {
		t.Errorf("error %v", err)
	}
}

// The time of the network does not count as the script's.
func TestTimeOfTheNetwork(t *testing.T) {
	s := open(t, "testdata/all.go", Limits{Time: time.Second})
	_, err := s.MeasureCheckpoint(t.Context(), Checkpoint{Variant: chess.Atomic, Network: slow{counting{chess.Atomic}}})
	if err != nil {
		t.Error(err)
	}
}

type slow struct{ counting }

func (s slow) Search(ctx context.Context, positions []chess.Position, visits int) ([]SearchResult, error) {
	time.Sleep(1500 * time.Millisecond)
	return s.counting.Search(ctx, positions, visits)
}

// A session keeps to its log limit over many calls, and survives them.
func TestManyCalls(t *testing.T) {
	s := open(t, "testdata/all.go", Limits{Memory: 128 << 20})
	positions := twoPositions()
	for range 2000 {
		if _, err := s.Evaluate(t.Context(), positions); err != nil {
			t.Fatal(err)
		}
	}
}

func BenchmarkEvaluate100(b *testing.B) {
	for _, path := range []string{"testdata/all.go", "testdata/material.go", "../../experiments/hooks/atomic.go"} {
		b.Run(filepath.Base(path), func(b *testing.B) {
			s := open(b, path, Limits{})
			var positions []chess.Position
			for range 50 {
				positions = append(positions, twoPositions()...)
			}
			if _, err := s.Evaluate(b.Context(), positions); err != nil { // the start of the process
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := s.Evaluate(b.Context(), positions); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkAdjudicate is a game of self-play after eighty plies.
func BenchmarkAdjudicate(b *testing.B) {
	s := open(b, "../../experiments/hooks/resign.go", Limits{})
	g := Game{Variant: "atomic", Start: startFEN}
	for range 20 {
		g.Moves = append(g.Moves, generation.Games[1].Moves[:4]...)
	}
	g.Scores = make([]float64, len(g.Moves))
	if _, err := s.Adjudicate(b.Context(), []Game{g}); err != nil { // the start of the process
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := s.Adjudicate(b.Context(), []Game{g}); err != nil {
			b.Fatal(err)
		}
	}
}
