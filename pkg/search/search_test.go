package search_test

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
)

var update = flag.Bool("update", false, "write testdata anew")

// hashed is an evaluator with opinions: priors and values are hashes of the
// position and the move, so they are arbitrary, distinct and always the same.
type hashed struct{}

func unit(words ...uint64) float64 {
	h := fnv.New64a()
	for _, w := range words {
		h.Write(binary.LittleEndian.AppendUint64(nil, w))
	}
	x := h.Sum64()
	x = (x ^ x>>31) * 0x9e3779b97f4a7c15
	return float64(x>>11) / (1 << 53)
}

// identity is a number for what is on the board. It is not the position's key,
// which may become another one when variants are added.
func identity(p *chess.Position) uint64 {
	words := []uint64{uint64(p.Turn()), uint64(p.EnPassant()), uint64(p.CastlingRooks(chess.White) | p.CastlingRooks(chess.Black))}
	for t := chess.Pawn; t <= chess.King; t++ {
		words = append(words, uint64(p.Pieces(chess.White, t)), uint64(p.Pieces(chess.Black, t)))
	}
	return math.Float64bits(unit(words...))
}

func (hashed) Prepare(l *encode.Leaf, g *chess.Game, moves []chess.Move) {
	key := identity(g.Position())
	l.Priors = slices.Grow(l.Priors[:0], len(moves))[:len(moves)]
	var sum float64
	for _, m := range moves {
		sum += math.Exp(3 * unit(key, uint64(m)))
	}
	for i, m := range moves {
		l.Priors[i] = float32(math.Exp(3*unit(key, uint64(m))) / sum)
	}
	l.Value = float32(2*unit(key) - 1)
}

func (hashed) Evaluate([]*encode.Leaf) error { return nil }

func game(t testing.TB, v chess.Variant, fen string) *chess.Game {
	t.Helper()
	if fen == "" {
		return chess.NewGame(chess.StartPosition(v))
	}
	p, err := chess.ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	return chess.NewGame(p)
}

func run(t interface {
	Helper()
	Fatal(...any)
}, e search.Evaluator, trees ...*search.Tree) {
	t.Helper()
	if err := search.Run(context.Background(), trees, e); err != nil {
		t.Fatal(err)
	}
}

func tree(t testing.TB, cfg search.Config, seed uint64, g *chess.Game, e search.Evaluator) *search.Tree {
	t.Helper()
	s := search.NewTree(cfg, seed)
	s.SetRoot(g)
	run(t, e, s)
	return s
}

// drawing writes the visited part of a tree, a move a line.
func drawing(s *search.Tree) string {
	var b strings.Builder
	fmt.Fprintf(&b, "value %+.5f, %d evaluations\n", s.Value(), s.Evaluations())
	s.Walk(func(path []chess.Move, e search.Edge) bool {
		fmt.Fprintf(&b, "%s%s N %d P %.5f Q %+.5f\n", strings.Repeat("  ", len(path)-1), e.Move, e.Visits, e.Prior, e.Q)
		return true
	})
	return b.String()
}

