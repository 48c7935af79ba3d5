package run

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/search"
	"alamos/pkg/train"

	"alamos/pkg/stats"
	"alamos/pkg/store"

	"github.com/dustin/go-humanize/english"
)

// rungCode is the version of the code of a rung, see [Stage].
const rungCode = "6"

// halving trains trials rung by rung. All remaining trials train until the rung, then those
// of the best settings continue and the others end without a tournament. A rung is decided
// when all trials have reached it, so the choice depends only on results, never on speed.
func (r *run) halving(ctx context.Context, all []*candidate) error {
	rungs := r.experiment.Halving.Rungs(all[0].declared.Settings.Generations)
	going := all
	for i, g := range rungs {
		last := i == len(rungs)-1
		for _, c := range going {
			c.until, c.end = g, nil
			if last {
				c.end = &store.Ended{Generation: g}
			}
		}
		r.each(ctx, all) // trials that lost at the last rung end now
		if ctx.Err() != nil || last || r.FailFast && slices.ContainsFunc(all, func(c *candidate) bool { return c.err != nil }) {
			return ctx.Err()
		}
		going = slices.DeleteFunc(slices.Clone(going), func(c *candidate) bool { return c.err != nil })
		if len(going) < 2 { // all others failed
			continue
		}
		rung, err := r.rung(ctx, g, going)
		if err != nil {
			return err
		}
		going = choose(rung, i+1, going)
	}
	return nil
}

// choose returns the trials that continue after a rung, in order. It sets the endings of
// the others. number is that of the rung.
func choose(rung *store.Rung, number int, going []*candidate) []*candidate {
	var on []*candidate
	for _, c := range going {
		place, settings := rung.Place(filepath.Base(c.folder))
		if place <= rung.Survivors {
			on = append(on, c)
			continue
		}
		c.end = &store.Ended{Generation: rung.Generation, Rung: number, Why: fmt.Sprintf("halving by %s: place %d of %d after %s, where %d continued",
			metricWords[rung.Metric], place, settings, english.Plural(rung.Generation, "generation", ""), rung.Survivors)}
	}
	return on
}

// metricWords are the names of the metrics in messages.
var metricWords = map[string]string{experiment.ByLoss: "validation loss", experiment.ByElo: "Elo"}

// compare executes a stage that compares trials, unless build returns nil. It returns the trial
// of the stage, which has a folder of its own and the settings of the experiment without its
// sweep, and trains nothing. when describes the comparison.
func (r *run) compare(ctx context.Context, when string, build func(*Trial) *Stage) (_ *Trial, err error) {
	dir := filepath.Join(r.dir, store.ComparisonsFolder)
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", dir, err)
		}
	}()
	report := r.Reporter.Comparison(when)
	if r.comparing == nil {
		declared := experiment.Trial{Settings: r.experiment.Settings}
		first := &r.experiment.Trials[0].Settings // the file may lack settings that the sweep varies
		declared.Settings.Game, declared.Settings.Network = first.Game, first.Network
		if r.comparing, err = r.openIn(ctx, dir, declared, report); err != nil {
			return nil, err
		}
	}
	r.comparing.Report = report
	if s := build(r.comparing); s != nil {
		err = r.executor.stage(ctx, r.comparing, s)
	}
	return r.comparing, err
}

// rung compares trials after generation g.
func (r *run) rung(ctx context.Context, g int, going []*candidate) (*store.Rung, error) {
	h := r.experiment.Halving
	rung := &store.Rung{Generation: g, Metric: h.Metric}
	for _, c := range going {
		reached := g
		if c.trial.stopped != nil { // by a stop rule
			reached = min(g, c.trial.stopped.Generation)
		}
		rung.Ranking = append(rung.Ranking, store.RungTrial{Trial: filepath.Base(c.folder), Label: c.declared.Label, Setting: c.declared.Group, Generation: reached, Value: stats.Unknown()})
	}
	settings := rung.Settings()
	rung.Survivors = h.Survivors(len(settings))
	t, err := r.compare(ctx, "after "+english.Plural(g, "generation", ""), func(t *Trial) *Stage {
		if h.Metric == experiment.ByLoss {
			return t.rungByLoss(rung, going)
		}
		return t.rungByElo(rung, going)
	})
	if err != nil {
		return nil, err
	}
	done := t.Results.Manifest.Stage(store.RungStage(g))
	if len(done.Facts) == 0 { // in a plan the ranking is unknown: the first trials stand for the survivors
		what := "trials"
		if len(settings) < len(rung.Ranking) { // some have several trials
			what = "settings"
		}
		t.unknown = append(t.unknown, fmt.Sprintf("it is not known yet which %d of %d %s continue after %s: here the first ones stand for them",
			rung.Survivors, len(settings), what, english.Plural(g, "generation", "")))
		rung.Ranking = slices.Concat(settings...)
		return rung, nil
	}
	decided := &store.Rung{}
	return decided, done.Decode(decided)
}

