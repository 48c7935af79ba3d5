package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"alamos/pkg/experiment"
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
			return nil, fmt.Errorf("no trial %d: there is 1 to %d (alamos plan lists them)", n, count)
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
