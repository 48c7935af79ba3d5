package run

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	"alamos/pkg/disk"

	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/report"

	"alamos/pkg/store"
	"alamos/pkg/train"
)

// trial is one trial of an experiment on its way through its stages.
type trial struct {
	*Trial
	run     *run
	stopped *store.Ended // by its stop rule; nil: not
	data    *dataStage   // nil: not opened
}

// open opens what runs have left of a trial.
func (r *run) open(t experiment.Trial, report Report) (*trial, error) {
	stored, err := store.Open(r.dir, t)
	if err != nil {
		return nil, err
	}
	out, err := r.begun(stored, report)
	if err != nil {
		return nil, err
	}
	out.Manifest.Trial, out.Manifest.Label = t.ID, t.Label
	return out, nil
}

// begun is a trial with what its stages are run with.
func (r *run) begun(stored *store.Trial, report Report) (*trial, error) {
	s := &stored.Settings
	of, err := experiment.New(s)
	if err != nil {
		return nil, err
	}
	t := &trial{run: r, Trial: &Trial{
		Trial: stored, Setup: of, Hardware: Hardware{Workers: r.Workers, Batch: r.Batch, Device: r.Device, Precision: r.Precision},
		Machine: r.machine, Report: report, Shelf: r.shelf,
	}}
	if r.planning != nil {
		t.Planner = r.planning.planner
	}
	if f := s.Tournament.Format; f != nil && s.Tournament.Rounds > 0 {
		if n := len(r.opponents.Players(t.Trial)); n >= 2 && f.First >= n {
			return nil, fmt.Errorf("tournament.format: a gauntlet of %d players leaves no opponent among %d: want fewer", f.First, n)
		}
	}
	return t, nil
}

// estimate says for a plan what a load comes to.
func (t *trial) estimate(ctx context.Context, load Load) (Work, error) {
	return t.run.planning.estimator.Work(ctx, t.Trial, load)
}

// ending says that a trial goes to its end, and why before its last generation.
type ending struct{ why string }

// runStages takes the trial through its stages up to those of a generation, and,
// where end is not nil, to its end.
func (t *trial) runStages(ctx context.Context, until int, end *ending) error {
	if err := t.prepare(); err != nil {
		return err
	}
	if err := t.untrained(ctx); err != nil {
		return fmt.Errorf("%s: %w", store.UntrainedStage, err)
	}
	defer t.closeData()
	scripts := t.run.scripts
	began, ran := time.Now(), 0
	t.stopped = nil
	train := func(ctx context.Context, g int) error {
		before := t.Manifest.Stage(store.TrainStage(g))
		if err := t.train(ctx, g); err != nil || t.Planner != nil {
			return err
		}
		if now := t.Manifest.Stage(store.TrainStage(g)); now != before && now.From == "" {
			ran++
			t.Report.Note(t.summary(g, until, time.Since(began)/time.Duration(ran)))
		}
		return nil
	}
	for g := 1; g <= until && t.stopped == nil; g++ {
		for _, s := range []struct {
			name string
			run  func(context.Context, int) error
		}{
			{t.SamplesStage(g), t.samples}, {store.HooksStage(g), t.by(scripts.MeasureGames)}, {store.TargetStage(g), t.by(scripts.Target)},
			{store.TrainStage(g), train}, {store.CheckpointHooksStage(g), t.by(scripts.MeasureCheckpoint)}, {"evaluation " + strconv.Itoa(g), t.evaluateOnTheWay},
		} {
			if err := s.run(ctx, g); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		if t.Planner == nil {
			if err := report.Tables(t.Trial.Trial); err != nil {
				return err
			}
		}
		var err error
		if t.stopped, err = scripts.Stops(ctx, t.Trial, g); err != nil {
			return fmt.Errorf("%s: %w", store.StopStage(g), err)
		}
	}
	if end == nil {
		return nil
	}
	ended := t.stopped
	if ended == nil && until < t.Settings.Generations {
		ended = &store.Ended{Generation: until, Why: end.why}
	}
	if err := t.end(ended); err != nil {
		return err
	}
	if err := t.evaluate(ctx, t.Done()); err != nil {
		return fmt.Errorf("evaluation: %w", err)
	}
	if err := t.tournament(ctx); err != nil {
		return fmt.Errorf("%s: %w", store.TournamentStage, err)
	}
	return t.positions(ctx)
}

// samples makes the samples of generation g.
func (t *trial) samples(ctx context.Context, g int) error {
	if t.Settings.Data != nil {
		return t.importChunk(ctx, g)
	}
	return t.selfplay(ctx, g)
}

// by is a stage of the trial's scripts.
func (t *trial) by(scripts func(context.Context, *Trial, int) error) func(context.Context, int) error {
	return func(ctx context.Context, g int) error { return scripts(ctx, t.Trial, g) }
}

// prepare makes the trial's folder.
func (t *trial) prepare() error {
	if t.Planner != nil {
		return nil
	}
	for _, d := range []string{"checkpoints", "games", "samples"} {
		if err := os.MkdirAll(t.Path(d), 0o777); err != nil {
			return err
		}
	}
	return disk.WriteBytes(t.Path("experiment.yaml"), t.Settings.YAMLIn(t.Dir))
}

// end notes how the trial ends: early, or, where e is nil, with its last generation.
func (t *trial) end(e *store.Ended) error {
	if was := t.Manifest.Ended; was == e || was != nil && e != nil && *was == *e {
		return nil
	}
	t.Manifest.Ended = e
	if t.Planner != nil {
		return nil
	}
	return t.Manifest.Write(t.Dir)
}

// untrainedCode is the version of the code of the untrained network, see [stage.Stage].
const untrainedCode = "1"

// untrained makes the network before its first game.
func (t *trial) untrained(ctx context.Context) error {
	in := store.Inputs{"code": untrainedCode, "seed": strconv.FormatUint(t.Settings.Seed, 10), "game.variant": t.Settings.Game.Variant}
	in.Settings("network", t.Settings.Network)
	start, err := t.Schedule(nil).Start()
	if err != nil {
		return err
	}
	in.Settings("schedule", start)
	return t.Do(ctx, Stage{Name: store.UntrainedStage, In: in, Files: []string{store.CheckpointFile(0)}, Run: func(context.Context) (any, error) {
		net, err := nn.New(t.Spec(), t.Seed("network", 0))
		if err != nil {
			return nil, err
		}
		c := &nn.Checkpoint{Header: t.Header(0, 0)}
		if c.Training, err = json.Marshal(train.State{Schedule: start}); err != nil {
			return nil, err
		}
		if c.Network, err = net.State(); err != nil {
			return nil, err
		}
		return nil, c.Write(t.Path(store.CheckpointFile(0)))
	}})
}
