package lab

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"time"

	"alamos/pkg/checkpoint"
	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/report"
	"alamos/pkg/store"
)

// trial is one trial of an experiment on its way through its stages.
type trial struct {
	*run
	*store.Trial
	Reporter Stages        // of this trial, not of the run
	machine  store.Machine // where it runs now
	workers  int           // goroutines that play
	stopped  *store.Ended  // by its stop rule; nil: not

	variant  chess.Variant
	chess960 bool // whether engines must know the castling of chess960
	codec    encode.Codec
}

func (r *run) trial(t experiment.Trial, report Stages) (*trial, error) {
	stored, note, err := store.Open(r.dir, t)
	if err != nil {
		return nil, err
	}
	if note != "" {
		report.Note(note)
	}
	out := &trial{run: r, Trial: stored, Reporter: report, machine: r.machine, workers: r.Workers}
	if err := out.know(); err != nil {
		return nil, err
	}
	if r.planning == nil {
		if err := out.Manifest.Mend(out.Dir); err != nil {
			return nil, err
		}
	}
	out.Manifest.Trial, out.Manifest.Label = t.ID, t.Label
	return out, nil
}

// know finds out what follows from the settings.
func (t *trial) know() (err error) {
	s := &t.Settings
	if t.variant, err = chess.ParseVariant(s.Game.Variant); err != nil {
		return err
	}
	if t.chess960, err = needsChess960(t.variant, s); err != nil {
		return err
	}
	if t.codec, err = encode.NewCodec(s.Network.Input, s.Network.Policy, t.variant); err != nil {
		return err
	}
	if f := s.Tournament.Format; f != nil && s.Tournament.Rounds > 0 {
		if n := len(t.contestants()); n >= 2 && f.First >= n {
			return fmt.Errorf("tournament.format: a gauntlet of %d players leaves no opponent among %d: want fewer", f.First, n)
		}
	}
	return nil
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
	began, ran := time.Now(), 0
	t.stopped = nil
	for g := 1; g <= until && t.stopped == nil; g++ {
		before := t.Manifest.Stage(store.TrainStage(g))
		for _, s := range []struct {
			name string
			run  func(context.Context, int) error
		}{
			{store.SelfPlayStage(g), t.selfplay}, {store.HooksStage(g), t.hooks}, {store.TargetStage(g), t.target},
			{store.TrainStage(g), t.train}, {store.CheckpointHooksStage(g), t.checkpointHooks},
		} {
			if err := s.run(ctx, g); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		if t.planning == nil {
			if err := report.Tables(t.Trial); err != nil {
				return err
			}
			if now := t.Manifest.Stage(store.TrainStage(g)); now != before && now.From == "" {
				ran++
				t.Reporter.Note(t.summary(g, until, time.Since(began)/time.Duration(ran)))
			}
		}
		var err error
		if t.stopped, err = t.stops(ctx, g); err != nil {
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
	if err := t.tournament(ctx); err != nil {
		return fmt.Errorf("%s: %w", store.TournamentStage, err)
	}
	return t.positions(ctx)
}

// prepare makes the trial's folder.
func (t *trial) prepare() error {
	if t.planning != nil {
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
	if t.planning != nil {
		return nil
	}
	return t.Manifest.Write(t.Dir)
}

// spec is the shape of the trial's network.
func (t *trial) spec() nn.Spec {
	n := &t.Settings.Network
	return nn.Spec{
		Planes: t.codec.Planes.Count(), Constant: t.codec.Planes.Constant(), PolicySize: t.codec.Policy.Size(),
		Trunk: n.Trunk, Depth: n.Depth, Width: n.Width, Activation: n.Activation, Attention: n.Attention,
		PolicyHead: n.PolicyHead, PolicyChannels: n.PolicyChannels, Value: n.Value,
	}
}

// header is the header of the checkpoint after generation g.
func (t *trial) header(g, samples int) checkpoint.Header {
	return checkpoint.Header{
		Spec: t.spec(), Input: t.Settings.Network.Input, Policy: t.Settings.Network.Policy,
		Variant: t.variant.String(), Generation: g, Samples: samples,
	}
}

// untrained makes the network before its first game.
func (t *trial) untrained(ctx context.Context) error {
	in := store.Inputs{"code": untrainedCode, "seed": strconv.FormatUint(t.Settings.Seed, 10), "game.variant": t.Settings.Game.Variant}
	in.Settings("network", t.Settings.Network)
	start, err := t.schedule(unasked).Start()
	if err != nil {
		return err
	}
	in.Settings("schedule", start)
	return t.do(ctx, stage{name: store.UntrainedStage, in: in, files: []string{store.CheckpointFile(0)}, work: func(context.Context) (any, error) {
		net, err := nn.New(t.spec(), seed(t.Settings.Seed, "network", 0))
		if err != nil {
			return nil, err
		}
		defer net.Close()
		c := &checkpoint.Checkpoint{Header: t.header(0, 0)}
		c.Training.Schedule = start
		if c.Network, err = net.State(); err != nil {
			return nil, err
		}
		return nil, c.Write(t.Path(store.CheckpointFile(0)))
	}})
}

// model opens a checkpoint for inference.
func (t *trial) model(g int) (*nn.Model, error) { return t.compile(t.Path(store.CheckpointFile(g))) }

// compile makes a model of a checkpoint file, for inference.
func (t *trial) compile(file string) (*nn.Model, error) {
	c, err := checkpoint.Read(file)
	if err != nil {
		return nil, err
	}
	m, err := c.Compile(nn.InferenceOptions{Batch: t.Batch, Precision: t.Precision})
	if err != nil {
		return nil, err
	}
	t.machine.Precision = m.Precision()
	return m, nil
}
