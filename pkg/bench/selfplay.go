package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
)

// SelfPlay measures how much of its network's speed self-play reaches. The networks are
// untrained, because training does not change their speed.
//
// Two sides take turns: real self-play, and the network alone. The network alone has the
// same number of goroutines, the same sessions and batch sizes, and evaluates positions
// recorded from self-play. Only evaluations that a tree used count; padding of batches does
// not. Self-play is stopped in the middle of its games, which excludes their beginning and
// end from the figures. Games includes them.
type SelfPlay struct {
	Options
	Variant chess.Variant
	Visits  int // per search; the other settings are those of the thesis
	Batch   int // positions evaluated at once; 0 means the best for the device
	Workers int // 0 means the best for the device
	Games   int // number of whole games to play; 0 means as many as Time allows

	Reporter[SelfPlayResult]
}

// SelfPlayResult is the result for a network.
type SelfPlayResult struct {
	Measured
	Variant string `json:"variant"`
	Visits  int    `json:"visits"`
	Workers int    `json:"workers"`
	Bare    Figure `json:"bare_evaluations_per_second" table:"bare/s"` // of the network alone
	Speed   Figure `json:"evaluations_per_second" table:"self-play/s"`
	Ratio   Figure `json:"ratio" table:"ratio" format:"%.3f"`
	Fill    Figure `json:"fill" table:"fill" format:"%.3f"` // fraction of batch slots that had a position
	Games   Figure `json:"games_per_hour" table:"games/h"`
	Whole   bool   `json:"whole_games"` // from the first to the last game
}

func (r SelfPlayResult) How() string {
	how := "in the middle of games; games/h at the length of games of a network that knows nothing"
	if r.Whole {
		how = "from the first game to the last"
	}
	return fmt.Sprintf("Evaluations a second, %s.\n%s, %d visits; %s, %d workers, batches of %d.",
		how, r.Variant, r.Visits, r.Device, r.Workers, r.Batch)
}

// Run measures the networks in order.
func (s *SelfPlay) Run(ctx context.Context) error {
	workers, batch, err := nn.Throughput(s.Device)
	if err != nil {
		return err
	}
	s.Workers, s.Batch = cmp.Or(s.Workers, workers), cmp.Or(s.Batch, batch)
	length := 0.0 // evaluations per game
	return each(&s.Reporter, s.Networks, func(shape Shape) (SelfPlayResult, error) {
		codec, err := codecFor(s.Variant, shape)
		if err != nil {
			return SelfPlayResult{}, err
		}
		if s.Games == 0 && length == 0 {
			if length, err = s.length(ctx, codec); err != nil {
				return SelfPlayResult{}, err
			}
		}
		r, err := s.measure(ctx, shape, codec)
		if !r.Whole {
			r.Games = r.Speed / Figure(length) * 3600
		}
		r.Ratio = r.Speed / r.Bare
		return r, err
	})
}

// config returns self-play with the settings of the thesis. Each worker plays `slots` games
// at once.
func (s *SelfPlay) config(games, slots int) selfplay.Config {
	return selfplay.Config{
		Variant: s.Variant,
		Search: search.Config{
			Visits: s.Visits, CPuct: 2, ExpandAt: 2, TreeReuse: true,
			Noise: search.Noise{Alpha: 0.3, Weight: 0.25},
		},
		Games: games, MaxMoves: 150,
		Temperature: selfplay.Temperature{Power: 1},
		Seed:        1,
		Parallel:    slots,
	}
}

// lengthGames is the number of games that length plays.
const lengthGames = 32

// length returns the number of evaluations per game with an indifferent network.
func (s *SelfPlay) length(ctx context.Context, codec encode.Codec) (float64, error) {
	nets := make([]search.Net, s.Workers)
	for i := range nets {
		nets[i] = search.Indifferent{}
	}
	n := 0
	err := selfplay.Play(ctx, s.config(lengthGames, lengthGames), codec, nets, func(r *selfplay.Record) { n += r.Evaluations })
	return float64(n) / lengthGames, err
}

