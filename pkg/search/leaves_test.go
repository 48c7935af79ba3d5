package search_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
)

// material is an evaluator with sense: it counts pieces, likes captures and is
// otherwise as arbitrary as hashed.
type material struct{ hashed }

func (material) Prepare(l *encode.Leaf, g *chess.Game, moves []chess.Move) {
	p := g.Position()
	key := identity(p)
	l.Priors = slices.Grow(l.Priors[:0], len(moves))[:len(moves)]
	var sum float64
	for i, m := range moves {
		captured, _ := p.PieceAt(m.To())
		w := math.Exp(2*unit(key, uint64(m)) + 0.4*float64(captured))
		l.Priors[i] = float32(w)
		sum += w
	}
	for i := range moves {
		l.Priors[i] = float32(float64(l.Priors[i]) / sum)
	}
	count := 0.3 * (unit(key) - 0.5)
	for t, worth := range map[chess.PieceType]float64{chess.Pawn: 1, chess.Knight: 3, chess.Bishop: 3, chess.Rook: 5, chess.Queen: 9} {
		count += worth / 6 * float64(p.Pieces(p.Turn(), t).Count()-p.Pieces(p.Turn().Other(), t).Count())
	}
	l.Value = float32(math.Tanh(count))
}

// middlegames are games after some random moves.
func middlegames(n int) []*chess.Game {
	rng := rand.New(rand.NewPCG(1, 2))
	var games []*chess.Game
	for i := range n {
		g := chess.NewGame(chess.StartPosition([]chess.Variant{chess.Standard, chess.Atomic}[i%2]))
		var l chess.MoveList
		for g.Ply() < 3*i {
			g.Position().LegalMoves(&l)
			if g.Outcome(&l).Over() {
				g.Undo()
				g.Undo()
				break
			}
			g.Play(l.At(rng.IntN(l.Len())))
		}
		games = append(games, g)
	}
	return games
}

// counting counts what an evaluator is asked.
type counting struct {
	search.Evaluator
	leaves, batches int
}

func (c *counting) Evaluate(l []*encode.Leaf) error {
	c.leaves += len(l)
	c.batches++
	return c.Evaluator.Evaluate(l)
}

// Several leaves a step fill the batches, and lead to about the visits of a
// search with one.
func TestLeavesCloseToOne(t *testing.T) {
	for _, c := range []struct {
		name      string
		evaluator search.Evaluator
		leaves    int
		mean      float64 // bound on the mean total variation between the visits of the two
	}{
		{"noise", hashed{}, 8, 0.12},
		{"material", material{}, 8, 0.08},
		{"material", material{}, 32, 0.2},
	} {
		games := middlegames(12)
		mean, count := 0.0, &counting{Evaluator: c.evaluator}
		for _, g := range games {
			const visits = 600
			one := tree(t, search.Config{Visits: visits, CPuct: 2}, 0, g, c.evaluator).Root()
			several := tree(t, search.Config{Visits: visits, CPuct: 2, Leaves: c.leaves}, 0, g, count).Root()
			for i := range one {
				mean += math.Abs(float64(one[i].Visits-several[i].Visits)) / (2 * visits) / float64(len(games))
			}
		}
		fill := float64(count.leaves) / float64(count.batches*c.leaves)
		t.Logf("%s, %d leaves: total variation %.3f, batches %.2f full", c.name, c.leaves, mean, fill)
		if mean > c.mean || mean == 0 {
			t.Errorf("%s, %d leaves: the visits are %.3f from those of one leaf, want up to %v", c.name, c.leaves, mean, c.mean)
		}
		if fill < 0.85 {
			t.Errorf("%s, %d leaves: batches are %.2f full", c.name, c.leaves, fill)
		}
	}
}

// distinct fails where one position is asked about twice in a batch: by its path,
// since what transposes may be.
type distinct struct {
	hashed
	t     *rapid.T
	paths map[string]bool
	most  int
}

