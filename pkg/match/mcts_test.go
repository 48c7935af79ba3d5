package match

import (
	"math"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

func limitedEntry(name string, l uci.Limit) Entry {
	cfg := search.Config{Visits: 1_000_000, CPuct: 1}
	return Entry{Name: name, New: func() (Player, error) {
		return NewMCTS(name, TreeSearch{Config: cfg, Power: math.Inf(1), Limit: l}, search.Uniform{})
	}}
}

// A depth ends a search of many visits, each game's own, however many are searched at
// once.
func TestDepthOfTree(t *testing.T) {
	cfg := Tournament{Variant: chess.Atomic, Rounds: 4, MaxMoves: 6, RandomPlies: 4, Seed: 2}
	games := play(t, cfg, limitedEntry("deep", uci.Limit{Depth: 3}), randomEntry("random"))
	for _, g := range games {
		for i, in := range g.Infos {
			if in.Visits == 0 {
				continue // a random move
			}
			if in.Visits >= 1_000_000 || in.Depth < 3 && i < len(g.Infos)-3 {
				t.Errorf("game %d, ply %d: %v", g.Number, i, in)
			}
		}
	}
	cfg.Workers, cfg.Together = 2, 1
	if again := play(t, cfg, limitedEntry("deep", uci.Limit{Depth: 3}), randomEntry("random")); pgn(t, again) != pgn(t, games) {
		t.Error("other games where they are searched one by one")
	}
}

// However short the time, there is a move, and it is not that of all visits.
func TestTimeOfTree(t *testing.T) {
	cfg := Tournament{Variant: chess.Standard, Rounds: 2, MaxMoves: 4, Seed: 2}
	for _, g := range play(t, cfg, limitedEntry("fast", uci.Limit{MoveTime: time.Nanosecond}), limitedEntry("slow", uci.Limit{MoveTime: 5 * time.Millisecond})) {
		checkGame(t, g, cfg.MaxMoves)
		for i, in := range g.Infos {
			if in.Score == nil || in.Visits >= 1_000_000 {
				t.Errorf("game %d, ply %d: %v", g.Number, i, in)
			}
		}
	}
}

func TestLimitIsChecked(t *testing.T) {
	for _, l := range []uci.Limit{{Depth: -1}, {MoveTime: -1}} {
		if _, err := NewMCTS("x", TreeSearch{Config: search.Config{Visits: 1, CPuct: 1}, Power: 1, Limit: l}, search.Uniform{}); err == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
}

// A player uses the exploration that its settings ask for.
func TestNoiseOfTree(t *testing.T) {
	moves := func(weight float64) map[string]bool {
		cfg := search.Config{Visits: 2, CPuct: 1, Noise: search.Noise{Alpha: 0.1, Weight: weight}}
		how := TreeSearch{Config: cfg, Power: math.Inf(1)}
		e := Entry{Name: "noisy", New: func() (Player, error) { return NewMCTS("noisy", how, search.Uniform{}) }}
		out := map[string]bool{}
		for _, g := range play(t, Tournament{Variant: chess.Atomic, Rounds: 8, MaxMoves: 1, Seed: 2}, e, limitedEntry("plain", uci.Limit{Depth: 1})) {
			if g.White == "noisy" {
				out[g.Moves[0].String()] = true
			}
		}
		return out
	}
	if without, with := moves(0), moves(1); len(without) != 1 || len(with) < 3 {
		t.Errorf("first moves without noise %v, with noise %v", without, with)
	}
}
