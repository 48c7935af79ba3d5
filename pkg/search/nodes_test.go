package search_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// A tree grows to its nodes and no further, kept ones included, and is until then
// the tree that it would be without a limit.
func TestNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, g := configs(t), randomGame(t)
		cfg.Solver = rapid.Bool().Draw(t, "solver")
		cfg.Nodes = rapid.IntRange(1, 150).Draw(t, "nodes")
		s := search.NewTree(cfg, 1)
		s.SetRoot(g)
		for range 3 {
			run(t, hashed{}, s)
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			if !s.Done() || s.Nodes() > cfg.Nodes {
				t.Fatalf("%d nodes, want up to %d; done: %v", s.Nodes(), cfg.Nodes, s.Done())
			}
			if len(s.Root()) == 0 {
				return
			}
			if s.Visits() == 0 && !s.Exact() || s.Visits() < cfg.Visits && s.Nodes() < cfg.Nodes && !s.Exact() {
				t.Fatalf("done after %d visits with %d nodes, want %d or %d", s.Visits(), s.Nodes(), cfg.Visits, cfg.Nodes)
			}
			s.Advance(s.Choose(math.Inf(1), nil))
		}
	})

	cfg := search.Config{Visits: 1 << 20, Nodes: 300, CPuct: 2}
	g := game(t, chess.Atomic, "")
	s := tree(t, cfg, 0, g, hashed{})
	cfg.Visits, cfg.Nodes = s.Visits(), 0
	if diff := cmp.Diff(drawing(tree(t, cfg, 0, g, hashed{})), drawing(s)); diff != "" {
		t.Errorf("the limit changed the tree:\n%s", diff)
	}
}

// Nodes of questions that were never answered do not count.
func TestNodesForgotten(t *testing.T) {
	for _, calls := range []int{1, 2, 7} {
		cfg := search.Config{Visits: 1000, Nodes: 100, CPuct: 2, Leaves: 8}
		g := game(t, chess.Atomic, "")
		s := search.NewTree(cfg, 0)
		s.SetRoot(g)
		if err := search.Run(context.Background(), []*search.Tree{s}, &failing{calls: calls}); err == nil {
			t.Fatal("no error of the network")
		}
		run(t, hashed{}, s)
		if diff := cmp.Diff(drawing(tree(t, cfg, 0, g, hashed{})), drawing(s)); diff != "" {
			t.Errorf("failure at batch %d:\n%s", calls, diff)
		}
	}
}
