package lab

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// Plan is what a run of an experiment would do.
type Plan struct {
	File   string            `json:"file"`
	Name   string            `json:"name"`
	Dir    string            `json:"dir"` // of the results
	Trials []PlannedTrial    `json:"trials"`
	Rungs  []PlannedStage    `json:"rungs,omitempty"` // comparisons of successive halving
	Left   []experiment.Left `json:"left,omitempty"`  // what the budget of the sweep leaves out
	// Problems are why the run would refuse, fail, or not do as planned.
	Problems []string `json:"problems,omitempty"`
	// Notes say what the plan does not know.
	Notes []string `json:"notes,omitempty"`
	Total Work     `json:"total"` // of all stages that run
}

// PlannedTrial is a trial and its stages in order.
type PlannedTrial struct {
	ID     string         `json:"id"`
	Label  string         `json:"label"`
	Folder string         `json:"folder"` // with its path
	Stages []PlannedStage `json:"stages"`
	Work   Work           `json:"work"`
}

// What becomes of a stage.
const (
	Cached = "cached" // it has run, and nothing it reads has changed
	Shared = "shared" // another trial has run it, or will have
	Runs   = "runs"
)

// PlannedStage is what becomes of a stage.
type PlannedStage struct {
	Name string `json:"name"`
	Does string `json:"does"`           // Cached, Shared or Runs
	Why  string `json:"why,omitempty"`  // it runs
	From string `json:"from,omitempty"` // the folder of the trial that has it
	// Maybe says that it runs only where a stage before it, that runs again,
	// writes something else than before.
	Maybe bool `json:"maybe,omitempty"`
	Work  Work `json:"work,omitzero"`
}

// Work is what there is to do, as far as it can be told: NaN, in JSON null, stands
// for what nobody knows.
type Work struct {
	Stages      int         `json:"stages"`
	Games       int         `json:"games"`
	Evaluations store.Float `json:"evaluations"` // of networks; an estimate
	Seconds     store.Float `json:"seconds"`     // an estimate
}

