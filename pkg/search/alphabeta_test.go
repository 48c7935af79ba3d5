package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// hashed is a valuer whose values are a function of the position and look like
// chance, with many equal ones among them.
type hashed struct{ values []float64 }

func hashedValue(p *chess.Position) float64 {
	x := p.Key() * 0x9e3779b97f4a7c15
	return float64(int64(x>>60)-7) / 8 // -7/8 to 1
}

func (h *hashed) Add(g *chess.Game, _ []chess.Move) {
	h.values = append(h.values, hashedValue(g.Position()))
}

func (h *hashed) Values(context.Context) ([]float64, error) {
	out := h.values
	h.values = nil
	return out, nil
}

// minimax is the definition that AlphaBeta must agree with.
func minimax(g *chess.Game, depth int) float64 {
	var l chess.MoveList
	g.Position().LegalMoves(&l)
	if o := g.Outcome(&l); o.Over() {
		return result(o, g.Position().Turn())
	}
	if depth == 0 {
		return min(max(hashedValue(g.Position()), -certain), certain)
	}
	best := -2.0
	for _, v := range minimaxMoves(g, depth, l.Slice()) {
		best = max(best, v)
	}
	return best
}

// minimaxMoves are the values of moves.
func minimaxMoves(g *chess.Game, depth int, moves []chess.Move) []float64 {
	var values []float64
	for _, m := range moves {
		g.Play(m)
		values = append(values, -minimax(g, depth-1))
		g.Undo()
	}
	return values
}

func TestAlphaBetaIsMinimax(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	a := &AlphaBeta{Valuer: &hashed{}}
	decided := 0
	for _, v := range chess.Variants() {
		for range 12 {
			g := chess.NewGame(chess.StartPosition(v))
			var l chess.MoveList
			for range rng.IntN(80) {
				g.Position().LegalMoves(&l)
				if g.Outcome(&l).Over() {
					g.Undo()
					break
				}
				g.Play(l.At(rng.IntN(l.Len())))
			}
			g.Position().LegalMoves(&l)
			if g.Outcome(&l).Over() {
				g.Undo()
				g.Position().LegalMoves(&l)
			}
			moves := slices.Clone(l.Slice())
			for depth := 1; depth <= 3; depth++ {
				if depth == 3 && l.Len() > 12 {
					continue // plain minimax takes its time
				}
				line, err := a.Search(t.Context(), g, depth)
				if err != nil {
					t.Fatal(err)
				}
				at := line.Depth
				if line.Value == -1 && at > 1 {
					at-- // whose moves are played
				}
				want := minimaxMoves(g, at, moves)
				var best []chess.Move
				for i, m := range moves {
					if want[i] == slices.Max(want) {
						best = append(best, m)
					}
				}
				if value := minimax(g, depth); line.Value != value {
					t.Errorf("%s %s depth %d: value %v, want %v", v, g.Position().FEN(), depth, line.Value, value)
				}
				if !slices.Equal(line.Best, best) {
					t.Errorf("%s %s depth %d: best %v, want %v", v, g.Position().FEN(), depth, line.Best, best)
				}
				if line.PV[0] != line.Best[0] {
					t.Errorf("%s: line %v of best moves %v", v, line.PV, line.Best)
				}
				if line.Value*line.Value == 1 {
					decided++
				}
			}
		}
	}
	if decided == 0 {
		t.Error("no position of the test is won or lost by force")
	}
}

// zero thinks that all positions are equal.
type zero struct{ n, batches int }

func (z *zero) Add(*chess.Game, []chess.Move) { z.n++ }

func (z *zero) Values(context.Context) ([]float64, error) {
	z.batches++
	n := z.n
	z.n = 0
	return make([]float64, n), nil
}

