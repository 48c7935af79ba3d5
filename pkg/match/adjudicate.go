package match

import (
	"context"
	"fmt"
	"math"

	"alamos/pkg/chess"
)

// Judge ends games by what the players think of them, as in a game between people:
// one resigns, or they agree on a draw. The zero Judge ends no game.
type Judge struct {
	// Resign is the expected result, below 0, at which the player to move gives up:
	// when its expected result was no better, and the opponent's no worse than -Resign,
	// for ResignMoves moves of each. 0: never.
	Resign      float64
	ResignMoves int

	// Draw is the largest expected result, for either side, of a game that both players
	// expect to be drawn for DrawMoves moves of each, from full move DrawFrom on. 0 moves:
	// never.
	Draw      float64
	DrawMoves int
	DrawFrom  int
}

// Validate returns an error for a judge that makes no sense.
func (j *Judge) Validate() error {
	switch {
	case !(j.Resign > -1 && j.Resign <= 0):
		return fmt.Errorf("match: judge: want a resignation above -1 and below 0, or 0 for none, have %v", j.Resign)
	case j.Resign < 0 && j.ResignMoves < 1:
		return fmt.Errorf("match: judge: want a resignation after 1 move or more, have %d", j.ResignMoves)
	case !(j.Draw >= 0 && j.Draw < 1):
		return fmt.Errorf("match: judge: want a draw from 0 to below 1, have %v", j.Draw)
	case j.DrawMoves < 0 || j.DrawFrom < 0:
		return fmt.Errorf("match: judge: want a draw after 0 moves or more, have %d from move %d", j.DrawMoves, j.DrawFrom)
	}
	return nil
}

// Adjudicate is an [Adjudicator].
func (j *Judge) Adjudicate(_ context.Context, games []*Game) ([]chess.Result, error) {
	results := make([]chess.Result, len(games))
	for i, g := range games {
		results[i] = j.result(g)
	}
	return results, nil
}

func (j *Judge) result(g *Game) chess.Result {
	n := len(g.Moves)
	if n == 0 {
		return chess.Unfinished
	}
	last := g.Start.Turn() // who has made the last move
	if n%2 == 0 {
		last = last.Other()
	}
	// The least and the most that the players expected, in the last moves, for the side
	// that made the last move.
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
	if j.Resign < 0 {
		switch least, most, ok := extremes(j.ResignMoves); {
		case ok && most <= j.Resign:
			return chess.Win(last.Other())
		case ok && least >= -j.Resign:
			return chess.Win(last)
		}
	}
	if j.DrawMoves > 0 && (g.Start.Ply()+n)/2+1 >= j.DrawFrom {
		if least, most, ok := extremes(j.DrawMoves); ok && least >= -j.Draw && most <= j.Draw {
			return chess.Draw
		}
	}
	return chess.Unfinished
}

// Adjudicator may end games before the rules do. It is called after every move with the
// games of a pair that are being played, whose Moves, the opening included, and Infos
// are those so far. It returns a result for each, chess.Unfinished where the game
// continues. The answer to one game must not depend on the others. It is called by many
// goroutines at once, and must keep nothing of the games. An error ends the tournament.
type Adjudicator func(ctx context.Context, games []*Game) ([]chess.Result, error)

// InTurn returns an adjudicator that calls others in turn; the first one that ends a
// game decides. It is nil without any.
func InTurn(all ...Adjudicator) Adjudicator {
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return func(ctx context.Context, games []*Game) ([]chess.Result, error) {
		results := make([]chess.Result, len(games))
		for _, adjudicate := range all {
			next, err := adjudicate(ctx, games)
			if err != nil {
				return nil, err
			}
			for i, r := range next {
				if results[i] == chess.Unfinished {
					results[i] = r
				}
			}
		}
		return results, nil
	}
}
