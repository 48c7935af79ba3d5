package run

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

func TestTally(t *testing.T) {
	sample := func(value float32, indices []int32, policy ...float32) *encode.Sample {
		return &encode.Sample{Value: value, Indices: indices, Policy: policy}
	}
	leaf := func(value float32, priors ...float32) *encode.Leaf {
		return &encode.Leaf{Value: value, Priors: priors}
	}
	var y tally
	// The first, among the first five though not the first, and neither.
	y.add(sample(1, []int32{2, 6}, 0.9, 0.1), leaf(0.5, 0, 0.1, 0.6, 0, 0.2, 0.1, 0), true, false)
	y.add(sample(0, []int32{4}, 1), leaf(0.5, 0, 0.1, 0.6, 0, 0.2, 0.1, 0), true, false)
	y.add(sample(-1, []int32{6}, 1), leaf(1, 0.2, 0.1, 0.4, 0.1, 0.1, 0.1, 0), true, false)
	// Of moves with equal targets the first counts, of equal priors the first is more.
	y.add(sample(0, []int32{1, 0}, 0.5, 0.5), leaf(0, 0.5, 0.5), true, false)
	// No target, and no priors.
	y.add(sample(0, nil), leaf(0, 0.5, 0.5), true, false)
	y.add(sample(0, []int32{0}, 1), leaf(0), true, false)
	// No result.
	y.add(sample(0, []int32{1}, 1), leaf(0.9, 0.5, 0.4), false, false)
	want := store.PhaseAccuracy{Phase: "x", Positions: 7, Top1: 0.2, Top5: 0.8, ValueError: stats.Float((0.25 + 0.25 + 4) / 6)}
	if diff := cmp.Diff(want, y.row("x")); diff != "" {
		t.Errorf("(-want +have)\n%s", diff)
	}
	for _, x := range []stats.Float{new(tally).row("").Top1, new(tally).row("").Top5, new(tally).row("").ValueError} {
		if !math.IsNaN(float64(x)) {
			t.Errorf("of nothing: %v", x)
		}
	}
}

func TestPhases(t *testing.T) {
	for fen, want := range map[string]int{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1":  opening,
		"r1b1kb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1":  opening,    // 11
		"r1b1kb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1":  middlegame, // 10
		"4kb1r/pppppppp/8/8/8/8/PPPPPPPP/R1BQKB2 w - - 0 1":         endgame,    // 6
		"4kb1r/pppppppp/8/8/8/8/PPPPPPPP/R1BQKB1R w - - 0 1":        middlegame, // 7
		"4k3/pppppppp/pppppppp/8/8/PPPPPPPP/PPPPPPPP/4K3 w - - 0 1": endgame,
		"4k3/8/8/8/8/8/8/4K3 w - - 0 1":                             endgame,
	} {
		var n [chess.King + 1]int
		for _, c := range fen {
			for k, letter := range " pnbrqk" {
				if c == letter || c == letter-'a'+'A' && letter != ' ' {
					n[k]++
				}
			}
			if c == ' ' {
				break
			}
		}
		if have := phaseOf(n); have != want {
			t.Errorf("%s: %s, want %s", fen, store.Phases[have], store.Phases[want])
		}
	}
}
