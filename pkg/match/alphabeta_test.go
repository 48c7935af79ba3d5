package match

import (
	"context"
	"errors"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

func alphaBetaEntry(name string, depth int) Entry {
	return Entry{Name: name, New: func() (Player, error) {
		return NewAlphaBeta(name, uci.Limit{Depth: depth}, search.AlphaBeta{Valuer: &Material{}})
	}}
}

// Counting pieces two plies ahead wins against random moves in every variant in
// which pieces are good to have, and its games do not depend on workers.
func TestAlphaBetaBeatsRandom(t *testing.T) {
	for _, v := range []chess.Variant{chess.Standard, chess.Atomic, chess.ThreeCheck} {
		cfg := Tournament{Variant: v, Rounds: 12, MaxMoves: 60, Seed: 1}
		games := play(t, cfg, alphaBetaEntry("two", 2), randomEntry("random"))
		r := NewResults([]string{"two", "random"})
		for _, g := range games {
			if err := r.Add(g); err != nil {
				t.Fatal(err)
			}
			checkGame(t, g, cfg.MaxMoves)
		}
		if s := r.Standings()[0]; s.Losses > 0 || s.Score() < 8 {
			t.Errorf("%s: %+v", v, s.Record)
		}
		if g := games[0]; g.Infos[0].Depth != 2 && g.Infos[1].Depth != 2 || g.Infos[0].Score == nil && g.Infos[1].Score == nil {
			t.Errorf("%s: infos %+v", v, g.Infos[:2])
		}
		cfg.Workers, cfg.Together = 2, 5
		if again := play(t, cfg, alphaBetaEntry("two", 2), randomEntry("random")); pgn(t, again) != pgn(t, games) {
			t.Errorf("%s: other games with other workers", v)
		}
	}
}

// Equal moves are drawn: the games of a pair are not all one game.
func TestAlphaBetaVaries(t *testing.T) {
	games := play(t, Tournament{Variant: chess.Atomic, Rounds: 6, MaxMoves: 30, Seed: 1}, alphaBetaEntry("a", 1), alphaBetaEntry("b", 1))
	seen := map[chess.Move]bool{}
	for _, g := range games {
		seen[g.Moves[0]] = true
	}
	if len(seen) < 2 {
		t.Errorf("all games begin with %v", seen)
	}
}

func TestAlphaBetaRefuses(t *testing.T) {
	if _, err := NewAlphaBeta("a", uci.Limit{}, search.AlphaBeta{Valuer: &Material{}}); err == nil || !strings.Contains(err.Error(), "player a") {
		t.Errorf("error %v", err)
	}
	bad := Entry{Name: "bad", New: func() (Player, error) {
		return NewAlphaBeta("bad", uci.Limit{Depth: 1}, search.AlphaBeta{Valuer: failing{}})
	}}
	err := gamesOf(Tournament{Variant: chess.Atomic, Rounds: 2, Seed: 1}, []Entry{bad, randomEntry("b")}).Play(t.Context(), ignore)
	if !errors.Is(err, errFailing) || !strings.Contains(err.Error(), "player bad") {
		t.Errorf("error %v", err)
	}
}

var errFailing = errors.New("no values today")

type failing struct{ search.Valuer }

func (failing) Add(*chess.Game, []chess.Move)             {}
func (failing) Values(context.Context) ([]float64, error) { return nil, errFailing }