// Trees of every setting of selection, pinned.
func TestGolden(t *testing.T) {
	plain := search.Config{Visits: 60, CPuct: 2, ExpandAt: 2}
	with := func(change func(*search.Config)) search.Config {
		c := plain
		change(&c)
		return c
	}
	const nearEnd = "8/5k2/8/4p3/3P4/8/1K4q1/1R6 w - - 0 1"
	for _, c := range []struct {
		name    string
		variant chess.Variant
		fen     string
		cfg     search.Config
	}{
		{"atomic-start", chess.Atomic, "", plain},
		{"atomic-near-end", chess.Atomic, nearEnd, plain},
		{"chess-near-end", chess.Standard, nearEnd, plain},
		{"growing-c", chess.Standard, "", with(func(c *search.Config) { c.CBase, c.CInit = 20, 1.25 })},
		{"fpu-parent", chess.Atomic, nearEnd, with(func(c *search.Config) { c.FPU.Parent = true })},
		{"fpu-reduction", chess.Atomic, nearEnd, with(func(c *search.Config) { c.FPU = search.FPU{Parent: true, Reduction: 0.4} })},
		{"expand-at-4", chess.Atomic, "", with(func(c *search.Config) { c.ExpandAt = 4 })},
		{"noise", chess.Atomic, "", with(func(c *search.Config) { c.Noise = search.Noise{Alpha: 0.3, Weight: 0.25} })},
		{"gumbel", chess.Atomic, nearEnd, with(func(c *search.Config) {
			c.Root = search.Root{Considered: 8, CVisit: 50, CScale: 1, Noise: 1}
		})},
		{"forced-playouts", chess.Atomic, "", with(func(c *search.Config) {
			c.Noise, c.ForcedPlayouts = search.Noise{Alpha: 0.3, Weight: 0.25}, 2
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := drawing(tree(t, c.cfg, 7, game(t, c.variant, c.fen), hashed{}))
			file := filepath.Join("testdata", c.name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the tree has changed (go test -update accepts it):\n%s", diff)
			}
		})
	}
}

// A slow second opinion on the arrays: the same search as a plain recursion
// over maps, straight from the formula of the thesis.
func TestFormula(t *testing.T) {
	type child struct {
		move chess.Move
		n    int
		w, p float64
	}
	for _, v := range []chess.Variant{chess.Standard, chess.Atomic} {
		const visits, c = 400, 2.0
		nodes := make(map[string][]*child)
		var visit func(g *chess.Game, path string) float64
		visit = func(g *chess.Game, path string) float64 {
			var l chess.MoveList
			g.Position().LegalMoves(&l)
			if o := g.Outcome(&l); o.Over() {
				z := float64(o.Result)
				if g.Position().Turn() == chess.Black {
					z = -z
				}
				return z
			}
			children, ok := nodes[path]
			if !ok {
				var leaf encode.Leaf
				hashed{}.Prepare(&leaf, g, l.Slice())
				for i, m := range l.Slice() {
					children = append(children, &child{move: m, p: float64(leaf.Priors[i])})
				}
				nodes[path] = children
				return float64(leaf.Value)
			}
			sum := 0
			for _, x := range children {
				sum += x.n
			}
			var best *child
			highest := math.Inf(-1)
			for _, x := range children {
				q := 0.0
				if x.n > 0 {
					q = x.w / float64(x.n)
				}
				if s := q + c*x.p*math.Sqrt(max(1, float64(sum)))/float64(1+x.n); s > highest {
					best, highest = x, s
				}
			}
			g.Play(best.move)
			value := -visit(g, path+best.move.String())
			g.Undo()
			best.n++
			best.w += value
			return value
		}
		g := game(t, v, "")
		for range 1 + visits {
			visit(g, "")
		}
		s := tree(t, search.Config{Visits: visits, CPuct: c}, 0, g, hashed{})
		for i, e := range s.Root() {
			want := nodes[""][i]
			if e.Move != want.move || e.Visits != want.n {
				t.Errorf("%v: move %d is %s with %d visits, want %s with %d", v, i, e.Move, e.Visits, want.move, want.n)
			}
			if want.n > 0 && math.Abs(e.Q-want.w/float64(want.n)) > 1e-5 {
				t.Errorf("%v: %s has Q %v, want %v", v, e.Move, e.Q, want.w/float64(want.n))
			}
		}
	}
}

// With nothing but the rules, the search finds what wins at once.
func TestFindsWin(t *testing.T) {
	for _, c := range []struct {
		name    string
		variant chess.Variant
		fen     string
		want    string
	}{
		{"mate in one", chess.Standard, "6k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1", "d1d8"},
		{"mate in one by black", chess.Standard, "3r2k1/8/8/8/8/8/5PPP/6K1 b - - 0 1", "d8d1"},
		{"explosion in one", chess.Atomic, "rnbqkbnr/ppp1pppp/8/3p2N1/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1", "g5f7"},
		{"explosion in one by black", chess.Atomic, "rnbqkb1r/pppppppp/8/8/3P2n1/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1", "g4f2"},
		{"mate in one, atomic", chess.Atomic, "6k1/5ppp/8/8/8/8/8/3R2K1 w - - 0 1", "d1d8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := game(t, c.variant, c.fen)
			s := tree(t, search.Config{Visits: 400, CPuct: 1.5, ExpandAt: 2}, 0, g, search.Uniform{})
			if have := g.Position().UCI(s.Choose(math.Inf(1), nil)); have != c.want {
				t.Errorf("chose %s, want %s", have, c.want)
			}
			if s.Value() < 0.5 {
				t.Errorf("value %v of a won position", s.Value())
			}
			if pv := s.PV(); len(pv) == 0 || g.Position().UCI(pv[0]) != c.want {
				t.Errorf("principal variation %v", pv)
			}
		})
	}
}

