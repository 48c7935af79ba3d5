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

// SelfPlay measures what self-play leaves of the speed of its network. The
// networks are untrained: their speed does not depend on what they know.
//
// Two sides take turns: real self-play, and the network alone, which the same
// number of goroutines ask, in the same sessions and with batches of the same
// size, about positions that self-play asked about. Every evaluation counted was
// taken up by a tree; what fills a batch up counts for nothing. Self-play is
// stopped in the middle of its games, so that their beginning and end are not in
// the figures; with Games, they are.
type SelfPlay struct {
	Networks   []Shape
	PolicyHead string // one of package nn's
	Variant    chess.Variant
	Visits     int // of a search; the other settings are those of the thesis
	Batch      int // positions evaluated at once
	Workers    int
	Precision  string        // one of package nn's
	Device     string        // see nn.Devices
	Time       time.Duration // for which each side is measured with each network, about
	Games      int           // to be played from the first to the last; 0: as many as Time allows

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
	Fill       float64 `json:"fill" decimals:"3" table:"fill" format:"%.3f"` // share of the places in batches that had a position
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

// Run measures the networks in their order.
func (s *SelfPlay) Run(ctx context.Context) error {
	codec, err := codecFor(s.Variant)
	if err != nil {
		return err
	}
	length := 0.0 // evaluations a game
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

// codecFor is the thesis' encodings where they express the variant, otherwise
// those that express all.
func codecFor(v chess.Variant) (encode.Codec, error) {
	if c, err := encode.NewCodec("atomic16", "uci1968", v); err == nil {
		return c, nil
	}
	return encode.NewCodec("variants31", "uci2206-mover", v)
}

// config is self-play with the settings of the thesis: each worker plays so many games
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

// length is how many evaluations a game needs, were the network one to which all
// moves and positions are alike.
func (s *SelfPlay) length(ctx context.Context, codec encode.Codec) (float64, error) {
	nets := make([]search.Net, s.Workers)
	for i := range nets {
		nets[i] = indifferent{}
	}
	n := 0
	_, err := selfplay.Play(ctx, s.config(lengthGames, lengthGames), codec, nets, func(r *selfplay.Record) { n += r.Evaluations })
	return float64(n) / lengthGames, err
}

// indifferent is a network to which all moves and positions are alike.
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

// stretch is how long a side's turn is: a few batches of a large network, or one when
// a batch takes longer.
const stretch = 200 * time.Millisecond

// turn is the time of one stretch.
func (s *SelfPlay) turn() time.Duration { return min(stretch, s.Time) }

// start begins self-play of more games than there is time for, behind a gate, and
// runs it until the memory of trees and games has grown. Calling stop ends it.
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
	if err := stop(); err != nil { // why it ended
		return err
	}
	if err != nil {
		return err
	}
	r.Bare, r.Speed, r.Fill = speeds[0], speeds[1], g.fill()
	return nil
}

var errEnded = errors.New("self-play ended early")

// whole measures self-play from the first to the last game, and the network before
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
