package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/report"
	"alamos/pkg/store"
)

// candidate is a trial of the experiment and its progress in the run.
type candidate struct {
	declared experiment.Trial
	folder   string // folder of its results

	trial *Trial       // nil until the trial starts
	until int          // generation to train to
	end   *store.Ended // nil: the trial continues after until
	done  bool         // it has ended
	err   error        // the trial's failure
}

// candidates returns the trials to run.
func (r *run) candidates() ([]*candidate, error) {
	count := len(r.experiment.Trials)
	for _, n := range r.Trials {
		switch {
		case n < 1 || n > count:
			return nil, fmt.Errorf("no trial %d: there are trials 1 to %d (alamos plan lists them)", n, count)
		case r.experiment.Halving != nil:
			return nil, errors.New("a sweep with halving compares its trials on the way: they run together, not one by one")
		}
	}
	var all []*candidate
	folders := map[string]string{} // folder -> label of its trial
	for i, t := range r.experiment.Trials {
		folder := filepath.Join(r.dir, t.Folder)
		if other, taken := folders[folder]; taken {
			return nil, fmt.Errorf("the trials %s and %s have one folder, %s: they differ in nothing that decides a result", other, t.Label, folder)
		}
		folders[folder] = t.Label
		if len(r.Trials) > 0 && !slices.Contains(r.Trials, i+1) {
			continue
		}
		last := t.Settings.Generations
		all = append(all, &candidate{declared: t, folder: folder, until: last, end: &store.Ended{Generation: last}})
	}
	return all, nil
}

// trials runs all trials, with successive halving rung by rung, and in a sweep that grows batch
// by batch. It returns them with those that were added. The error is a failure to compare trials.
// Failures of single trials are in candidate.err.
func (r *run) trials(ctx context.Context, all []*candidate) ([]*candidate, error) {
	var err error
	switch {
	case r.experiment.Halving != nil:
		err = r.halving(ctx, all)
	case r.experiment.Objective() != nil:
		all, err = r.grow(ctx, all)
	default:
		r.each(ctx, all)
		err = ctx.Err()
	}
	if err == nil {
		err = r.final(ctx, all)
	}
	return all, err
}

// each advances all trials that have not ended or failed, in order, r.Jobs at a time. It
// divides the workers among the jobs. Neither number affects results.
func (r *run) each(ctx context.Context, all []*candidate) {
	r.foresee(ctx)
	var todo []*candidate
	for _, c := range all {
		if !c.done && c.err == nil {
			todo = append(todo, c)
		}
	}
	jobs := max(1, min(r.Jobs, len(todo)))
	workers := max(1, r.Workers/jobs)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobs)
	for _, c := range todo {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			report := r.Reporter.Trial(c.declared.Number, r.experiment.Total(), c.declared.ID, c.declared.Label, c.folder)
			err := r.advance(ctx, c, report, workers)
			if err == nil || ctx.Err() != nil { // on cancellation the trial has not failed
				return nil
			}
			r.forecast.endTrial(c.folder)
			c.err = err
			if len(all) > 1 { // the error of a single trial is the error of the run
				report.Note("failed: " + advised(err).Error())
			}
			if r.FailFast {
				return err // which cancels the other trials
			}
			return nil
		})
	}
	_ = group.Wait() // the error is also in its candidate
}

// advance trains a trial to its next generation to reach, and ends it if it has an ending.
func (r *run) advance(ctx context.Context, c *candidate, report Report, workers int) error {
	if c.trial == nil {
		t, err := r.open(ctx, c.declared, report)
		if err != nil {
			return err
		}
		c.trial = t
	}
	c.trial.Report, c.trial.Workers = report, workers
	if err := c.trial.take(ctx, c.until, c.end); err != nil {
		return err
	}
	if c.done = c.end != nil; c.done {
		r.forecast.endTrial(c.folder)
	}
	return nil
}

// grow trains the trials of a sweep that grows. What follows is decided when all trials so far
// have ended, and it is a function of their results. So nothing of the decisions is stored: a
// run that continues takes them again from the same results. grow returns all trials.
func (r *run) grow(ctx context.Context, all []*candidate) ([]*candidate, error) {
	for {
		r.each(ctx, all)
		stop := r.FailFast && slices.ContainsFunc(all, func(c *candidate) bool { return c.err != nil })
		if ctx.Err() != nil || r.experiment.Pending == 0 || len(r.Trials) > 0 || stop {
			return all, ctx.Err()
		}
		values, err := r.objective(all)
		if err != nil || values == nil {
			return all, err
		}
		next, decision, err := r.experiment.Grow(values)
		if err != nil {
			return all, err
		}
		r.Reporter.Note(decision)
		r.experiment = next
		more, err := r.candidates()
		if err != nil {
			return all, err
		}
		all = append(all, more[len(all):]...)
		if lacking, err := r.find(ctx); err != nil || len(lacking) > 0 && !r.SkipMissingEngines {
			return all, errors.Join(append(lacking, err)...)
		}
		if err := r.executor.batch(r); err != nil {
			return all, err
		}
	}
}

