package uci

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
)

// A player's own time for a move counts if it is shorter than the clock's share.
func TestLimitOfAPlayer(t *testing.T) {
	clock := Limit{Clock: [2]time.Duration{30 * time.Second, time.Millisecond}, Increment: [2]time.Duration{time.Second, time.Second}}
	for _, test := range []struct{ own, want Limit }{
		{Limit{Nodes: 400}, Limit{Nodes: 400}},
		{Limit{MoveTime: time.Second}, Limit{MoveTime: time.Second}},
		{Limit{MoveTime: time.Minute, Depth: 3}, Limit{Depth: 3}}, // more than the clock gives
	} {
		test.want.Clock, test.want.Increment = clock.Clock, clock.Increment
		if have := clock.ForPlayer(test.own, chess.White); have != test.want {
			t.Errorf("%v: %v, want %v", test.own, have, test.want)
		}
	}
	if own := (Limit{MoveTime: time.Minute}); (Limit{}).ForPlayer(own, chess.White) != own {
		t.Error("without a clock, the limit is another")
	}
}

// A move uses a share of its clock: a game of any length fits in, whatever the
// clock.
func TestShare(t *testing.T) {
	for _, c := range []struct{ left, increment time.Duration }{
		{time.Minute, 0}, {time.Minute, time.Second}, {3 * time.Second, 100 * time.Millisecond}, {200 * time.Millisecond, 0}, {0, time.Second}, {-time.Second, 0},
	} {
		const overhead = 10 * time.Millisecond
		left := c.left
		for ply := range 500 {
			use := share(left, c.increment, 0, overhead)
			if use < time.Millisecond || use > max(left, time.Millisecond) {
				t.Fatalf("%v + %v, move %d: %v of %v", c.left, c.increment, ply, use, left)
			}
			if left > 100*time.Millisecond && use > left*3/4 {
				t.Fatalf("%v + %v, move %d: as much as %v of %v", c.left, c.increment, ply, use, left)
			}
			left = max(left-use, 0) + c.increment
		}
	}
	if one, many := share(time.Minute, 0, 1, 0), share(time.Minute, 0, 40, 0); one < 30*time.Second || many != 2*time.Second {
		t.Errorf("the last move before the time control may use %v, the fortieth %v", one, many)
	}
}

// think lets an engine think about a game.
func think(t *testing.T, e *Engine, g *chess.Game, task Task) (best, ponder chess.Move, told []Info) {
	t.Helper()
	best, ponder, err := e.Think(t.Context(), g, task, func(r *Report) { told = append(told, r.infos(g.Position(), false, true)...) })
	if err != nil {
		t.Fatal(err)
	}
	return best, ponder, told
}

func game(t *testing.T, v chess.Variant, fen string, moves ...string) *chess.Game {
	t.Helper()
	p := chess.StartPosition(v)
	if fen != "" {
		var err error
		if p, err = chess.ParseFEN(v, fen); err != nil {
			t.Fatal(err)
		}
	}
	g := chess.NewGame(p)
	for _, s := range moves {
		m, err := g.Position().ParseUCI(s)
		if err != nil {
			t.Fatal(err)
		}
		g.Play(m)
	}
	return g
}