// A position that occurred twice before is a draw in the tree, although the
// repetitions lie before the root.
func TestRepetitionFromHistory(t *testing.T) {
	g := game(t, chess.Standard, "7k/8/8/8/8/8/r7/5K2 w - - 0 1")
	for range 2 {
		for _, m := range []string{"f1e1", "h8g8", "e1f1", "g8h8"} {
			move, err := g.Position().ParseUCI(m)
			if err != nil {
				t.Fatal(err)
			}
			if len(g.Moves()) == 7 {
				break
			}
			g.Play(move)
		}
	}
	// Black to move; g8h8 repeats the first position for the third time.
	s := tree(t, search.Config{Visits: 200, CPuct: 2}, 0, g, hashed{})
	for _, e := range s.Root() {
		if g.Position().UCI(e.Move) == "g8h8" {
			if e.Visits == 0 || e.Q != 0 {
				t.Errorf("the repeating move has %d visits and Q %v, want a draw", e.Visits, e.Q)
			}
			return
		}
	}
	t.Error("the repeating move is not legal")
}

func TestGameOver(t *testing.T) {
	g := game(t, chess.Standard, "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1")
	s := tree(t, search.Config{Visits: 10}, 0, g, hashed{})
	if len(s.Root()) != 0 || s.Choose(1, rand.New(rand.NewPCG(0, 0))) != 0 || s.PV() != nil || s.Evaluations() != 0 {
		t.Error("a game that is over has moves")
	}
	if s.Value() != -1 {
		t.Errorf("value %v for the side that is mated, want -1", s.Value())
	}
	var none search.Stepper
	if n, err := none.Step([]*search.Tree{search.NewTree(search.Config{Visits: 5}, 1)}, hashed{}); n != 0 || err != nil {
		t.Errorf("a tree without a root: %d leaves, %v", n, err)
	}
}

// Without visits the network alone decides.
func TestNoVisits(t *testing.T) {
	s := tree(t, search.Config{}, 0, game(t, chess.Atomic, ""), hashed{})
	root := s.Root()
	best := slices.MaxFunc(root, func(a, b search.Edge) int { return int(math.Copysign(1, a.Prior-b.Prior)) })
	if have := s.Choose(math.Inf(1), nil); have != best.Move || s.Evaluations() != 1 {
		t.Errorf("chose %v after %d evaluations, want the best prior %v after 1", have, s.Evaluations(), best.Move)
	}
}

// configs draws settings; positions come from random games.
func configs(t *rapid.T) search.Config {
	return search.Config{
		Visits:       rapid.IntRange(1, 120).Draw(t, "visits"),
		CPuct:        rapid.Float64Range(0, 4).Draw(t, "c_puct"),
		CBase:        rapid.SampledFrom([]float64{0, 0, 100, 19652}).Draw(t, "c_base"),
		CInit:        1.25,
		CStdev:       rapid.SampledFrom([]float64{0, 0, 0.85, 1}).Draw(t, "c_stdev"),
		Best:         rapid.SampledFrom([]string{"", "lcb"}).Draw(t, "best"),
		FPU:          search.FPU{Parent: rapid.Bool().Draw(t, "parent"), Reduction: rapid.SampledFrom([]float64{0, 0.3, -0.2}).Draw(t, "reduction")},
		ExpandAt:     rapid.IntRange(0, 4).Draw(t, "expand_at"),
		Leaves:       rapid.SampledFrom([]int{0, 1, 2, 8, 32}).Draw(t, "leaves"),
		Cache:        rapid.SampledFrom([]int{0, 100}).Draw(t, "cache"),
		TreeReuse:    true,
		OwnVisit:     rapid.Bool().Draw(t, "own_visit"),
		QDraws:       rapid.SampledFrom([]float64{0, 1}).Draw(t, "q_draws"),
		TwofoldDraws: rapid.Bool().Draw(t, "twofold_draws"),
		Noise:        search.Noise{Alpha: 0.3, Weight: rapid.SampledFrom([]float64{0, 0.25}).Draw(t, "noise")},

		VirtualVisits:  rapid.SampledFrom([]int{0, 3}).Draw(t, "virtual_visits"),
		ForcedPlayouts: rapid.SampledFrom([]float64{0, 2, 50}).Draw(t, "forced_playouts"),
		Root: search.Root{
			Considered: rapid.SampledFrom([]int{0, 0, 1, 2, 7, 16, 500}).Draw(t, "considered"),
			CVisit:     50, CScale: rapid.SampledFrom([]float64{0, 0.1, 1}).Draw(t, "c_scale"),
			Noise:             rapid.SampledFrom([]float64{0, 1}).Draw(t, "gumbel noise"),
			FPU:               rapid.SampledFrom([]search.RootFPU{{}, {Own: true}, {Own: true, FPU: search.FPU{Parent: true, Reduction: 0.1}}}).Draw(t, "root.fpu"),
			PolicyTemperature: rapid.SampledFrom([]float64{0, 1, 1.3}).Draw(t, "root.policy_temperature"),
		},
	}
}