func TestAlphaBetaFindsWins(t *testing.T) {
	for _, c := range []struct {
		v     chess.Variant
		fen   string
		depth int
		value float64
		best  string // the only one
		found int    // depth at which it is
	}{
		{chess.Standard, "6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1", 4, 1, "e1e8", 1},
		{chess.Standard, "7k/8/5K2/8/8/8/8/6R1 b - - 0 1", 3, 0, "h8h7", 3},
		{chess.Standard, "8/8/8/8/8/5k2/8/4r2K w - - 0 1", 4, -1, "h1h2", 4},
		{chess.Atomic, "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 1", 1, 0, "", 1},
		{chess.Atomic, "rnbqkbnr/1ppppppp/p7/6N1/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1", 2, 1, "g5f7", 1},
		{chess.ThreeCheck, "4k3/8/8/8/8/8/8/R3K3 w - - 1+3 0 1", 2, 1, "a1a8", 1},
		// Lost, but not at once: the king goes where there is no mate in one.
		{chess.Standard, "k7/8/1K6/8/8/8/8/7R b - - 0 1", 2, -1, "a8b8", 2},
	} {
		p, err := chess.ParseFEN(c.v, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		a := &AlphaBeta{Valuer: &zero{}}
		line, err := a.Search(t.Context(), chess.NewGame(p), c.depth)
		if err != nil || line.Value != c.value || line.Depth != c.found {
			t.Errorf("%s: %+v, %v, want %v at depth %d", c.fen, line, err, c.value, c.found)
		}
		if c.best != "" && (len(line.Best) != 1 || p.UCI(line.Best[0]) != c.best) {
			t.Errorf("%s: best %v, want %s", c.fen, line.Best, c.best)
		}
	}
}

// With ValueEnds a mate is a position like any other: to a valuer that thinks all positions
// equal, no move is better, at the last ply and above it.
func TestAlphaBetaValuesEnds(t *testing.T) {
	p, err := chess.ParseFEN(chess.Standard, "6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	var l chess.MoveList
	p.LegalMoves(&l)
	for depth, evaluations := range map[int]int{1: l.Len(), 2: 0} {
		a := &AlphaBeta{Valuer: &zero{}, ValueEnds: true}
		line, err := a.Search(t.Context(), chess.NewGame(p), depth)
		if err != nil || line.Value != 0 || line.Depth != depth || len(line.Best) != l.Len() || evaluations > 0 && line.Evaluations != evaluations {
			t.Errorf("depth %d: %+v, %v, want 0 by all of %d moves", depth, line, err, l.Len())
		}
	}
	exact, err := (&AlphaBeta{Valuer: &zero{}}).Search(t.Context(), chess.NewGame(p), 1)
	if err != nil || exact.Value != 1 || exact.Evaluations != l.Len()-1 {
		t.Errorf("by the rules: %+v, %v, want a win by one move", exact, err)
	}
}

// A capture that is refuted is seen through, and a draw by repetition is a draw.
func TestAlphaBetaKnowsHistory(t *testing.T) {
	p, err := chess.ParseFEN(chess.Standard, "7k/8/8/8/8/8/q7/7K w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	g := chess.NewGame(p)
	for _, s := range []string{"h1g1", "h8g8", "g1h1", "g8h8", "h1g1", "h8g8", "g1h1"} {
		m, err := g.Position().ParseUCI(s)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
	// Black wins with the queen as every position is worth 1/2 to it, if it does not
	// repeat the position with g8h8.
	a := &AlphaBeta{Valuer: blackIsBetter{new(zero)}}
	line, err := a.Search(t.Context(), g, 1)
	repeats, _ := g.Position().ParseUCI("g8h8")
	if err != nil || line.Value != 0.5 || slices.Contains(line.Best, repeats) {
		t.Errorf("%+v, %v", line, err)
	}
}

type blackIsBetter struct{ *zero }

func (b blackIsBetter) Values(ctx context.Context) ([]float64, error) {
	all, err := b.zero.Values(ctx)
	for i := range all {
		all[i] = -0.5 // White is to move after Black's moves
	}
	return all, err
}

// mobility thinks that many moves are good.
type mobility struct{ hashed }

func (m *mobility) Add(_ *chess.Game, moves []chess.Move) {
	m.values = append(m.values, min(1, float64(len(moves))/100))
}

// Ordering and windows save most of the questions, and questions come in batches.
func TestAlphaBetaPrunes(t *testing.T) {
	p := chess.StartPosition(chess.Atomic)
	line, err := (&AlphaBeta{Valuer: &mobility{}}).Search(t.Context(), chess.NewGame(p), 4)
	if err != nil {
		t.Fatal(err)
	}
	if all := 20 + 400 + 8902 + 197_326; line.Evaluations >= all/5 { // perft of atomic chess
		t.Errorf("%d questions: plain minimax has %d", line.Evaluations, all)
	}
	z := &zero{}
	line, err = (&AlphaBeta{Valuer: z}).Search(t.Context(), chess.NewGame(p), 1)
	if err != nil || z.batches != 1 || line.Evaluations != 20 || len(line.Best) != 20 {
		t.Errorf("%d batches, %+v, %v", z.batches, line, err)
	}
}

func TestAlphaBetaErrors(t *testing.T) {
	g := chess.NewGame(chess.StartPosition(chess.Standard))
	if _, err := (&AlphaBeta{Valuer: &zero{}}).Search(t.Context(), g, 0); err == nil {
		t.Error("depth 0")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&AlphaBeta{Valuer: &zero{}}).Search(ctx, g, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	over, err := chess.ParseFEN(chess.Standard, "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&AlphaBeta{Valuer: &zero{}}).Search(t.Context(), chess.NewGame(over), 1); err == nil {
		t.Error("the game is over")
	}
}

// A game that fifty moves have drawn has a best move, for analysis.
func TestAlphaBetaOfADrawnGame(t *testing.T) {
	p, err := chess.ParseFEN(chess.Standard, "8/5k2/8/8/8/3R4/5K2/8 w - - 100 90")
	if err != nil {
		t.Fatal(err)
	}
	if line, err := (&AlphaBeta{Valuer: &zero{}}).Search(t.Context(), chess.NewGame(p), 2); err != nil || len(line.Best) == 0 {
		t.Errorf("%+v, %v", line, err)
	}
}

// Most ends a search within the depth that has made its evaluations.
func TestAlphaBetaMost(t *testing.T) {
	line, err := (&AlphaBeta{Valuer: &zero{}, Most: 500}).Search(t.Context(), chess.NewGame(chess.StartPosition(chess.Standard)), 10)
	if !errors.Is(err, ErrMost) || line.Depth < 2 || line.Evaluations > 500 {
		t.Errorf("%+v, %v", line, err)
	}
	if line, err = (&AlphaBeta{Valuer: &zero{}, Most: 1}).Search(t.Context(), chess.NewGame(chess.StartPosition(chess.Standard)), 10); !errors.Is(err, ErrMost) || line.Depth != 1 {
		t.Errorf("one evaluation: %+v, %v", line, err)
	}
}

// A step ends in time where visits need no network: here every move draws.
func TestPatience(t *testing.T) {
	p, err := chess.ParseFEN(chess.Standard, "8/5k2/8/8/8/3R4/5K2/8 w - - 99 90")
	if err != nil {
		t.Fatal(err)
	}
	tree := NewTree(Config{Visits: 1 << 30, CPuct: 1}, 1)
	tree.Analyze(chess.NewGame(p))
	tree.SetPatience(1000)
	var s Stepper
	for range 2 { // the first evaluates the root
		if _, err := s.Step([]*Tree{tree}, Uniform{}); err != nil {
			t.Fatal(err)
		}
	}
	if n := tree.Visits(); tree.Done() || n < 1000 || n > 1001 {
		t.Errorf("%d visits, done: %v", n, tree.Done())
	}
}

// A line that ends with the game is deep enough once its last move has many visits: here White
// takes the rook, and nothing is left to mate with.
func TestDeepEnough(t *testing.T) {
	p, err := chess.ParseFEN(chess.Standard, "8/8/2k5/8/4r3/3K4/8/8 w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	tree := NewTree(Config{Visits: 5000, CPuct: 0.5}, 1)
	tree.SetRoot(chess.NewGame(p))
	if err := Run(t.Context(), []*Tree{tree}, withoutRookLost{}); err != nil {
		t.Fatal(err)
	}
	if len(tree.PV()) != 1 || !tree.DeepEnough(1) || !tree.DeepEnough(5) {
		t.Errorf("line %v: deep enough for 1: %v, for 5: %v", tree.PV(), tree.DeepEnough(1), tree.DeepEnough(5))
	}
	tree = NewTree(Config{Visits: 20, CPuct: 0.5}, 1)
	tree.SetRoot(chess.NewGame(p))
	if err := Run(t.Context(), []*Tree{tree}, withoutRookLost{}); err != nil || tree.DeepEnough(5) {
		t.Errorf("a few visits are deep enough (%v)", err)
	}
}

// withoutRookLost values a position by whose turn it is: White, who has no rook, loses.
type withoutRookLost struct{ Uniform }

func (withoutRookLost) Prepare(l *encode.Leaf, g *chess.Game, moves []chess.Move) {
	Uniform{}.Prepare(l, g, moves)
	if l.Value = 0.9; g.Position().Turn() == chess.White {
		l.Value = -0.9
	}
}

// keyed is an evaluator with the values of hashed.
type keyed struct{ Uniform }

func (keyed) Prepare(l *encode.Leaf, g *chess.Game, moves []chess.Move) {
	Uniform{}.Prepare(l, g, moves)
	l.Value = float32(hashedValue(g.Position())) // eighths: exact
}

// An evaluator values as it evaluates.
func TestNewValuer(t *testing.T) {
	g := chess.NewGame(chess.StartPosition(chess.Horde))
	want, err := (&AlphaBeta{Valuer: &hashed{}}).Search(t.Context(), g, 2)
	if err != nil || want.Value == 0 {
		t.Fatalf("%+v, %v", want, err)
	}
	if have, err := (&AlphaBeta{Valuer: NewValuer(keyed{})}).Search(t.Context(), g, 2); err != nil || have.Value != want.Value {
		t.Errorf("%+v, %v, want %+v", have, err, want)
	}
}
