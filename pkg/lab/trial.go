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

	variant  chess.Variant
	chess960 bool // whether engines must know the castling of chess960
	codec    encode.Codec
}

func (r *run) trial(t experiment.Trial) (*trial, error) {
	stored, note, err := store.Open(r.dir, t)
	if err != nil {
		return nil, err
	}
	if note != "" {
		r.Reporter.Note(note)
	}
	out := &trial{run: r, Trial: stored}
	s := &t.Settings
	if out.variant, err = chess.ParseVariant(s.Game.Variant); err != nil {
		return nil, err
	}
	if out.chess960, err = needsChess960(out.variant, s); err != nil {
		return nil, err
	}
	if out.codec, err = encode.NewCodec(s.Network.Input, s.Network.Policy, out.variant); err != nil {
		return nil, err
	}
	if err := out.Manifest.Mend(out.Dir); err != nil {
		return nil, err
	}
	out.Manifest.Trial, out.Manifest.Label = t.ID, t.Label
	return out, nil
}

// run takes the trial through its stages.
func (t *trial) runStages(ctx context.Context) error {
	for _, d := range []string{"checkpoints", "games", "samples"} {
		if err := os.MkdirAll(t.Path(d), 0o777); err != nil {
			return err
		}
	}
	if err := disk.WriteBytes(t.Path("experiment.yaml"), t.Settings.YAMLIn(t.Dir)); err != nil {
		return err
	}
	if err := t.untrained(ctx); err != nil {
		return fmt.Errorf("%s: %w", store.UntrainedStage, err)
	}
	began, ran, stopped := time.Now(), 0, false
	for g := 1; g <= t.Settings.Generations; g++ {
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
		if err := report.Tables(t.Trial); err != nil {
			return err
		}
		if t.Manifest.Stage(store.TrainStage(g)) != before {
			ran++
			t.Reporter.Note(t.summary(g, time.Since(began)/time.Duration(ran)))
		}
		over, err := t.stops(ctx, g)
		if err != nil {
			return fmt.Errorf("%s: %w", store.StopStage(g), err)
		}
		if over {
			stopped = true
			break
		}
	}
	if !stopped {
		if err := t.endAt(nil); err != nil { // whatever an earlier rule said
			return err
		}
	}
	if err := t.tournament(ctx); err != nil {
		return fmt.Errorf("%s: %w", store.TournamentStage, err)
	}
	return nil
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
	in := store.Inputs{"code": untrainedCode, "seed": strconv.FormatUint(t.Settings.Seed, 10)}
	in.Settings("network", t.Settings.Network)
	in.Settings("training.optimizer", t.Settings.Training.Optimizer)
	return t.stage(ctx, store.UntrainedStage, in, func(context.Context) (result, error) {
		net, err := nn.New(t.spec(), seed(t.Settings.Seed, "network", 0))
		if err != nil {
			return result{}, err
		}
		defer net.Close()
		c := &checkpoint.Checkpoint{Header: t.header(0, 0)}
		if c.Training.Schedule, err = t.schedule(unasked).Start(); err != nil {
			return result{}, err
		}
		if c.Network, err = net.State(); err != nil {
			return result{}, err
		}
		return result{files: []string{store.CheckpointFile(0)}}, c.Write(t.Path(store.CheckpointFile(0)))
	})
}

// model opens a checkpoint for inference.
func (t *trial) model(g int) (*nn.Model, error) {
	c, err := checkpoint.Read(t.Path(store.CheckpointFile(g)))
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
