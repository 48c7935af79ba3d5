package search_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// Every move that was tried has the visits that are forced, in searches with noise
// and nowhere else.
func TestForcedPlayouts(t *testing.T) {
	noisy := search.Config{Visits: 600, CPuct: 1, TreeReuse: true, Noise: search.Noise{Alpha: 0.3, Weight: 0.25}}
	forced := noisy
	forced.ForcedPlayouts = 2
	// short counts the moves that lack visits. The last visits may have raised what
	// is forced by as much as one.
	short := func(s *search.Tree) (n int) {
		for _, e := range s.Root() {
			if e.Visits > 0 && float64(e.Visits+1) < math.Sqrt(2*e.Prior*float64(s.Visits())) {
				n++
			}
		}
		return n
	}
	without := 0
	for i, g := range middlegames(10) {
		for _, leaves := range []int{1, 8} {
			forced.Leaves = leaves
			s := tree(t, forced, uint64(i), g, hashed{})
			if n := short(s); n > 0 {
				t.Errorf("game %d, %d leaves: %d moves have too few visits:\n%v", i, leaves, n, s.Root())
			}
			if m := s.Choose(math.Inf(1), nil); m != 0 { // and at the next root
				s.Advance(m)
				run(t, hashed{}, s)
				if n := short(s); n > 0 {
					t.Errorf("game %d, %d leaves, second move: %d moves have too few visits", i, leaves, n)
				}
			}
		}
		without += short(tree(t, noisy, uint64(i), g, hashed{}))
	}
	if without == 0 {
		t.Error("the same moves have as many visits without force: nothing was tested")
	}

	g := game(t, chess.Atomic, "")
	clean, still := forced.WithoutExploration(), search.NewTree(forced, 0)
	still.SetExploring(false)
	still.SetRoot(g)
	run(t, hashed{}, still)
	want := tree(t, clean, 0, g, hashed{})
	if diff := cmp.Diff(drawing(want), drawing(still)); diff != "" {
		t.Errorf("a search that does not explore was forced:\n%s", diff)
	}
	if diff := cmp.Diff(want.Target(), still.Target()); diff != "" {
		t.Errorf("and its target was pruned:\n%s", diff)
	}
}

// A target has a weight for each move, no more than its visits, and the most visited
// move keeps all; no move is played that has none.
func TestTargetProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, g := configs(t), randomGame(t)
		cfg.Solver = rapid.Bool().Draw(t, "solver")
		s := search.NewTree(cfg, rapid.Uint64().Draw(t, "seed"))
		s.SetRoot(g)
		run(t, hashed{}, s)
		root, target := s.Root(), slices.Clone(s.Target())
		if len(target) != len(root) {
			t.Fatalf("%d weights for %d moves", len(target), len(root))
		}
		if len(root) == 0 {
			return
		}
		if cfg.Root.Considered > 0 {
			var sum float64
			for _, p := range target {
				if !(p >= 0) {
					t.Fatalf("a weight of %v", p)
				}
				sum += p
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Fatalf("the improved policy sums to %v", sum)
			}
			return
		}
		pruned := cfg.ForcedPlayouts > 0 && cfg.Noise.Weight > 0
		refuted := func(e search.Edge) bool {
			if s.Exact() {
				return !e.Exact || e.Q != s.Value()
			}
			return cfg.Solver && e.Exact && e.Q == -1
		}
		most, kept, sum := 0, 0.0, 0
		for i, e := range root {
			if refuted(e) {
				if target[i] != 0 {
					t.Fatalf("%v is refuted and has the weight %v", e, target[i])
				}
				continue
			}
			most, kept, sum = max(most, e.Visits), max(kept, target[i]), sum+e.Visits
		}
		for i, e := range root {
			if want := float64(e.Visits); sum > 0 && !refuted(e) && (target[i] < 0 || target[i] > want || !pruned && target[i] != want) {
				t.Fatalf("%v has the weight %v", e, target[i])
			}
		}
		if !cfg.Solver && float64(most) != kept {
			t.Fatalf("of %d visits the best move keeps %v", most, kept)
		}
		if kept == 0 {
			t.Fatal("the target is empty")
		}
		m := s.Choose(rapid.SampledFrom([]float64{0.5, 1, math.Inf(1)}).Draw(t, "power"), rand.New(rand.NewPCG(1, 2)))
		for i, e := range root {
			if e.Move == m && target[i] == 0 {
				t.Fatalf("played %v, which has no weight", e)
			}
		}
	})
}
