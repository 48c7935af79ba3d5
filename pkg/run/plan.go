package run

import (
	"context"
	"fmt"
	"path/filepath"

	"alamos/pkg/experiment"

	"alamos/pkg/store"
)

// Plan is what a run of an experiment would do.
type Plan struct {
	File   string            `json:"file"`
	Name   string            `json:"name"`
	Dir    string            `json:"dir"` // of the results
	Trials []PlannedTrial    `json:"trials"`
	Rungs  []Planned         `json:"rungs,omitempty"` // comparisons of successive halving
	Left   []experiment.Left `json:"left,omitempty"`  // what the budget of the sweep leaves out
	// Problems are why the run would refuse, fail, or not do as planned.
	Problems []string `json:"problems,omitempty"`
	// Notes say what the plan does not know.
	Notes []string `json:"notes,omitempty"`
	Total Work     `json:"total"` // of all stages that run
}

// PlannedTrial is a trial and its stages in order.
type PlannedTrial struct {
	ID     string    `json:"id"`
	Label  string    `json:"label"`
	Folder string    `json:"folder"` // with its path
	Stages []Planned `json:"stages"`
	Work   Work      `json:"work"`
}

// PlanOptions are the options of the run that is planned.
type PlanOptions struct {
	Options
	// Probe measures, for a few seconds each, networks that no run below Results
	// has trained on this machine yet; without it their times are not known.
	Probe bool
}

// MakePlans plans runs of experiments, one after the other as they stand. It reads
// results and writes nothing: the stages are those of [Run], followed with hashes
// in the place of files that are not there yet.
func MakePlans(ctx context.Context, all []*experiment.Experiment, opt PlanOptions) ([]*Plan, error) {
	e := New(opt.Probe)
	p := &planning{estimator: e, matches: NewProspect(e)}
	var plans []*Plan
	for _, e := range all {
		plan, err := p.experiment(ctx, e, opt.Options)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// planning is plans in the making: what one of them knows of those before it.
type planning struct {
	shelf     *Shelf
	planner   *Planner
	estimator *Estimator
	matches   *Prospect

	plan *Plan // of the experiment under way
}

func (p *planning) experiment(ctx context.Context, e *experiment.Experiment, opt Options) (*Plan, error) {
	said := &planReporter{}
	opt.Reporter, opt.Jobs = said, 1
	strict := !opt.SkipMissingEngines
	opt.SkipMissingEngines = true // what is missing is a problem of the run, not of the plan
	r, err := newRun(e, opt)
	if err != nil {
		return nil, err
	}
	if p.shelf == nil {
		p.shelf, p.planner = r.shelf, NewPlanner(r.shelf)
	}
	r.planning, r.shelf = p, p.shelf
	p.plan = &Plan{File: e.File, Name: e.Name, Dir: r.dir, Left: e.Left}
	p.planner.Notes, p.estimator.Blind = nil, false
	for i := range e.Trials {
		t := &e.Trials[i]
		p.plan.Trials = append(p.plan.Trials, PlannedTrial{ID: t.ID, Label: t.Label, Folder: filepath.Join(r.dir, store.Folder(t)), Stages: []Planned{}})
	}
	if err := r.find(ctx); err != nil {
		return nil, err
	}
	if strict {
		p.plan.Problems = append(p.plan.Problems, said.notes...)
	} else {
		p.plan.Notes = append(p.plan.Notes, said.notes...)
	}
	candidates, err := r.candidates()
	if err == nil {
		err = r.trials(ctx, candidates)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		p.plan.Problems = append(p.plan.Problems, err.Error())
	}
	for _, c := range candidates {
		if c.trial != nil {
			x := &p.plan.Trials[c.number-1]
			x.Stages = append(x.Stages, c.trial.Planned...)
			for _, s := range x.Stages {
				x.Work.Add(s.Work)
			}
			p.plan.Total.Add(x.Work)
		}
		if c.err != nil {
			p.plan.Problems = append(p.plan.Problems, fmt.Sprintf("%s: %v", c.folder, c.err))
		}
	}
	for _, s := range p.plan.Rungs {
		p.plan.Total.Add(s.Work)
	}
	if p.estimator.Blind {
		p.planner.Note("evaluations and times are those of games of an untrained network, as no such games were played here yet: those of trained ones are often several times as long")
	}
	p.plan.Notes = append(p.plan.Notes, p.planner.Notes...)
	return p.plan, nil
}

// planReporter keeps the notes of a run.
type planReporter struct {
	Quiet
	notes []string
}

func (r *planReporter) Note(text string) { r.notes = append(r.notes, text) }
