package run

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"strconv"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/disk"
	"alamos/pkg/hook"

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
		task := t.Report.Task(store.TargetStage(g), "games")
		defer task.End()
		var b bytes.Buffer
		if err := writeTargets(ctx, &b, s, games, func(done int) { task.Set(done, len(games), "") }); err != nil {
			return nil, err
		}
		return nil, disk.WriteBytes(t.Results.Path(store.TargetFile(g)), b.Bytes())
	}}, nil
}

// writeTargets writes one row per position in which a move was played: game, ply and value
// for White. Games are numbered from 0.
func writeTargets(ctx context.Context, w io.Writer, s *hook.Session, games []*chess.PGN, done func(games int)) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"game", "ply", "value_for_white"}); err != nil {
		return err
	}
	var rows [][]string
	var positions []chess.Position
	flush := func() error {
		values, err := s.Evaluate(ctx, positions)
		if err != nil {
			return err
		}
		for i, v := range values {
			if positions[i].Turn() == chess.Black {
				v = -v
			}
			if err := out.Write(append(rows[i], strconv.FormatFloat(v, 'g', -1, 64))); err != nil {
				return err
			}
		}
		rows, positions = rows[:0], positions[:0]
		return nil
	}
	for number, g := range games {
		at := g.Start
		for ply, m := range g.Moves {
			rows = append(rows, []string{strconv.Itoa(number), strconv.Itoa(ply)})
			positions = append(positions, at)
			at.Play(m)
			if len(positions) == positionsAtOnce {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		done(number + 1)
	}
	if err := flush(); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
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
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	all := make(map[[2]int32]float64, len(rows))
	for i, row := range rows {
		if i == 0 {
			continue
		}
		var key [2]int32
		for k := range key {
			n, err := strconv.ParseInt(row[k], 10, 32)
			if err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", path, i+1, err)
			}
			key[k] = int32(n)
		}
		if all[key], err = strconv.ParseFloat(row[2], 64); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", path, i+1, err)
		}
	}
	return all, nil
}
