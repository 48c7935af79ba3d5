package run

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
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

// estimator knows how fast this machine works, from the manifests of earlier runs or,
// without them, from probes of about a second. What neither provides is NaN, never a guess.
// Estimates do not affect results.
type estimator struct {
	probe bool              // probes are allowed
	rates map[string]*ratio // see rateKey; nil: the manifests were not read yet
	// untrained is set when an estimate depends on games of an untrained network. The caller
	// resets it.
	untrained bool
}

// ratio is an amount of work divided by the seconds or games that it took.
type ratio struct {
	amount, per float64
	untrained   bool
}

// unit is a unit of rates.
type unit struct {
	name     string
	sections []string // of settings, which determine the rate
	without  []string // settings of these sections that do not
	probe    func(context.Context, *Trial) (amount, per float64, err error)
	played   bool // the probe plays games of an untrained network, which are shorter
}

var (
	evaluationsPerSecond = &unit{name: "evaluations a second", sections: []string{"network"}, probe: probePlaying} // in self-play
	trainedPerSecond     = &unit{name: "trained a second", sections: []string{"network"}, probe: probeTraining}    // positions
	importedPerSecond    = &unit{name: "imported a second", sections: []string{"data"}, probe: probeImport,        // positions
		without: []string{"data.contents", "data.chunk", "data.shuffle", "data.games"}}
	pliesPerGame       = &unit{name: "plies a game", sections: playedBy, without: []string{"selfplay.games"}, probe: probePlies, played: true}
	evaluationsPerGame = &unit{name: "evaluations a game", sections: playedBy, without: []string{"selfplay.games"}, probe: probeEvaluations, played: true}

	playedBy = []string{"game", "search", "selfplay"}
)

// rateKey returns equal keys for rates of a unit that are equal for these inputs of a stage.
func rateKey(u *unit, in store.Inputs) string {
	key := store.Inputs{}
	for path, value := range in {
		section, _, nested := strings.Cut(path, ".")
		if nested && slices.Contains(u.sections, section) && !slices.Contains(u.without, path) {
			key[path] = value
		}
	}
	return u.name + " " + key.Hash()
}

// add adds a measurement. It ignores those that took nothing.
func (e *estimator) add(u *unit, in store.Inputs, amount, per float64) {
	if !(per > 0) {
		return
	}
	key := rateKey(u, in)
	if e.rates[key] == nil {
		e.rates[key] = &ratio{}
	}
	e.rates[key].amount += amount
	e.rates[key].per += per
}

// recall adds the stages that a trial ran itself.
func (e *estimator) recall(m *store.Manifest) {
	first := m.Stage(store.UntrainedStage)
	if first == nil {
		return
	}
	samples := map[string]int{} // by generation
	for _, s := range m.Stages {
		_, g := store.SplitStage(s.Name)
		switch s.Name {
		case store.SelfPlayStage(g), store.DataStage(g):
			var row store.Generation
			if s.Decode(&row) != nil {
				continue
			}
			samples[strconv.Itoa(g)] = row.Samples
			switch games := float64(row.Games); {
			case s.From != "":
			case s.Name == store.DataStage(g):
				e.add(importedPerSecond, s.Inputs, float64(row.Samples), row.Seconds)
			case row.PerSecond > 0 && row.Games > 0:
				e.add(evaluationsPerSecond, first.Inputs, float64(row.Evaluations), float64(row.Evaluations)/row.PerSecond)
				e.add(pliesPerGame, s.Inputs, row.MeanPlies()*games, games)
				e.add(evaluationsPerGame, s.Inputs, float64(row.Evaluations), games)
			}
		case store.TrainStage(g):
			var epochs []train.Epoch
			if s.From != "" || s.Decode(&epochs) != nil {
				continue
			}
			positions := 0
			for k := range s.Inputs {
				if of, ok := strings.CutPrefix(k, "samples "); ok {
					positions += samples[of] * len(epochs)
				}
			}
			e.add(trainedPerSecond, first.Inputs, float64(positions), s.Seconds)
		}
	}
}

