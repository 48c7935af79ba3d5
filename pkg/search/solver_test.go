package search_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// Wins by force are found without an evaluator's help, end the search, are
// played whatever the visits say, and are the whole policy target.
func TestSolverWins(t *testing.T) {
	for _, c := range []struct {
		name, fen string
		variant   chess.Variant
		move      string // prefix
	}{
		{"mate in one", "6k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1", chess.Standard, "d1d8"},
		{"ladder, mate in two", "7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", chess.Standard, ""},
		{"ladder by black", "6k1/1r6/r7/8/8/8/8/7K b - - 0 1", chess.Standard, ""},
		{"smothered mate in two", "5r1k/6pp/7N/8/8/8/Q7/6K1 w - - 0 1", chess.Standard, "a2g8"},
		{"explosion in one", "rnbqkbnr/ppp1pppp/8/3p2N1/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1", chess.Atomic, "g5f7"},
		{"explosion in two", "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 1", chess.Atomic, ""},
		{"last piece given", "8/8/8/6p1/8/8/7P/8 w - - 0 1", chess.Antichess, "h2h4"},
		{"two given", "8/8/8/8/1p4p1/8/P6P/8 w - - 0 1", chess.Antichess, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := game(t, c.variant, c.fen)
			const visits = 60_000
			cfg := search.Config{Visits: visits, CPuct: 2, Solver: true}
			s := tree(t, cfg, 0, g, search.Uniform{})
			if !s.Exact() || s.Value() != 1 {
				t.Fatalf("value %v (exact: %v) after %d visits, want a win by force", s.Value(), s.Exact(), sum(s))
			}
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			if n := s.Evaluations(); n > visits/2 {
				t.Errorf("%d evaluations: the search did not end early", n)
			}
			target := s.Target()
			for i, e := range s.Root() {
				if wins := e.Exact && e.Q == 1; wins != (target[i] > 0) {
					t.Errorf("%s has the weight %v in the target; proven to win: %v", g.Position().UCI(e.Move), target[i], wins)
				}
			}
			if s.BestValue() != 1 {
				t.Errorf("the best move has the value %v", s.BestValue())
			}
			rng := rand.New(rand.NewPCG(1, 1))
			for range 20 {
				m := s.Choose(0.5, rng)
				for _, e := range s.Root() {
					if e.Move == m && (!e.Exact || e.Q != 1) {
						t.Errorf("%s is played, which is not known to win", g.Position().UCI(m))
					}
				}
				if !strings.HasPrefix(g.Position().UCI(m), c.move) {
					t.Errorf("%s is played, want %s", g.Position().UCI(m), c.move)
				}
			}
			// The principal variation is a win to its end.
			turn := g.Position().Turn()
			for _, m := range s.PV() {
				g.Play(m)
			}
			var l chess.MoveList
			g.Position().LegalMoves(&l)
			if o := g.Outcome(&l); o.Result != chess.Win(turn) {
				t.Errorf("the principal variation %v ends with %v", s.PV(), o)
			}
			// With several leaves a step it is found too.
			for range s.PV() {
				g.Undo()
			}
			cfg.Leaves = 8
			if s := tree(t, cfg, 0, g.Clone(), search.Uniform{}); s.Check() != nil || !s.Exact() || s.Value() != 1 {
				t.Errorf("with 8 leaves the value is %v (exact: %v), %v", s.Value(), s.Exact(), s.Check())
			}
		})
	}
}

