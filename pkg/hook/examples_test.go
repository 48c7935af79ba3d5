package hook

import (
	"math"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/hook/alamos"
)

// example opens a script of experiments/hooks.
func example(t *testing.T, name string) *Session {
	return open(t, "../../experiments/hooks/"+name, Limits{})
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestExampleMetrics(t *testing.T) {
	g := generation
	g.Games = append(slices.Clone(g.Games), g.Games[1], g.Games[1])
	m, err := example(t, "openings.go").Measure(t.Context(), g)
	// A quarter and three quarters.
	if err != nil || m.Metrics["openings"] != 2 || !near(m.Metrics["opening_entropy"], 0.25*2+0.75*math.Log2(4./3)) {
		t.Errorf("openings: %v, %v", m, err)
	}
	labels, err := example(t, "openings.go").Labels(t.Context())
	if err != nil || labels["opening_entropy"] != (alamos.Label{Text: "entropy of the openings", Unit: "bits"}) {
		t.Errorf("labels: %v, %v", labels, err)
	}
	m, err = example(t, "explosions.go").Measure(t.Context(), g)
	if err != nil || m.Metrics["king_exploded"] != 0.25 || m.Metrics["plies_to_explosion"] != 5 {
		t.Errorf("explosions: %v, %v", m, err)
	}
	// A network that finds all moves alike, asked in the start position and the 20
	// after it, which all have 20 moves; its search likes the first of them.
	m, err = example(t, "entropy.go").MeasureCheckpoint(t.Context(), Checkpoint{Generation: 1, Variant: chess.Atomic, Network: counting{chess.Atomic}})
	if err != nil || !near(m.Metrics["policy_entropy"], math.Log2(20)) || m.Metrics["start_value"] != 0.2 || m.Metrics["search_agreement"] != 1 {
		t.Errorf("entropy: %v, %v", m, err)
	}
}

// A game of five plies that ends with five pieces fewer, and four of eight plies, which are too
// few for a mean of what comes after.
func TestExampleSeries(t *testing.T) {
	g := generation
	g.Games = append(slices.Clone(g.Games), g.Games[1], g.Games[1], g.Games[1])
	m, err := example(t, "material.go").Measure(t.Context(), g)
	pieces, running := m.Series["pieces"], m.Series["running"]
	if err != nil || len(pieces) != 6 || len(running) != 9 || !near(m.Metrics["pieces_at_end"], 31) {
		t.Fatalf("%v, %v", m, err)
	}
	if pieces[0] != (alamos.Point{X: 0, Y: 32}) || pieces[5] != (alamos.Point{X: 5, Y: 31}) || running[8] != (alamos.Point{X: 8, Y: 0.8}) {
		t.Error(m)
	}
}

func TestExampleEvaluation(t *testing.T) {
	var positions []chess.Position
	for _, fen := range []string{
		startFEN,
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 1",   // no white queen
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR b KQkq - 0 1",   // the same for Black
		"rnbqkbnr/pppppppp/8/4N3/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1", // a knight near the king
	} {
		p, err := chess.ParseFEN(chess.Atomic, fen)
		if err != nil {
			t.Fatal(err)
		}
		positions = append(positions, p)
	}
	v, err := example(t, "atomic.go").Evaluate(t.Context(), positions)
	if err != nil {
		t.Fatal(err)
	}
	if v[0] != 0 || v[1] >= -0.5 || v[2] != -v[1] || v[3] <= 0 || v[3] > 0.1 {
		t.Errorf("values %v", v)
	}
}

// The rate of one cycle rises to the initial one and falls to almost nothing.
func TestExampleSchedule(t *testing.T) {
	s := example(t, "onecycle.go")
	p := Progress{Generations: 7, EpochsEach: 3, Initial: 2} // 21 epochs: the highest is the 7th
	var rates []float64
	for range 21 {
		rate, err := s.Rate(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		rates = append(rates, rate)
		p.Epochs = append(p.Epochs, alamos.Epoch{Rate: rate})
	}
	if !near(rates[0], 0.08) || !near(rates[6], 2) || !near(rates[20], 2e-4) {
		t.Errorf("rates %v", rates)
	}
	if !slices.IsSorted(rates[:7]) || !slices.IsSortedFunc(rates[6:], func(a, b float64) int {
		if a > b {
			return -1
		}
		return 1
	}) {
		t.Errorf("rates %v do not rise and fall", rates)
	}
	if rate, err := s.Rate(t.Context(), Progress{Generations: 1, EpochsEach: 1, Initial: 2}); err != nil || rate != 2 {
		t.Errorf("one epoch: %v, %v", rate, err)
	}
}

func TestExampleAdjudication(t *testing.T) {
	game := func(plies int, scores ...float64) Game {
		return Game{Variant: "chess", Start: startFEN, Moves: make([]string, plies), Scores: append(make([]float64, plies-len(scores)), scores...)}
	}
	games := []Game{
		game(30, 0.96, 0.97, 0.99, 0.99, 1, 0.98),
		game(30, -0.96, -0.97, -0.99, -0.99, -1, -0.98),
		game(30, 0.96, 0.97, 0.9, 0.99, 1, 0.98),        // one side still hopes
		game(30, 0.96, 0.97, math.NaN(), 0.99, 1, 0.98), // or says nothing
		game(30),  // even, but early
		game(100), // even
		game(4, 1, 1, 1, 1),
	}
	have, err := example(t, "resign.go").Adjudicate(t.Context(), games)
	on := chess.Unfinished
	want := []chess.Result{chess.WhiteWins, chess.BlackWins, on, on, on, chess.Draw, on}
	if err != nil || !slices.Equal(have, want) {
		t.Errorf("%v, %v, want %v", have, err, want)
	}
}

func TestExampleStop(t *testing.T) {
	s := example(t, "saturated.go")
	var p Progress
	for i, loss := range []float64{5, 4, 3, 2.99, 3.1, 3.2, 2.98, 3} {
		p.Past = append(p.Past, alamos.Summary{Generation: i + 1, Loss: loss})
		p.Generation = i + 1
		stop, reason, err := s.Stop(t.Context(), p)
		if want := i == 7; err != nil || stop != want || want && !strings.Contains(reason, "3.000 of generation 3 in 5 generations") {
			t.Errorf("generation %d: %v, %q, %v", i+1, stop, reason, err)
		}
	}
}
