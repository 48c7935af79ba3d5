package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
)

// trial is one trial of an experiment on its way through its stages.
type trial struct {
	*run
	experiment.Trial
	dir      string // absolute or relative folder of its results
	manifest *Manifest

	variant  chess.Variant
	chess960 bool // whether engines must know the castling of chess960
	codec    encode.Codec
}

func (r *run) trial(t experiment.Trial) (*trial, error) {
	out := &trial{run: r, Trial: t, dir: filepath.Join(r.dir, folder(&t))}
	s := &t.Settings
	var err error
	if out.variant, err = chess.ParseVariant(s.Game.Variant); err != nil {
		return nil, err
	}
	if out.chess960, err = needsChess960(out.variant, s); err != nil {
		return nil, err
	}
	if out.codec, err = encode.NewCodec(s.Network.Input, s.Network.Policy, out.variant); err != nil {
		return nil, err
	}
	var note string
	if out.manifest, note, err = readManifest(out.dir); err != nil {
		return nil, err
	}
	if note != "" {
		r.Reporter.Note(note)
	}
	if err := out.manifest.mend(out.dir); err != nil {
		return nil, err
	}
	out.manifest.Trial, out.manifest.Label = t.ID, t.Label
	return out, nil
}

// folder is the name of a trial's folder: a hash of what decides its training,
// so that another tournament, another notebook or more generations go on from
// the same networks. What a sweep varies is part of it whatever it is: its
// trials never share a folder.
func folder(t *experiment.Trial) string {
	s := &t.Settings
	var swept []experiment.AxisValue
	for _, a := range t.Axis {
		if section, _, _ := strings.Cut(a.Path, "."); section == "generations" || section == "tournament" {
			swept = append(swept, a)
		}
	}
	return experiment.Hash(s.Seed, s.Game, s.Network, s.Search, s.SelfPlay, s.Training, swept)[:10]
}

func (t *trial) path(elem ...string) string {
	return filepath.Join(append([]string{t.dir}, elem...)...)
}

// run takes the trial through its stages.
func (t *trial) runStages(ctx context.Context) error {
	for _, d := range []string{"checkpoints", "games", "samples"} {
		if err := os.MkdirAll(t.path(d), 0o777); err != nil {
			return err
		}
	}
	if err := disk.WriteBytes(t.path("experiment.yaml"), t.Settings.YAMLIn(t.dir)); err != nil {
		return err
	}
	if err := t.untrained(ctx); err != nil {
		return fmt.Errorf("%s: %w", untrainedStage, err)
	}
	began, ran := time.Now(), 0
	for g := 1; g <= t.Settings.Generations; g++ {
		before := t.manifest.stage(trainStage(g))
		for _, s := range []struct {
			name string
			run  func(context.Context, int) error
		}{{selfplayStage(g), t.selfplay}, {hooksStage(g), t.hooks}, {trainStage(g), t.train}} {
			if err := s.run(ctx, g); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		if err := t.writeTables(); err != nil {
			return err
		}
		if t.manifest.stage(trainStage(g)) != before {
			ran++
			t.Reporter.Note(t.summary(g, time.Since(began)/time.Duration(ran)))
		}
	}
	if err := t.tournament(ctx); err != nil {
		return fmt.Errorf("%s: %w", tournamentStage, err)
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
func (t *trial) header(g, samples int) header {
	return header{
		Spec: t.spec(), Input: t.Settings.Network.Input, Policy: t.Settings.Network.Policy,
		Variant: t.variant.String(), Generation: g, Samples: samples,
	}
}

// untrained makes the network before its first game.
func (t *trial) untrained(ctx context.Context) error {
	in := Inputs{"code": untrainedCode, "seed": strconv.FormatUint(t.Settings.Seed, 10)}
	in.settings("network", t.Settings.Network)
	in.settings("training.optimizer", t.Settings.Training.Optimizer)
	return t.stage(ctx, untrainedStage, in, func(context.Context) (result, error) {
		net, err := nn.New(t.spec(), seed(t.Settings.Seed, "network", 0))
		if err != nil {
			return result{}, err
		}
		defer net.Close()
		c := &checkpoint{header: t.header(0, 0)}
		if c.Training.Schedule, err = t.schedule().Start(); err != nil {
			return result{}, err
		}
		if c.network, err = net.State(); err != nil {
			return result{}, err
		}
		return result{files: []string{checkpointFile(0)}}, c.write(t.path(checkpointFile(0)))
	})
}

// model opens a checkpoint for inference.
func (t *trial) model(g int) (*nn.Model, error) {
	c, err := readCheckpoint(t.path(checkpointFile(g)))
	if err != nil {
		return nil, err
	}
	net, err := nn.New(c.Spec, 0)
	if err != nil {
		return nil, err
	}
	defer net.Close()
	if err := net.Load(c.network); err != nil {
		return nil, err
	}
	m, err := net.Compile(nn.InferenceOptions{Batch: t.Batch, Precision: t.Precision})
	if err != nil {
		return nil, err
	}
	t.machine.Precision = m.Precision()
	return m, nil
}
