package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

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
const targetCode = "1"

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
		var b bytes.Buffer
		if err := writeTargets(ctx, &b, s, games, func(done, total int) { task.Set(done, total, "") }); err != nil {
			return nil, err
		}
		return nil, disk.WriteBytes(t.Results.Path(store.TargetFile(g)), b.Bytes())
	}}, nil
}

// target is a position in which a move was played. Games and plies are numbered from 0.
type target struct {
	game, ply int
	position  chess.Position
}

// writeTargets writes the value of each position for White.
func writeTargets(ctx context.Context, out *bytes.Buffer, s *hook.Session, games []*match.Game, progress func(done, total int)) error {
	var all []target
	for number, g := range games {
		at := g.Start
		for ply, m := range g.Moves {
			all = append(all, target{number, ply, at})
			at.Play(m)
		}
	}
	done := 0
	fmt.Fprintln(out, "game,ply,value_for_white")
	for some := range slices.Chunk(all, positionsAtOnce) {
		positions := make([]chess.Position, len(some))
		for i := range some {
			positions[i] = some[i].position
		}
		values, err := s.Evaluate(ctx, positions)
		if err != nil {
			return err
		}
		for i, v := range values {
			if positions[i].Turn() == chess.Black {
				v = -v
			}
			fmt.Fprintf(out, "%d,%d,%v\n", some[i].game, some[i].ply, v)
		}
		done += len(some)
		progress(done, len(all))
	}
	return nil
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
		forWhite, err := readTargets(t.Results.Path(store.TargetFile(first + i)))
		if err != nil {
			return nil, err
		}
		games, err := t.games(first + i)
		if err != nil {
			return nil, err
		}
		for k := range set.Len() {
			sample := set.Sample(k)
			x, ok := forWhite[[2]int32{sample.Game, sample.Ply}]
			if !ok || int(sample.Game) >= len(games) {
				return nil, fmt.Errorf("%s has no value of game %d, ply %d", t.Results.Path(store.TargetFile(first+i)), sample.Game, sample.Ply)
			}
			turn := games[sample.Game].Start.Turn()
			if sample.Ply%2 == 1 {
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

// readTargets reads the file of writeTargets. The keys are game and ply.
func readTargets(path string) (map[[2]int32]float64, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, rows, _ := strings.Cut(string(b), "\n") // after the names of the columns
	all := map[[2]int32]float64{}
	for row := range strings.Lines(rows) {
		var key [2]int32
		var v float64
		if _, err := fmt.Sscanf(row, "%d,%d,%g", &key[0], &key[1], &v); err != nil {
			return nil, fmt.Errorf("%s: %q: %w", path, row, err)
		}
		all[key] = v
	}
	return all, nil
}
