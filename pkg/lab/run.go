package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/report"
	"alamos/pkg/store"
)

// Options are what decides how, never what, a run computes.
type Options struct {
	Results   string // folder of results; empty: "results"
	Workers   int    // goroutines that play; 0: one a core
	Batch     int    // positions in a network call; 0: DefaultBatch
	Precision string // of inference: "auto", "fp32" or "bf16"; empty: auto
	Alamos    string // version, for the manifest
	Reporter  Reporter
	// SkipMissingEngines leaves opponents that are not installed out of
	// tournaments instead of refusing to run.
	SkipMissingEngines bool
}

// DefaultBatch is the number of positions in one call of a network on a CPU.
const DefaultBatch = 32

// run is one call of Run.
type run struct {
	Options
	experiment *experiment.Experiment
	dir        string
	machine    store.Machine
	engines    map[string]*engine  // opponents by engineKey, nil where one is left out
	functions  map[string][]string // that hooks have, by the hash of their source
}

// Run runs all trials of an experiment, draws its figures and writes its
// notebook page. What earlier runs finished and nothing has changed since is
// not done again. On cancellation it returns ctx's error soon, having kept
// what was finished.
func Run(ctx context.Context, e *experiment.Experiment, opt Options) error {
	if opt.Results == "" {
		opt.Results = "results"
	}
	if opt.Workers == 0 {
		opt.Workers = runtime.NumCPU()
	}
	if opt.Batch == 0 {
		opt.Batch = DefaultBatch
	}
	if opt.Precision == "" {
		opt.Precision = "auto"
	}
	if opt.Reporter == nil {
		opt.Reporter = Quiet{}
	}
	r := &run{Options: opt, experiment: e, dir: filepath.Join(opt.Results, e.Name), machine: thisMachine(opt.Alamos)}
	l, err := disk.TakeLock(r.dir)
	if err != nil {
		return advised(err)
	}
	defer l.Release()
	if err := disk.Sweep(r.dir); err != nil {
		return advised(fmt.Errorf("cleaning up after an earlier run: %w", err))
	}
	if err := r.findEngines(ctx); err != nil {
		return err
	}
	if err := r.findFunctions(ctx); err != nil {
		return err
	}
	var trials []*store.Trial
	var failed []error
	for i, x := range e.Trials {
		r.Reporter.Trial(i+1, len(e.Trials), x.ID, x.Label, filepath.Join(r.dir, store.Folder(&x)))
		t, err := r.trial(x)
		if err == nil {
			err = t.runStages(ctx)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // one trial's fault does not stop the others
			failed = append(failed, fmt.Errorf("%s: %w", filepath.Join(r.dir, store.Folder(&x)), advised(err)))
			r.Reporter.Note("failed: " + err.Error())
			continue
		}
		trials = append(trials, t.Trial)
	}
	if len(trials) > 0 {
		if err := report.Write(r.experiment, r.dir, trials); err != nil {
			failed = append(failed, advised(err))
		}
	}
	return errors.Join(failed...)
}

// Notebook is the path of the page that Run writes.
func Notebook(e *experiment.Experiment, results string) string {
	if results == "" {
		results = "results"
	}
	return filepath.Join(results, e.Name, "notebook.html")
}
