package selfplay_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
)

var errJudge = errors.New("no judge today")

// A game that is adjudicated keeps its samples, with that result, and no game
// depends on workers.
func TestAdjudicate(t *testing.T) {
	cfg := config()
	cfg.Opening = selfplay.Opening{}
	cfg.Adjudicate = func(r *selfplay.Record) (chess.Result, error) {
		if len(r.Moves) != len(r.RootValues) || r.Outcome.Over() {
			return 0, errJudge
		}
		if len(r.Moves) == 5+r.Number%2 {
			return chess.BlackWins, nil
		}
		return chess.Unfinished, nil
	}
	records := play(t, cfg, 1)
	judged := 0
	for _, r := range records {
		if r.Outcome.Reason != chess.Adjudication {
			continue
		}
		judged++
		if want := 5 + r.Number%2; r.Outcome.Result != chess.BlackWins || len(r.Moves) != want || len(r.Samples) != want || r.Thrown != 0 {
			t.Errorf("game %d: %v, %d moves, %d samples", r.Number, r.Outcome, len(r.Moves), len(r.Samples))
		}
		for _, s := range r.Samples {
			if s.Value != -1 { // atomic16 sees the board as White
				t.Errorf("game %d: value %v", r.Number, s.Value)
			}
		}
	}
	if judged == 0 {
		t.Fatal("all games ended before")
	}
	if again := play(t, cfg, 3); !reflect.DeepEqual(records, again) {
		t.Error("other games with other workers")
	}

	cfg.Adjudicate = func(*selfplay.Record) (chess.Result, error) { return 0, errJudge }
	err := selfplay.Play(context.Background(), cfg, codec(t, cfg.Variant), []search.Net{hashed{}}, func(*selfplay.Record) {})
	if !errors.Is(err, errJudge) || !strings.Contains(err.Error(), "game 0, ply 1") {
		t.Errorf("error %v", err)
	}
}