// A move that loses by force is not played when another does not, however good
// the network finds it.
func TestSolverAvoidsLosses(t *testing.T) {
	for _, v := range []struct {
		variant chess.Variant
		fen     string
	}{
		{chess.Standard, "7k/6pp/8/8/8/8/r5PP/1r4RK w - - 0 1"},
		{chess.Atomic, "rnbqkb1r/pppppppp/8/8/6n1/2P5/PP1PPPPP/RNBQKBNR w KQkq - 0 1"},
	} {
		g := game(t, v.variant, v.fen)
		s := tree(t, search.Config{Visits: 5000, CPuct: 2, Solver: true}, 0, g, search.Uniform{})
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		losing, others := map[chess.Move]bool{}, 0
		target, visited := s.Target(), 0
		for i, e := range s.Root() {
			losing[e.Move] = e.Exact && e.Q == -1
			if !losing[e.Move] {
				others++
				continue
			}
			if target[i] != 0 {
				t.Errorf("%s: %s loses and has the weight %v in the target", v.fen, g.Position().UCI(e.Move), target[i])
			}
			visited += e.Visits
		}
		if visited <= len(losing)-others {
			t.Errorf("%s: %d visits of losing moves: the target is not tested", v.fen, visited)
		}
		if others == 0 || others == len(losing) {
			t.Fatalf("%s: %d of %d moves do not lose: nothing to choose", v.fen, others, len(losing))
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for range 500 {
			if m := s.Choose(0.01, rng); losing[m] {
				t.Fatalf("%s: %s is played, which loses", v.fen, g.Position().UCI(m))
			}
		}
	}
}

// exhaust is the value of a game for its side to move, from all continuations to
// their ends; false when there are too many.
func exhaust(g *chess.Game, budget *int) (float64, bool) {
	if *budget--; *budget < 0 {
		return 0, false
	}
	var l chess.MoveList
	g.Position().LegalMoves(&l)
	if o := g.Outcome(&l); o.Over() {
		z := float64(o.Result)
		if g.Position().Turn() == chess.Black {
			z = -z
		}
		return z, true
	}
	best := -1.0
	for _, m := range l.Slice() {
		g.Play(m)
		v, ok := exhaust(g, budget)
		g.Undo()
		if !ok {
			return 0, false
		}
		best = max(best, -v)
	}
	return best, true
}

// In endings that the fifty-move rule is about to end, the solver agrees with an
// exhaustive search, in all variants: over wins, draws and losses.
func TestSolverAgreesWithExhaustion(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, v := range chess.Variants() {
		if v == chess.Crazyhouse || v == chess.Horde {
			continue // the one has no such rule, in the other pawns set the clock back
		}
		seen := make(map[float64]int)
		for tries := 0; tries < 4000 && seen[0]+seen[1]+seen[-1] < 40; tries++ {
			g := ending(v, rng)
			if g == nil {
				continue
			}
			budget := 1500
			want, ok := exhaust(g, &budget)
			if !ok || budget == 1499 { // the game is over
				continue
			}
			cfg := search.Config{Visits: 400_000, CPuct: 1000, Solver: true, Leaves: 1 + rng.IntN(2)*7}
			s := tree(t, cfg, 0, g, search.Uniform{})
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			if !s.Exact() || s.Value() != want {
				t.Errorf("%s %s: value %v (exact: %v), want %v", v, g.Position().FEN(), s.Value(), s.Exact(), want)
			}
			seen[want]++
		}
		t.Logf("%s: wins, draws, losses: %d, %d, %d", v, seen[1], seen[0], seen[-1])
		if seen[0]+seen[1]+seen[-1] < 20 {
			t.Errorf("%s: %d endings", v, seen[0]+seen[1]+seen[-1])
		}
	}
}

// ending is a game with a few pieces, two or three plies before the fifty-move
// rule; nil where the position drawn is not a legal one.
func ending(v chess.Variant, rng *rand.Rand) *chess.Game {
	pieces := "KkQRQn"
	switch v {
	case chess.Antichess:
		pieces = "Rbn"
	case chess.RacingKings:
		pieces = "KkR"
	}
	var board [64]byte
	for _, c := range []byte(pieces)[:2+rng.IntN(len(pieces)-1)] {
		s := rng.IntN(64)
		for board[s] != 0 {
			s = rng.IntN(64)
		}
		board[s] = c
	}
	var b strings.Builder
	for r := range 8 {
		empty := 0
		for f := range 8 {
			c := board[8*r+f]
			if c == 0 {
				empty++
			}
			if empty > 0 && (c != 0 || f == 7) {
				b.WriteByte('0' + byte(empty))
				empty = 0
			}
			if c != 0 {
				b.WriteByte(c)
			}
		}
		if r < 7 {
			b.WriteByte('/')
		}
	}
	b.WriteString([]string{" w", " b"}[rng.IntN(2)] + " - - ")
	if v == chess.ThreeCheck {
		b.WriteString("1+1 ")
	}
	p, err := chess.ParseFEN(v, b.String()+[]string{"97 80", "98 80"}[rng.IntN(2)])
	if err != nil {
		return nil
	}
	return chess.NewGame(p)
}

// In every variant, from any position of a random game, with any settings: what
// is said to be known follows from the moves (Check), and the visits sum up.
func TestSolverProperties(t *testing.T) {
	known := 0
	rapid.Check(t, func(t *rapid.T) {
		cfg := configs(t)
		cfg.Solver = true
		cfg.Visits *= 4
		v := rapid.SampledFrom(chess.Variants()).Draw(t, "variant")
		g := chess.NewGame(chess.StartPosition(v))
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "game"), 0))
		var l chess.MoveList
		for range rapid.IntRange(0, 150).Draw(t, "plies") {
			g.Position().LegalMoves(&l)
			if g.Outcome(&l).Over() {
				g.Undo()
				g.Undo()
				break
			}
			g.Play(l.At(rng.IntN(l.Len())))
		}
		s := search.NewTree(cfg, 1)
		s.SetRoot(g)
		for range 4 {
			if err := search.Run(context.Background(), []*search.Tree{s}, hashed{}); err != nil {
				t.Fatal(err)
			}
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			if len(s.Root()) == 0 {
				break
			}
			if s.Exact() {
				known++
				if len(s.PV()) == 0 {
					t.Fatal("a result by force, and no line")
				}
			}
			if n := sum(s); n < cfg.Visits && !s.Exact() {
				t.Fatalf("%d visits, want %d", n, cfg.Visits)
			}
			m := s.Choose(math.Inf(1), nil)
			value, exact := s.Value(), s.Exact()
			s.Advance(m)
			if exact && value == 1 && (!s.Exact() || s.Value() != -1) {
				t.Fatalf("a win by force is worth %v (exact: %v) after the first move", s.Value(), s.Exact())
			}
		}
	})
	if known == 0 {
		t.Error("no result by force was found")
	}
}

