package run

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// Stage is a piece of a trial's work, a function of its inputs: for equal ones it
// writes equal bytes, in whatever trial.
type Stage struct {
	Name string
	// In has the version of the stage's code as "code": raise it when the stage
	// writes other bytes for the same inputs, and old results of it are made anew.
	In    store.Inputs
	Files []string // that it writes, below the trial's folder
	// Run writes the files and returns rows for the tables, or nil.
	Run func(ctx context.Context) (facts any, err error)
	// Scratch is the path of what Run keeps until its files are whole; empty: nothing.
	Scratch string
	// Work tells what there is to do, for a plan; nil: nothing to speak of.
	Work func(ctx context.Context) (Work, error)
}

// Forget takes a stage out of the manifest.
func (t *Trial) Forget(name string) error {
	if t.Planner != nil || t.Manifest.Stage(name) == nil {
		return nil
	}
	t.Manifest.Drop(name)
	return t.Manifest.Write(t.Dir)
}

// Do runs a stage unless its inputs are what they were and its files are whole, or
// another trial has run it. One that is there because this trial came by a moment ago
// is not reported again.
func (t *Trial) Do(ctx context.Context, s Stage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	fresh, why, err := t.Manifest.Fresh(t.Dir, s.Name, s.In)
	if err != nil {
		return err
	}
	if t.Planner != nil {
		return t.Planner.do(ctx, t, s, fresh, why)
	}
	if err := t.do(ctx, s, fresh, why); err != nil {
		return err
	}
	if t.told == nil {
		t.told = map[string]bool{}
	}
	t.told[s.Name] = true
	if s.Scratch == "" {
		return nil
	}
	return disk.Remove(s.Scratch)
}

// do is Do where stages run.
func (t *Trial) do(ctx context.Context, s Stage, fresh bool, why string) error {
	if fresh {
		if !t.told[s.Name] {
			t.Report.Cached(s.Name)
		}
		return nil
	}
	done, err := t.Shelf.begin(ctx, s.In)
	if err != nil {
		return err
	}
	defer done()
	if borrowed, err := t.borrow(s.Name, s.In); borrowed || err != nil {
		return err
	}
	t.Report.Runs(s.Name, why)
	began := time.Now()
	facts, err := s.Run(ctx)
	spent := t.Manifest.Spent(s.Name, s.In) + time.Since(began).Seconds()
	if err != nil {
		t.Manifest.Begun = &store.Begun{Name: s.Name, Inputs: s.In, Seconds: spent}
		_ = t.Manifest.Write(t.Dir) // err is what there is to tell
		return err
	}
	out := &store.Stage{
		Name: s.Name, Inputs: s.In, Outputs: map[string]string{},
		Ended: time.Now().UTC().Truncate(time.Second), Seconds: spent,
	}
	for _, f := range s.Files {
		if out.Outputs[f], err = disk.Sum(t.Path(f)); err != nil {
			return err
		}
	}
	if facts != nil {
		if out.Facts, err = json.Marshal(facts); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	t.Manifest.Put(out)
	t.Manifest.Begun, t.Manifest.Machine = nil, t.Machine
	return t.Manifest.Write(t.Dir)
}
