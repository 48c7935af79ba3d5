package run

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// What becomes of a stage.
const (
	Cached = "cached" // it has run, and nothing it reads has changed
	Shared = "shared" // another trial has run it, or will have
	Runs   = "runs"
)

// Planned is what becomes of a stage.
type Planned struct {
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
	Evaluations stats.Float `json:"evaluations"` // of networks; an estimate
	Seconds     stats.Float `json:"seconds"`     // an estimate
}

// Add adds other work.
func (w *Work) Add(o Work) {
	w.Stages += o.Stages
	w.Games += o.Games
	w.Evaluations += o.Evaluations
	w.Seconds += o.Seconds
}

// Planner follows trials through their stages, with hashes in the place of files
// that are not there yet. It remembers what the trials before would have left.
type Planner struct {
	// Notes say what the plan does not know.
	Notes []string

	made   map[string][]string     // hash of inputs -> folders below the root that have the stage by then
	stages map[string]*store.Stage // by folder and name, of those that were planned
}

// NewPlanner plans by what the shelf has now; nothing below its root may change.
func NewPlanner(s *Shelf) *Planner {
	s.still = true
	return &Planner{made: map[string][]string{}, stages: map[string]*store.Stage{}}
}

// Note adds a note, once.
func (p *Planner) Note(text string) {
	if !slices.Contains(p.Notes, text) {
		p.Notes = append(p.Notes, text)
	}
}

// unknownMark begins what stands for a checksum that is not known yet.
const unknownMark = "?"

// Unknown stands for a checksum of something that follows from these. Like one it
// is equal for equal things only.
func Unknown(what ...string) string { return unknownMark + experiment.Hash(what)[1:] }

// do decides what becomes of a stage, and puts into the trial's manifest, which
// is never written, what the run would.
func (p *Planner) do(ctx context.Context, t *Trial, s Stage, fresh bool, why string) error {
	folder, hash := t.Shelf.below(t.Dir), s.In.Hash()
	out := Planned{Name: s.Name, Does: Cached}
	before := p.stages[folder+"\n"+s.Name]
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
	p.stages[folder+"\n"+s.Name] = t.Manifest.Stage(s.Name)
	// On the way to a higher rung the trial comes by again.
	if !slices.ContainsFunc(t.Planned, func(x Planned) bool { return x.Name == s.Name }) {
		t.Planned = append(t.Planned, out)
	}
	return nil
}

// run plans a stage that runs.
func (p *Planner) run(ctx context.Context, t *Trial, s Stage, why string) (*store.Stage, Planned, error) {
	out := Planned{Name: s.Name, Does: Runs, Why: why}
	planned := &store.Stage{Name: s.Name, Inputs: s.In, Outputs: map[string]string{}}
	for _, f := range s.Files {
		planned.Outputs[f] = Unknown(f, s.In.Hash())
	}
	if old := t.Manifest.Stage(s.Name); old != nil {
		if s.In.Change(old.Inputs) == "" { // a file is missing: the same comes out
			planned = old
		}
		out.Maybe = maybe(s.In, old.Inputs)
	}
	if s.Work != nil {
		var err error
		if out.Work, err = s.Work(ctx); err != nil {
			return nil, out, err
		}
	}
	out.Work.Stages = 1
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
func (p *Planner) borrow(t *Trial, s Stage) (*store.Stage, string) {
	donors := map[string]bool{} // folder -> whether it was planned
	own := t.Shelf.below(t.Dir)
	for _, d := range t.Shelf.find(s.Name, s.In, t.Dir) {
		donors[d.dir] = false
	}
	for _, folder := range p.made[s.In.Hash()] {
		if folder != own {
			donors[folder] = true
		}
	}
	for _, folder := range slices.Sorted(maps.Keys(donors)) {
		from := filepath.Join(t.Shelf.root, folder)
		if donors[folder] {
			if st := p.stages[folder+"\n"+s.Name]; st != nil {
				return st, from
			}
			continue
		}
		if st, _ := t.Shelf.take(donor{folder, s.Name}, s.In); st != nil {
			return st, from
		}
	}
	return nil, ""
}

// Knows tells whether the results of the first generations are known to a plan.
func (t *Trial) Knows(generations int) bool {
	for g := 1; g <= generations; g++ {
		for _, name := range []string{t.SamplesStage(g), store.TrainStage(g)} {
			if s := t.Manifest.Stage(name); s == nil || len(s.Facts) == 0 {
				return false
			}
		}
	}
	return true
}