// objective returns what the sweep's growth is decided by, for all trials. It is NaN for a
// trial that failed or did not measure it. In a plan it returns nil while the result of a trial
// is unknown.
func (r *run) objective(all []*candidate) ([]float64, error) {
	metric := r.experiment.Objective().Metric
	values := make([]float64, len(all))
	known := false
	for i, c := range all {
		values[i] = math.NaN()
		if c.trial != nil && c.trial.predicted() {
			return nil, nil
		}
		if c.err != nil {
			continue
		}
		m := c.trial.Results.Measure(metric)
		values[i] = m.Value
		known = known || !m.Missing()
	}
	if !known {
		return nil, fmt.Errorf("no trial has measured %s, which decides the later trials of the sweep", metric)
	}
	return values, nil
}

// description returns the stored form of the experiment. While a sweep grows, it also has
// the trials that an earlier run added, which this run will add again from the same results.
func (r *run) description() *store.Experiment {
	x := report.Describe(r.experiment)
	before, err := store.ReadExperiment(r.dir)
	if err == nil && len(r.Trials) > 0 { // a run of some trials does not undo the end of a run of all
		old := *before
		if old.Ended, old.Failed = false, nil; experiment.Hash(old) == experiment.Hash(x) {
			return before
		}
	}
	if err == nil {
		x.Regrow(before)
	}
	return x
}

// predicted reports whether the results of a planned trial are unknown.
func (t *Trial) predicted() bool {
	return slices.ContainsFunc(t.Results.Manifest.Stages, func(s *store.Stage) bool {
		unknown := len(s.Outputs) == 0
		for _, sum := range s.Outputs {
			unknown = unknown || strings.HasPrefix(sum, unknownMark)
		}
		return s.Planned && len(s.Facts) == 0 && unknown
	})
}

// finalCode is the version of the code of the final tournament, see [Stage].
const finalCode = "6"

// final plays the final tournament of the sweep. Trials that failed or were dropped do not
// play. A run of some trials leaves it to the run of all.
func (r *run) final(ctx context.Context, all []*candidate) error {
	f := r.experiment.Final
	failed := func(c *candidate) bool { return c.err != nil }
	if f == nil || len(r.Trials) > 0 || r.experiment.Pending > 0 || r.FailFast && slices.ContainsFunc(all, failed) {
		return nil
	}
	_, err := r.compare(ctx, "in the final tournament", func(t *Trial) *Stage {
		return t.finalTournament(ctx, f, slices.DeleteFunc(slices.Clone(all), failed))
	})
	return err
}

// finalTournament returns the stage of the final tournament, or nil if fewer than two trials are left.
func (t *Trial) finalTournament(ctx context.Context, f *experiment.Final, all []*candidate) *Stage {
	var players roster
	for _, c := range all {
		if c.trial.Results.Dropped() {
			continue
		}
		players.add(c.trial.entrant(c.trial.Results.Name(), c.trial.finalist(f)))
	}
	networks := len(players)
	if networks < 2 {
		t.Report.Note("no final tournament: fewer than two trials are left")
		return nil
	}
	for _, spec := range f.Anchors {
		if p, err := t.run.opponent(ctx, t.Setup, spec); err == nil { // a missing one was reported before
			p.trial = t
			if p.searches() { // as the file says: the settings of a pool do not have it
				own := t.Settings.Tournament
				p.id = experiment.Hash(p.id, own.Search, own.Temperature, own.Limit)
			}
			players.add(p)
		}
	}
	anchor, format := "", match.Format{}
	if f.Pairs == experiment.AnchorPairs && len(players) == networks {
		t.Report.Note("no final tournament: none of its anchors is here")
		return nil
	}
	if len(players) > networks {
		anchor = players[networks].name
		if f.Pairs == experiment.AnchorPairs {
			format = match.Format{First: networks}
		}
	}
	return t.pool(store.FinalStage, store.FinalStage, finalCode, players, f.Rounds, format).stage(anchor, func(r *store.Tournament) any {
		for _, line := range r.Games.Table() {
			t.Report.Note(line)
		}
		return r
	})
}

// finalist returns the generation of the trial's network that plays in the final tournament.
func (t *Trial) finalist(f *experiment.Final) int {
	if own := t.Results.Tournament(); f.Network == experiment.BestNetwork && own != nil { // in a plan it may be unknown
		for _, i := range own.Ranking() {
			if g := own.Players[i].Generation; g > 0 {
				return g
			}
		}
	}
	return t.Results.Done()
}
