package run

import (
	"context"

	"alamos/pkg/chess"
	"alamos/pkg/match"
)

// judge is what may end the games of a tournament.
type judge = func(context.Context, []*match.Game) ([]chess.Result, error)

// inTurn asks judges one after the other; the first that ends a game has the say. It
// is nil without any.
func inTurn(judges []judge) judge {
	switch len(judges) {
	case 0:
		return nil
	case 1:
		return judges[0]
	}
	return func(ctx context.Context, games []*match.Game) ([]chess.Result, error) {
		var results []chess.Result
		for _, j := range judges {
			next, err := j(ctx, games)
			if err != nil {
				return nil, err
			}
			for i := range results {
				if results[i] != chess.Unfinished {
					next[i] = results[i]
				}
			}
			results = next
		}
		return results, nil
	}
}
