package run

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"alamos/pkg/nn"

	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Estimator says how long work takes: from earlier runs on this machine where
// there are any, else from a probe of seconds, if it may.
type Estimator struct {
	probe   bool
	speeds  map[string]*speed  // by network, see networkKey
	lengths map[string]*length // by how games are played, see gamesPlayedKey
	imports map[string]float64 // positions a second, see importKey
	known   *history
	// Blind says that a length that was asked for since this was false is that of
	// untrained games.
	Blind bool
}

// speed is of a network on this machine.
type speed struct {
	evaluations rate // in self-play
	positions   rate // in training
}

// rate is so many a second, NaN where it is not known.
type rate struct {
	perSecond float64
	probed    bool
}

// length is of games of self-play.
type length struct {
	plies       float64
	evaluations float64 // of the network, for each ply and visit
	untrained   bool    // they are those of an untrained network
}

// New estimates with probes or without them.
func New(probe bool) *Estimator {
	return &Estimator{probe: probe, speeds: map[string]*speed{}, lengths: map[string]*length{}, imports: map[string]float64{}}
}

// networkKey is equal for networks of equal speed.
func networkKey(in store.Inputs) string {
	key := maps.Clone(in)
	maps.DeleteFunc(key, func(k, _ string) bool { return !strings.HasPrefix(k, "network.") })
	return key.Hash()
}

// gamesPlayedKey is equal where games are played alike.
func gamesPlayedKey(in store.Inputs) string {
	key := maps.Clone(in)
	maps.DeleteFunc(key, func(k, _ string) bool {
		section, rest, _ := strings.Cut(k, ".")
		return section != "game" && section != "search" && section != "selfplay" || section == "selfplay" && rest == "games"
	})
	return key.Hash()
}

// Work estimates what a load of a trial comes to.
func (e *Estimator) Work(ctx context.Context, t *Trial, load Load) (Work, error) {
	w := Work{Games: load.Games}
	for _, s := range load.Searches {
		if s.Games == 0 {
			continue
		}
		l, err := e.length(ctx, s.Of)
		if err != nil {
			return w, err
		}
		v, err := e.evaluating(ctx, s.Of)
		if err != nil {
			return w, err
		}
		cfg := playing(s.Of)
		visits := cfg.MeanVisits()
		if s.Tournament {
			visits = float64(s.Of.Settings.Tournament.Search.Budget())
		}
		n := s.Games * l.plies * l.evaluations * visits
		w.Evaluations += stats.Float(math.Round(n))
		w.Seconds += stats.Float(n / v)
	}
	if i := load.Import; i != nil {
		speed, err := e.importing(ctx, t, i)
		if err != nil {
			return w, err
		}
		w.Seconds += stats.Float(i.Positions / speed)
	}
	if load.Positions != 0 {
		v, err := e.learning(ctx, t)
		if err != nil {
			return w, err
		}
		w.Seconds += stats.Float(load.Positions * float64(t.Settings.Training.Epochs) / v)
	}
	if load.Asked > 0 {
		v, err := e.evaluating(ctx, t)
		if err != nil {
			return w, err
		}
		w.Evaluations += stats.Float(load.Asked)
		w.Seconds += stats.Float(float64(load.Asked) / v)
	}
	if load.Learned > 0 || load.Thinking > 0 {
		l, err := e.length(ctx, t)
		if err != nil {
			return w, err
		}
		w.Seconds += stats.Float(load.Thinking.Seconds() * l.plies / float64(t.Workers))
		if load.Learned > 0 {
			v, err := e.learning(ctx, t)
			if err != nil {
				return w, err
			}
			cfg := playing(t)
			w.Seconds += stats.Float(float64(load.Learned*t.Settings.Training.Epochs) * l.plies * cfg.FullShare() / v)
		}
	}
	return w, nil
}

// importKey is equal where positions are imported at equal speed.
func importKey(in store.Inputs) string {
	key := maps.Clone(in)
	maps.DeleteFunc(key, func(k, _ string) bool {
		section, rest, _ := strings.Cut(k, ".")
		return section != "data" || slices.Contains([]string{"contents", "chunk", "shuffle", "games"}, rest)
	})
	return key.Hash()
}

// importing is how many positions are imported in a second.
func (e *Estimator) importing(ctx context.Context, t *Trial, i *Import) (float64, error) {
	key := importKey(i.In)
	if v, ok := e.imports[key]; ok {
		return v, nil
	}
	e.recall(t)
	v := math.NaN()
	if h := e.known.imports[key]; h != nil {
		v = h.positions / h.seconds
	} else if e.probe {
		var err error
		if v, err = probeImport(ctx, i.Set); err != nil {
			return v, err
		}
	}
	e.imports[key] = v
	return v, nil
}

// evaluating is how many positions a trial's network evaluates in a second of self-play.
func (e *Estimator) evaluating(ctx context.Context, t *Trial) (float64, error) {
	return e.ask(ctx, t, &e.speed(t).evaluations, probePlaying)
}

// learning is how many positions a trial's network learns from in a second.
func (e *Estimator) learning(ctx context.Context, t *Trial) (float64, error) {
	return e.ask(ctx, t, &e.speed(t).positions, probeTraining)
}

// ask is a rate, which is probed, once, where no earlier run tells it.
func (e *Estimator) ask(ctx context.Context, t *Trial, r *rate, probe func(context.Context, *Trial, *nn.Network) (float64, error)) (float64, error) {
	if !e.probe || r.probed || !math.IsNaN(r.perSecond) {
		return r.perSecond, nil
	}
	net, err := nn.New(t.Spec(), 1)
	if err != nil {
		return 0, err
	}
	r.probed = true
	r.perSecond, err = probe(ctx, t, net)
	return r.perSecond, err
}

// speed is what is known of the speed of a trial's network.
func (e *Estimator) speed(t *Trial) *speed {
	in := store.Inputs{}
	in.Settings("network", t.Settings.Network)
	key := networkKey(in)
	if e.speeds[key] == nil {
		e.recall(t)
		e.speeds[key] = e.known.speeds[key].mean()
	}
	return e.speeds[key]
}

// length is how long games of a trial's self-play are.
func (e *Estimator) length(ctx context.Context, t *Trial) (*length, error) {
	s := &t.Settings
	in := store.Inputs{}
	in.Settings("game", s.Game)
	in.Settings("search", s.Search)
	in.Settings("selfplay", s.SelfPlay)
	key := gamesPlayedKey(in)
	if l := e.lengths[key]; l != nil {
		e.Blind = e.Blind || l.untrained
		return l, nil
	}
	e.recall(t)
	l := &length{plies: math.NaN(), evaluations: math.NaN()}
	cfg := playing(t)
	if h := e.known.games[key]; h != nil {
		l = &length{plies: h.plies / h.games, evaluations: h.evaluations / (h.plies * cfg.MeanVisits())}
	} else if e.probe {
		quick := quickConfig(t)
		records, err := quickGames(ctx, t, quick)
		if err != nil {
			return nil, err
		}
		l = lengthOf(records, quick.MeanVisits())
		l.untrained, e.Blind = true, true
	}
	e.lengths[key] = l
	return l, nil
}
