package match

import (
	"context"
	"errors"
	"math"

	"alamos/pkg/chess"
	"alamos/pkg/config"
)

// Judge adjudicates games from the players' scores, as people do: a player resigns, or both
// agree on a draw. The zero Judge ends no game.
type Judge struct {
	Resign Resign `key:"resign" flags:"optional" doc:"Resignation: a game ends when both players agree that one of them is lost. If absent, no player resigns."`
	Draw   Draw   `key:"draw" flags:"optional" doc:"Draw by agreement: a game ends when both players consider it drawn. If absent, it continues."`
}

// Resign is the condition under which a game counts as resigned: both players consider the
// same side lost.
type Resign struct {
	Score float64 `key:"score" default:"-0.95" range:">-1..<0" doc:"Expected score, from -1 to 1, at which a player considers itself lost."`
	Moves int     `key:"moves" default:"3" range:"1..1000" unit:"moves of each side" doc:"Number of consecutive moves for which the player's score is no higher and its opponent agrees."`
}

// Draw is the condition under which a game is agreed drawn.
type Draw struct {
	Score float64 `key:"score" default:"0.02" range:"0..<1" doc:"Largest expected score, for either side, that counts as drawn."`
	Moves int     `key:"moves" default:"8" range:"1..1000" unit:"moves of each side" doc:"Number of consecutive moves for which both players agree."`
	From  int     `key:"from" default:"40" range:"0..10000" unit:"moves" doc:"First move at which players can agree on a draw."`
}

// Validate returns an error for settings that contradict each other or are out of range.
func (j *Judge) Validate() error {
	if err := config.Check("tournament", j); err != nil {
		return err
	}
	if j.Resign.Score < 0 && j.Resign.Moves < 1 {
		return errors.New("tournament.resign.moves: want at least 1 move, have none")
	}
	return nil
}

// result returns the result of a running game, or chess.Unfinished if it continues.
func (j *Judge) result(g *Game) chess.Result {
	n := len(g.Moves)
	if n == 0 {
		return chess.Unfinished
	}
	last := g.Start.Turn() // side that made the last move
	if n%2 == 0 {
		last = last.Other()
	}
	// extremes returns the lowest and highest expected result for the side that made the
	// last move, over both players' scores in the last moves.
	extremes := func(moves int) (least, most float64, ok bool) {
		least, most = math.Inf(1), math.Inf(-1)
		for i := n - 2*moves; i < n; i++ {
			if i < g.Opening || g.Infos[i].Score == nil {
				return 0, 0, false
			}
			x := *g.Infos[i].Score
			if (n-1-i)%2 == 1 {
				x = -x
			}
			least, most = min(least, x), max(most, x)
		}
		return least, most, true
	}
	if j.Resign.Score < 0 {
		switch least, most, ok := extremes(j.Resign.Moves); {
		case ok && most <= j.Resign.Score:
			return chess.Win(last.Other())
		case ok && least >= -j.Resign.Score:
			return chess.Win(last)
		}
	}
	if j.Draw.Moves > 0 && (g.Start.Ply()+n)/2+1 >= j.Draw.From {
		if least, most, ok := extremes(j.Draw.Moves); ok && least >= -j.Draw.Score && most <= j.Draw.Score {
			return chess.Draw
		}
	}
	return chess.Unfinished
}

// Adjudicator may end games before the rules do. Play calls it after every move with the
// running games of a pair; their Moves (opening included) and Infos reach up to that move.
// It returns one result for each game, and chess.Unfinished where the game continues. The
// result of one game must not depend on the other games. Many goroutines call it at once,
// and it must not retain the games. An error ends the tournament.
type Adjudicator func(ctx context.Context, games []*Game) ([]chess.Result, error)