func randomGame(t *rapid.T) *chess.Game {
	v := rapid.SampledFrom([]chess.Variant{chess.Standard, chess.Atomic}).Draw(t, "variant")
	g := chess.NewGame(chess.StartPosition(v))
	var l chess.MoveList
	for _, x := range rapid.SliceOfN(rapid.IntRange(0, 1<<20), 0, 60).Draw(t, "moves") {
		g.Position().LegalMoves(&l)
		if g.Outcome(&l).Over() {
			break
		}
		g.Play(l.At(x % l.Len()))
	}
	return g
}

// lines maps every visited line below the first move (or all, when it is 0)
// to its edge, the first move taken off.
func lines(s *search.Tree, first chess.Move) map[string]search.Edge {
	m := make(map[string]search.Edge)
	s.Walk(func(path []chess.Move, e search.Edge) bool {
		if first == 0 {
			m[fmt.Sprint(path)] = e
		} else if path[0] == first && len(path) > 1 {
			m[fmt.Sprint(path[1:])] = e
		}
		return true
	})
	return m
}

func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, g := configs(t), randomGame(t)
		seed := rapid.Uint64().Draw(t, "seed")
		fen, ply := g.Position().FEN(), g.Ply()
		again := func() *search.Tree {
			s := search.NewTree(cfg, seed)
			s.SetRoot(g)
			if err := search.Run(context.Background(), []*search.Tree{s}, hashed{}); err != nil {
				t.Fatal(err)
			}
			return s
		}
		s := again()
		if g.Position().FEN() != fen || g.Ply() != ply {
			t.Fatal("the search changed the caller's game")
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		if a, b := drawing(s), drawing(again()); a != b {
			t.Fatalf("two searches alike differ:\n%s", cmp.Diff(a, b))
		}
		root := s.Root()
		if len(root) == 0 {
			return
		}
		visits, priors := 0, 0.0
		for _, e := range root {
			visits += e.Visits
			priors += e.Prior
			if e.Q < -1 || e.Q > 1 {
				t.Fatalf("%v", e)
			}
		}
		if visits != cfg.Visits {
			t.Fatalf("visits sum to %d, want %d", visits, cfg.Visits)
		}
		if math.Abs(priors-1) > 1e-4 {
			t.Fatalf("priors sum to %v", priors)
		}
		if s.Evaluations() > cfg.Visits+1 {
			t.Fatalf("%d evaluations for %d visits", s.Evaluations(), cfg.Visits)
		}
		if pv := s.PV(); pv[0] != s.Choose(math.Inf(1), nil) {
			t.Fatalf("the principal variation %v does not begin with the move that is played", pv)
		}
		// The visits of a move are those that ended behind it and those
		// that went on.
		behind := make(map[string]int)
		s.Walk(func(path []chess.Move, e search.Edge) bool {
			if len(path) > 1 {
				behind[fmt.Sprint(path[:len(path)-1])] += e.Visits
			}
			return true
		})
		s.Walk(func(path []chess.Move, e search.Edge) bool {
			below := behind[fmt.Sprint(path)]
			if stayed := e.Visits - below; stayed < 1 || below > 0 && stayed > max(1, cfg.ExpandAt-1) {
				t.Fatalf("%v: %d visits, %d below", path, e.Visits, below)
			}
			return true
		})

		// What is known about a move is kept when it is played.
		m := s.Choose(1, rand.New(rand.NewPCG(seed, 0)))
		want := lines(s, m)
		s.Advance(m)
		got := lines(s, 0)
		if cfg.Noise.Weight > 0 || cfg.Root.PolicyTemperature > 0 { // the new root has its own priors
			for _, x := range []map[string]search.Edge{want, got} {
				for k, e := range x {
					if !strings.Contains(k, " ") {
						e.Prior = 0
						x[k] = e
					}
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("after %v the subtree differs:\n%s", m, diff)
		}
		if err := search.Run(context.Background(), []*search.Tree{s}, hashed{}); err != nil {
			t.Fatal(err)
		}
		visits, priors = 0, 0
		for _, e := range s.Root() {
			visits += e.Visits
			priors += e.Prior
		}
		if len(s.Root()) > 0 && (visits != cfg.Visits || math.Abs(priors-1) > 1e-4) {
			t.Fatalf("after %v: %d visits of %d, priors sum to %v", m, visits, cfg.Visits, priors)
		}
	})
}

