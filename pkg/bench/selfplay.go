package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
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
	Networks   []Shape
	PolicyHead string // one of package nn's
	Variant    chess.Variant
	Visits     int // per search; the other settings are those of the thesis
	Batch      int // positions evaluated at once
	Workers    int
	Precision  string        // one of package nn's
	Device     string        // see nn.Devices
	Time       time.Duration // approximate time for each side with each network
	Games      int           // number of whole games to play; 0 means as many as Time allows

	Reporter[SelfPlayResult]
}

// SelfPlayResult is the result for a network.
type SelfPlayResult struct {
	Network    string  `json:"network" table:"network"`
	PolicyHead string  `json:"policy_head" table:"head"`
	Variant    string  `json:"variant"`
	Visits     int     `json:"visits"`
	Batch      int     `json:"batch"`
	Workers    int     `json:"workers"`
	Precision  string  `json:"precision" table:"precision"`
	Device     string  `json:"device"`
	Bare       float64 `json:"bare_evaluations_per_second" table:"bare/s" format:"thousands"` // of the network alone
	Speed      float64 `json:"evaluations_per_second" table:"self-play/s" format:"thousands"`
	Ratio      float64 `json:"ratio" decimals:"3" table:"ratio" format:"%.3f"`
	Fill       float64 `json:"fill" decimals:"3" table:"fill" format:"%.3f"` // fraction of batch slots that had a position
	Games      float64 `json:"games_per_hour" decimals:"1" table:"games/h" format:"thousands"`
	Whole      bool    `json:"whole_games"` // from the first to the last game
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
	codec, err := codecFor(s.Variant)
	if err != nil {
		return err
	}
	length := 0.0 // evaluations per game
	if s.Games == 0 && len(s.Networks) > 0 {
		if length, err = s.length(ctx, codec); err != nil {
			return err
		}
	}
	return each(&s.Reporter, s.Networks, func(shape Shape) (SelfPlayResult, error) {
		r, err := s.measure(ctx, shape, codec)
		if !r.Whole {
			r.Games = r.Speed / length * 3600
		}
		r.Ratio = r.Speed / r.Bare
		return r, err
	})
}

// codecFor returns the encodings of the thesis if they support the variant, otherwise those
// that support every variant.
func codecFor(v chess.Variant) (encode.Codec, error) {
	if c, err := encode.NewCodec("atomic16", "uci1968", v); err == nil {
		return c, nil
	}
	return encode.NewCodec("variants31", "uci2206-mover", v)
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
		Progress:    new(selfplay.Progress),
	}
}

// lengthGames is the number of games that length plays.
const lengthGames = 32

// length returns the number of evaluations per game with an indifferent network.
func (s *SelfPlay) length(ctx context.Context, codec encode.Codec) (float64, error) {
	nets := make([]search.Net, s.Workers)
	for i := range nets {
		nets[i] = indifferent{}
	}
	n := 0
	_, err := selfplay.Play(ctx, s.config(lengthGames, lengthGames), codec, nets, func(r *selfplay.Record) { n += r.Evaluations })
	return float64(n) / lengthGames, err
}

// indifferent is a network that gives all moves and positions equal values.
type indifferent struct{}

func (indifferent) Evaluate(leaves []*encode.Leaf) error {
	for _, l := range leaves {
		share := 1 / float32(len(l.Priors))
		for i := range l.Priors {
			l.Priors[i] = share
		}
		l.Value = 0
	}
	return nil
}

// measure measures one network.
func (s *SelfPlay) measure(ctx context.Context, shape Shape, codec encode.Codec) (r SelfPlayResult, err error) {
	network, err := nn.New(shape.spec(codec, s.PolicyHead), 1)
	if err != nil {
		return r, err
	}
	model, err := network.Compile(nn.InferenceOptions{Batch: s.Batch, Device: s.Device, Precision: s.Precision})
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
	r = SelfPlayResult{
		Network: shape.String(), PolicyHead: s.PolicyHead, Variant: s.Variant.String(), Visits: s.Visits,
		Batch: s.Batch, Workers: s.Workers, Precision: model.Precision(),
		Device: strings.Join(model.Devices(), ","),
	}

	if s.Games > 0 {
		err = s.whole(ctx, model, nets, codec, &r)
	} else {
		err = s.steady(ctx, model, nets, codec, &r)
	}
	return r, err
}

// stretch is the length of a side's turn: a few batches of a large network, or one if a
// batch takes longer.
const stretch = 200 * time.Millisecond

// turn returns the duration of one stretch.
func (s *SelfPlay) turn() time.Duration { return min(stretch, s.Time) }

// start begins self-play behind a gate, with more games than the time allows, and runs it
// until the memory of trees and games has grown. stop ends it.
func (s *SelfPlay) start(ctx context.Context, model *nn.Model, nets []search.Net, codec encode.Codec) (g *gate, stop func() error, err error) {
	g = newGate(nets, model)
	playing, cancel := context.WithCancel(ctx)
	var played error
	var over sync.WaitGroup
	over.Go(func() {
		_, played = selfplay.Play(playing, s.config(1<<20, model.GameSlots(s.Workers)), codec, g.nets(), func(*selfplay.Record) {})
		g.end()
	})
	stop = func() error {
		cancel()
		g.end()
		over.Wait()
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
	speeds, err := interleave(ctx, s.Time,
		func(ctx context.Context) (int, time.Duration, error) { return g.alone(ctx, s.turn()) },
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
	r.Bare, r.Speed, r.Fill = speeds[0], speeds[1], g.fill()
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
	alone := func(ctx context.Context) (int, time.Duration, error) { return g.alone(ctx, s.turn()) }
	before, err := interleave(ctx, s.Time, alone)
	if err != nil {
		return err
	}
	var stats selfplay.Stats
	g.count(func() {
		stats, err = selfplay.Play(ctx, s.config(s.Games, model.GameSlots(s.Workers)), codec, g.nets(), func(*selfplay.Record) {})
	})
	if err != nil {
		return err
	}
	after, err := interleave(ctx, s.Time, alone)
	if err != nil {
		return err
	}
	r.Bare, r.Fill = max(before[0], after[0]), g.fill()
	r.Speed = float64(stats.Evaluations) / stats.Elapsed.Seconds()
	r.Games = float64(stats.Games) / stats.Elapsed.Hours()
	r.Whole = true
	return nil
}
