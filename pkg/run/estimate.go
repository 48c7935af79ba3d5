package run

import (
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"alamos/pkg/data"
	"alamos/pkg/nn"

	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Work is an amount of work. NaN (null in JSON) means unknown.
type Work struct {
	Stages      int         `json:"stages"`
	Games       int         `json:"games"`
	Evaluations stats.Float `json:"evaluations"` // of networks, estimated
	Seconds     stats.Float `json:"seconds"`     // estimated
}

func (w *Work) Add(o Work) {
	w.Stages += o.Stages
	w.Games += o.Games
	w.Evaluations += o.Evaluations
	w.Seconds += o.Seconds
}

// Load is the work of a stage, as input of an estimate.
type Load struct {
	Games    int      // games to play
	Searches []Search // searches of networks in these games
	Learned  int      // games to train on, once per epoch
	// Positions counts positions to train on, once per epoch, beside those of Learned. It is
	// NaN if unknown.
	Positions   float64
	Evaluations int           // of the trial's network, beside those in games
	Import      *Import       // nil: none
	Thinking    time.Duration // of engines with a fixed time per move: time per ply of a game, summed over games
}

// Import is the import of a chunk of data.
type Import struct {
	In        store.Inputs // inputs of the stage
	Set       *data.Source
	Positions float64 // NaN: unknown
}

// Search describes the searches of one network in games.
type Search struct {
	Of         *Trial // trial with the network and its settings
	Games      float64
	Tournament bool // searches with the settings of the tournament section
}

// Estimator estimates how long work takes on this machine. It uses the manifests of earlier
// runs or, without them, a probe of a few seconds. What neither provides is NaN, never a
// guess. Estimates do not affect results.
type Estimator struct {
	probe   bool
	speeds  map[string]*speed  // by network, see networkKey
	lengths map[string]*length // by how games are played, see gamesPlayedKey
	imports map[string]float64 // positions per second, see importKey
	known   *history
	// Untrained is set when an estimate depends on the length of games of an untrained
	// network. The caller resets it.
	Untrained bool
}

// speed is the speed of a network on this machine.
type speed struct {
	evaluations rate // in self-play
	positions   rate // in training
}

// rate is a number per second. It is NaN if unknown.
type rate struct {
	perSecond float64
	probed    bool
}

// length is the mean length of self-play games.
type length struct {
	plies       float64
	evaluations float64 // of the network, per ply and visit
	untrained   bool    // measured with an untrained network
}

// NewEstimator returns an estimator. probe allows it to run probes.
func NewEstimator(probe bool) *Estimator {
	return &Estimator{probe: probe, speeds: map[string]*speed{}, lengths: map[string]*length{}, imports: map[string]float64{}}
}

// networkKey returns equal keys for networks of equal speed.
func networkKey(in store.Inputs) string {
	key := maps.Clone(in)
	maps.DeleteFunc(key, func(k, _ string) bool { return !strings.HasPrefix(k, "network.") })
	return key.Hash()
}

// gamesPlayedKey returns equal keys for games with equal settings, except their number.
func gamesPlayedKey(in store.Inputs) string {
	key := maps.Clone(in)
	maps.DeleteFunc(key, func(k, _ string) bool {
		section, rest, _ := strings.Cut(k, ".")
		return section != "game" && section != "search" && section != "selfplay" || section == "selfplay" && rest == "games"
	})
	return key.Hash()
}

// Work estimates the work of a load.
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
	if load.Evaluations > 0 {
		v, err := e.evaluating(ctx, t)
		if err != nil {
			return w, err
		}
		w.Evaluations += stats.Float(load.Evaluations)
		w.Seconds += stats.Float(float64(load.Evaluations) / v)
	}
	if load.Learned > 0 || load.Thinking > 0 {
		l, err := e.length(ctx, t)
		if err != nil {
			return w, err
		}
		w.Seconds += stats.Float(load.Thinking.Seconds() * l.plies / float64(t.Hardware.Workers))
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

// importKey returns equal keys for imports of equal speed.
func importKey(in store.Inputs) string {
	key := maps.Clone(in)
	maps.DeleteFunc(key, func(k, _ string) bool {
		section, rest, _ := strings.Cut(k, ".")
		return section != "data" || slices.Contains([]string{"contents", "chunk", "shuffle", "games"}, rest)
	})
	return key.Hash()
}

// importing returns the number of positions imported per second.
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

// evaluating returns the number of positions that a trial's network evaluates per second in
// self-play.
func (e *Estimator) evaluating(ctx context.Context, t *Trial) (float64, error) {
	return e.ask(ctx, t, &e.speed(t).evaluations, probePlaying)
}

// learning returns the number of positions that a trial's network trains on per second.
func (e *Estimator) learning(ctx context.Context, t *Trial) (float64, error) {
	return e.ask(ctx, t, &e.speed(t).positions, probeTraining)
}

// ask returns a rate. If no earlier run measured it, ask probes it once.
func (e *Estimator) ask(ctx context.Context, t *Trial, r *rate, probe func(context.Context, *Trial, *nn.Network) (float64, error)) (float64, error) {
	if !e.probe || r.probed || !math.IsNaN(r.perSecond) {
		return r.perSecond, nil
	}
	net, err := nn.New(t.Setup.Spec(), 1)
	if err != nil {
		return 0, err
	}
	r.probed = true
	r.perSecond, err = probe(ctx, t, net)
	return r.perSecond, err
}

// speed returns the known speed of a trial's network.
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

// length returns the mean length of a trial's self-play games.
func (e *Estimator) length(ctx context.Context, t *Trial) (*length, error) {
	s := t.Settings
	in := store.Inputs{}
	in.Settings("game", s.Game)
	in.Settings("search", s.Search)
	in.Settings("selfplay", s.SelfPlay)
	key := gamesPlayedKey(in)
	if l := e.lengths[key]; l != nil {
		e.Untrained = e.Untrained || l.untrained
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
		l.untrained, e.Untrained = true, true
	}
	e.lengths[key] = l
	return l, nil
}

// history has statistics of earlier runs on this machine.
type history struct {
	speeds  map[string]*measured // by networkKey
	games   map[string]*played   // by gamesPlayedKey
	imports map[string]*imported // by importKey
}

// imported is the sum over imported chunks of data.
type imported struct{ positions, seconds float64 }

// measured is the sum over the work of a network.
type measured struct{ evaluations, playing, positions, training float64 }

// mean returns the mean speed. It is NaN if nothing was measured.
func (m *measured) mean() *speed {
	if m == nil {
		m = &measured{}
	}
	return &speed{rate{perSecond: m.evaluations / m.playing}, rate{perSecond: m.positions / m.training}} // 0/0 is NaN
}

// played is the sum over games.
type played struct{ games, plies, evaluations float64 }

// recall reads the manifests of all trials that ran on this machine, once.
func (e *Estimator) recall(t *Trial) {
	if e.known != nil {
		return
	}
	e.known = &history{map[string]*measured{}, map[string]*played{}, map[string]*imported{}}
	for m := range t.run.cache.manifests() {
		if m.Machine.CPU == t.Machine.CPU && m.Machine.Cores == t.Machine.Cores {
			e.known.add(m)
		}
	}
}

// sumFor returns the entry of a map and creates it if it is missing.
func sumFor[T any](m map[string]*T, key string) *T {
	if m[key] == nil {
		m[key] = new(T)
	}
	return m[key]
}

// add adds the stages that a trial ran itself.
func (h *history) add(m *store.Manifest) {
	first := m.Stage(store.UntrainedStage)
	if first == nil {
		return
	}
	v := sumFor(h.speeds, networkKey(first.Inputs))
	samples := map[string]int{} // by generation
	for _, s := range m.Stages {
		if g, isData := strings.CutPrefix(s.Name, "data "); isData && s.From == "" {
			var row store.Generation
			if s.Decode(&row) != nil || row.Seconds <= 0 {
				continue
			}
			samples[g] = row.Samples
			sum := sumFor(h.imports, importKey(s.Inputs))
			sum.positions += float64(row.Samples)
			sum.seconds += row.Seconds
			continue
		}
		g, isSelfPlay := strings.CutPrefix(s.Name, "self-play ")
		if !isSelfPlay || s.From != "" {
			continue
		}
		var row store.Generation
		if s.Decode(&row) != nil || row.PerSecond <= 0 || row.Games == 0 {
			continue
		}
		samples[g] = row.Samples
		v.evaluations += float64(row.Evaluations)
		v.playing += float64(row.Evaluations) / row.PerSecond
		sum := sumFor(h.games, gamesPlayedKey(s.Inputs))
		sum.games += float64(row.Games)
		sum.plies += row.MeanPlies() * float64(row.Games)
		sum.evaluations += float64(row.Evaluations)
	}
	for _, s := range m.Stages {
		if !strings.HasPrefix(s.Name, "training ") || s.From != "" || s.Seconds <= 0 {
			continue
		}
		var rows []store.Epoch
		if s.Decode(&rows) != nil {
			continue
		}
		for k := range s.Inputs {
			if g, ok := strings.CutPrefix(k, "samples "); ok {
				v.positions += float64(samples[g] * len(rows))
			}
		}
		v.training += s.Seconds
	}
}