// measure measures one network.
func (s *SelfPlay) measure(ctx context.Context, shape Shape, codec encode.Codec) (r SelfPlayResult, err error) {
	model, err := s.model(codec, shape, s.Batch)
	if err != nil {
		return r, err
	}
	defer model.Close()
	nets := make([]search.Net, s.Workers)
	for i := range nets {
		session, err := model.NewSession()
		if err != nil {
			return r, err
		}
		defer session.Close()
		nets[i] = session
	}
	r = SelfPlayResult{Measured: s.measured(shape, model, s.Batch), Variant: s.Variant.String(), Visits: s.Visits, Workers: s.Workers}
	if s.Games > 0 {
		err = s.whole(ctx, model, nets, codec, &r)
	} else {
		err = s.steady(ctx, model, nets, codec, &r)
	}
	return r, err
}

// start begins self-play behind a gate, with more games than the time allows, and runs it
// until the memory of trees and games has grown. stop ends it.
func (s *SelfPlay) start(ctx context.Context, model *nn.Model, nets []search.Net, codec encode.Codec) (g *gate, stop func() error, err error) {
	g = newGate(nets, model)
	playing, cancel := context.WithCancel(ctx)
	var played error
	var over sync.WaitGroup
	over.Go(func() {
		played = selfplay.Play(playing, s.config(1<<20, model.GameSlots(s.Workers)), codec, g.nets(), func(*selfplay.Record) {})
		g.end()
	})
	stop = func() error {
		cancel()
		g.end()
		over.Wait()
		if g.failure != nil { // self-play may have seen the end that follows first
			return g.failure
		}
		if err := context.Cause(ctx); err != nil || errors.Is(played, context.Canceled) {
			return err
		}
		return played
	}
	g.recording = true
	for warm := time.Duration(0); warm == 0 || warm < s.Time/4; warm += s.turn() {
		if _, _, ok := g.stretch(ctx, s.turn()); !ok {
			return g, nil, stop()
		}
	}
	g.recording = false
	return g, stop, nil
}

// steady measures self-play in the middle of its games.
func (s *SelfPlay) steady(ctx context.Context, model *nn.Model, nets []search.Net, codec encode.Codec, r *SelfPlayResult) error {
	g, stop, err := s.start(ctx, model, nets, codec)
	if err != nil {
		return err
	}
	speeds, err := interleave(ctx, s.Time, g.alone(s.turn()),
		func(ctx context.Context) (int, time.Duration, error) {
			work, took, ok := g.stretch(ctx, s.turn())
			if !ok {
				return 0, 0, errEnded
			}
			return work, took, nil
		})
	if err := stop(); err != nil { // stop returns the reason of the end
		return err
	}
	if err != nil {
		return err
	}
	r.Bare, r.Speed, r.Fill = Figure(speeds[0]), Figure(speeds[1]), g.fill()
	return nil
}

var errEnded = errors.New("self-play ended early")

// whole measures self-play from the first to the last game, and the network alone before
// and after it.
func (s *SelfPlay) whole(ctx context.Context, model *nn.Model, nets []search.Net, codec encode.Codec, r *SelfPlayResult) error {
	g, stop, err := s.start(ctx, model, nets, codec)
	if err == nil {
		err = stop()
	}
	if err != nil {
		return err
	}
	g.positions, g.places = 0, 0
	before, err := interleave(ctx, s.Time, g.alone(s.turn()))
	if err != nil {
		return err
	}
	evaluations, began := 0, time.Now()
	g.count(func() {
		err = selfplay.Play(ctx, s.config(s.Games, model.GameSlots(s.Workers)), codec, g.nets(), func(r *selfplay.Record) { evaluations += r.Evaluations })
	})
	took := time.Since(began)
	if err != nil {
		return err
	}
	after, err := interleave(ctx, s.Time, g.alone(s.turn()))
	if err != nil {
		return err
	}
	r.Bare, r.Fill = Figure(max(before[0], after[0])), g.fill()
	r.Speed = Figure(float64(evaluations) / took.Seconds())
	r.Games = Figure(float64(s.Games) / took.Hours())
	r.Whole = true
	return nil
}
