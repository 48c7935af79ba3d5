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

	"gonum.org/v1/gonum/floats"
)

// batches trains the trials of a search by TPE batch by batch. A batch is proposed when all
// trials before it have ended, and it is a function of their results. So nothing of the
// search is stored: a run that continues proposes the same trials from the same results. It
// returns all trials.
func (r *run) batches(ctx context.Context, all []*candidate) ([]*candidate, error) {
	for {
		r.foresee(ctx)
		r.each(ctx, all)
		stop := r.FailFast && slices.ContainsFunc(all, func(c *candidate) bool { return c.err != nil })
		if ctx.Err() != nil || r.experiment.Pending == 0 || len(r.Trials) > 0 || stop {
			return all, ctx.Err()
		}
		values, err := r.objective(all)
		if err != nil || values == nil {
			return all, err
		}
		next, err := r.experiment.Propose(values)
		if err != nil {
			return all, err
		}
		r.reportBatch(all, values, len(next.Trials))
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

// objective returns the metric of the search of all trials. It is NaN for a trial that
// failed or did not measure it. In a plan it returns nil while the result of a trial is
// unknown.
func (r *run) objective(all []*candidate) ([]float64, error) {
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
		m := c.trial.Results.Measure(r.experiment.TPE.Metric)
		values[i] = m.Value
		known = known || !m.Missing()
	}
	if !known {
		return nil, fmt.Errorf("sweep.random.tpe: no trial has measured %s: there is nothing to propose from", r.experiment.TPE.Metric)
	}
	return values, nil
}

// reportBatch reports the best setting so far and the numbers of the proposed trials.
func (r *run) reportBatch(all []*candidate, values []float64, last int) {
	t := r.experiment.TPE
	i, which := floats.MaxIdx(values), "highest" // of numbers, which is what floats compares
	if t.Lowest() {
		i, which = floats.MinIdx(values), "lowest"
	}
	trials := fmt.Sprintf("trials %d to %d", len(all)+1, last)
	if last == len(all)+1 {
		trials = fmt.Sprintf("trial %d", last)
	}
	r.Reporter.Note(fmt.Sprintf("TPE proposes %s; so far trial %d has the %s %s, %.4g: %s",
		trials, i+1, which, t.Metric, values[i], all[i].declared.Label))
}

// description returns the stored form of the experiment. While a search continues, it also
// has the trials of later batches of an earlier run, which this run will propose again from
// the same results.
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