// With a look ahead a blunder is known at the first visit of the move, even where
// the evaluator thinks nothing of the move that punishes it.
func TestLookahead(t *testing.T) {
	for _, c := range []struct {
		name, fen string
		variant   chess.Variant
	}{
		{"after 1. e3 e6 2. Qh5", "rnbqkbnr/pppp1ppp/4p3/7Q/8/4P3/PPPP1PPP/RNB1KBNR b KQkq - 1 2", chess.Atomic},
		{"scholar's mate", "rnbqkbnr/pppp1ppp/8/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3", chess.Standard},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := game(t, c.variant, c.fen)
			var l chess.MoveList
			g.Position().LegalMoves(&l)
			losing := map[chess.Move]bool{}
			for _, m := range l.Slice() {
				g.Play(m)
				var replies chess.MoveList
				g.Position().LegalMoves(&replies)
				for _, r := range replies.Slice() {
					turn := g.Position().Turn()
					g.Play(r)
					var none chess.MoveList
					g.Position().LegalMoves(&none)
					if g.Outcome(&none).Result == chess.Win(turn) {
						losing[m] = true
					}
					g.Undo()
				}
				g.Undo()
			}
			for _, leaves := range []int{0, 8} {
				cfg := search.Config{Visits: 4 * l.Len(), CPuct: 1e3, Solver: true, Lookahead: 1, Leaves: leaves}
				s := tree(t, cfg, 0, g, search.Uniform{})
				if err := s.Check(); err != nil {
					t.Fatal(err)
				}
				for _, e := range s.Root() {
					if known := e.Exact && e.Q == -1; e.Visits > 0 && known != losing[e.Move] {
						t.Errorf("%s with %d visits: known to lose: %v, want %v", g.Position().UCI(e.Move), e.Visits, known, losing[e.Move])
					} else if known && e.Visits != 1 {
						t.Errorf("%s has %d visits: want 1, since it is known to lose", g.Position().UCI(e.Move), e.Visits)
					}
				}
			}
			// The side that may win does so without the network, and ends the search.
			for m := range losing {
				g.Play(m)
				s := tree(t, search.Config{Visits: 10, CPuct: 1, Solver: true, Lookahead: 1}, 0, g, search.Uniform{})
				if !s.Exact() || s.Value() != 1 || s.Evaluations() != 0 || sum(s) != 1 {
					t.Errorf("value %v (exact: %v) after %d evaluations and %d visits: want a win at once", s.Value(), s.Exact(), s.Evaluations(), sum(s))
				}
				policy := tree(t, search.Config{Visits: 0, CPuct: 1, Solver: true, Lookahead: 1}, 0, g, search.Uniform{})
				if s.Evaluated() || !policy.Evaluated() || policy.Evaluations() != 1 {
					t.Errorf("the network was asked: %v; for its policy alone: %v", s.Evaluated(), policy.Evaluated())
				}
				g.Undo()
			}
		})
	}
}
