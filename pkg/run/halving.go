package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/search"

	"alamos/pkg/stats"
	"alamos/pkg/store"

	"github.com/dustin/go-humanize/english"
)

// rungCode is the version of the code of a rung, see [Stage].
const rungCode = "1"

// halving trains trials rung by rung. All remaining trials train until the rung, then the
// best ones continue and the others end. A rung is decided when all trials have reached it,
// so the choice depends only on results, never on speed.
func (r *run) halving(ctx context.Context, all []*candidate) error {
	rungs := r.experiment.Halving.Rungs(all[0].declared.Settings.Generations)
	going := all
	for i, g := range rungs {
		last := i == len(rungs)-1
		for _, c := range going {
			c.until, c.end = g, nil
			if last {
				c.end = &ending{}
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
			return fmt.Errorf("%s: %w", filepath.Join(r.dir, store.RungsFolder), err)
		}
		going = choose(rung, going)
	}
	return nil
}

// choose returns the trials that continue after a rung, in order. It sets the endings of
// the others.
func choose(rung *store.Rung, going []*candidate) []*candidate {
	var on []*candidate
	for _, c := range going {
		place := slices.IndexFunc(rung.Ranking, func(t store.RungTrial) bool { return t.Trial == filepath.Base(c.folder) })
		if place < rung.Survivors {
			on = append(on, c)
			continue
		}
		c.end = &ending{why: fmt.Sprintf("halving by %s: place %d of %d after %s, where %d went on",
			metricWords[rung.Metric], place+1, len(going), english.Plural(rung.Generation, "generation", ""), rung.Survivors)}
	}
	return on
}

// metricWords are the names of the metrics in messages.
var metricWords = map[string]string{experiment.ByLoss: "validation loss", experiment.ByElo: "Elo"}

// arbiter opens the trial that compares others. It has a folder of its own and the settings
// of the experiment without its sweep. It trains nothing.
func (r *run) arbiter(ctx context.Context, report Report) (*Trial, error) {
	declared := experiment.Trial{Settings: r.experiment.Settings}
	// The file may lack settings that the sweep varies.
	declared.Settings.Game = r.experiment.Trials[0].Settings.Game
	t, err := r.openIn(ctx, filepath.Join(r.dir, store.RungsFolder), declared, report)
	if err == nil {
		r.arbiters = append(r.arbiters, t)
	}
	return t, err
}

func (r *run) rung(ctx context.Context, g int, going []*candidate) (*store.Rung, error) {
	t, err := r.arbiter(ctx, r.Reporter.Rung(g))
	if err != nil {
		return nil, err
	}
	h := r.experiment.Halving
	rung := &store.Rung{Generation: g, Metric: h.Metric, Survivors: h.Survivors(len(going))}
	for _, c := range going {
		rung.Ranking = append(rung.Ranking, store.RungTrial{
			Trial: filepath.Base(c.folder), Label: c.declared.Label, Generation: c.trial.reached(g),
			Value: stats.Unknown(),
		})
	}
	in := store.Inputs{"code": rungCode, "metric": h.Metric, "generation": strconv.Itoa(g), survivorsInput: strconv.Itoa(rung.Survivors)}
	var stage *Stage
	if h.Metric == experiment.ByElo {
		stage = t.rungByElo(rung, going, in)
	} else if stage, err = t.rungByLoss(rung, going, in); err != nil {
		return nil, err
	}
	if err := r.executor.stage(ctx, t, stage); err != nil {
		return nil, err
	}
	s := t.Results.Manifest.Stage(stage.Name)
	if len(s.Facts) == 0 { // in a plan the ranking is unknown: the first trials stand for the survivors
		t.unknown = append(t.unknown, fmt.Sprintf("which %d of %d trials go on after %s is not known yet: here the first ones stand for them",
			rung.Survivors, len(rung.Ranking), english.Plural(g, "generation", "")))
		return rung, nil
	}
	decided := &store.Rung{}
	return decided, s.Decode(decided)
}

// reached returns the trial's generation at a rung. A stop rule may have ended the trial
// earlier.
func (t *Trial) reached(g int) int {
	if t.stopped != nil {
		return min(g, t.stopped.Generation)
	}
	return g
}

// rungByLoss returns the stage that compares trials by their selected training loss.
func (t *Trial) rungByLoss(rung *store.Rung, going []*candidate, in store.Inputs) (*Stage, error) {
	var names []string
	for i, c := range going {
		x := &rung.Ranking[i]
		if !c.trial.knows(x.Generation) {
			in["trial "+x.Trial] = unknown("loss", c.trial.Results.CheckpointSum(x.Generation))
		} else {
			epochs, err := c.trial.Results.Epochs(x.Generation)
			if err != nil {
				return nil, err
			}
			x.Value = stats.Exactly(float64(store.SelectedLoss(epochs)))
			in["trial "+x.Trial] = strconv.FormatFloat(x.Value.Value, 'g', -1, 64)
		}
		names = append(names, x.Trial)
	}
	in.List("trial", names)
	return &Stage{Name: store.RungStage(rung.Generation), In: in, Run: func(context.Context) (any, error) {
		rank(rung.Ranking, func(x store.RungTrial) float64 { return x.Value.Value })
		t.Report.Note(ranked(rung))
		return rung, nil
	}}, nil
}

// rungByElo returns the stage that compares trials by a match between their checkpoints.
// Each checkpoint searches with the settings of its own tournament section.
func (t *Trial) rungByElo(rung *store.Rung, going []*candidate, in store.Inputs) *Stage {
	var players []player
	for i, c := range going {
		x := &rung.Ranking[i]
		p := c.trial.checkpoint(match.Spec{Model: match.Last}, x.Generation)
		s := c.trial.Settings
		p.name, p.id = x.Trial, experiment.Hash(p.id, s.Tournament.Search, s.Tournament.Temperature, s.Tournament.Limit)
		players = append(players, p)
	}
	settings := t.Settings.Tournament
	settings.Rounds, settings.Format = t.run.experiment.Halving.Games, match.Format{}
	settings.Search, settings.Temperature, settings.Limit = search.Config{}, experiment.TournamentTemperature{}, nil
	m := t.newTournament(store.RungStage(rung.Generation), store.RungFolder(rung.Generation), rungCode+", games "+tournamentCode, players, settings)
	delete(in, "generation") // the identities of the players cover it
	delete(in, "code")
	maps.Copy(m.in, in)
	return m.stage("", func(result *store.Tournament) any {
		for i, p := range result.Players {
			x := &rung.Ranking[i]
			x.Value = p.Elo
		}
		rank(rung.Ranking, func(x store.RungTrial) float64 { return -x.Value.Value })
		t.Report.Note(ranked(rung))
		return rung
	})
}

// rank sorts trials by ascending badness, NaN last. The sort is stable.
func rank(trials []store.RungTrial, badness func(store.RungTrial) float64) {
	slices.SortStableFunc(trials, func(a, b store.RungTrial) int {
		x, y := badness(a), badness(b)
		switch {
		case math.IsNaN(x) && math.IsNaN(y):
			return 0
		case math.IsNaN(x):
			return 1
		case math.IsNaN(y):
			return -1
		}
		return cmp.Compare(x, y)
	})
}

func ranked(rung *store.Rung) string {
	text := fmt.Sprintf("%s after %s: %d of %d go on:", metricWords[rung.Metric], english.Plural(rung.Generation, "generation", ""), rung.Survivors, len(rung.Ranking))
	for i, x := range rung.Ranking {
		digits := 3
		if rung.Metric == experiment.ByElo {
			digits = 0
		}
		if i == rung.Survivors {
			text += "; not"
		} else if i > 0 {
			text += ","
		}
		text += fmt.Sprintf(" %s (%.*f)", x.Label, digits, x.Value.Value)
	}
	return text
}
