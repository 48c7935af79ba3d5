package selfplay_test

import (
	"math"
	"reflect"
	"testing"

	"alamos/pkg/search"
	"alamos/pkg/selfplay"
)

// Games with a Gumbel root depend only on seed and settings, those of fast searches
// included, and what is learned are whole policies.
func TestGumbel(t *testing.T) {
	cfg := config()
	cfg.Search.Root = search.Root{Considered: 4, CVisit: 50, CScale: 1, Noise: 1}
	cfg.PlayoutCap = selfplay.PlayoutCap{Full: 0.5, Visits: 4}
	records := play(t, cfg, 1)
	if again := play(t, cfg, 3); !reflect.DeepEqual(records, again) {
		t.Error("other games with other workers")
	}
	for _, r := range records {
		for _, s := range r.Samples {
			sum := 0.0
			for _, p := range s.Policy {
				if !(p >= 0) {
					t.Fatalf("game %d, ply %d: a target of %v", r.Number, s.Ply, p)
				}
				sum += float64(p)
			}
			positive := 0
			for _, p := range s.Policy {
				if p > 0 {
					positive++
				}
			}
			if len(s.Policy) > 4 && positive <= 4 {
				t.Errorf("game %d, ply %d: only the visited moves are learned", r.Number, s.Ply)
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Errorf("game %d, ply %d: a target of sum %v", r.Number, s.Ply, sum)
			}
		}
	}
	// The draw is the noise's: the power does not matter in full searches.
	cfg.PlayoutCap = selfplay.PlayoutCap{}
	warm := play(t, cfg, 1)
	cfg.Temperature = selfplay.Temperature{Power: math.Inf(1)}
	if cold := play(t, cfg, 1); !reflect.DeepEqual(warm, cold) {
		t.Error("the temperature changed the games")
	}
}