// ExpandAt 1 and 2 are the same search, as the documentation says, and a
// higher one asks the network less.
func TestExpandAt(t *testing.T) {
	at := func(n int) *search.Tree {
		return tree(t, search.Config{Visits: 500, CPuct: 2, ExpandAt: n}, 0, game(t, chess.Atomic, ""), hashed{})
	}
	if diff := cmp.Diff(drawing(at(1)), drawing(at(2))); diff != "" {
		t.Error(diff)
	}
	if a, b := at(2).Evaluations(), at(5).Evaluations(); b >= a {
		t.Errorf("%d evaluations at 2 and %d at 5, want fewer", a, b)
	}
}

// A search is the same alone and among others.
func TestLockStep(t *testing.T) {
	cfg := search.Config{Visits: 150, CPuct: 2, Noise: search.Noise{Alpha: 0.3, Weight: 0.25}}
	var together []*search.Tree
	var alone []string
	for i, fen := range []string{"", "8/5k2/8/4p3/3P4/8/1K4q1/1R6 w - - 0 1", "7k/8/8/8/8/8/r7/5K2 w - - 0 1"} {
		g := game(t, chess.Atomic, fen)
		alone = append(alone, drawing(tree(t, cfg, uint64(i), g, hashed{})))
		s := search.NewTree(cfg, uint64(i))
		s.SetRoot(g)
		together = append(together, s)
	}
	run(t, hashed{}, together...)
	for i, s := range together {
		if diff := cmp.Diff(alone[i], drawing(s)); diff != "" {
			t.Errorf("tree %d:\n%s", i, diff)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := search.NewTree(cfg, 0)
	s.SetRoot(game(t, chess.Atomic, ""))
	if err := search.Run(ctx, []*search.Tree{s}, hashed{}); err != context.Canceled {
		t.Errorf("a canceled search returned %v", err)
	}
}

// The seed decides the noise, and nothing else does.
func TestNoise(t *testing.T) {
	cfg := search.Config{Noise: search.Noise{Alpha: 0.3, Weight: 0.25}}
	clean := tree(t, search.Config{}, 1, game(t, chess.Atomic, ""), hashed{}).Root()
	priors := func(seed uint64) []search.Edge { return tree(t, cfg, seed, game(t, chess.Atomic, ""), hashed{}).Root() }
	if !slices.Equal(priors(1), priors(1)) {
		t.Error("one seed gave two noises")
	}
	if slices.Equal(priors(1), priors(2)) {
		t.Error("two seeds gave one noise")
	}
	// Over many draws the noise is uniform, so priors approach their
	// mixture with the uniform distribution.
	mean := make([]float64, len(clean))
	const draws = 4000
	for seed := range uint64(draws) {
		for i, e := range priors(seed) {
			mean[i] += e.Prior / draws
		}
	}
	for i, e := range clean {
		want := 0.75*e.Prior + 0.25/float64(len(clean))
		if math.Abs(mean[i]-want) > 0.005 {
			t.Errorf("mean prior of %s is %v, want %v", e.Move, mean[i], want)
		}
	}
}

// A search that does not explore is that of settings without noise, from the root
// after it was told on.
func TestSetExploring(t *testing.T) {
	cfg := search.Config{Visits: 80, CPuct: 2, TreeReuse: true, Noise: search.Noise{Alpha: 0.3, Weight: 0.25}}
	clean := cfg.WithoutExploration()
	both := func() (a, b *search.Tree) {
		g := game(t, chess.Atomic, "")
		a, b = search.NewTree(cfg, 1), search.NewTree(clean, 1)
		a.SetExploring(false)
		a.SetRoot(g)
		b.SetRoot(g)
		run(t, hashed{}, a, b)
		return a, b
	}
	a, b := both()
	if diff := cmp.Diff(drawing(b), drawing(a)); diff != "" {
		t.Errorf("at the first root:\n%s", diff)
	}
	m := b.Choose(math.Inf(1), nil)
	a.Advance(m)
	b.Advance(m)
	run(t, hashed{}, a, b)
	if diff := cmp.Diff(drawing(b), drawing(a)); diff != "" {
		t.Errorf("at the second root:\n%s", diff)
	}
	a, b = both()
	a.SetExploring(true)
	a.Advance(m)
	b.Advance(m)
	run(t, hashed{}, a, b)
	if drawing(a) == drawing(b) {
		t.Error("no noise where it explores again")
	}
}

func TestChoose(t *testing.T) {
	s := tree(t, search.Config{Visits: 100, CPuct: 4}, 0, game(t, chess.Atomic, ""), hashed{})
	rng := rand.New(rand.NewPCG(1, 1))
	for _, power := range []float64{0.5, 1, 4, 1e6} {
		const draws = 20000
		count := make(map[chess.Move]int)
		for range draws {
			count[s.Choose(power, rng)]++
		}
		var total float64
		for _, e := range s.Root() {
			total += math.Pow(float64(e.Visits)/100, power)
		}
		for _, e := range s.Root() {
			if e.Visits == 0 && count[e.Move] > 0 {
				t.Errorf("power %v: chose %s without visits", power, e.Move)
			}
			want := math.Pow(float64(e.Visits)/100, power) / total
			if have := float64(count[e.Move]) / draws; power < 100 && math.Abs(have-want) > 0.015 {
				t.Errorf("power %v: chose %s with frequency %v, want %v", power, e.Move, have, want)
			}
		}
	}
}

// broken gives a bad answer of the kind named.
type broken struct {
	hashed
	kind string
}

func (b broken) Evaluate(leaves []*encode.Leaf) error {
	for _, l := range leaves {
		switch b.kind {
		case "NaN value":
			l.Value = float32(math.NaN())
		case "value 2":
			l.Value = 2
		case "NaN prior":
			l.Priors[1] = float32(math.NaN())
		case "negative prior":
			l.Priors[1] = -0.1
		case "too few priors":
			l.Priors = l.Priors[:3]
		}
	}
	return nil
}

func TestBadAnswers(t *testing.T) {
	for _, kind := range []string{"NaN value", "value 2", "NaN prior", "negative prior", "too few priors"} {
		s := search.NewTree(search.Config{Visits: 10, CPuct: 1}, 0)
		s.SetRoot(game(t, chess.Atomic, ""))
		if err := search.Run(context.Background(), []*search.Tree{s}, broken{kind: kind}); err == nil {
			t.Errorf("%s: no error", kind)
		}
		run(t, hashed{}, s) // the tree is still sound
		if s.Evaluations() == 0 || len(s.PV()) == 0 {
			t.Errorf("%s: the tree cannot go on", kind)
		}
	}
	s := search.NewTree(search.Config{Visits: 10}, 0)
	if err := s.Backup(); err == nil {
		t.Error("Backup without a request is not an error")
	}
}

func TestConfig(t *testing.T) {
	for value, want := range map[string]search.FPU{"zero": {}, "parent": {Parent: true}, "0.3": {Parent: true, Reduction: 0.3}} {
		var c search.Config
		if err := c.Set("fpu", value); err != nil || c.FPU != want {
			t.Errorf("fpu=%s: %v, %v", value, c.FPU, err)
		}
	}
	for _, value := range []string{"", "NaN", "-11", "best", "1e300"} {
		if err := new(search.Config).Set("fpu", value); err == nil {
			t.Errorf("fpu=%s: no error", value)
		}
	}
	if err := (search.Config{Visits: 800, CPuct: 2, Noise: search.Noise{Alpha: 0.3, Weight: 0.25}}).Validate(); err != nil {
		t.Error(err)
	}
	for _, c := range []search.Config{
		{Visits: -1}, {CPuct: -1}, {CPuct: math.NaN()}, {CBase: math.Inf(1)}, {ExpandAt: -1},
		{Leaves: -1}, {Leaves: 4097}, {Cache: -1}, {Cache: 100_000_001},
		{Noise: search.Noise{Alpha: 0.3, Weight: 1.5}}, {Noise: search.Noise{Weight: 0.25}}, {ForcedPlayouts: -1}, {Nodes: -1},
		{Root: search.Root{Considered: -1}}, {Root: search.Root{CVisit: -1}}, {Root: search.Root{CScale: math.NaN()}}, {Root: search.Root{Noise: -1}},
	} {
		if c.Validate() == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

// What the memory of a tree, and half of its speed, comes down to.
func TestSizes(t *testing.T) {
	if search.SizeofEdge > 32 || search.SizeofNode > 32 || search.SizeofStub > 8 {
		t.Errorf("an edge has %d bytes, a node %d, a stub %d, want up to 32, 32 and 8", search.SizeofEdge, search.SizeofNode, search.SizeofStub)
	}
	const visits = 20_000
	s := tree(t, search.Config{Visits: visits, CPuct: 2}, 0, game(t, chess.Atomic, ""), hashed{})
	if n := s.Bytes() / visits; n > 600 {
		t.Errorf("a tree has %d bytes a visit", n)
	}
}

// A warm search allocates nothing for a visit, also with the squares of values.
func TestAllocations(t *testing.T) {
	g := game(t, chess.Atomic, "")
	for _, scale := range []float64{0, 0.85} {
		s := search.NewTree(search.Config{Visits: 2000, CPuct: 2, CStdev: scale, ExpandAt: 2, Leaves: 4, Solver: true, TreeReuse: true}, 0)
		var leaves []*encode.Leaf
		once := func() {
			s.SetRoot(g)
			for {
				if leaves = s.Select(search.Uniform{}, leaves[:0]); len(leaves) == 0 {
					break
				}
				if err := s.Backup(); err != nil {
					t.Fatal(err)
				}
			}
			s.Advance(s.Choose(math.Inf(1), nil))
		}
		once() // Advance changes between two sets of arrays, and each grows once
		if n := testing.AllocsPerRun(2, once); n > 0 {
			t.Errorf("c_stdev %v: %v allocations in 2000 visits of a warm search", scale, n)
		}
	}
}

// One operation is one visit, in searches of 800 visits from positions of an
// opening and a middle game, with an evaluator that costs next to nothing.
func BenchmarkVisit(b *testing.B) {
	for _, v := range []chess.Variant{chess.Standard, chess.Atomic} {
		b.Run(v.String(), func(b *testing.B) {
			games := []*chess.Game{
				game(b, v, ""),
				game(b, v, "r2q1rk1/pp1n1ppp/2p1pn2/3p4/2PP4/1P2PN2/P4PPP/R2QKB1R w KQ - 0 10"),
			}
			s := search.NewTree(search.Config{Visits: 800, CPuct: 2, ExpandAt: 2}, 0)
			var leaves []*encode.Leaf
			for i := range b.N {
				if s.Done() || i == 0 {
					s.SetRoot(games[i%len(games)])
				}
				leaves = s.Select(search.Uniform{}, leaves[:0])
				if len(leaves) > 0 {
					if err := s.Backup(); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "visits/s")
		})
	}
}

// A search makes as many visits as the setting says in all, or in addition to those kept.
func TestFreshVisits(t *testing.T) {
	for _, fresh := range []bool{false, true} {
		for _, root := range []search.Root{{}, {Considered: 4}} {
			s := tree(t, search.Config{Visits: 50, CPuct: 1, TreeReuse: true, FreshVisits: fresh, Root: root}, 1, game(t, chess.Standard, ""), hashed{})
			for range 3 {
				s.Advance(s.Choose(math.Inf(1), nil))
				want := 50
				if kept := s.Visits(); kept == 0 || kept >= 50 {
					t.Fatalf("%d visits were kept: nothing is tested", kept)
				} else if fresh {
					want += kept
				}
				run(t, hashed{}, s)
				if have := s.Visits(); have != want {
					t.Errorf("fresh %t, root %+v: %d visits, want %d", fresh, root, have, want)
				}
			}
		}
	}
}
