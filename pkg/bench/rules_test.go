package bench

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// chosen finds a position of the speed set.
func chosen(t *testing.T, v chess.Variant, name string) Position {
	t.Helper()
	for _, s := range SpeedSet() {
		if s.Variant == v && s.Name == name {
			return s
		}
	}
	t.Fatalf("the speed set has no %s %s", v, name)
	return Position{}
}

// small leaves the depths of a position that are counted in milliseconds.
func small(s Position) Position {
	for len(s.Counts) > 1 && s.Counts[len(s.Counts)-1] > 200_000 {
		s.Counts = s.Counts[:len(s.Counts)-1]
	}
	return s
}

// run measures positions for as short as can be.
func run(t *testing.T, peer func(context.Context, chess.Variant) (*uci.Client, error), positions ...Position) ([]RulesResult, error) {
	t.Helper()
	var results []RulesResult
	r := Rules{Positions: positions, Time: time.Nanosecond, Peer: peer}
	r.Result = func(r RulesResult) { results = append(results, r) }
	err := r.Run(t.Context())
	if err == nil && len(results) != len(positions) {
		t.Fatalf("%d results of %d positions", len(results), len(positions))
	}
	return results, err
}

// faulty is this test binary as an engine with a fault.
func faulty(t *testing.T, fault string) func(context.Context, chess.Variant) (*uci.Client, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(badEngine, fault)
	return func(ctx context.Context, v chess.Variant) (*uci.Client, error) { return StartPeer(ctx, self, v) }
}

func TestAlone(t *testing.T) {
	results, err := run(t, nil, small(chosen(t, chess.Standard, "endgame")), small(chosen(t, chess.Atomic, "start")))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{43238, 197326} {
		if r := results[i]; r.Nodes != want || r.Speed <= 0 || r.EngineSpeed != 0 || r.Ratio != 0 || r.Fault != "" {
			t.Errorf("have %+v", r)
		}
	}
}

func TestWrongCountIsNoSpeed(t *testing.T) {
	wrong := chosen(t, chess.Atomic, "start")
	wrong.Counts = []uint64{20, 400, 8902, 197281} // chess'
	results, err := run(t, nil, wrong, small(chosen(t, chess.Atomic, "start")))
	want := &CountError{Who: "alamos", Position: wrong, Depth: 4, Have: 197326, Want: 197281}
	var have *CountError
	if !errors.As(err, &have) {
		t.Fatalf("have error %v", err)
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	if results[0].Speed != 0 || results[1].Speed <= 0 {
		t.Errorf("have %+v", results)
	}
}

func TestFaultyEngineLeavesOurSpeed(t *testing.T) {
	for fault, want := range map[string]string{
		"miscounts": "Faulty 1.0 counts 3 at depth 4 instead of 197281: rnbqkbnr/",
		"searches":  "it does not know \"go perft\" and searches instead",
		"ends":      "ended unexpectedly: while waiting for the result of a perft",
	} {
		t.Run(fault, func(t *testing.T) {
			results, err := run(t, faulty(t, fault), small(chosen(t, chess.Standard, "start")))
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("have error %v, want %q", err, want)
			}
			if r := results[0]; r.Speed <= 0 || r.EngineSpeed != 0 || r.Ratio != 0 || r.Engine != "Faulty 1.0" || r.Fault == "" {
				t.Errorf("have %+v", r)
			}
		})
	}
}

func TestRefusedEngine(t *testing.T) {
	start := faulty(t, "silent")
	if _, err := start(t.Context(), chess.Atomic); !errors.Is(err, uci.ErrVariant) {
		t.Errorf("have error %v", err)
	}
	// In a run, what does not know a variant is left out there.
	var notes []string
	r := Rules{Positions: []Position{small(chosen(t, chess.Atomic, "start"))}, Peer: start}
	r.Note = func(text string) { notes = append(notes, text) }
	r.Result = func(r RulesResult) {
		if r.Engine != "" || r.Speed <= 0 {
			t.Errorf("have %+v", r)
		}
	}
	if err := r.Run(t.Context()); err != nil {
		t.Error(err)
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "atomic is measured alone: ") {
		t.Errorf("notes %q", notes)
	}
	if _, err := StartPeer(t.Context(), "no-such-engine", chess.Standard); err == nil {
		t.Error("no error for an engine that is not there")
	}
}

