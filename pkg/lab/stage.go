package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

// Versions of the code of each stage: raise one when the stage writes other
// bytes for the same inputs, and old results of it are made anew.
const (
	untrainedCode  = "1"
	selfplayCode   = "2"
	hooksCode      = "1"
	targetCode     = "1"
	trainCode      = "2"
	stopCode       = "1"
	tournamentCode = "2"
	rungCode       = "1"
)

// stage is a piece of a trial's work, a function of its inputs: for equal ones it
// writes equal bytes, in whatever trial.
type stage struct {
	name  string
	in    store.Inputs
	files []string // that it writes, below the trial's folder
	// work writes the files and returns rows for the tables, or nil.
	work func(ctx context.Context) (facts any, err error)
	// load tells what there is to do, for a plan; nil: nothing to speak of.
	load func() (workload, error)
}

// forget takes a stage out of the manifest.
func (t *trial) forget(name string) error {
	if t.planning != nil || t.Manifest.Stage(name) == nil {
		return nil
	}
	t.Manifest.Drop(name)
	return t.Manifest.Write(t.Dir)
}

// do runs a stage unless its inputs are what they were and its files are whole, or
// another trial has run it.
func (t *trial) do(ctx context.Context, s stage) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	fresh, why, err := t.Manifest.Fresh(t.Dir, s.name, s.in)
	if err != nil {
		return err
	}
	if t.planning != nil {
		return t.planning.stage(ctx, t, s, fresh, why)
	}
	if fresh {
		t.Reporter.Cached(s.name)
		return nil
	}
	done, err := t.shelf.begin(ctx, s.in)
	if err != nil {
		return err
	}
	defer done()
	if borrowed, err := t.borrow(s.name, s.in); borrowed || err != nil {
		return err
	}
	t.Reporter.Runs(s.name, why)
	began := time.Now()
	facts, err := s.work(ctx)
	if err != nil {
		return err
	}
	out := &store.Stage{
		Name: s.name, Inputs: s.in, Outputs: map[string]string{},
		Ended: time.Now().UTC().Truncate(time.Second), Seconds: time.Since(began).Seconds(),
	}
	for _, f := range s.files {
		if out.Outputs[f], err = disk.Sum(t.Path(f)); err != nil {
			return err
		}
	}
	if facts != nil {
		if out.Facts, err = json.Marshal(facts); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	t.Manifest.Put(out)
	t.Manifest.Machine = t.machine
	return t.Manifest.Write(t.Dir)
}
