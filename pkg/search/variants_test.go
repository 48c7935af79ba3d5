package search_test

import (
	"context"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// A search that knows only the rules finds the move that wins in every variant,
// for either side: also in antichess, where who has nothing left has won and is
// to move.
func TestVariantsWin(t *testing.T) {
	for _, c := range []struct {
		v         chess.Variant
		fen, move string
	}{
		{chess.Standard, "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8"},
		{chess.Atomic, "4k3/4p3/8/8/8/8/8/4RK2 w - - 0 1", "e1e7"},
		{chess.Antichess, "8/8/8/6p1/8/8/7P/8 w - - 0 1", "h2h4"},
		{chess.KingOfTheHill, "8/8/8/3k4/8/8/8/K7 w - - 0 1", ""},
		{chess.KingOfTheHill, "4k3/8/8/8/8/2K5/8/8 w - - 0 1", "c3d4"},
		{chess.ThreeCheck, "4k3/8/8/8/8/8/8/R3K3 w - - 1+3 0 1", "a1a8"},
		{chess.Horde, "4k3/8/8/8/8/8/3r4/3P4 b - - 0 1", "d2d1"},
		{chess.RacingKings, "7k/8/K7/8/8/8/8/8 w - - 0 1", ""},
		{chess.RacingKings, "8/7K/8/8/1k6/8/8/8 w - - 0 1", "h7"},
		{chess.Crazyhouse, "6k1/5ppp/8/8/8/8/8/4K3[R] w - - 0 1", "R@"},
	} {
		p, err := chess.ParseFEN(c.v, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		tree := search.NewTree(search.Config{Visits: 400, CPuct: 1, TreeReuse: true}, 1)
		tree.SetRoot(chess.NewGame(p))
		if err := search.Run(context.Background(), []*search.Tree{tree}, search.Uniform{}); err != nil {
			t.Fatal(err)
		}
		if c.move == "" {
			if tree.Root() != nil {
				t.Errorf("%s: %s is decided, and the search goes on", c.v, c.fen)
			}
			continue
		}
		m := tree.PV()[0]
		for _, e := range tree.Root() {
			if e.Move == m && (e.Q < 0.95 || !strings.HasPrefix(p.UCI(m), c.move)) {
				t.Errorf("%s: the search plays %s, worth %.2f, want %s and a win", c.v, p.UCI(m), e.Q, c.move)
			}
		}
	}
}

// A position with more moves than chess knows.
func TestManyMoves(t *testing.T) {
	p, err := chess.ParseFEN(chess.Crazyhouse, "4k3/8/8/8/8/8/8/4K3[PNBRQ] w - - 0 1")
	if err != nil {
		t.Fatal(err)
	}
	const moves = 48 + 4*62 + 5
	tree := search.NewTree(search.Config{Visits: 2 * moves, CPuct: 1000}, 1)
	tree.SetRoot(chess.NewGame(p))
	if err := search.Run(context.Background(), []*search.Tree{tree}, search.Uniform{}); err != nil {
		t.Fatal(err)
	}
	root := tree.Root()
	for _, e := range root {
		if e.Visits == 0 {
			t.Errorf("%s has no visit", p.UCI(e.Move))
		}
	}
	if len(root) != moves {
		t.Errorf("%d moves, want %d", len(root), moves)
	}
}
