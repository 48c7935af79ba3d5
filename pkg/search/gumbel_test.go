package search_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// gumbel is a search with a Gumbel root.
func gumbel(visits, considered int, noise float64) search.Config {
	return search.Config{
		Visits: visits, CPuct: 2, TreeReuse: true,
		Root: search.Root{Considered: considered, CVisit: 50, CScale: 1, Noise: noise},
	}
}

// Visits are shared out as sequential halving does, worked out by hand: rounds of
// equal length, of which the better half goes on, and the last two share the rest.
func TestSequentialHalving(t *testing.T) {
	for _, c := range []struct {
		visits, considered int
		want               []int // the visits of the moves that have any
	}{
		{48, 8, []int{14, 14, 6, 6, 2, 2, 2, 2}},                        // 3 rounds of 16
		{32, 16, []int{4, 4, 4, 4, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1}}, // too few for the fourth
		{60, 4, []int{23, 23, 7, 7}},                                    // 7 each, then 15 each, which is 58, and 1 each
		{16, 16, slices.Repeat([]int{1}, 16)},                           // one each
		{5, 16, slices.Repeat([]int{1}, 5)},                             // not even that
		{10, 1, []int{10}},
		{9, 2, []int{5, 4}},
	} {
		for _, leaves := range []int{1, 4} {
			for seed := range uint64(5) {
				cfg := gumbel(c.visits, c.considered, 1)
				cfg.Leaves = leaves
				s := tree(t, cfg, seed, game(t, chess.Atomic, ""), hashed{})
				var have []int
				for _, e := range s.Root() {
					if e.Visits > 0 {
						have = append(have, e.Visits)
					}
				}
				slices.SortFunc(have, func(a, b int) int { return b - a })
				if !slices.Equal(have, c.want) {
					t.Errorf("%d visits, %d moves, %d leaves: the moves have %v, want %v", c.visits, c.considered, leaves, have, c.want)
				}
				played := s.Choose(1, nil) // needs no random numbers
				for _, e := range s.Root() {
					if e.Move == played && e.Visits != c.want[0] {
						t.Errorf("%d visits, %d moves: played a move of %d visits", c.visits, c.considered, e.Visits)
					}
				}
			}
		}
	}
}

// With a visit for each move considered the search is a choice among the moves with
// the highest priors: by prior and value, as the formula says.
func TestGumbelTopK(t *testing.T) {
	const k = 6
	for _, g := range middlegames(8) {
		s := tree(t, gumbel(k, k, 0), 1, g, hashed{})
		root := s.Root()
		if len(root) <= k {
			continue
		}
		order := slices.Clone(root)
		slices.SortStableFunc(order, func(a, b search.Edge) int { return int(math.Copysign(1, b.Prior-a.Prior)) })
		for i, e := range order {
			if e.Visits > 0 != (i < k) {
				t.Errorf("the move number %d by priors has %d visits", i+1, e.Visits)
			}
		}
		best := slices.MaxFunc(order[:k], func(a, b search.Edge) int {
			score := func(e search.Edge) float64 { return math.Log(e.Prior) + (50+1)*(1+e.Q)/2 }
			return int(math.Copysign(1, score(a)-score(b)))
		})
		if m := s.Choose(math.Inf(1), nil); m != best.Move {
			t.Errorf("played %v, want %v", m, best)
		}
	}
}

