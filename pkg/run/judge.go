package run

import (
	"context"
	"math"

	"alamos/pkg/chess"
	"alamos/pkg/hook"
	"alamos/pkg/match"
	"alamos/pkg/selfplay"
)

// JudgeSelfPlay ends games of self-play by a script. Each game is judged by itself,
// so that it does not hang on the others that are played at the time.
func JudgeSelfPlay(ctx context.Context, v chess.Variant, s *hook.Session) func(*selfplay.Record) (chess.Result, error) {
	return func(r *selfplay.Record) (chess.Result, error) {
		start, err := chess.ParseFEN(v, r.Start)
		if err != nil {
			return chess.Unfinished, err
		}
		g := hook.Game{Number: r.Number, Variant: v.String(), Start: r.Start, Moves: uciMoves(start, r.Moves)}
		g.Scores = scored(len(r.Moves), start.Turn() == chess.White, func(i int) (float64, bool) {
			return float64(r.RootValues[i]), true
		})
		results, err := s.Adjudicate(ctx, []hook.Game{g})
		if err != nil {
			return chess.Unfinished, err
		}
		return results[0], nil
	}
}

// JudgeTournament ends games of a tournament by a script.
func JudgeTournament(s *hook.Session) func(context.Context, []*match.Game) ([]chess.Result, error) {
	return func(ctx context.Context, games []*match.Game) ([]chess.Result, error) {
		all := make([]hook.Game, len(games))
		for i, r := range games {
			g := hook.Game{Number: r.Number, Variant: r.Variant.String(), Start: r.Start.FEN(), Moves: uciMoves(r.Start, r.Moves)}
			g.Scores = scored(len(r.Moves), r.Start.Turn() == chess.White, func(i int) (float64, bool) {
				if i >= len(r.Infos) || r.Infos[i].Score == nil {
					return 0, false
				}
				return *r.Infos[i].Score, true
			})
			all[i] = g
		}
		return s.Adjudicate(ctx, all)
	}
}

// uciMoves are moves from a position in UCI notation.
func uciMoves(at chess.Position, moves []chess.Move) []string {
	out := make([]string, len(moves))
	for i, m := range moves {
		out[i] = at.UCI(m)
		at.Play(m)
	}
	return out
}

// scored are the scores of a game as a script sees them: from the view of White,
// NaN where there is none.
func scored(plies int, whiteFirst bool, score func(ply int) (float64, bool)) []float64 {
	out := make([]float64, plies)
	for i := range out {
		x, ok := score(i)
		switch {
		case !ok:
			x = math.NaN()
		case (i%2 == 0) != whiteFirst:
			x = -x
		}
		out[i] = x
	}
	return out
}
