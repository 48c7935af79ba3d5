package selfplay_test

import (
	"reflect"
	"slices"
	"testing"

	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
)

// winning is a network that is sure of White's win.
type winning struct{ hashed }

func (w winning) Evaluate(leaves []*encode.Leaf) error {
	err := w.hashed.Evaluate(leaves)
	for _, l := range leaves {
		l.Value = l.Sign
	}
	return err
}

// Decided games are played with fewer visits and leave fewer samples; others do not change.
func TestDecided(t *testing.T) {
	cfg := config()
	cfg.LongGames, cfg.Search.TreeReuse = "draw", false
	open := play(t, cfg, 1)
	cfg.Decided = selfplay.Decided{Value: 0.999, Plies: 3, Visits: 2, Weight: 0.2}
	same := play(t, cfg, 2)
	for i := range open {
		if !reflect.DeepEqual(open[i].Moves, same[i].Moves) {
			t.Fatalf("game %d is another one, although nothing is decided", i)
		}
	}

	var records [2][]*selfplay.Record
	for i, workers := range []int{1, 3} {
		records[i] = playWith(t, cfg, slices.Repeat([]search.Net{winning{}}, workers))
	}
	if !reflect.DeepEqual(records[0], records[1]) {
		t.Error("other games with other workers")
	}
	plies, samples, evaluations, most := 0, 0, 0, 0
	for _, r := range records[0] {
		late := max(0, len(r.Moves)-cfg.Decided.Plies)
		most += (len(r.Moves)-late)*(cfg.Search.Visits+1) + late*(cfg.Decided.Visits+1)
		evaluations += r.Evaluations
		plies += late
		for _, s := range r.Samples {
			if int(s.Ply) >= cfg.Decided.Plies {
				samples++
			}
		}
	}
	if evaluations > most*3/2 { // Black may see a win that the network does not
		t.Errorf("%d evaluations, want about %d", evaluations, most)
	}
	if share := float64(samples) / float64(plies); plies < 100 || share < 0.1 || share > 0.3 {
		t.Errorf("%d samples of %d decided plies", samples, plies)
	}

	cfg.Decided.Visits = cfg.Search.Visits + 1
	if err := cfg.Validate(codec(t, cfg.Variant)); err == nil {
		t.Error("a decided game has more visits than another")
	}
}
