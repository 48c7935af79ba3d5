package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
	"alamos/pkg/uci"
)

type Plan struct {
	File        string            `json:"file"`
	Name        string            `json:"name"`
	Dir         string            `json:"dir"` // of the results
	Trials      []PlannedTrial    `json:"trials"`
	Comparisons []Decision        `json:"comparisons,omitempty"` // rungs of successive halving, and the final tournament
	Left        []experiment.Left `json:"left,omitempty"`        // combinations beyond the sweep's budget
	// Pending is the number of trials that earlier ones have yet to decide. Nothing else of the plan
	// includes them.
	Pending int `json:"pending,omitempty"`
	// Problems are reasons why the run would refuse to start, fail, or differ from the
	// plan.
	Problems []string `json:"problems,omitempty"`
	// Notes list what is unknown in the plan.
	Notes []string `json:"notes,omitempty"`
	Total Work     `json:"total"` // of all stages that run
	// Experiment has all trials that the results so far decide.
	Experiment *experiment.Experiment `json:"-"`
}

// PlannedTrial is a trial with its stages in order.
type PlannedTrial struct {
	Number int        `json:"number"`
	ID     string     `json:"id"`
	Label  string     `json:"label"`
	Folder string     `json:"folder"` // path
	Stages []Decision `json:"stages"`
	Work   Work       `json:"work"`
}

// PlanOptions are the options of the planned run.
type PlanOptions struct {
	Options
	// Probe measures the speed of networks for a few seconds each if no run below Results
	// has trained them on this machine. Without it their times are unknown.
	Probe bool
}

// MakePlans plans runs of experiments, one after the other. It only reads results.
func MakePlans(ctx context.Context, all []*experiment.Experiment, opt PlanOptions) ([]*Plan, error) {
	p := &planner{estimator: &estimator{probe: opt.Probe}}
	var plans []*Plan
	for _, e := range all {
		r, err := newRun(e, opt.Options)
		if err != nil {
			return nil, err
		}
		r.sums.ReadOnly, p.estimator.untrained = true, false
		plan, err := p.plan(ctx, r)
		if err != nil {
			return nil, err
		}
		plans = append(plans, plan)
	}
	return plans, nil
}

// planner is an executor that predicts the outcome of each stage. It adds planned stages to
// the manifests in memory, with placeholders for the checksums of files that do not exist
// yet. It never writes a manifest.
type planner struct {
	estimator *estimator // nil: the work is not estimated
	cache     *cache     // includes the stages of earlier plans
}

// plan makes a run a plan: its stages are planned instead of run.
func (p *planner) plan(ctx context.Context, r *run) (*Plan, error) {
	if p.cache == nil {
		p.cache = r.cache
		p.cache.plan = true
	}
	r.executor, r.cache = p, p.cache
	r.Reporter, r.Jobs = Quiet{}, 1
	e := r.experiment
	plan := &Plan{File: e.File, Name: e.Name, Dir: r.dir, Left: e.Left}
	lacking, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	for _, lack := range lacking {
		if text := fmt.Sprintf("left out: %v", lack); r.SkipMissingEngines {
			plan.Notes = append(plan.Notes, text)
		} else {
			plan.Problems = append(plan.Problems, text)
		}
	}
	r.engines.each(func(f *uci.Found) {
		plan.Notes = append(plan.Notes, fmt.Sprintf("%s: a plan does not start it, and takes it to be the engine of earlier runs", f.Name))
	})
	candidates, err := r.candidates()
	if err == nil {
		candidates, err = r.trials(ctx, candidates)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		plan.Problems = append(plan.Problems, err.Error())
	}
	p.collect(plan, r, candidates)
	return plan, nil
}

// collect fills a plan with the decisions of the trials.
func (p *planner) collect(plan *Plan, r *run, candidates []*candidate) {
	note := func(notes ...string) {
		for _, n := range notes {
			if !slices.Contains(plan.Notes, n) {
				plan.Notes = append(plan.Notes, n)
			}
		}
	}
	plan.Experiment, plan.Pending = r.experiment, r.experiment.Pending
	if plan.Pending > 0 {
		note(r.experiment.Growth() + " from the results of those before them: their work is not known yet")
	}
	for i := range r.experiment.Trials {
		t := &r.experiment.Trials[i]
		plan.Trials = append(plan.Trials, PlannedTrial{Number: t.Number, ID: t.ID, Label: t.Label, Folder: filepath.Join(r.dir, t.Folder), Stages: []Decision{}})
	}
	for _, c := range candidates {
		if c.trial != nil {
			x := &plan.Trials[c.declared.Number-1]
			x.Stages = append(x.Stages, c.trial.decisions...)
			for _, d := range x.Stages {
				x.Work.Add(d.Work)
			}
			plan.Total.Add(x.Work)
			note(c.trial.unknown...)
		}
		if c.err != nil {
			plan.Problems = append(plan.Problems, fmt.Sprintf("%s: %v", c.folder, c.err))
		}
	}
	if t := r.comparing; t != nil {
		plan.Comparisons = t.decisions
		note(t.unknown...)
	}
	for _, d := range plan.Comparisons {
		plan.Total.Add(d.Work)
	}
	if p.estimator != nil && p.estimator.untrained {
		note("evaluations and times are those of games of an untrained network, as no such games were played here yet: those of trained ones are often several times as long")
	}
}

func (p *planner) batch(*run) error   { return nil }
func (p *planner) begin(*Trial) error { return nil }
func (p *planner) end(*Trial) error   { return nil }

// stage predicts the outcome of a stage and adds it to the trial's manifest in memory.
func (p *planner) stage(ctx context.Context, t *Trial, s *Stage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	d, src, err := t.decide(s)
	if err != nil {
		return err
	}
	m := t.Results.Manifest
	switch d.Does {
	case Reused:
		src.stage.Planned = true
		m.Put(&src.stage)
	case Runs:
		planned := &store.Stage{Name: s.Name, Inputs: s.In, Outputs: map[string]string{}}
		for _, f := range s.Files {
			planned.Outputs[f] = unknown(f, s.In.Hash())
		}
		if old := m.Stage(s.Name); old != nil {
			d.Maybe = maybe(s.In, old.Inputs)
			if s.In.Change(old.Inputs) == "" { // a file is missing; it will be computed with the same bytes
				same := *old
				planned = &same
			}
		}
		e := estimate{estimator: p.estimator, ctx: ctx, work: Work{Stages: 1}}
		if s.Work != nil && p.estimator != nil {
			if err := errors.Join(s.Work(&e), e.err); err != nil {
				return err
			}
		}
		d.Work = e.work
		planned.Planned = true
		m.Put(planned)
	}
	p.cache.planned(t.Results.Dir, m, s.Name)
	t.keepDecision(d)
	return nil
}

// unknownMark is the prefix of placeholders for unknown checksums.
const unknownMark = "?"

// unknown returns a placeholder for the checksum of a result that depends on what. Like
// checksums, placeholders are equal only for equal results.
func unknown(what ...string) string { return unknownMark + experiment.Hash(what)[1:] }

// maybe reports whether inputs differ only in unknown checksums.
func maybe(is, was store.Inputs) bool {
	changed := is.Changed(was)
	known := func(key string) bool { return !strings.HasPrefix(is[key], unknownMark) }
	return len(changed) > 0 && len(is) == len(was) && !slices.ContainsFunc(changed, known)
}