// One move considered is one drawn by the priors; without exploring it is the best
// of them.
func TestGumbelDraws(t *testing.T) {
	cfg := gumbel(1, 1, 1)
	g := game(t, chess.Atomic, "")
	s := search.NewTree(cfg, 0)
	count := map[chess.Move]int{}
	const draws = 20_000
	for seed := range uint64(draws) {
		s.Seed(seed)
		s.SetRoot(g)
		run(t, hashed{}, s)
		count[s.Choose(1, nil)]++
	}
	for _, e := range s.Root() {
		if have := float64(count[e.Move]) / draws; math.Abs(have-e.Prior) > 0.012 {
			t.Errorf("%s was drawn with frequency %v, want %v", e.Move, have, e.Prior)
		}
	}
	s.SetExploring(false)
	best := slices.MaxFunc(s.Root(), func(a, b search.Edge) int { return int(math.Copysign(1, a.Prior-b.Prior)) })
	for seed := range uint64(50) {
		s.Seed(seed)
		s.SetRoot(g)
		run(t, hashed{}, s)
		if m := s.Choose(math.Inf(1), nil); m != best.Move {
			t.Fatalf("without exploring %v was played, want %v", m, best)
		}
	}
	if diff := cmp.Diff(drawing(tree(t, cfg.WithoutExploration(), 0, g, hashed{})), drawing(tree(t, gumbel(1, 1, 0), 0, g, hashed{}))); diff != "" {
		t.Errorf("a still search has noise:\n%s", diff)
	}
}

// Where there is no noise, moves are drawn from the improved policy.
func TestGumbelTemperature(t *testing.T) {
	cfg := gumbel(40, 8, 0)
	cfg.Root.CScale = 0.02 // close to the priors, so that there is something to draw
	s := tree(t, cfg, 0, game(t, chess.Atomic, ""), hashed{})
	target := slices.Clone(s.Target())
	rng := rand.New(rand.NewPCG(1, 2))
	count := map[chess.Move]int{}
	const draws = 20_000
	for range draws {
		count[s.Choose(2, rng)]++
	}
	var total float64
	for _, p := range target {
		total += p * p
	}
	for i, e := range s.Root() {
		if have, want := float64(count[e.Move])/draws, target[i]*target[i]/total; math.Abs(have-want) > 0.015 {
			t.Errorf("%s was drawn with frequency %v, want %v", e.Move, have, want)
		}
	}
}

// At the next root the search goes on with what it knows: the visits kept count, the
// new ones are shared out, and nothing hangs on how often.
func TestGumbelReuse(t *testing.T) {
	cfg := gumbel(100, 8, 1)
	for i, g := range middlegames(6) {
		again := func() *search.Tree {
			s := tree(t, cfg, uint64(i), g, hashed{})
			if m := s.Choose(1, nil); m != 0 {
				s.Advance(m)
				run(t, hashed{}, s)
			}
			return s
		}
		s := again()
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(drawing(again()), drawing(s)); diff != "" {
			t.Errorf("two searches alike differ:\n%s", diff)
		}
		if n := s.Visits(); len(s.Root()) > 0 && n != cfg.Visits {
			t.Errorf("%d visits, want %d", n, cfg.Visits)
		}
	}
}

// A win by force is played, though the search was never to give it most visits.
func TestGumbelSolver(t *testing.T) {
	for _, noise := range []float64{0, 1} {
		cfg := gumbel(200, 64, noise)
		cfg.Solver = true
		g := game(t, chess.Standard, "6k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1")
		for seed := range uint64(10) {
			s := tree(t, cfg, seed, g, hashed{})
			if m := g.Position().UCI(s.Choose(1, rand.New(rand.NewPCG(1, 1)))); m != "d1d8" || !s.Exact() {
				t.Errorf("seed %d: played %s", seed, m)
			}
			target := s.Target()
			for i, e := range s.Root() {
				if win := g.Position().UCI(e.Move) == "d1d8"; win != (target[i] > 0.5) {
					t.Errorf("seed %d: the target of %s is %v", seed, e.Move, target[i])
				}
			}
		}
	}
}

