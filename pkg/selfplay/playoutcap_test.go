package selfplay_test

import (
	"context"
	"math"
	"reflect"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
)

// A share of the moves has a full search and gives the samples; the others are what
// a search with few visits and no noise plays. The games depend on nothing else.
func TestPlayoutCap(t *testing.T) {
	cfg := config()
	cfg.Games = 24
	cfg.Search.TreeReuse = false
	cfg.Search.ForcedPlayouts = 2 // where there is noise
	cfg.Temperature = selfplay.Temperature{Power: math.Inf(1)}
	cfg.PlayoutCap = selfplay.PlayoutCap{Full: 0.25, Visits: 5}
	records := play(t, cfg, 1)
	if again := play(t, cfg, 3); !reflect.DeepEqual(records, again) {
		t.Error("other games with other workers")
	}
	evaluator := search.NewEvaluator(codec(t, cfg.Variant), hashed{})
	fast := cfg.Search.WithoutExploration()
	fast.Visits = cfg.PlayoutCap.Visits
	moves, full := 0, 0
	for _, r := range records {
		p, err := chess.ParseFEN(cfg.Variant, r.Start)
		if err != nil {
			t.Fatal(err)
		}
		g := chess.NewGame(p)
		if len(r.RootValues) != len(r.Moves) {
			t.Fatalf("game %d: %d values of %d moves", r.Number, len(r.RootValues), len(r.Moves))
		}
		samples := r.Samples
		for ply, m := range r.Moves {
			if len(samples) > 0 && int(samples[0].Ply) == ply {
				checkSample(t, codec(t, cfg.Variant), g, r, &samples[0])
				samples = samples[1:]
				full++
			} else {
				tree := search.NewTree(fast, 0)
				tree.SetRoot(g)
				if err := search.Run(context.Background(), []*search.Tree{tree}, evaluator); err != nil {
					t.Fatal(err)
				}
				if want := tree.Choose(math.Inf(1), nil); m != want || r.RootValues[ply] != float32(tree.Value()) {
					t.Errorf("game %d, ply %d: a fast search played %s (%v), want %s (%v)", r.Number, ply, m, r.RootValues[ply], want, tree.Value())
				}
			}
			moves++
			g.Play(m)
		}
		if len(samples) > 0 {
			t.Errorf("game %d: %d samples are of no move, or not in order", r.Number, len(samples))
		}
		if r.Thrown == 0 {
			most := len(r.Samples)*(cfg.Search.Visits+1) + (len(r.Moves)-len(r.Samples))*(cfg.PlayoutCap.Visits+1)
			if r.Evaluations > most {
				t.Errorf("game %d: %d evaluations, want up to %d", r.Number, r.Evaluations, most)
			}
		}
	}
	// Of some hundred draws the share is within four deviations.
	share := float64(full) / float64(moves)
	if off := math.Abs(share - 0.25); moves < 200 || off > 4*math.Sqrt(0.25*0.75/float64(moves)) {
		t.Errorf("%d of %d searches are full", full, moves)
	}
	if want := 0.25*16 + 0.75*5; cfg.MeanVisits() != want {
		t.Errorf("%v visits on average, want %v", cfg.MeanVisits(), want)
	}
	cfg.Search.Nodes = 8
	if want := 0.25*8 + 0.75*5; cfg.MeanVisits() != want {
		t.Errorf("%v visits on average with 8 nodes, want %v", cfg.MeanVisits(), want)
	}
}

// Full searches keep nothing of the search before, which had no noise: their targets are
// those of searches that begin with an empty tree. Fast searches keep it.
func TestPlayoutCapReuse(t *testing.T) {
	cfg := config()
	cfg.Search.Noise = search.Noise{}
	cfg.PlayoutCap, cfg.Search.Visits = selfplay.PlayoutCap{Full: 0.5, Visits: 5}, 40
	c := codec(t, cfg.Variant)
	records := play(t, cfg, 1)
	evaluator := search.NewEvaluator(c, hashed{})
	full, kept := 0, 0
	for _, r := range records {
		p, err := chess.ParseFEN(cfg.Variant, r.Start)
		if err != nil {
			t.Fatal(err)
		}
		g, samples := chess.NewGame(p), r.Samples
		for ply, m := range r.Moves {
			isFull := len(samples) > 0 && int(samples[0].Ply) == ply
			fresh := cfg.Search
			if !isFull {
				fresh.Visits = cfg.PlayoutCap.Visits
			}
			tree := search.NewTree(fresh, 0)
			tree.SetRoot(g)
			if err := search.Run(context.Background(), []*search.Tree{tree}, evaluator); err != nil {
				t.Fatal(err)
			}
			same := r.RootValues[ply] == float32(tree.Value())
			if isFull {
				if full++; !same {
					t.Errorf("game %d, ply %d: a full search has the value %v, want %v", r.Number, ply, r.RootValues[ply], tree.Value())
				}
				samples = samples[1:]
			} else if !same {
				kept++
			}
			g.Play(m)
		}
	}
	if full < 50 || kept < 10 {
		t.Errorf("%d full searches, %d fast ones that keep visits: want more to test", full, kept)
	}
}

// checkSample verifies that s is of the position of g and has the result of r.
func checkSample(t *testing.T, c encode.Codec, g *chess.Game, r *selfplay.Record, s *encode.Sample) {
	t.Helper()
	planes := make([]uint64, c.Planes.Count())
	c.Planes.Encode(planes, g)
	want := float32(r.Outcome.Result)
	if g.Position().Turn() == chess.Black && !c.Planes.White() {
		want = -want
	}
	var sum float64
	for _, p := range s.Policy {
		sum += float64(p)
	}
	if math.Abs(sum-1) > 1e-5 {
		t.Errorf("game %d, ply %d: a target of sum %v", r.Number, s.Ply, sum)
	}
	if !reflect.DeepEqual(planes, s.Planes) || s.Value != want || int(s.Game) != r.Number {
		t.Errorf("game %d, ply %d: a sample of another position or result (%v)", r.Number, s.Ply, s.Value)
	}
}

// With a view from the side to move, the result changes sign from ply to ply,
// whichever plies have samples.
func TestPlayoutCapPerspective(t *testing.T) {
	cfg := config()
	cfg.PlayoutCap = selfplay.PlayoutCap{Full: 0.5, Visits: 3}
	c := moverCodec(t, cfg.Variant)
	black := 0
	err := selfplay.Play(context.Background(), cfg, c, nets(1), func(r *selfplay.Record) {
		p, err := chess.ParseFEN(cfg.Variant, r.Start)
		if err != nil {
			t.Fatal(err)
		}
		g := chess.NewGame(p)
		samples := r.Samples
		for ply, m := range r.Moves {
			if len(samples) > 0 && int(samples[0].Ply) == ply {
				checkSample(t, c, g, r, &samples[0])
				samples = samples[1:]
				if g.Position().Turn() == chess.Black && r.Outcome.Result != chess.Draw {
					black++
				}
			}
			g.Play(m)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if black == 0 {
		t.Error("no sample of Black in a game that was won: nothing was tested")
	}
}