func (d *distinct) Prepare(l *encode.Leaf, g *chess.Game, moves []chess.Move) {
	var path strings.Builder
	for _, m := range g.Moves() {
		path.WriteString(m.String())
	}
	if d.paths[path.String()] {
		d.t.Fatalf("%s was asked about twice", path.String())
	}
	d.paths[path.String()] = true
	d.hashed.Prepare(l, g, moves)
}

func (d *distinct) Evaluate(l []*encode.Leaf) error {
	d.most = max(d.most, len(l))
	return nil
}

// With any settings, step by step: nothing is asked twice, no more than Leaves at
// once, visits that wait are gone after the step, the sums are right, and the
// whole is a function of settings and seed.
func TestStepProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, g := configs(t), randomGame(t)
		seed := rapid.Uint64().Draw(t, "seed")
		once := func() *search.Tree {
			e := &distinct{t: t, paths: make(map[string]bool)}
			s := search.NewTree(cfg, seed)
			s.SetRoot(g)
			var leaves []*encode.Leaf
			for {
				leaves = s.Select(e, leaves[:0])
				if len(leaves) > max(1, cfg.Leaves) {
					t.Fatalf("%d questions, want up to %d", len(leaves), cfg.Leaves)
				}
				if len(leaves) == 0 {
					break
				}
				if err := s.Backup(); err != nil {
					t.Fatal(err)
				}
				if n := s.Waiting(); n != 0 {
					t.Fatalf("%d visits wait after the step", n)
				}
				if err := s.Check(); err != nil {
					t.Fatal(err)
				}
			}
			if !s.Done() {
				t.Fatal("there is nothing to ask, and the search is not done")
			}
			return s
		}
		s := once()
		if diff := cmp.Diff(drawing(s), drawing(once())); diff != "" {
			t.Fatalf("two searches alike differ:\n%s", diff)
		}
		if visits := sum(s); len(s.Root()) > 0 && visits != cfg.Visits {
			t.Fatalf("%d visits, want %d", visits, cfg.Visits)
		}
		if m := s.Choose(1, rand.New(rand.NewPCG(seed, 0))); m != 0 {
			s.Advance(m)
			if err := s.Check(); err != nil {
				t.Fatalf("after %v: %v", m, err)
			}
			if err := search.Run(context.Background(), []*search.Tree{s}, hashed{}); err != nil {
				t.Fatal(err)
			}
			if visits := sum(s); len(s.Root()) > 0 && visits < cfg.Visits {
				t.Fatalf("after %v: %d visits, want %d", m, visits, cfg.Visits)
			}
		}
	})
}

// sum adds up the visits of the root's moves.
func sum(s *search.Tree) (n int) {
	for _, e := range s.Root() {
		n += e.Visits
	}
	return n
}

// failing is a network that breaks at some call.
type failing struct {
	hashed
	calls int
}

func (f *failing) Evaluate([]*encode.Leaf) error {
	if f.calls--; f.calls == 0 {
		return errors.New("out of order")
	}
	return nil
}

// A step whose questions are never answered leaves no trace: the search goes on
// as if it had not been.
func TestForgottenStep(t *testing.T) {
	cfg := search.Config{Visits: 300, CPuct: 2, Leaves: 8, FPU: search.FPU{Parent: true, Reduction: 0.2}, TreeReuse: true}
	for _, calls := range []int{1, 2, 7} {
		g := game(t, chess.Atomic, "")
		s := search.NewTree(cfg, 0)
		s.SetRoot(g)
		if err := search.Run(context.Background(), []*search.Tree{s}, &failing{calls: calls}); err == nil {
			t.Fatal("no error of the network")
		}
		run(t, hashed{}, s)
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(drawing(tree(t, cfg, 0, g, hashed{})), drawing(s)); diff != "" {
			t.Errorf("failure at batch %d:\n%s", calls, diff)
		}
	}
}
