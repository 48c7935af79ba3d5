package run

import (
	"math"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"
)

// Scripts receive a policy over the legal moves, values for the side to move, results of
// finished games, and searches in the order of visits.
func TestNetworkForScripts(t *testing.T) {
	s := newSiteOf(t, undisturbed(t).dir)
	e := s.load(t)
	tr, err := mustRun(t, e, s.options(Quiet{})).open(t.Context(), e.Trials[0], Quiet{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := tr.Model(2)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	session, err := m.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	n := tr.scriptCheckpoint(1, session).Network

	over, err := chess.ParseFEN(chess.Atomic, "rnbq1bnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKB1R b KQ - 0 3") // no black king
	if err != nil {
		t.Fatal(err)
	}
	start := chess.StartPosition(chess.Atomic)
	positions := []chess.Position{start, over}
	for range 100 { // more than are searched at once
		positions = append(positions, start)
	}
	evaluations, err := n.Evaluate(t.Context(), positions)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, p := range evaluations[0].Policy {
		sum += p
	}
	if len(evaluations[0].Policy) != 20 || math.Abs(sum-1) > 1e-5 || math.Abs(evaluations[0].Value) > 1 || evaluations[0].Value == 0 {
		t.Errorf("start: %+v", evaluations[0])
	}
	if evaluations[1].Value != -1 || evaluations[1].Policy != nil {
		t.Errorf("a lost game: %+v", evaluations[1])
	}
	searches, err := n.Search(t.Context(), positions, 12)
	if err != nil || len(searches) != len(positions) {
		t.Fatal(len(searches), err)
	}
	for i, r := range searches {
		if i == 1 {
			if r.Value != -1 || r.Moves != nil || len(r.PV) > 0 {
				t.Errorf("a lost game: %+v", r)
			}
			continue
		}
		visits := 0
		for k, move := range r.Moves {
			visits += move.Visits
			if k > 0 && move.Visits > r.Moves[k-1].Visits {
				t.Fatalf("position %d: %+v", i, r.Moves)
			}
		}
		if len(r.Moves) != 20 || visits != 12 || r.PV[0] != r.Moves[0].Move {
			t.Fatalf("position %d: %d visits, %+v", i, visits, r)
		}
	}

	other := chess.StartPosition(chess.Standard)
	if _, err := n.Evaluate(t.Context(), []chess.Position{start, other}); err == nil || !strings.Contains(err.Error(), "position 1 is of chess, this network plays atomic") {
		t.Errorf("error %v", err)
	}
}

func mustRun(t *testing.T, e *experiment.Experiment, o Options) *run {
	t.Helper()
	r, err := newRun(e, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