// A root that is proven before it is searched has the target and the move of a Gumbel root too: all
// moves lose alike, so that the improved policy is the priors.
func TestGumbelKeptProof(t *testing.T) {
	for _, noise := range []float64{0, 1} {
		cfg := gumbel(2000, 64, noise)
		cfg.Solver, cfg.TreeReuse = true, true
		g := game(t, chess.Standard, "7k/8/R7/1R6/8/p7/8/K7 w - - 0 1")
		s := tree(t, cfg, 1, g, hashed{})
		m := s.Choose(math.Inf(1), nil)
		if !s.Exact() || s.Value() != 1 {
			t.Fatalf("%s has the value %v", g.Position().UCI(m), s.Value())
		}
		s.Advance(m)
		total, sum := 0.0, 0.0
		moves, target := s.Root(), s.Target()
		for i, e := range moves {
			total, sum = total+float64(e.Prior), sum+target[i]
		}
		for i, e := range moves {
			if have, want := target[i]/sum, float64(e.Prior)/total; math.Abs(have-want) > 1e-6 {
				t.Errorf("noise %v: the target of %v is %v, want %v", noise, e.Move, have, want)
			}
		}
		drawn := map[chess.Move]bool{}
		for seed := range uint64(20) {
			drawn[s.Choose(0.1, rand.New(rand.NewPCG(seed, 1)))] = true
		}
		if len(moves) < 2 || !s.Exact() || (noise > 0) != (len(drawn) == 1) {
			t.Errorf("noise %v: %d of %d moves drawn", noise, len(drawn), len(moves))
		}
	}
}

// Candidates that lose to the next move are visited once. If none is left, other moves are
// candidates.
func TestGumbelSparesLostMoves(t *testing.T) {
	cfg := gumbel(40, 4, 1)
	cfg.Solver, cfg.Lookahead = true, 1
	spared, replaced := 0, 0
	r := rand.New(rand.NewPCG(1, 0))
	for range 60 {
		g := game(t, chess.Atomic, "")
		for range 60 {
			var l, replies, wins chess.MoveList
			p := *g.Position()
			p.LegalMoves(&l)
			if g.Outcome(&l).Over() {
				break
			}
			lost := map[chess.Move]bool{}
			for _, m := range l.Slice() {
				q := p
				q.Play(m)
				q.LegalMoves(&replies)
				if q.Ended(&replies).Over() {
					continue
				}
				for _, reply := range replies.Slice() {
					after := q
					after.Play(reply)
					after.LegalMoves(&wins)
					if after.Ended(&wins).Result == chess.Win(q.Turn()) {
						lost[m] = true
						break
					}
				}
			}
			if len(lost) > 0 && len(lost) < l.Len() {
				s := tree(t, cfg, r.Uint64(), g.Clone(), hashed{})
				visited, good := 0, 0
				for _, e := range s.Root() {
					switch {
					case !lost[e.Move] && e.Visits > 0:
						good++
					case lost[e.Move] && e.Visits > 0:
						visited++
						spared++
					}
					if lost[e.Move] && e.Visits > 1 {
						t.Fatalf("%s: %v loses at once and has %d visits", p.FEN(), e.Move, e.Visits)
					}
				}
				if good == 0 {
					t.Fatalf("%s: only moves that lose were visited", p.FEN())
				}
				if visited >= 4 {
					replaced++
				}
			}
			g.Play(l.At(r.IntN(l.Len())))
		}
	}
	if spared < 100 || replaced == 0 {
		t.Errorf("%d lost moves were visited, all candidates lost %d times: too few to see anything", spared, replaced)
	}
}

// The number of visits that are shared out is that of the positions which the tree has room for
// beside those that it keeps: both rounds are of about equal length.
func TestSequentialHalvingOfNodes(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		for seed := range uint64(10) {
			cfg := gumbel(800, 4, 1)
			cfg.Nodes, cfg.FreshVisits = 200, fresh
			s := tree(t, cfg, seed, game(t, chess.Atomic, ""), hashed{})
			s.Advance(s.Choose(1, nil))
			before := map[chess.Move]int{}
			for _, e := range s.Root() {
				before[e.Move] = e.Visits
			}
			kept := s.Nodes()
			run(t, hashed{}, s)
			var made []int
			for _, e := range s.Root() {
				if n := e.Visits - before[e.Move]; n > 0 {
					made = append(made, n)
				}
			}
			slices.SortFunc(made, func(a, b int) int { return b - a })
			if len(made) != 4 || made[1] < made[0]-2 || made[0] < 2*made[2] {
				t.Errorf("fresh visits: %v, %d of %d positions kept: the moves got %v visits", fresh, kept, cfg.Nodes, made)
			}
		}
	}
}
