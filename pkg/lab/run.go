package lab

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/script"
	"alamos/pkg/stage"
	"alamos/pkg/store"
	"alamos/pkg/tournament"
)

// Options are what decides how, never what, a run computes.
type Options struct {
	Results   string // folder of results; empty: "results"
	Jobs      int    // trials at a time; 0: one
	Workers   int    // goroutines that play, of all jobs together; 0: see nn.Throughput
	Batch     int    // positions in a network call; 0: see nn.Throughput
	Device    string // see nn.Devices; empty: auto
	Precision string // of inference: "auto", "fp32" or "bf16"; empty: auto
	Alamos    string // version, for the manifest
	Reporter  Reporter
	// HookTime is how long a call of a script may take before it counts as one that
	// does not end; 0: hook.DefaultTime.
	HookTime time.Duration
	// SkipMissingEngines leaves opponents that are not installed out of
	// tournaments instead of refusing to run.
	SkipMissingEngines bool
	// FailFast ends the run when a trial fails, instead of going on with the
	// others.
	FailFast bool
}

// complete returns the options with every default made explicit.
func (o Options) complete() (Options, error) {
	if o.Results == "" {
		o.Results = "results"
	}
	if o.Jobs == 0 {
		o.Jobs = 1
	}
	if o.Device == "" {
		o.Device = nn.Auto
	}
	workers, batch, err := nn.Throughput(o.Device)
	if err != nil {
		return o, err
	}
	if o.Workers == 0 {
		o.Workers = workers
	}
	if o.Batch == 0 {
		o.Batch = batch
	}
	if o.Precision == "" {
		o.Precision = nn.Auto
	}
	if o.Reporter == nil {
		o.Reporter = Quiet{}
	}
	return o, nil
}

// run is one call of Run or Plan.
type run struct {
	Options
	experiment *experiment.Experiment
	dir        string
	machine    store.Machine
	opponents  *tournament.Opponents
	scripts    *script.Scripts
	sources    *sources
	shelf      *stage.Shelf
	planning   *planning // nil: not a plan
}

func newRun(e *experiment.Experiment, opt Options) (*run, error) {
	opt, err := opt.complete()
	if err != nil {
		return nil, err
	}
	return &run{
		Options: opt, experiment: e, dir: filepath.Join(opt.Results, e.Name), machine: ThisMachine(opt.Alamos),
		sources: newSources(opt.Results), shelf: stage.NewShelf(opt.Results, tournament.Kinship),
	}, nil
}

// find finds what all trials need from elsewhere, before any of them begins.
func (r *run) find(ctx context.Context) error {
	var missing []error
	var err error
	r.opponents, err = tournament.Find(ctx, r.experiment.Trials, r.Results, func(lack error) {
		if r.SkipMissingEngines {
			r.Reporter.Note(fmt.Sprintf("left out: %v", lack))
		} else {
			missing = append(missing, lack)
		}
	})
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w\nor leave it out with --skip-missing-engines", errors.Join(missing...))
	}
	if r.scripts, err = script.Find(r.experiment); err != nil {
		return err
	}
	r.scripts.Time = r.HookTime
	return nil
}

// Run runs all trials of an experiment, draws its figures and writes its
// notebook page. What earlier runs finished and nothing has changed since is
// not done again. On cancellation it returns ctx's error soon, having kept
// what was finished. A trial that fails does not keep the others from running,
// unless FailFast is set; the error is a [FailedError] then.
func Run(ctx context.Context, e *experiment.Experiment, opt Options) error {
	r, err := newRun(e, opt)
	if err != nil {
		return err
	}
	l, err := disk.TakeLock(r.dir)
	if err != nil {
		return advised(err)
	}
	defer func() { _ = l.Release() }() // it is the end of the process that counts
	if err := disk.Sweep(r.dir); err != nil {
		return advised(fmt.Errorf("cleaning up after an earlier run: %w", err))
	}
	if err := r.find(ctx); err != nil {
		return err
	}
	if n := len(e.Left); n > 0 {
		r.Reporter.Note(fmt.Sprintf("the budget of the sweep leaves out %d of its combinations (alamos plan lists them)", n))
	}
	word, err := r.begin()
	if err != nil {
		return advised(err)
	}
	all, err := r.trials(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	failed := &FailedError{Trials: len(all)}
	if err != nil {
		failed.Errs = append(failed.Errs, advised(err))
	}
	faults := map[string]string{}
	for _, c := range all {
		if c.err != nil {
			failed.Errs = append(failed.Errs, fmt.Errorf("%s: %w", c.folder, advised(c.err)))
			failed.Failed++
			faults[filepath.Base(c.folder)] = c.err.Error()
		}
	}
	if err := word.end(faults); err != nil {
		failed.Errs = append(failed.Errs, advised(err))
	}
	if len(failed.Errs) == 0 {
		return nil
	}
	return failed
}

// FailedError says what went wrong in a run, trial by trial.
type FailedError struct {
	Errs           []error
	Failed, Trials int // trials that failed, of how many
}

func (e *FailedError) Error() string {
	text := errors.Join(e.Errs...).Error()
	if e.Trials > 1 && e.Failed > 0 {
		text = fmt.Sprintf("%d of %d trials failed:\n%s", e.Failed, e.Trials, text)
	}
	return text
}

func (e *FailedError) Unwrap() []error { return e.Errs }

// Notebook is the path of the page that Run writes.
func Notebook(e *experiment.Experiment, results string) string {
	if results == "" {
		results = "results"
	}
	return filepath.Join(results, e.Name, "notebook.html")
}