// estimate adds up the work of one stage. After an error its methods add nothing known.
type estimate struct {
	*estimator
	ctx  context.Context
	work Work
	err  error
}

// rate returns a rate of a trial. in has the inputs that determine it. If no earlier run on
// this machine measured it, it is probed once.
func (e *estimate) rate(t *Trial, u *unit, in store.Inputs) float64 {
	if e.rates == nil {
		e.rates = map[string]*ratio{}
		for _, other := range t.run.cache.all() {
			if m := other.manifest; m.Machine.CPU == t.Machine.CPU && m.Machine.Cores == t.Machine.Cores {
				e.recall(m)
			}
		}
	}
	key := rateKey(u, in)
	r := e.rates[key]
	if r == nil && u.played {
		r = e.earlier(t, u)
	}
	if r == nil && e.probe && e.err == nil {
		r = &ratio{untrained: u.played}
		r.amount, r.per, e.err = u.probe(e.ctx, t)
	}
	if r == nil || e.err != nil {
		return math.NaN()
	}
	e.rates[key] = r
	e.untrained = e.untrained || r.untrained
	return r.amount / r.per // 0/0 is NaN
}

// earlier returns the rate of games of the last generation from those of an earlier one, in
// which a ramp had another value. It returns nil if there is none.
func (e *estimate) earlier(t *Trial, u *unit) *ratio {
	steps := t.Settings.Ramps.Steps()
	for g := min(t.Settings.Generations, steps[len(steps)-1]); g >= 1; g-- {
		if r := e.rates[rateKey(u, gamesInputs(t, g))]; r != nil {
			scaled := *r
			if u == evaluationsPerGame {
				now, then := playing(t), t.Setup.SelfPlay(g)
				scaled.amount *= now.MeanVisits() / then.MeanVisits()
			}
			return &scaled
		}
	}
	return nil
}

// evaluate adds evaluations of a trial's network.
func (e *estimate) evaluate(t *Trial, n float64) {
	if n == 0 { // which takes no time at any rate
		return
	}
	e.work.Evaluations += stats.Float(math.Round(n))
	e.work.Seconds += stats.Float(n / e.rate(t, evaluationsPerSecond, networkInputs(t)))
}

// train adds training on a number of positions.
func (e *estimate) train(t *Trial, positions float64) {
	if n := positions * float64(t.Settings.Training.Epochs); n != 0 {
		e.work.Seconds += stats.Float(n / e.rate(t, trainedPerSecond, networkInputs(t)))
	}
}

// search adds the evaluations of games in which a trial's network chooses all moves, with a
// mean number of visits.
func (e *estimate) search(t *Trial, games, visits float64) {
	if cfg := playing(t); games != 0 {
		e.evaluate(t, games*e.rate(t, evaluationsPerGame, gamesInputs(t, t.Settings.Generations))*visits/cfg.MeanVisits())
	}
}

// plies returns the mean number of plies of a trial's self-play games.
func (e *estimate) plies(t *Trial) float64 {
	return e.rate(t, pliesPerGame, gamesInputs(t, t.Settings.Generations))
}

// think adds the time of engines: per ply of a game, summed over games.
func (e *estimate) think(t *Trial, perPly time.Duration) {
	if perPly != 0 {
		e.work.Seconds += stats.Float(perPly.Seconds() * e.plies(t) / float64(t.Workers))
	}
}

func networkInputs(t *Trial) store.Inputs {
	in := store.Inputs{}
	in.Settings("network", t.Settings.Network)
	return in
}

// gamesInputs returns the inputs that determine the games of generation g.
func gamesInputs(t *Trial, g int) store.Inputs {
	s := t.Settings.At(g)
	in := store.Inputs{}
	in.Settings("game", s.Game)
	in.Settings("search", s.Search)
	in.Settings("selfplay", s.SelfPlay)
	return in
}
