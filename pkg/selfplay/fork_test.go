package selfplay_test

import (
	"reflect"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/selfplay"
)

// A fork starts at a position of an earlier game and leaves that game with its first move,
// which is no sample. How the games are shared out decides nothing.
func TestForks(t *testing.T) {
	cfg := config()
	earlier := play(t, cfg, 2)
	after := map[string]map[string]bool{} // FEN -> the moves that were played there
	for _, r := range earlier {
		start, err := chess.ParseFEN(cfg.Variant, r.Start)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Forks = append(cfg.Forks, selfplay.Fork{Start: start, Moves: r.Moves})
		for p, i := start, 0; i < len(r.Moves); i++ {
			if after[p.FEN()] == nil {
				after[p.FEN()] = map[string]bool{}
			}
			after[p.FEN()][p.UCI(r.Moves[i])] = true
			p.Play(r.Moves[i])
		}
	}
	if same := play(t, cfg, 1); !reflect.DeepEqual(earlier, same) {
		t.Error("games change although none is a fork")
	}

	cfg.Opening.ForkShare, cfg.Seed = 1, cfg.Seed+1
	forks := play(t, cfg, 1)
	cfg.Parallel = 2
	if again := play(t, cfg, 3); !reflect.DeepEqual(forks, again) {
		t.Error("other forks with other workers")
	}
	starts := map[string]bool{}
	for _, r := range forks {
		starts[r.Start] = true
		start, err := chess.ParseFEN(cfg.Variant, r.Start)
		if err != nil {
			t.Fatal(err)
		}
		var legal chess.MoveList
		start.LegalMoves(&legal)
		switch played := after[r.Start]; {
		case played == nil:
			t.Errorf("game %d starts at %s, which no game had", r.Number, r.Start)
		case len(played) == 1 && legal.Len() > 1 && played[start.UCI(r.Moves[0])]:
			t.Errorf("game %d begins with %s as the game that it forks", r.Number, start.UCI(r.Moves[0]))
		case len(r.Samples) > 0 && r.Samples[0].Ply == 0:
			t.Errorf("game %d: the first move is a sample", r.Number)
		}
	}
	if len(starts) < cfg.Games/2 {
		t.Errorf("%d games start at %d positions", cfg.Games, len(starts))
	}

	cfg.Opening.ForkShare, cfg.Games = 0.5, 200
	some := play(t, cfg, 2)
	count := 0
	for _, r := range some {
		if len(r.Samples) == 0 || r.Samples[0].Ply > 0 {
			count++
		}
	}
	if count < 70 || count > 130 {
		t.Errorf("%d of %d games are forks", count, cfg.Games)
	}
}
