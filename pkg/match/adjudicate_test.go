package match

import (
	"context"
	"strings"
	"testing"

	"alamos/pkg/chess"
)

// early ends games after a number of plies that hangs on the game alone.
func early(_ context.Context, games []*Game) ([]chess.Result, error) {
	results := make([]chess.Result, len(games))
	for i, g := range games {
		results[i] = chess.Unfinished
		if len(g.Moves) >= 6+g.Number%3 {
			results[i] = chess.Win(chess.Color(g.Number % 2))
		}
	}
	return results, nil
}

func TestAdjudicate(t *testing.T) {
	cfg := Tournament{Variant: chess.Standard, Rounds: 8, RandomPlies: 2, Seed: 3, Adjudicate: early}
	games := play(t, cfg, randomEntry("a"), randomEntry("b"))
	for _, g := range games {
		want := chess.Outcome{Result: chess.Win(chess.Color(g.Number % 2)), Reason: chess.Adjudication}
		if g.Outcome != want || len(g.Moves) != 6+g.Number%3 || len(g.Infos) != len(g.Moves) {
			t.Errorf("game %d: %v after %d plies with %d infos", g.Number, g.Outcome, len(g.Moves), len(g.Infos))
		}
		back, err := fromPGN(g.PGN("test"))
		if err != nil || back.Outcome != want {
			t.Errorf("game %d is read as %v, %v", g.Number, back, err)
		}
	}
	cfg.Workers, cfg.Together = 2, 3
	if again := play(t, cfg, randomEntry("a"), randomEntry("b")); pgn(t, again) != pgn(t, games) {
		t.Error("other games with other workers")
	}
}

func TestAdjudicateFails(t *testing.T) {
	cfg := Tournament{Variant: chess.Standard, Rounds: 2, Seed: 3}
	for want, judge := range map[string]func(context.Context, []*Game) ([]chess.Result, error){
		"no judge today":        func(context.Context, []*Game) ([]chess.Result, error) { return nil, errNoJudge },
		"0 results for 2 games": func(context.Context, []*Game) ([]chess.Result, error) { return nil, nil },
	} {
		cfg.Adjudicate = judge
		err := gamesOf(cfg, []Entry{randomEntry("a"), randomEntry("b")}).Play(t.Context(), ignore)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "adjudicating") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

type judgeError string

func (e judgeError) Error() string { return string(e) }

const errNoJudge = judgeError("no judge today")