// Add adds other work.
func (w *Work) Add(o Work) {
	w.Stages += o.Stages
	w.Games += o.Games
	w.Evaluations += o.Evaluations
	w.Seconds += o.Seconds
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
	p := &planner{made: map[string][]string{}, stages: map[string]*store.Stage{}, games: map[string]int{}, estimator: newEstimator(opt)}
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

// planner follows runs through their stages.
type planner struct {
	made      map[string][]string     // hash of inputs -> folders below the root that have the stage by then
	stages    map[string]*store.Stage // by folder and name, of those that were planned
	games     map[string]int          // by gamesKey: so many of the pair have been played by then
	estimator *estimator
	shelf     *shelf

	// Of the experiment under way:
	plan *Plan
	at   map[string]*PlannedTrial // by folder with its path
}

func (p *planner) experiment(ctx context.Context, e *experiment.Experiment, opt Options) (*Plan, error) {
	said := &planReporter{}
	opt.Reporter, opt.Jobs = said, 1
	strict := !opt.SkipMissingEngines
	opt.SkipMissingEngines = true // what is missing is a problem of the run, not of the plan
	r := newRun(e, opt)
	if p.shelf == nil {
		p.shelf = r.shelf
		p.shelf.still = true
	}
	r.planning, r.shelf = p, p.shelf
	p.plan = &Plan{File: e.File, Name: e.Name, Dir: r.dir, Left: e.Left}
	p.at = map[string]*PlannedTrial{}
	p.estimator.blind = false
	p.plan.Trials = make([]PlannedTrial, len(e.Trials))
	for i := range e.Trials {
		t := &e.Trials[i]
		p.plan.Trials[i] = PlannedTrial{ID: t.ID, Label: t.Label, Folder: filepath.Join(r.dir, store.Folder(t)), Stages: []PlannedStage{}}
		p.at[p.plan.Trials[i].Folder] = &p.plan.Trials[i]
	}
	if err := r.findEngines(ctx); err != nil {
		return nil, err
	}
	if strict {
		p.plan.Problems = append(p.plan.Problems, said.notes...)
	} else {
		p.plan.Notes = append(p.plan.Notes, said.notes...)
	}
	if err := r.findFunctions(); err != nil {
		return nil, err
	}
	candidates, err := r.trials(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		p.plan.Problems = append(p.plan.Problems, err.Error())
	}
	for _, c := range candidates {
		if c.err != nil {
			p.plan.Problems = append(p.plan.Problems, fmt.Sprintf("%s: %v", c.folder, c.err))
		}
	}
	for i := range p.plan.Trials {
		p.plan.Total.Add(p.plan.Trials[i].Work)
	}
	for _, s := range p.plan.Rungs {
		p.plan.Total.Add(s.Work)
	}
	if p.estimator.blind {
		p.note("evaluations and times are those of games of an untrained network, as no such games were played here yet: those of trained ones are often several times as long")
	}
	return p.plan, nil
}

// planReporter keeps the notes of a run.
type planReporter struct {
	Quiet
	notes []string
}

func (r *planReporter) Note(text string) { r.notes = append(r.notes, text) }

// unknownMark begins what stands for a checksum that is not known yet.
const unknownMark = "?"

// unknown stands for a checksum of something that follows from these. Like one it
// is equal for equal things only.
func unknown(what ...string) string { return unknownMark + experiment.Hash(what)[1:] }

// stage decides what becomes of a stage, and puts into the trial's manifest, which
// is never written, what the run would.
func (p *planner) stage(ctx context.Context, t *trial, s stage, fresh bool, why string) error {
	folder, hash := t.shelf.below(t.Dir), s.in.Hash()
	out := PlannedStage{Name: s.name, Does: Cached}
	before := p.stages[folder+"\n"+s.name]
	if before != nil && before.Inputs.Hash() == hash { // done by then
		t.Manifest.Put(before)
	} else if !fresh {
		planned, from := p.borrow(t, s)
		if planned != nil {
			out.Does, out.From = Shared, from
		} else {
			var err error
			if planned, out, err = p.run(ctx, t, s, why); err != nil {
				return err
			}
		}
		t.Manifest.Put(planned)
	}
	p.made[hash] = append(p.made[hash], folder)
	p.stages[folder+"\n"+s.name] = t.Manifest.Stage(s.name)
	if trial := p.at[t.Dir]; trial != nil {
		if slices.ContainsFunc(trial.Stages, func(x PlannedStage) bool { return x.Name == s.name }) {
			return nil // on the way to a higher rung
		}
		trial.Stages = append(trial.Stages, out)
		trial.Work.Add(out.Work)
	} else {
		p.plan.Rungs = append(p.plan.Rungs, out)
	}
	return nil
}

// run plans a stage that runs.
func (p *planner) run(ctx context.Context, t *trial, s stage, why string) (*store.Stage, PlannedStage, error) {
	out := PlannedStage{Name: s.name, Does: Runs, Why: why}
	planned := &store.Stage{Name: s.name, Inputs: s.in, Outputs: map[string]string{}}
	for _, f := range s.files {
		planned.Outputs[f] = unknown(f, s.in.Hash())
	}
	if old := t.Manifest.Stage(s.name); old != nil {
		if s.in.Change(old.Inputs) == "" { // a file is missing: the same comes out
			planned = old
		}
		out.Maybe = maybe(s.in, old.Inputs)
	}
	out.Work = Work{Stages: 1}
	if s.load != nil {
		load, err := s.load()
		if err != nil {
			return nil, out, err
		}
		if out.Work, err = p.estimator.work(ctx, t, load); err != nil {
			return nil, out, err
		}
	}
	return planned, out, nil
}

// maybe tells whether inputs differ in nothing but what is not known yet.
func maybe(is, was store.Inputs) bool {
	if len(is) != len(was) {
		return false
	}
	some := false
	for k, v := range is {
		if v == was[k] {
			continue
		}
		if !strings.HasPrefix(v, unknownMark) {
			return false
		}
		some = true
	}
	return some
}

// borrow finds the trial from which the run would take a stage.
func (p *planner) borrow(t *trial, s stage) (*store.Stage, string) {
	donors := map[string]bool{} // folder -> whether it was planned
	own := t.shelf.below(t.Dir)
	for _, d := range t.shelf.find(s.name, s.in, t.Dir) {
		donors[d.dir] = false
	}
	for _, folder := range p.made[s.in.Hash()] {
		if folder != own {
			donors[folder] = true
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(donors)) {
		from := filepath.Join(t.shelf.root, folder)
		if donors[folder] {
			if st := p.stages[folder+"\n"+s.name]; st != nil {
				return st, from
			}
			continue
		}
		if st, _ := t.shelf.take(donor{folder, s.name}, s.in); st != nil {
			return st, from
		}
	}
	return nil, ""
}

// done tells whether the results of the first generations are known.
func (p *planner) done(t *trial, generations int) bool {
	for g := 1; g <= generations; g++ {
		for _, name := range []string{store.SelfPlayStage(g), store.TrainStage(g)} {
			if s := t.Manifest.Stage(name); s == nil || len(s.Facts) == 0 {
				return false
			}
		}
	}
	return true
}

// note adds a note to the plan, once.
func (p *planner) note(text string) {
	if !slices.Contains(p.plan.Notes, text) {
		p.plan.Notes = append(p.plan.Notes, text)
	}
}

// mayStop notes that a stop rule will have a say.
func (p *planner) mayStop(*trial) {
	p.note("the stop rule may end trials before their last generation: this is the most that there is to do")
}

// undecided notes that a rung has not been reached, and has the first trials go on
// from it.
func (p *planner) undecided(r *store.Rung) {
	p.note(fmt.Sprintf("which %d of %d trials go on after %s is not known yet: here the first ones stand for them",
		r.Survivors, len(r.Ranking), generations(r.Generation)))
}