func TestInterrupted(t *testing.T) {
	for _, test := range []struct {
		name string
		peer func(context.Context, chess.Variant) (*uci.Client, error)
	}{
		{"alone", nil},
		{"waiting for an engine", faulty(t, "silent")},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			r := Rules{
				Positions: []Position{small(chosen(t, chess.Standard, "start"))},
				Time:      time.Hour,
				Peer:      test.peer,
			}
			r.Begin = func(int, int, string) { time.AfterFunc(20*time.Millisecond, cancel) }
			r.Result = func(r RulesResult) { t.Errorf("result %+v", r) }
			if err := r.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("have error %v", err)
			}
		})
	}
}

// TestBesideEngines counts with the engines of this machine, as far as it has
// any. Three-check and crazyhouse are the variants with a FEN of their own.
func TestBesideEngines(t *testing.T) {
	for _, v := range []chess.Variant{chess.Standard, chess.Atomic, chess.ThreeCheck, chess.Crazyhouse} {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			if testing.Short() && v > chess.Atomic {
				t.Skip("Fairy-Stockfish takes a second to start")
			}
			started := false
			find := func(ctx context.Context, v chess.Variant) (*uci.Client, error) {
				peer, err := FindPeer(ctx, v)
				started = err == nil
				return peer, err
			}
			results, err := run(t, find, small(chosen(t, v, "start")))
			if err != nil {
				t.Fatal(err)
			}
			if !started {
				t.Skip("no engine")
			}
			if r := results[0]; !strings.Contains(r.Engine, "Stockfish") || r.EngineSpeed <= 0 || r.Ratio != r.Speed/r.EngineSpeed {
				t.Errorf("have %+v", r)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	for _, test := range []struct {
		result RulesResult
		want   string
	}{
		{
			RulesResult{Variant: "atomic", Position: "programfox-1", FEN: "8/8", Depth: 3, Nodes: 45237, Speed: 1234567.8, Engine: "Stockfish 15.1", EngineSpeed: 1e6, Ratio: 1.2345678},
			`{"variant":"atomic","position":"programfox-1","fen":"8/8","depth":3,"nodes":45237,` +
				`"nodes_per_second":1235000,"engine_nodes_per_second":1000000,"ratio":1.235,"engine":"Stockfish 15.1"}`,
		},
		{
			RulesResult{Variant: "atomic", Position: "programfox-1", FEN: "8/8", Depth: 2, Nodes: 1238, Fault: "wrong"},
			`{"variant":"atomic","position":"programfox-1","fen":"8/8","depth":2,"nodes":1238,` +
				`"nodes_per_second":null,"engine_nodes_per_second":null,"ratio":null,"error":"wrong"}`,
		},
	} {
		have, err := json.Marshal(test.result)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, string(have)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestTable(t *testing.T) {
	r := RulesResult{Variant: "atomic", Position: "start", Depth: 1, Nodes: 4865609}
	beside, alone, failed := r, r, r
	beside.Speed, beside.Engine, beside.EngineSpeed, beside.Ratio = 150e6, "Fairy 14", 50e6, 3
	alone.Speed = 9.96e6
	failed.Engine, failed.Fault = "Fairy 14", "wrong"
	var b strings.Builder
	if err := WriteTable(&b, []RulesResult{beside, alone, failed}); err != nil {
		t.Fatal(err)
	}
	want := `variant  position  depth      nodes  Mnodes/s  engine's  ratio  engine
atomic   start         1  4,865,609     150.0      50.0   3.00  Fairy 14
atomic   start         1  4,865,609      10.0         -      -  -
atomic   start         1  4,865,609         -         -      -  Fairy 14
`
	if have, _, _ := strings.Cut(b.String(), "\n\n"); have+"\n" != want {
		t.Error(cmp.Diff(want, have+"\n"))
	}
}
