package lab

import (
	"context"
	"errors"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
	"alamos/pkg/store"
)

// estimator says how long work takes: from earlier runs on this machine where
// there are any, else from a probe of seconds, if it may.
type estimator struct {
	probe   bool
	speeds  map[string]*speed  // by network, see networkKey
	lengths map[string]*length // by how games are played, see gamesPlayedKey
	known   *history
	blind   bool // a length that was asked for since this was false is that of untrained games
}

// speed is of a network on this machine.
type speed struct {
	evaluations float64 // a second, in self-play
	positions   float64 // a second, in training
}

// length is of games of self-play.
type length struct {
	plies       float64
	evaluations float64 // of the network, for each ply and visit
	untrained   bool    // they are those of an untrained network
}

func newEstimator(opt PlanOptions) *estimator {
	return &estimator{probe: opt.Probe, speeds: map[string]*speed{}, lengths: map[string]*length{}}
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

// work estimates what a workload of a trial comes to.
func (e *estimator) work(ctx context.Context, t *trial, load workload) (Work, error) {
	w := Work{Stages: 1, Games: load.games}
	for _, s := range load.searches {
		if s.games == 0 {
			continue
		}
		l, err := e.length(ctx, s.of)
		if err != nil {
			return w, err
		}
		v, err := e.speed(ctx, s.of)
		if err != nil {
			return w, err
		}
		playing := s.of.selfplayConfig(0)
		visits := playing.MeanVisits()
		if s.tournament {
			visits = float64(s.of.Settings.Tournament.Search.Visits)
		}
		n := s.games * l.plies * l.evaluations * visits
		w.Evaluations += store.Float(math.Round(n))
		w.Seconds += store.Float(n / v.evaluations)
	}
	if load.learned > 0 || load.thinking > 0 {
		l, err := e.length(ctx, t)
		if err != nil {
			return w, err
		}
		w.Seconds += store.Float(load.thinking.Seconds() * l.plies / float64(t.workers))
		if load.learned > 0 {
			v, err := e.speed(ctx, t)
			if err != nil {
				return w, err
			}
			playing := t.selfplayConfig(0)
			w.Seconds += store.Float(float64(load.learned*t.Settings.Training.Epochs) * l.plies * playing.FullShare() / v.positions)
		}
	}
	return w, nil
}

// speed is the speed of a trial's network.
func (e *estimator) speed(ctx context.Context, t *trial) (*speed, error) {
	in := store.Inputs{}
	in.Settings("network", t.Settings.Network)
	key := networkKey(in)
	if v := e.speeds[key]; v != nil {
		return v, nil
	}
	e.recall(t.run)
	v := e.known.speeds[key].mean()
	e.speeds[key] = v
	if !e.probe || !math.IsNaN(v.evaluations) && !math.IsNaN(v.positions) {
		return v, nil
	}
	probed, err := probe(ctx, t)
	if err != nil {
		return nil, err
	}
	if math.IsNaN(v.evaluations) {
		v.evaluations = probed.evaluations
	}
	if math.IsNaN(v.positions) {
		v.positions = probed.positions
	}
	return v, nil
}

// length is how long games of a trial's self-play are.
func (e *estimator) length(ctx context.Context, t *trial) (*length, error) {
	s := &t.Settings
	in := store.Inputs{}
	in.Settings("game", s.Game)
	in.Settings("search", s.Search)
	in.Settings("selfplay", s.SelfPlay)
	key := gamesPlayedKey(in)
	if l := e.lengths[key]; l != nil {
		e.blind = e.blind || l.untrained
		return l, nil
	}
	e.recall(t.run)
	l := &length{plies: math.NaN(), evaluations: math.NaN()}
	playing := t.selfplayConfig(0)
	if h := e.known.games[key]; h != nil {
		l = &length{plies: h.plies / h.games, evaluations: h.evaluations / (h.plies * playing.MeanVisits())}
	} else if e.probe {
		quick := quickConfig(t)
		records, err := quickGames(ctx, t, quick)
		if err != nil {
			return nil, err
		}
		l = lengthOf(records, quick.MeanVisits())
		l.untrained, e.blind = true, true
	}
	e.lengths[key] = l
	return l, nil
}

// history is what earlier runs on this machine tell.
type history struct {
	speeds map[string]*measured // by networkKey
	games  map[string]*played   // by gamesPlayedKey
}

// measured sums up the work that a network has done.
type measured struct{ evaluations, playing, positions, training float64 }

// mean is the mean speed, NaN where nothing was measured.
func (m *measured) mean() *speed {
	if m == nil {
		return &speed{math.NaN(), math.NaN()}
	}
	return &speed{m.evaluations / m.playing, m.positions / m.training} // 0/0 is NaN
}

// played sums up games.
type played struct{ games, plies, evaluations float64 }

// recall reads what the trials below the results' root tell, once.
func (e *estimator) recall(r *run) {
	if e.known != nil {
		return
	}
	e.known = &history{map[string]*measured{}, map[string]*played{}}
	r.shelf.mu.Lock()
	r.shelf.refresh()
	folders := slices.Sorted(maps.Keys(r.shelf.folders))
	r.shelf.mu.Unlock()
	for _, folder := range folders {
		m, _, err := store.ReadManifest(filepath.Join(r.shelf.root, folder))
		if err == nil && m.Machine.CPU == r.machine.CPU && m.Machine.Cores == r.machine.Cores {
			e.known.add(m)
		}
	}
}

// add adds what a trial tells.
func (h *history) add(m *store.Manifest) {
	first := m.Stage(store.UntrainedStage)
	if first == nil {
		return
	}
	network := networkKey(first.Inputs)
	if h.speeds[network] == nil {
		h.speeds[network] = &measured{}
	}
	v := h.speeds[network]
	samples := map[string]int{} // by generation
	for _, s := range m.Stages {
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
		key := gamesPlayedKey(s.Inputs)
		if h.games[key] == nil {
			h.games[key] = &played{}
		}
		h.games[key].games += float64(row.Games)
		h.games[key].plies += row.MeanPlies() * float64(row.Games)
		h.games[key].evaluations += float64(row.Evaluations)
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

// uniform is a network that knows nothing, and takes no time for it.
type uniform struct{}

func (uniform) Evaluate(leaves []*encode.Leaf) error {
	for _, l := range leaves {
		for i := range l.Priors {
			l.Priors[i] = 1 / float32(len(l.Priors))
		}
		l.Value = 0
	}
	return nil
}

// What a probe takes.
const (
	quickVisits = 32
	quickCount  = 8 // games
	probeTime   = 1200 * time.Millisecond
	probeWarm   = 300 * time.Millisecond
)

// quickConfig is a few games of a trial's self-play, with few visits.
func quickConfig(t *trial) selfplay.Config {
	cfg := t.selfplayConfig(0)
	cfg.Games, cfg.Parallel = quickCount, quickCount
	if full := cfg.Search.Visits; full > quickVisits {
		cfg.Search.Visits = quickVisits
		if fast := &cfg.PlayoutCap.Visits; *fast > 0 {
			*fast = max(1, *fast*quickVisits/full)
		}
	}
	return cfg
}

// quickGames plays such games without a network: as an untrained one plays.
func quickGames(ctx context.Context, t *trial, cfg selfplay.Config) ([]*selfplay.Record, error) {
	nets := make([]search.Net, t.workers)
	for i := range nets {
		nets[i] = uniform{}
	}
	var records []*selfplay.Record
	_, err := selfplay.Play(ctx, cfg, t.codec, nets, func(r *selfplay.Record) { records = append(records, r) })
	slices.SortFunc(records, func(a, b *selfplay.Record) int { return a.Number - b.Number })
	return records, err
}

// lengthOf is the length of games with so many visits a search on average.
func lengthOf(records []*selfplay.Record, visits float64) *length {
	plies, evaluations := 0, 0
	for _, r := range records {
		plies += len(r.Moves)
		evaluations += r.Evaluations
	}
	return &length{plies: float64(plies) / float64(len(records)), evaluations: float64(evaluations) / (float64(plies) * visits)}
}

// probe measures the network of a trial, in self-play and in training.
func probe(ctx context.Context, t *trial) (*speed, error) {
	net, err := nn.New(t.spec(), 1)
	if err != nil {
		return nil, err
	}
	defer net.Close()
	v := &speed{}
	if v.evaluations, err = probePlaying(ctx, t, net); err != nil {
		return nil, err
	}
	v.positions, err = probeTraining(ctx, t, net)
	return v, err
}

// probePlaying is the number of evaluations a second in self-play.
func probePlaying(ctx context.Context, t *trial, net *nn.Network) (float64, error) {
	model, err := net.Compile(nn.InferenceOptions{Batch: t.Batch, Precision: t.Precision})
	if err != nil {
		return 0, err
	}
	defer model.Close()
	nets := make([]search.Net, t.workers)
	for i := range nets {
		session, err := model.NewSession()
		if err != nil {
			return 0, err
		}
		defer session.Close()
		nets[i] = session
	}
	cfg := t.selfplayConfig(0)
	cfg.Games = 1 << 16 // more than can end
	cfg.Progress = new(selfplay.Progress)
	limited, stop := context.WithTimeout(ctx, probeWarm+probeTime)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		_, err := selfplay.Play(limited, cfg, t.codec, nets, func(*selfplay.Record) {})
		ended <- err
	}()
	time.Sleep(probeWarm)
	before, began := cfg.Progress.Evaluations.Load(), time.Now()
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		return 0, err
	}
	return float64(cfg.Progress.Evaluations.Load()-before) / time.Since(began).Seconds(), nil
}

// probeTraining is the number of positions a second that training takes.
func probeTraining(ctx context.Context, t *trial, net *nn.Network) (float64, error) {
	s := &t.Settings.Training
	records, err := quickGames(ctx, t, quickConfig(t))
	if err != nil {
		return 0, err
	}
	var samples []encode.Sample
	for _, r := range records {
		samples = append(samples, r.Samples...)
	}
	if len(samples) == 0 {
		return math.NaN(), nil
	}
	var batch nn.Batch
	for i := range min(s.Batch, 256) {
		batch.Add(&samples[i%len(samples)])
	}
	tr, err := nn.NewTrainer(net, nn.Optimizer{Kind: s.Optimizer.Kind, Momentum: s.Optimizer.Momentum, WeightDecay: s.Optimizer.WeightDecay, Weights: nn.Weights(s.Loss)})
	if err != nil {
		return 0, err
	}
	defer tr.Close()
	if _, err := tr.Step(&batch, 0); err != nil { // the first is slower
		return 0, err
	}
	began, steps := time.Now(), 0
	for ; steps == 0 || time.Since(began) < probeTime; steps++ {
		if _, err := tr.Step(&batch, 0); err != nil {
			return 0, err
		}
	}
	return float64(steps*batch.N) / time.Since(began).Seconds(), nil
}
