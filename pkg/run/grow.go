package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"alamos/pkg/report"
	"alamos/pkg/store"
)

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
	if err != nil || x.Pending == 0 || len(before.Trials) <= len(x.Trials) {
		return x
	}
	for i := range x.Trials {
		if x.Trials[i].ID != before.Trials[i].ID {
			return x
		}
	}
	x.Pending -= len(before.Trials) - len(x.Trials)
	x.Trials, x.Axes = before.Trials, before.Axes
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