// The tree is kept from move to move, and dropped for another game.
func TestTreeIsReused(t *testing.T) {
	e := New(Blank(chess.Standard))
	nodes := Task{Limit: Limit{Nodes: 2000}}
	g := game(t, chess.Standard, "")
	best, ponder, _ := think(t, e, g, nodes)
	g.Play(best)
	g.Play(ponder)
	// A search that ends at once has the visits that were kept, or has evaluated its
	// root and no more.
	ended, end := context.WithCancel(t.Context())
	end()
	kept := func(g *chess.Game, among ...chess.Move) int {
		if err := e.Search(ended, g, Task{SearchMoves: among}, nil); err != nil {
			t.Error(err)
		}
		return e.Tree().Visits()
	}
	before := kept(g)
	if before == 0 {
		t.Error("nothing was kept")
	}
	_, _, told := think(t, e, g, nodes)
	if last := told[len(told)-1]; last.Nodes != 2000 {
		t.Errorf("%d visits, of which %d were kept: want 2000 in all", last.Nodes, before)
	}
	if n := kept(g); n < 2000 {
		t.Errorf("%d visits of the same position were kept", n)
	}
	if err := e.Set("MultiPV", "3"); err != nil || kept(g) < 2000 {
		t.Errorf("the reports have changed the search: %v", err)
	}
	if n := kept(game(t, chess.Standard, "", "a2a4")); n != 0 {
		t.Errorf("%d visits of another game were kept", n)
	}
	think(t, e, g, nodes)
	e.NewGame()
	if kept(g) != 0 {
		t.Error("a new game began with the tree of another")
	}
	think(t, e, g, nodes)
	if err := e.Set("CPuct", "3"); err != nil || kept(g) != 0 {
		t.Errorf("a tree of other settings was kept: %v", err)
	}
	again, _, _ := think(t, e, g, nodes)
	if n := kept(g, again); n != 0 {
		t.Errorf("%d visits of all moves were kept for one", n)
	}
}

// A Gumbel root shares out the visits of its own search, not those of the search before.
func TestGumbelRootAfterALongerSearch(t *testing.T) {
	e := New(Blank(chess.Standard))
	if err := e.Config.Set("root", "gumbel"); err != nil {
		t.Fatal(err)
	}
	g := game(t, chess.Standard, "")
	best, ponder, _ := think(t, e, g, Task{Limit: Limit{Nodes: 20_000}})
	g.Play(best)
	g.Play(ponder)
	think(t, e, g, Task{Limit: Limit{Nodes: 2048}})
	most, all := 0, 0
	for _, m := range e.Tree().Root() {
		most, all = max(most, m.Visits), all+m.Visits
	}
	if most < all/8 { // 16 candidates of which none was dropped have a sixteenth each
		t.Errorf("the best move has %d of %d visits", most, all)
	}
}

// CBase alone gives the exploration constant of AlphaZero.
func TestCBaseAlone(t *testing.T) {
	e := New(Blank(chess.Standard))
	if err := e.Set("CBase", "19652"); err != nil || e.Config.CInit != 1.25 || e.Config.CFactor != 1 {
		t.Errorf("%+v, %v", e.Config, err)
	}
}

