package search_test

import (
	"math"
	"slices"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// A position that occurred once before is a draw below the root, and only with the setting.
// It is no proven result, and it is searched when it becomes the root.
func TestTwofoldDraws(t *testing.T) {
	play := func(g *chess.Game, moves ...string) {
		t.Helper()
		for _, m := range moves {
			move, err := g.Position().ParseUCI(m)
			if err != nil {
				t.Fatal(err)
			}
			g.Play(move)
		}
	}
	g := game(t, chess.Standard, "7k/8/8/8/8/8/r7/5K2 w - - 0 1")
	play(g, "f1e1", "h8g8", "e1f1") // g8h8 repeats the first position
	find := func(s *search.Tree) search.Edge {
		t.Helper()
		for _, e := range s.Root() {
			if g.Position().UCI(e.Move) == "g8h8" {
				return e
			}
		}
		t.Fatal("the repeating move is not legal")
		return search.Edge{}
	}
	cfg := search.Config{Visits: 200, CPuct: 20, TreeReuse: true, Solver: true}
	if e := find(tree(t, cfg, 0, g, hashed{})); e.Visits == 0 || e.Q == 0 {
		t.Errorf("without the setting the repeating move is %+v, want a value", e)
	}
	cfg.TwofoldDraws = true
	s := tree(t, cfg, 0, g, hashed{})
	e := find(s)
	if e.Visits < 2 || e.Q != 0 || e.Exact {
		t.Errorf("the repeating move is %+v, want a draw that is not proven", e)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	s.Advance(e.Move)
	run(t, hashed{}, s)
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if len(s.Root()) == 0 || s.Visits() != cfg.Visits {
		t.Errorf("the repeated position is not searched: %d visits", s.Visits())
	}
	lost, err := chess.ParseVariant(`{"name":"no-repeats","repetition_result":"loss"}`)
	if err != nil {
		t.Fatal(err)
	}
	g = game(t, lost, "7k/8/8/8/8/8/r7/5K2 w - - 0 1")
	play(g, "f1e1", "h8g8", "e1f1")
	if e := find(tree(t, cfg, 0, g, hashed{})); e.Visits == 0 || e.Q == 0 {
		t.Errorf("where a repetition loses, the repeating move is %+v, want a value", e)
	}
}

// The root may have its own first play urgency. Here it makes the search visit every move
// of the root before it repeats one.
func TestRootFPU(t *testing.T) {
	never := search.FPU{Parent: true, Reduction: 10} // unvisited moves come last
	visited := func(root search.RootFPU, exploring bool) (atRoot, below int) {
		cfg := search.Config{Visits: 300, CPuct: 0.01, FPU: never, Root: search.Root{FPU: root}}
		s := search.NewTree(cfg, 0)
		s.SetExploring(exploring)
		s.SetRoot(game(t, chess.Standard, ""))
		run(t, hashed{}, s)
		s.Walk(func(path []chess.Move, e search.Edge) bool {
			switch len(path) {
			case 1:
				atRoot++
			case 2:
				below++
			}
			return true
		})
		return atRoot, below
	}
	at, _ := visited(search.RootFPU{}, true)
	if at != 1 {
		t.Fatalf("%d moves of the root have visits: the test needs a search that widens nowhere", at)
	}
	own := search.RootFPU{Own: true, FPU: search.FPU{Parent: true}}
	if at, below := visited(own, true); at < 5 || below > at {
		t.Errorf("%d moves of the root and %d below have visits: want more at the root", at, below)
	}
	if at, _ := visited(own, false); at != 1 {
		t.Errorf("%d moves of the root have visits in a search that does not explore", at)
	}
}

// The root may have its own policy temperature, also where the tree is kept from the
// search before.
func TestRootPolicyTemperature(t *testing.T) {
	cfg := search.Config{Visits: 60, CPuct: 1, PolicyTemperature: 1.5, TreeReuse: true}
	plain, own := cfg, cfg
	plain.PolicyTemperature = 0
	own.Root.PolicyTemperature = 3
	for _, kept := range []bool{false, true} {
		priors := func(cfg search.Config) (out []float64) {
			s := tree(t, cfg, 0, game(t, chess.Standard, ""), hashed{})
			if kept {
				m, err := chess.NewGame(chess.StartPosition(chess.Standard)).Position().ParseUCI("e2e4")
				if err != nil {
					t.Fatal(err)
				}
				s.Advance(m)
				run(t, hashed{}, s)
			}
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			for _, e := range s.Root() {
				out = append(out, e.Prior)
			}
			return out
		}
		raw, sum := priors(plain), 0.0
		for _, p := range raw {
			sum += math.Cbrt(p)
		}
		for i, p := range priors(own) {
			if want := math.Cbrt(raw[i]) / sum; math.Abs(p-want) > 1e-6 {
				t.Errorf("kept %v, move %d: prior %v, want %v", kept, i, p, want)
			}
		}
		if got, want := priors(own.WithoutExploration()), priors(cfg); !slices.Equal(got, want) {
			t.Errorf("kept %v: without exploration the priors are %v, want %v", kept, got, want)
		}
	}
}

// The value of the best move does not contain what exploration of other moves cost.
func TestBestValue(t *testing.T) {
	for _, cfg := range []search.Config{
		{Visits: 300, CPuct: 4},
		{Visits: 300, CPuct: 4, Root: search.Root{Considered: 8, CVisit: 50, CScale: 1}},
		{Visits: 300, CPuct: 4, Solver: true},
	} {
		s := tree(t, cfg, 0, game(t, chess.Atomic, ""), hashed{})
		best := s.Choose(math.Inf(1), nil)
		i := slices.IndexFunc(s.Root(), func(e search.Edge) bool { return e.Move == best })
		if want := s.Root()[i].Q; s.BestValue() != want || want <= s.Value() {
			t.Errorf("best value %v, want that of the best move, %v, above the mean %v", s.BestValue(), want, s.Value())
		}
	}
	s := tree(t, search.Config{}, 0, game(t, chess.Atomic, ""), hashed{})
	if s.BestValue() != s.Value() {
		t.Errorf("without visits the best value is %v, want the value %v", s.BestValue(), s.Value())
	}
}
