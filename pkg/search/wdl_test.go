package search_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
)

// drawish is hashed with an opinion about draws.
type drawish struct{ hashed }

// drawOf is that opinion: as likely as the value leaves room for, or less.
func drawOf(p *chess.Position) (value, draw float64) {
	key := identity(p)
	value = 2*unit(key) - 1
	return value, (1 - math.Abs(value)) * unit(key, 7)
}

func (d drawish) Prepare(l *encode.Leaf, g *chess.Game, moves []chess.Move) {
	d.hashed.Prepare(l, g, moves)
	value, draw := drawOf(g.Position())
	l.WDL = [3]float32{float32((1 - draw + value) / 2), float32(draw), float32((1 - draw - value) / 2)}
}

// meanDraw is what WDL's draws are to be, counted visit by visit: those that ended in a
// position say what is thought of it.
func meanDraw(g *chess.Game, s *search.Tree, twofold bool) float64 {
	at := map[string]int{"": 0}
	type place struct {
		draw  float64
		ended int
	}
	_, draw := drawOf(g.Position())
	places := []place{{draw, 1}}
	key := func(path []chess.Move) (k string) {
		for _, m := range path {
			k += m.String() + " "
		}
		return k
	}
	s.Walk(func(path []chess.Move, e search.Edge) bool {
		here := g.Clone()
		for _, m := range path {
			here.Play(m)
		}
		var l chess.MoveList
		here.Position().LegalMoves(&l)
		_, draw := drawOf(here.Position())
		if o := here.Outcome(&l); o.Over() {
			draw = 0
			if o.Result == chess.Draw {
				draw = 1
			}
		} else if twofold && here.Repetitions() > 0 {
			draw = 1
		}
		if len(path) > 1 {
			places[at[key(path[:len(path)-1])]].ended -= e.Visits
		}
		at[key(path)] = len(places)
		places = append(places, place{draw, e.Visits})
		return true
	})
	sum, visits := 0.0, 0
	for _, p := range places {
		sum += float64(p.ended) * p.draw
		visits += p.ended
	}
	return sum / float64(visits)
}

// The draws of a search are the mean over its visits, from move to move, and what is
// told of each move adds up to what is told of the position; they change no visit, and
// a cache does not change them.
func TestWDL(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, g := configs(t), randomGame(t)
		cfg.Solver, cfg.Visits = false, max(cfg.Visits, 1)
		s, plain := search.NewTree(cfg, 1), search.NewTree(cfg, 1)
		s.SetRoot(g)
		plain.SetRoot(g)
		for range 3 {
			run(t, drawish{}, s)
			run(t, hashed{}, plain)
			if drawing(s) != drawing(plain) {
				t.Fatal("draws have changed the search")
			}
			wdl, ok := s.WDL()
			if _, knows := plain.WDL(); knows || !ok && len(s.Root()) > 0 {
				t.Fatalf("draws are known: %v, and without a network that tells them: %v", ok, knows)
			}
			if len(s.Root()) == 0 {
				return
			}
			if want := meanDraw(g, s, cfg.TwofoldDraws); math.Abs(wdl[1]-want) > 1e-5 {
				t.Fatalf("draws %v, counted %v", wdl[1], want)
			}
			check(t, wdl, s.Value())
			_, sum := drawOf(g.Position())
			for _, e := range s.Root() {
				of, ok := s.WDLOf(e.Move)
				if ok != (e.Visits > 0) {
					t.Fatalf("%v has %d visits; draws are known: %v", e.Move, e.Visits, ok)
				}
				if ok {
					check(t, of, e.Q)
					sum += float64(e.Visits) * of[1]
				}
			}
			if mean := sum / float64(1+s.Visits()); math.Abs(mean-wdl[1]) > 1e-5 {
				t.Fatalf("the moves' draws come to %v, the position's are %v", mean, wdl[1])
			}
			m := s.Choose(math.Inf(1), nil)
			g.Play(m)
			s.Advance(m)
			plain.Advance(m)
		}
	})
}

func check(t *rapid.T, wdl [3]float64, value float64) {
	t.Helper()
	if sum := wdl[0] + wdl[1] + wdl[2]; min(wdl[0], wdl[1], wdl[2]) < -1e-6 || math.Abs(sum-1) > 1e-6 || math.Abs(wdl[0]-wdl[2]-value) > 1e-5 {
		t.Fatalf("%v, of the value %v", wdl, value)
	}
}

// Where the result is known it alone counts, and nothing is told before anything is
// known.
func TestWDLExact(t *testing.T) {
	s := search.NewTree(search.Config{Visits: 5000, CPuct: 1, Solver: true}, 1)
	s.SetRoot(game(t, chess.Standard, "k7/8/1K6/8/8/8/1Q6/8 w - - 0 1"))
	if wdl, ok := s.WDL(); ok {
		t.Errorf("%v of a position that nobody was asked about", wdl)
	}
	run(t, drawish{}, s)
	if wdl, ok := s.WDL(); !ok || wdl != [3]float64{1, 0, 0} {
		t.Errorf("%v (%v) of a position that is won", wdl, ok)
	}
	if wdl, ok := s.WDLOf(s.PV()[0]); !ok || wdl != [3]float64{1, 0, 0} {
		t.Errorf("%v (%v) of the move that wins", wdl, ok)
	}
}