// Reports are consistent: the line begins with the move, and scores agree with it.
func TestReports(t *testing.T) {
	e := New(Blank(chess.Standard))
	for name, value := range map[string]string{"MultiPV": "500"} {
		o := slices.IndexFunc(e.Options(), func(o Option) bool { return o.Name == name })
		if o < 0 {
			t.Fatalf("no option %s", name)
		}
		if err := e.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	// White mates by Qb7; Black's queen is lost to no other move.
	g := game(t, chess.Standard, "k7/8/1K6/8/8/8/1Q6/8 w - - 0 1")
	best, _, told := think(t, e, g, Task{Limit: Limit{Nodes: 2048}})
	if g.Position().UCI(best) != "b2g7" && g.Position().SAN(best)[len(g.Position().SAN(best))-1] != '#' {
		t.Errorf("played %s, not a mate", g.Position().SAN(best))
	}
	first := told[slices.IndexFunc(told, func(in Info) bool { return in.MultiPV == 1 && in.Nodes == told[len(told)-1].Nodes })]
	if first.PV[0] != g.Position().UCI(best) || !first.Score.IsMate || first.Score.Mate != 1 || *first.Score.WDL != [3]int{1000, 0, 0} {
		t.Errorf("%+v, %+v for %s", first, first.Score, g.Position().UCI(best))
	}
	// Visits that the mate has spared were not made, and are not reported.
	if _, _, told := think(t, New(Blank(chess.Standard)), g, Task{Limit: Limit{MoveTime: time.Hour}}); told[len(told)-1].Nodes > 5000 {
		t.Errorf("%d nodes to find a mate in one", told[len(told)-1].Nodes)
	}
	for _, in := range told {
		p := *g.Position()
		for _, s := range in.PV {
			m, err := p.ParseUCI(s)
			if err != nil {
				t.Fatalf("%v: %v", in.PV, err)
			}
			p.Play(m)
		}
		if w := in.Score.WDL; w[0]+w[1]+w[2] != 1000 || in.Depth != len(in.PV) || in.SelDepth < 1 {
			t.Errorf("%+v", in)
		}
	}
}

// Limits end a search, memory among them; a context ends any.
func TestLimits(t *testing.T) {
	e := New(Blank(chess.Atomic))
	g := game(t, chess.Atomic, "")
	if err := e.Set("Hash", "1"); err != nil {
		t.Fatal(err)
	}
	best, _, told := think(t, e, g, Task{Limit: Limit{Mate: 50}})
	if last := told[len(told)-1]; best == 0 || last.HashFull != 1000 {
		t.Errorf("full memory did not end the search: %+v", last)
	}
	e.NewGame()
	if _, _, told := think(t, e, g, Task{Limit: Limit{Depth: 4}}); told[len(told)-1].Depth < 4 {
		t.Errorf("depth %d, want 4", told[len(told)-1].Depth)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if best, _, err := e.Think(ctx, g, Task{Infinite: true}, nil); best == 0 || err != nil {
		t.Errorf("no time at all: %v, %v", best, err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if best, _, err := e.Think(ctx, g, Task{Infinite: true}, nil); best == 0 || err != nil {
		t.Errorf("infinite: %v, %v", best, err)
	}
}

// A network that tells draws has them in what is told, agreeing with the score; one
// that does not has none.
func TestWDL(t *testing.T) {
	codec, err := encode.NewCodec("atomic16", "uci1968", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	for _, head := range []string{nn.ValueTanh, nn.ValueWDL} {
		net, err := nn.New(nn.Spec{
			Planes: codec.Planes.Count(), Constant: codec.Planes.Constant(), PolicySize: codec.Policy.Size(), Depth: 1, Width: 8,
			PolicyHead: nn.PolicyConv, PolicyChannels: 2, Value: head,
		}, 1)
		if err != nil {
			t.Fatal(err)
		}
		model, err := net.Compile(nn.InferenceOptions{Batch: 4, Precision: "fp32"})
		if err != nil {
			t.Fatal(err)
		}
		defer model.Close()
		session, err := model.NewSession()
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		e := New(Model{Variants: []chess.Variant{chess.Standard}, Eval: search.NewEvaluator(codec, session), Batch: 4})
		e.MultiPV = 500
		// Black is to move, and the network predicts the score of White.
		_, _, told := think(t, e, game(t, chess.Standard, "", "e2e4"), Task{Limit: Limit{Nodes: 300}, WDL: true})
		for _, in := range told {
			w := in.Score.WDL
			if min(w[0], w[1], w[2]) < 0 || w[0]+w[1]+w[2] != 1000 || (w[1] > 0) != (head == nn.ValueWDL) {
				t.Errorf("%s: %v", head, *w)
			}
			if cp := ScoreOf(in.Score.Expected()).CP; max(cp, in.Score.CP)-min(cp, in.Score.CP) > 3 {
				t.Errorf("%s: %v beside a score of %d centipawns", head, *w, in.Score.CP)
			}
		}
	}
}

func TestBadSettings(t *testing.T) {
	e := New(Blank(chess.Standard))
	for _, c := range [][2]string{{"CPuct", "x"}, {"CPuct", "NaN"}, {"CPuct", "0"}, {"Temperature", "-1"}, {"MultiPV", ""}, {"Nothing", "1"}} {
		if e.Set(c[0], c[1]) == nil {
			t.Errorf("%s = %q is accepted", c[0], c[1])
		}
	}
	if math.IsNaN(e.Config.CPuct) || e.Config.CPuct != 1.5 {
		t.Error("a refused value was set")
	}
}
