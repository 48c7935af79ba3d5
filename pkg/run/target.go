package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/hook"
	"alamos/pkg/match"

	"alamos/pkg/store"
)

// A script's value target is a stage between self-play and training. Games stay valid when
// the script changes, and each generation is evaluated once, even if it is in the replay
// window of several trainings.

// targetCode is the version of the code of this stage, see [Stage].
const targetCode = "2"

// positionsAtOnce is the number of positions in one call of the script.
const positionsAtOnce = 1000

// valueTarget returns the stage in which a script evaluates the positions of generation g.
func (t *Trial) valueTarget(_ context.Context, g int) (*Stage, error) {
	v := t.Settings.Training.ValueTarget
	if v == nil {
		return nil, nil
	}
	in := store.Inputs{"code": targetCode, "script": v.Script.SHA256, "games": t.Results.Output(store.SelfPlayStage(g), store.GamesFile(g))}
	return &Stage{Name: store.TargetStage(g), In: in, Files: []string{store.TargetFile(g)}, Run: func(ctx context.Context) (any, error) {
		s, err := t.run.scripts.open(&v.Script, 1, nil)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		games, err := t.games(g)
		if err != nil {
			return nil, err
		}
		task := t.Report.Task(store.TargetStage(g), "positions")
		defer task.End()
		values, err := evaluateGames(ctx, s, games, func(done, total int) { task.Set(done, total, "") })
		if err != nil {
			return nil, err
		}
		b, err := json.Marshal(values)
		if err != nil {
			return nil, err
		}
		return nil, disk.WriteBytes(t.Results.Path(store.TargetFile(g)), append(b, '\n'))
	}}, nil
}

// evaluateGames returns the values for White of all positions in which a move was played, by
// game and ply.
func evaluateGames(ctx context.Context, s *hook.Session, games []*match.Game, progress func(done, total int)) ([][]float64, error) {
	var positions []chess.Position
	for _, g := range games {
		at := g.Start
		for _, m := range g.Moves {
			positions = append(positions, at)
			at.Play(m)
		}
	}
	var values []float64
	for some := range slices.Chunk(positions, positionsAtOnce) {
		answers, err := s.Evaluate(ctx, some)
		if err != nil {
			return nil, err
		}
		for i, v := range answers {
			if some[i].Turn() == chess.Black {
				v = -v
			}
			values = append(values, v)
		}
		progress(len(values), len(positions))
	}
	byGame := make([][]float64, len(games))
	for i, g := range games {
		byGame[i], values = values[:len(g.Moves)], values[len(g.Moves):]
	}
	return byGame, nil
}

// mixedValues mixes the script's values into the values of the samples. It returns nil
// without a script. sets has the samples of each generation, starting with generation
// first. Mixed values are for the side that the network predicts for.
func (t *Trial) mixedValues(first int, sets []*data.Set) ([]float32, error) {
	v := t.Settings.Training.ValueTarget
	if v == nil {
		return nil, nil
	}
	var all []float32
	for i, set := range sets {
		path := t.Results.Path(store.TargetFile(first + i))
		b, err := disk.ReadFile(path)
		if err != nil {
			return nil, err
		}
		var forWhite [][]float64 // by game and ply
		if err := json.Unmarshal(b, &forWhite); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		games, err := t.games(first + i)
		if err != nil {
			return nil, err
		}
		for k := range set.Len() {
			sample := set.Sample(k)
			game, ply := int(sample.Game), int(sample.Ply)
			if game >= min(len(games), len(forWhite)) || ply >= len(forWhite[game]) {
				return nil, fmt.Errorf("%s has no value of game %d, ply %d", path, game, ply)
			}
			x, turn := forWhite[game][ply], games[game].Start.Turn()
			if ply%2 == 1 {
				turn = turn.Other()
			}
			if turn == chess.Black {
				x = -x // for the side to move
			}
			x *= float64(t.Setup.Codec.Sign(turn)) // for the side that the network predicts for
			all = append(all, float32((1-v.Weight)*float64(sample.Value)+v.Weight*x))
		}
	}
	return all, nil
}
