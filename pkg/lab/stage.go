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
	selfplayCode   = "1"
	hooksCode      = "1"
	targetCode     = "1"
	trainCode      = "1"
	stopCode       = "1"
	tournamentCode = "1"
)

// result is what a stage's work leaves: files below the trial's folder and
// rows for the tables.
type result struct {
	files []string
	facts any
}

// forget takes a stage out of the manifest.
func (t *trial) forget(name string) error {
	if t.Manifest.Stage(name) == nil {
		return nil
	}
	t.Manifest.Drop(name)
	return t.Manifest.Write(t.Dir)
}

// stage runs a stage unless its inputs are what they were and its files are
// whole.
func (t *trial) stage(ctx context.Context, name string, in store.Inputs, work func(ctx context.Context) (result, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	fresh, why, err := t.Manifest.Fresh(t.Dir, name, in)
	if err != nil {
		return err
	}
	if fresh {
		t.Reporter.Cached(name)
		return nil
	}
	t.Reporter.Runs(name, why)
	began := time.Now()
	res, err := work(ctx)
	if err != nil {
		return err
	}
	s := &store.Stage{Name: name, Inputs: in, Outputs: map[string]string{}, Ended: time.Now().UTC().Truncate(time.Second), Seconds: time.Since(began).Seconds()}
	for _, f := range res.files {
		if s.Outputs[f], err = disk.Sum(t.Path(f)); err != nil {
			return err
		}
	}
	if res.facts != nil {
		if s.Facts, err = json.Marshal(res.facts); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	t.Manifest.Put(s)
	t.Manifest.Machine = t.machine
	return t.Manifest.Write(t.Dir)
}