// rungByLoss returns the stage that compares trials by their selected training loss.
func (t *Trial) rungByLoss(rung *store.Rung, going []*candidate) *Stage {
	in := store.Inputs{"code": rungCode, "metric": rung.Metric, "generation": strconv.Itoa(rung.Generation), survivorsInput: strconv.Itoa(rung.Survivors)}
	var names []string
	for i, c := range going {
		x := &rung.Ranking[i]
		names = append(names, x.Trial)
		if !c.trial.knows(x.Generation) {
			in["trial "+x.Trial] = unknown("loss", c.trial.Results.CheckpointSum(x.Generation))
			continue
		}
		x.Value = stats.Exactly(train.SelectedLoss(c.trial.Results.Epochs(x.Generation)).Total)
		in["trial "+x.Trial] = strconv.FormatFloat(x.Value.Value, 'g', -1, 64)
	}
	in.List("trial", names)
	return &Stage{Name: store.RungStage(rung.Generation), In: in, Run: func(context.Context) (any, error) { return t.rank(rung, 1), nil }}
}

// rungByElo returns the stage that compares trials by a tournament between their checkpoints.
// Each checkpoint searches with the settings of its own tournament section.
func (t *Trial) rungByElo(rung *store.Rung, going []*candidate) *Stage {
	var players []player
	for i, c := range going {
		x := &rung.Ranking[i]
		players = append(players, c.trial.entrant(x.Trial, x.Generation))
	}
	m := t.pool(store.RungStage(rung.Generation), store.RungFolder(rung.Generation), rungCode, players, t.run.experiment.Halving.Games, match.Format{})
	m.in["metric"], m.in[survivorsInput] = rung.Metric, strconv.Itoa(rung.Survivors)
	return m.stage("", func(result *store.Tournament) any {
		for i, p := range result.Players {
			rung.Ranking[i].Value = p.Elo
		}
		return t.rank(rung, -1)
	})
}

// entrant returns the trial's network of a generation as a player among those of other trials.
// It searches with the settings of its own tournament section.
func (t *Trial) entrant(name string, generation int) player {
	p, own := t.checkpoint(match.Spec{Model: match.Last}, generation), t.Settings.Tournament
	p.name, p.id = name, experiment.Hash(p.id, own.Search, own.Temperature, own.Limit)
	return p
}

// pool returns a tournament of players of several trials. code is the version of the code
// around the tournament.
func (t *Trial) pool(stage, folder, code string, players []player, rounds int, format match.Format) *tournament {
	settings := t.Settings.Tournament
	settings.Rounds, settings.Format = rounds, format
	settings.Search, settings.Temperature, settings.Limit = search.Config{}, experiment.TournamentTemperature{}, nil
	return t.newTournament(stage, folder, code+", games "+tournamentCode, players, settings)
}

// rank sorts and reports the settings of a rung: sign * mean over their trials ascending,
// unknown means last.
func (t *Trial) rank(rung *store.Rung, sign float64) *store.Rung {
	settings := rung.Settings()
	for _, trials := range settings {
		var values []float64
		for _, x := range trials {
			values = append(values, x.Value.Value)
		}
		mean := stats.Mean(values)
		if len(trials) == 1 {
			mean = trials[0].Value
		}
		for i := range trials {
			trials[i].Mean = mean
		}
	}
	slices.SortStableFunc(settings, func(a, b []store.RungTrial) int {
		a0, b0 := a[0].Mean, b[0].Mean
		if a0.Missing() || b0.Missing() {
			return -cmp.Compare(a0.Value, b0.Value) // which sorts NaN before numbers
		}
		return cmp.Compare(sign*a0.Value, sign*b0.Value)
	})
	digits := 3
	if rung.Metric == experiment.ByElo {
		digits = 0
	}
	text := fmt.Sprintf("%s after %s: %d of %d continue:", metricWords[rung.Metric], english.Plural(rung.Generation, "generation", ""), rung.Survivors, len(settings))
	for i, trials := range settings {
		if i == rung.Survivors {
			text += "; not"
		} else if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s (%.*f)", cmp.Or(trials[0].Setting, trials[0].Label), digits, trials[0].Mean.Value)
	}
	t.Report.Note(text)
	rung.Ranking = slices.Concat(settings...)
	return rung
}
