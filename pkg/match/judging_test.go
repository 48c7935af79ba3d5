package match

import (
	"slices"
	"testing"

	"alamos/pkg/chess"
)

// thought is a game in which the players thought this of their own chances, White
// first; 9 is an opening move.
func thought(thoughts ...float64) *Game {
	g := &Game{Start: chess.StartPosition(chess.Standard)}
	for _, x := range thoughts {
		in := Info{Score: &x}
		if x == 9 {
			g.Opening++
			in = Info{}
		}
		g.Moves = append(g.Moves, 0)
		g.Infos = append(g.Infos, in)
	}
	return g
}

func TestJudge(t *testing.T) {
	resign := Judge{Resign: Resign{Score: -0.9, Moves: 2}}
	draw := Judge{Draw: Draw{Score: 0.05, Moves: 2, From: 3}}
	for name, c := range map[string]struct {
		judge Judge
		game  *Game
		want  chess.Result
	}{
		"nothing":                     {resign, thought(), chess.Unfinished},
		"too few moves":               {resign, thought(-1, 1, -1), chess.Unfinished},
		"White gives up":              {resign, thought(0, 0, -0.95, 0.95, -0.92, 0.99), chess.BlackWins},
		"White gives up, after White": {resign, thought(0, 0, 0, 0.95, -0.92, 0.99, -1), chess.BlackWins},
		"Black gives up":              {resign, thought(0.9, -0.9, 1, -1), chess.WhiteWins},
		"Black sees more":             {resign, thought(0.9, -0.9, 1, -0.8), chess.Unfinished},
		"White sees less":             {resign, thought(0.9, -0.9, 0.5, -0.95), chess.Unfinished},
		"the opening does not count":  {resign, thought(9, 9, 1, -1), chess.Unfinished},
		"nor players without opinion": {resign, func() *Game { g := thought(1, -1, 1, -1); g.Infos[1] = Info{}; return g }(), chess.Unfinished},
		"drawn":                       {draw, thought(0.5, -0.5, 0, 0.05, -0.05, 0), chess.Draw},
		"too early":                   {draw, thought(0, 0, 0), chess.Unfinished},
		"not drawn":                   {draw, thought(0, 0, 0, 0.06, 0, 0), chess.Unfinished},
		"no judge":                    {Judge{}, thought(1, -1, 1, -1, 0, 0, 0, 0, 0, 0), chess.Unfinished},
	} {
		if err := c.judge.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if have := c.judge.result(c.game); c.judge.result(thought()) != chess.Unfinished || have != c.want {
			t.Errorf("%s: %v, want %v", name, have, c.want)
		}
	}
	for _, j := range []Judge{
		{Resign: Resign{Score: 0.5}}, {Resign: Resign{-1, 1}}, {Resign: Resign{Score: -0.5}},
		{Draw: Draw{Score: -1}}, {Draw: Draw{Score: 1}}, {Draw: Draw{Moves: -1}}, {Draw: Draw{From: -1}},
	} {
		if j.Validate() == nil {
			t.Errorf("%+v is accepted", j)
		}
	}
}

// The judge ends games sooner and is asked about every position.
func TestJudgedTournament(t *testing.T) {
	cfg := Tournament{Variant: chess.Atomic, Rounds: 8, MaxMoves: 60, Seed: 2}
	players := []Entry{alphaBetaEntry("a", 2), alphaBetaEntry("b", 1)}
	whole := play(t, cfg, players...)
	judge := Judge{Resign: Resign{Score: -0.02, Moves: 2}} // a pawn and a half
	cfg.Judge = judge
	judged := 0
	for i, g := range play(t, cfg, players...) {
		if g.Outcome.Reason == chess.Adjudication {
			judged++
			if n := len(g.Moves); n >= len(whole[i].Moves) || !slices.Equal(g.Moves, whole[i].Moves[:n]) || judge.result(g) != g.Outcome.Result {
				t.Errorf("game %d: %v after %d plies, %v after %d without the judge", i, g.Outcome, n, whole[i].Outcome, len(whole[i].Moves))
			}
		}
	}
	if judged == 0 {
		t.Error("no game was judged")
	}
}
