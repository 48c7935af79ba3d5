package search_test

import (
	"context"
	"math"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/search"
)

// Analyze answers where a game is drawn already, and only SetRoot takes that for
// its end.
func TestAnalyzeDrawnPositions(t *testing.T) {
	for name, g := range map[string]*chess.Game{
		"threefold":   played(t, "", "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"),
		"fifty moves": played(t, "4k3/8/8/8/8/8/3R4/4K3 w - - 100 90"),
		"material":    played(t, "4k3/8/8/8/8/8/4N3/4K3 w - - 0 90"),
	} {
		tree := search.NewTree(search.Config{Visits: 50, CPuct: 1}, 1)
		tree.SetRoot(g)
		runTree(t, tree)
		if len(tree.Root()) != 0 || !tree.Exact() {
			t.Errorf("%s: the game is over for SetRoot", name)
		}
		tree.Analyze(g)
		runTree(t, tree)
		var l chess.MoveList
		g.Position().LegalMoves(&l)
		if len(tree.Root()) != l.Len() || tree.Choose(math.Inf(1), nil) == 0 {
			t.Errorf("%s: Analyze found %d moves of %d", name, len(tree.Root()), l.Len())
		}
		tree.SetRoot(g)
		runTree(t, tree)
		if len(tree.Root()) != 0 {
			t.Errorf("%s: SetRoot goes on as Analyze did", name)
		}
	}
}

// Analyze keeps to the moves that it is given, in the whole of their trees to all
// moves, and positions that are over have no moves.
func TestAnalyzeAmong(t *testing.T) {
	g := played(t, "")
	tree := search.NewTree(search.Config{Visits: 500, CPuct: 1, TreeReuse: true}, 1)
	a, b := uciMove(t, g, "a2a3"), uciMove(t, g, "h2h4")
	tree.Analyze(g, b, a)
	runTree(t, tree)
	if root := tree.Root(); len(root) != 2 || root[0].Visits+root[1].Visits != 500 {
		t.Errorf("%v", root)
	}
	if line := tree.PVOf(a); len(line) < 2 || line[0] != a {
		t.Errorf("PV of a2a3: %v", line)
	}
	if d := tree.Depth(); d < len(tree.PV()) || d > 500 {
		t.Errorf("depth %d, PV %v", d, tree.PV())
	}
	tree.Advance(b)
	runTree(t, tree)
	if n := len(tree.Root()); n != 20 {
		t.Errorf("%d replies", n)
	}
	mated := played(t, "", "f2f3", "e7e5", "g2g4", "d8h4")
	tree.Analyze(mated)
	runTree(t, tree)
	if len(tree.Root()) != 0 || tree.Choose(math.Inf(1), nil) != 0 || tree.Value() != -1 {
		t.Errorf("mated: %v, %v", tree.Root(), tree.Value())
	}
	tree.Analyze(g)
	tree.SetVisits(30)
	runTree(t, tree)
	visits := 0
	for _, e := range tree.Root() {
		visits += e.Visits
	}
	if visits != 30 {
		t.Errorf("%d visits, want 30", visits)
	}
}

func runTree(t *testing.T, tree *search.Tree) {
	t.Helper()
	if err := search.Run(context.Background(), []*search.Tree{tree}, search.Uniform{}); err != nil {
		t.Fatal(err)
	}
}

// played is a game of chess from a position, "" the start, after some moves.
func played(t *testing.T, fen string, moves ...string) *chess.Game {
	t.Helper()
	p := chess.StartPosition(chess.Standard)
	if fen != "" {
		var err error
		if p, err = chess.ParseFEN(chess.Standard, fen); err != nil {
			t.Fatal(err)
		}
	}
	g := chess.NewGame(p)
	for _, m := range moves {
		g.Play(uciMove(t, g, m))
	}
	return g
}

func uciMove(t *testing.T, g *chess.Game, s string) chess.Move {
	t.Helper()
	m, err := g.Position().ParseUCI(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Follow goes on with what is known where the game does, and starts anew elsewhere: in
// another game, after moves were taken back, where only some moves were searched, and
// where the game is drawn for who does not ask on.
func TestFollow(t *testing.T) {
	tree := search.NewTree(search.Config{Visits: 500, CPuct: 1, TreeReuse: true}, 1)
	follow := func(g *chess.Game) (kept int) {
		tree.Follow(g)
		kept = tree.Visits()
		runTree(t, tree)
		return kept
	}
	g := played(t, "")
	if n := follow(g); n != 0 {
		t.Errorf("%d visits to begin with", n)
	}
	if n := follow(g); n != 500 {
		t.Errorf("%d visits of the same position", n)
	}
	line := tree.PV()
	g.Play(line[0])
	g.Play(line[1])
	if n := follow(g); n == 0 || n >= 500 {
		t.Errorf("%d visits two plies on", n)
	}
	g.Undo()
	if n := follow(g); n != 0 {
		t.Errorf("%d visits after a move was taken back", n)
	}
	if n := follow(played(t, "", "a2a4")); n != 0 {
		t.Errorf("%d visits of another game", n)
	}
	if n := follow(played(t, "4k3/8/8/8/8/8/3R4/4K3 w - - 0 90")); n != 0 {
		t.Errorf("%d visits from another start", n)
	}
	tree.Analyze(g, tree.Root()[0].Move)
	if n := follow(g); n != 0 || len(tree.Root()) != 20 {
		t.Errorf("%d visits and %d moves after a search of one", n, len(tree.Root()))
	}

	g = played(t, "", "g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1")
	follow(g)
	g.Play(uciMove(t, g, "f6g8"))
	if follow(g); len(tree.Root()) != 20 || tree.Visits() != 500 {
		t.Errorf("the third time there are %d moves and %d visits", len(tree.Root()), tree.Visits())
	}
	g.Play(uciMove(t, g, "e2e4"))
	if n := follow(g); n == 0 || len(tree.Root()) != 20 {
		t.Errorf("%d visits are left and there are %d moves", n, len(tree.Root()))
	}
}

// Memory ends a search.
func TestBytes(t *testing.T) {
	for _, leaves := range []int{1, 8} {
		tree := search.NewTree(search.Config{Visits: 1 << 20, Bytes: 1 << 18, CPuct: 1, Leaves: leaves}, 1)
		tree.SetRoot(played(t, ""))
		runTree(t, tree)
		if n := tree.Bytes(); n < 1<<18 || n > 1<<18+1<<14 {
			t.Errorf("%d leaves: %d bytes, want %d and little more", leaves, n, 1<<18)
		}
	}
}
