package experiment

import (
	"fmt"
	"slices"

	"alamos/pkg/match"
	"alamos/pkg/stats"

	"alamos/pkg/chess"
	"alamos/pkg/encode"

	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"

	"alamos/pkg/train"
	"alamos/pkg/uci"
)

// Setup is what the settings of a trial come to.
type Setup struct {
	Variant  chess.Variant
	Chess960 bool // whether engines must know the castling of chess960
	Codec    encode.Codec

	settings *Settings
}

// New finds out what settings come to. They may not change after.
func New(s *Settings) (*Setup, error) {
	out := &Setup{settings: s}
	var err error
	if out.Variant, err = chess.ParseVariant(s.Game.Variant); err != nil {
		return nil, err
	}
	if out.Chess960, err = needsChess960(out.Variant, s); err != nil {
		return nil, err
	}
	if out.Codec, err = encode.NewCodec(s.Network.Input, s.Network.Policy, out.Variant); err != nil {
		return nil, err
	}
	return out, nil
}

// needsChess960 tells whether games of a trial may start where castling is that
// of chess960.
func needsChess960(v chess.Variant, s *Settings) (bool, error) {
	starts, err := chess.ParseStarts(v, s.Game.Start)
	if err != nil {
		return false, err
	}
	book, err := ReadBook(v, s.Tournament.Openings)
	if err != nil {
		return false, err
	}
	castles := func(o match.Opening) bool { return uci.Chess960(&o.Start) }
	return starts.Any(uci.Chess960) || slices.ContainsFunc(book, castles), nil
}

// Seed derives the seed of one use of randomness, see [Seed].
func (s *Setup) Seed(use string, number int) uint64 {
	return stats.DeriveNamed(s.settings.Seed, use, number)
}

// Spec is the shape of the network.
func (s *Setup) Spec() nn.Spec {
	n := &s.settings.Network
	policyHead := n.PolicyHead
	if n.Policy == NoPolicy {
		policyHead = nn.PolicyNone
	}
	return nn.Spec{
		Planes: s.Codec.Planes.Count(), Constant: s.Codec.Planes.Constant(), PolicySize: s.Codec.Policy.Size(),
		Trunk: n.Trunk, Depth: n.Depth, Width: n.Width, Activation: n.Activation,
		Attention: n.Attention, AttentionReduction: n.AttentionReduction, Dropout: n.Dropout,
		PolicyHead: policyHead, PolicyChannels: n.PolicyChannels,
		Value: n.Value, ValueChannels: int(n.ValueChannels), ValueHidden: n.ValueHidden, MovesLeft: n.MovesLeft,
	}
}

// Header is the header of the checkpoint after generation g.
func (s *Setup) Header(g, samples int) nn.Header {
	return nn.Header{
		Spec: s.Spec(), Input: s.settings.Network.Input, Policy: s.settings.Network.Policy,
		Variant: s.Variant.String(), Generation: g, Samples: samples,
	}
}

// Search is a search as the experiment describes it.
func SetupSearch(s *Search) search.Config {
	var fpu search.FPU
	if s.FPU != FPUZero {
		fpu = search.FPU{Parent: true, Reduction: float64(s.FPU)}
	}
	var gumbel search.Root
	if r := s.Root; r.Kind == RootGumbel {
		gumbel = search.Root{Considered: r.Considered, CVisit: r.CVisit, CScale: r.CScale, Noise: r.Noise}
	}
	return search.Config{
		Visits: s.Visits, Nodes: s.Nodes, CPuct: s.CPuct, CBase: s.CBase, CInit: s.CInit, FPU: fpu,
		ExpandAt: s.ExpandAt, Leaves: int(s.Leaves), Cache: s.Cache, Solver: s.Solver, Lookahead: s.Lookahead,
		TreeReuse: s.TreeReuse, Noise: search.Noise(s.Noise), ForcedPlayouts: s.ForcedPlayouts,
		Root: gumbel, PolicyTemperature: float64(s.PolicyTemperature),
	}
}

// SelfPlay is the self-play of generation g; how many games are played at once is
// the caller's to say.
func (s *Setup) SelfPlay(g int) selfplay.Config {
	p := &s.settings.SelfPlay
	var capped selfplay.PlayoutCap
	if p.PlayoutCap != nil {
		capped = selfplay.PlayoutCap(*p.PlayoutCap)
	}
	return selfplay.Config{
		Variant: s.Variant, Start: s.settings.Game.Start, Search: SetupSearch(&s.settings.Search), Games: p.Games, MaxMoves: s.settings.Game.MaxMoves,
		Temperature: selfplay.Temperature{
			Power: float64(p.Temperature.Power), Plies: p.Temperature.Plies, Then: float64(p.Temperature.Then)},
		Opening: selfplay.Opening{
			RandomPlies: p.Opening.RandomPlies, FENs: p.Opening.FENs, Share: p.Opening.Share},
		PlayoutCap: capped, Surprise: p.Surprise, ValueMix: p.ValueMix,
		Seed: s.Seed("self-play", g),
	}
}

// Optimizer is what changes the weights in the training of generation g.
func (s *Setup) Optimizer(g int) nn.Optimizer {
	t := &s.settings.Training
	masks := 0
	if t.Carry == CarryWeights {
		masks = g // steps are counted anew, and the masks of dropout with them
	}
	return nn.Optimizer{
		Kind: t.Optimizer.Kind, Momentum: t.Optimizer.Momentum, WeightDecay: t.Optimizer.WeightDecay,
		Beta1: t.Optimizer.Beta1, Beta2: t.Optimizer.Beta2, Epsilon: t.Optimizer.Epsilon,
		Weights: nn.Weights{Policy: t.Loss.Policy, Value: t.Loss.Value, MovesLeft: t.Loss.MovesLeft.Value()},
		Seed:    s.Seed("dropout", masks),
	}
}

// Schedule is the schedule of the learning rate; ask returns a rate where a script
// sets them. It may be nil where no rate is asked for.
func (s *Setup) Schedule(ask func([]train.Epoch) (float64, error)) train.Schedule {
	c := &s.settings.Training.Schedule
	kind := c.Kind
	if c.Script != nil {
		kind = train.Hook
		if ask == nil {
			ask = unasked
		}
	}
	return train.Schedule{
		Kind: kind, Initial: c.Initial, Warmup: c.Warmup, Factor: c.Factor, Patience: c.Patience,
		Every: c.Every, Period: c.Period, Minimum: c.Minimum, Ask: ask,
	}
}

// unasked stands for a script where no rate is needed.
func unasked([]train.Epoch) (float64, error) {
	return 0, fmt.Errorf("a schedule was asked for a rate outside of training")
}

// Training is how the network learns, and the seeds of generation g.
func (s *Setup) Training(g int, ask func([]train.Epoch) (float64, error)) (train.Config, train.Seeds) {
	t := &s.settings.Training
	return train.Config{Epochs: t.Epochs, Batch: t.Batch, Validation: t.Validation, Select: t.Select, Patience: t.Patience, Schedule: s.Schedule(ask)},
		train.Seeds{Split: s.Seed("split", 0), Shuffle: s.Seed("shuffle", g)}
}
