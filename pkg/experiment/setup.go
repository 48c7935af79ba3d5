package experiment

import (
	"errors"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/selfplay"
	"alamos/pkg/stats"
	"alamos/pkg/train"
	"alamos/pkg/uci"
)

// Setup holds the objects that the settings of a trial name.
type Setup struct {
	Variant  chess.Variant
	Chess960 bool // whether engines must support castling of chess960
	Codec    encode.Codec

	settings *Settings
}

// NewSetup resolves the variant and the encoders that settings name. The settings must not
// change afterwards.
func NewSetup(s *Settings) (*Setup, error) {
	out := &Setup{settings: s}
	var err error
	if out.Variant, err = s.Game.Of(); err != nil {
		return nil, err
	}
	book, err := ReadBook(out.Variant, s.Tournament.Openings)
	if err != nil {
		return nil, err
	}
	games := match.Tournament{Variant: out.Variant, Start: s.Game.Start, Book: book}
	if out.Chess960, err = games.Chess960(); err != nil {
		return nil, err
	}
	if out.Codec, err = encode.NewCodec(s.Network.Input, s.Network.Policy, out.Variant); err != nil {
		return nil, err
	}
	return out, nil
}

// Seed derives the seed of one use of randomness, see [stats.DeriveNamed].
func (s *Setup) Seed(use string, number int) uint64 {
	return stats.DeriveNamed(s.settings.Seed, use, number)
}

// Spec returns the spec of the network.
func (s *Setup) Spec() nn.Spec {
	spec := s.settings.Network.Spec
	spec.Planes, spec.Constant = s.Codec.Planes.Count(), s.Codec.Planes.Constant()
	spec.PolicyMap, spec.PolicySize = s.Codec.Policy.Name(), s.Codec.Policy.Size()
	if spec.Trunk == nn.TrunkSparse {
		spec.Input = s.Codec.Planes.Name()
	}
	return spec
}

// Header returns the header of the checkpoint after generation g.
func (s *Setup) Header(g int) nn.Header {
	return nn.Header{
		Spec: s.Spec(), Input: s.settings.Network.Input, Policy: s.settings.Network.Policy,
		Variant: s.Variant.Spec(), Generation: g,
	}
}

// SelfPlay returns the self-play of generation g. The caller sets the number of game slots.
func (s *Setup) SelfPlay(g int) selfplay.Config {
	now := s.settings.At(g)
	c := now.SelfPlay
	c.Variant, c.Start, c.MaxMoves = s.Variant, now.Game.Start, now.Game.MaxMoves
	c.Search, c.Seed, c.Future = now.Search, s.Seed("self-play", g), now.Network.FutureBoard
	return c
}

// Optimizer returns the optimizer of generation g.
func (s *Setup) Optimizer(g int) nn.Optimizer {
	t := &s.settings.Training
	masks := 0
	if t.Carry == train.CarryWeights {
		masks = g // the count of steps starts again, and so must the dropout masks
	}
	o := t.Optimizer
	o.Loss, o.Seed, o.MicroBatches = t.Loss, s.Seed("dropout", masks), t.Micro
	return o
}

// Schedule returns the schedule of the learning rate. ask returns the rate if a script sets
// it. ask may be nil if no rate is needed.
func (s *Setup) Schedule(ask func([]train.Epoch) (float64, error)) train.Schedule {
	c := s.settings.Training.Schedule
	if c.Kind == train.Hook {
		c.Ask = ask
		if ask == nil {
			c.Ask = func([]train.Epoch) (float64, error) {
				return 0, errors.New("the learning rate of a script is known only in training")
			}
		}
	}
	return c
}

// Training returns the training of generation g and its seeds.
func (s *Setup) Training(g int, ask func([]train.Epoch) (float64, error)) (train.Config, train.Seeds) {
	c := s.settings.At(g).Training
	c.Schedule = s.Schedule(ask)
	return c, train.Seeds{Split: s.Seed("split", 0), Shuffle: s.Seed("shuffle", g)}
}

// Data returns the source of positions that the experiment describes. find locates its
// engines, and model the network that labels.
func (s *Setup) Data(find func(uci.Opponent) (uci.Command, error), model func(string) (data.Network, error)) (data.Config, error) {
	c := *s.settings.Data
	loss := s.settings.Training.Loss
	c.Variant = s.Variant
	c.Future = s.settings.Network.FutureBoard
	c.Continued = c.Future > 0 || s.settings.Network.OpponentPolicy
	c.Results = loss.Value > 0 || s.settings.Network.MovesLeft && loss.MovesLeft > 0
	var err error
	if p := &c.Player; c.Kind == data.Engine {
		c.Start = s.settings.Game.Start
		if p.Command, err = find(uci.Opponent{Program: p.UCI, Limit: p.Limit, Options: p.Options}); err != nil {
			return c, err
		}
	}
	if c.Label != nil {
		label := *c.Label
		if label.Model != "" {
			label.Network, err = model(label.Model)
		} else {
			label.Command, err = find(uci.Opponent{Program: label.UCI, Limit: label.Limit, Options: label.Options})
		}
		c.Label = &label
	}
	return c, err
}

// DataSeed returns the seed of random draws from the data.
func (s *Setup) DataSeed() uint64 { return s.Seed("data", 0) }

// checkData reports contradictions in the data settings. It does not check files and
// engines.
func checkData(s *Settings, v chess.Variant, fail func(key, hint string, err error)) {
	if s.Data == nil {
		return
	}
	of := &Setup{Variant: v, settings: s}
	c, err := of.Data(func(o uci.Opponent) (uci.Command, error) {
		command := uci.Command{Path: o.Program}
		for option, value := range o.Options {
			command.Settings = append(command.Settings, uci.Setting{Name: option, Value: value})
		}
		return command, nil
	}, func(string) (data.Network, error) { return nil, nil })
	if err == nil {
		err = c.Check()
	}
	if err != nil {
		fail("data", "", errors.New(strings.TrimPrefix(err.Error(), "data: ")))
	}
}
