package search_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
)

// seeing is a network that sees what a real one sees, the planes and the indices
// of the moves, and has opinions about all of it.
type seeing struct{}

func (seeing) Evaluate(leaves []*encode.Leaf) error {
	for _, l := range leaves {
		key := math.Float64bits(unit(append(slices.Clone(l.Planes), uint64(math.Float32bits(l.Sign)))...))
		var sum float64
		for i, index := range l.Indices {
			p := math.Exp(3 * unit(key, uint64(index)))
			l.Priors[i] = float32(p)
			sum += p
		}
		for i := range l.Priors {
			l.Priors[i] = float32(float64(l.Priors[i]) / sum)
		}
		l.Value = float32(2*unit(key) - 1)
		draw := float32(unit(key, 7)) * (1 - max(l.Value, -l.Value))
		l.WDL = [3]float32{(1 - draw + l.Value) / 2, draw, (1 - draw - l.Value) / 2}
	}
	return nil
}

// picture is a drawing with draws, and without the number of evaluations, which a cache
// lowers.
func picture(s *search.Tree) string {
	_, rest, _ := strings.Cut(drawing(s), "\n")
	wdl, ok := s.WDL()
	return fmt.Sprint(rest, wdl, ok)
}

// A cache of any size changes nothing but the number of evaluations, from move to
// move, also where the encoding sees clocks and repetitions and positions come
// back again and again.
func TestCacheChangesNothing(t *testing.T) {
	saved := 0
	rapid.Check(t, func(t *rapid.T) {
		cfg := configs(t)
		cfg.Cache = 0
		names := rapid.SampledFrom([][2]string{{"atomic16", "uci1968"}, {"variants31", "uci2206-mover"}}).Draw(t, "codec")
		g := randomGame(t)
		if rapid.Bool().Draw(t, "shuffle") {
			p, err := chess.ParseFEN(chess.Standard, "7k/8/8/8/8/8/r7/5K2 w - - 90 60")
			if err != nil {
				t.Fatal(err)
			}
			g = chess.NewGame(p)
		}
		codec, err := encode.NewCodec(names[0], names[1], g.Position().Variant())
		if err != nil {
			t.Fatal(err)
		}
		e := search.NewEvaluator(codec, seeing{})
		with := cfg
		with.Cache = rapid.SampledFrom([]int{1, 2, 30, 10_000}).Draw(t, "cache")
		a, b := search.NewTree(cfg, 1), search.NewTree(with, 1)
		for _, s := range []*search.Tree{a, b} {
			s.SetRoot(g)
		}
		for range 3 {
			for _, s := range []*search.Tree{a, b} {
				if err := search.Run(context.Background(), []*search.Tree{s}, e); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(picture(a), picture(b)); diff != "" {
				t.Fatalf("the cache changes the search:\n%s", diff)
			}
			m := a.Choose(math.Inf(1), nil)
			if m == 0 {
				break
			}
			for _, s := range []*search.Tree{a, b} {
				s.Advance(m)
			}
		}
		if b.Evaluations() > a.Evaluations() {
			t.Fatalf("%d evaluations with a cache, %d without", b.Evaluations(), a.Evaluations())
		}
		saved += a.Evaluations() - b.Evaluations()
	})
	if saved == 0 {
		t.Error("the cache was of no use")
	}
}

// A cache saves what transposes, forgets at SetRoot, and costs no allocations.
func TestCache(t *testing.T) {
	codec, err := encode.NewCodec("mover15", "uci1968-mover", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	e := search.NewEvaluator(codec, seeing{})
	g := game(t, chess.Standard, "8/5p2/4k3/8/8/3K4/2P5/8 w - - 0 1")
	s := tree(t, search.Config{Visits: 1000, CPuct: 2, Cache: 5000}, 0, g, e)
	first := s.Evaluations()
	if first > 800 {
		t.Errorf("%d evaluations of 1000 visits in an ending with two pawns", first)
	}
	s.SetRoot(g)
	run(t, e, s)
	if again := s.Evaluations() - first; again != first {
		t.Errorf("%d evaluations in the second search, %d in the first", again, first)
	}
	allocations := testing.AllocsPerRun(2, func() {
		s.SetRoot(g)
		var leaves [1]*encode.Leaf
		for {
			asked := s.Select(search.Uniform{}, leaves[:0])
			if len(asked) == 0 {
				break
			}
			if err := s.Backup(); err != nil {
				t.Fatal(err)
			}
		}
	})
	if allocations > 0 {
		t.Errorf("%v allocations in a warm search", allocations)
	}
}
