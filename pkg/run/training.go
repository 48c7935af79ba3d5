package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"sync"

	"alamos/pkg/data"

	"alamos/pkg/nn"

	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// Versions of the code of training, see [stage.Stage].
const (
	trainCode     = "2"
	recurringCode = "3" // of several chunks that may have the same games; before 3 one could be on both sides
)

// trainingCode is the version of the code that trains on such a window.
func trainingCode(d *data.Config, w Window) string {
	if d != nil && d.Kind != data.Engine && w.First < w.Last {
		return recurringCode
	}
	return trainCode
}

// train trains the network of generation g-1 on the window that ends with
// generation g.
func (t *trial) train(ctx context.Context, g int) error {
	s := &t.Settings
	window := t.Window(g)
	in := store.Inputs{
		"code": trainingCode(s.Data, window), "network": t.CheckpointSum(g - 1),
		"seed": strconv.FormatUint(s.Seed, 10), "generation": strconv.Itoa(g),
	}
	window.Inputs(in)
	if s.Training.ValueTarget != nil {
		for i := window.First; i <= g; i++ {
			in["value target "+strconv.Itoa(i)] = t.Output(store.TargetStage(i), store.TargetFile(i))
		}
	}
	in.Settings("training", s.Training)
	if err := ScheduleInputs(t.Trial, g, in); err != nil {
		return err
	}
	return t.Do(ctx, Stage{Name: store.TrainStage(g), In: in, Files: []string{store.CheckpointFile(g)}, Scratch: t.progressFile(g), Run: func(ctx context.Context) (any, error) {
		c, err := nn.ReadCheckpoint(t.Path(store.CheckpointFile(g - 1)))
		if err != nil {
			return nil, err
		}
		sets, all, err := window.Read()
		if err != nil {
			return nil, err
		}
		samples, err := t.SamplesUntil(g)
		if err != nil {
			return nil, err
		}
		values, err := Targets(t.Trial, window.First, sets)
		if err != nil {
			return nil, err
		}
		next, epochs, err := t.learn(ctx, g, in, c, all, values)
		if err != nil {
			return nil, err
		}
		next.Samples = samples
		rows := make([]store.Epoch, len(epochs))
		for i, e := range epochs {
			rows[i] = store.Epoch{
				Generation: g, Epoch: e.Number, Rate: stats.Float(e.Rate),
				Train: lossRow(e.Train), Validation: lossRow(e.Validation), Selected: e.Selected,
			}
			if !math.IsNaN(e.Top1) {
				rows[i].Accuracy = &store.Accuracy{Top1: e.Top1, Top5: e.Top5}
			}
		}
		return rows, next.Write(t.Path(store.CheckpointFile(g)))
	}, Work: func(ctx context.Context) (Work, error) {
		if s.Data == nil {
			return t.estimate(ctx, Load{Learned: (g - window.First + 1) * s.SelfPlay.Games})
		}
		var load Load
		for i := window.First; i <= g; i++ {
			load.Positions += t.chunkSize(i)
		}
		return t.estimate(ctx, load)
	}})
}

// learn trains from checkpoint c, or goes on after the last epoch that an
// earlier process finished, and returns the next checkpoint. values, unless nil,
// take the place of those of the window's samples.
func (t *trial) learn(ctx context.Context, g int, in store.Inputs, c *nn.Checkpoint, window *data.Set, values []float32) (*nn.Checkpoint, []train.Epoch, error) {
	net, err := nn.New(c.Spec, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := net.Load(c.Network); err != nil {
		return nil, nil, err
	}
	tr, err := nn.NewTrainer(net, t.Optimizer(g), t.TrainerOptions())
	if err != nil {
		return nil, nil, err
	}
	defer tr.Close()
	anew := t.Settings.Training.Carry == train.CarryWeights
	if len(c.Optimizer) > 0 && !anew {
		if err := tr.Load(c.Optimizer); err != nil {
			return nil, nil, err
		}
	}

	// The last bits of a network hang on the number of threads, or on the device.
	in = maps.Clone(in)
	in["threads"] = tr.Parallelism()
	path := t.progressFile(g)
	done, err := readProgress(path, in)
	if errors.Is(err, store.ErrDamaged) {
		t.Report.Note(fmt.Sprintf("%v: the epochs of generation %d are trained again", err, g))
	} else if err != nil {
		return nil, nil, err
	}
	task := t.Report.Task(store.TrainStage(g), "steps")
	defer task.End()
	ask, end, err := t.run.scripts.Asker(ctx, t.Trial, g)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	cfg, seeds := t.Training(g, ask)
	cfg.Values = values
	how := ""
	var resume sync.Once
	var state train.State
	if err := json.Unmarshal(c.Training, &state); err != nil {
		return nil, nil, fmt.Errorf("the training state of the checkpoint before generation %d: %w", g, err)
	}
	if anew {
		if state, err = state.Restarted(cfg.Schedule); err != nil {
			return nil, nil, err
		}
	}
	epochs, err := train.Run(ctx, cfg, net, tr, window, seeds, &state, done, train.Hooks{
		Step: func(done, total int) {
			resume.Do(func() { task.Resume(done - 1) })
			task.Set(done, total, how)
		},
		Epoch: func(e train.Epoch) {
			how = fmt.Sprintf("epoch %d, loss %.3f", e.Number, e.Loss())
		},
		Progress: func(p *train.Progress) error { return writeProgress(path, in, p) },
	})
	if err != nil {
		return nil, nil, err
	}
	next := &nn.Checkpoint{Header: t.Header(g, 0)}
	if next.Training, err = json.Marshal(state); err != nil {
		return nil, nil, err
	}
	if next.Network, err = net.State(); err != nil {
		return nil, nil, err
	}
	if next.Optimizer, err = tr.State(); err != nil {
		return nil, nil, err
	}
	return next, epochs, nil
}

func lossRow(l nn.Loss) store.Loss {
	return store.Loss{Total: stats.Float(l.Total), Policy: stats.Float(l.Policy), Value: stats.Float(l.Value), MovesLeft: stats.Float(l.MovesLeft)}
}
