package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/report"

	"alamos/pkg/store"
)

// Options are what decides how, never what, a run computes.
type Options struct {
	Results   string // folder of results; empty: "results"
	Trials    []int  // their numbers, from 1, of those that run; none: all. See Run
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

// run is one call of [Run], or one plan.
type run struct {
	Options
	experiment *experiment.Experiment
	dir        string
	machine    store.Machine
	opponents  *Opponents
	scripts    *scripts
	sources    *sources
	cache      *cache
	executor   executor
	arbiters   []*Trial // that compared trials, rung by rung

	// plannedGames counts the games of a pair, by gamesKey, that a plan has matches play.
	plannedGames map[string]int
}

func newRun(e *experiment.Experiment, opt Options) (*run, error) {
	opt, err := opt.complete()
	if err != nil {
		return nil, err
	}
	return &run{
		Options: opt, experiment: e, dir: filepath.Join(opt.Results, e.Name), machine: ThisMachine(opt.Alamos),
		sources: newSources(opt.Results), cache: newCache(opt.Results), executor: execution{},
	}, nil
}

// find finds what all trials need from elsewhere, before any of them begins.
func (r *run) find(ctx context.Context) error {
	var missing []error
	var err error
	r.opponents, err = FindOpponents(ctx, r.experiment.Trials, r.Results, func(lack error) {
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
	r.scripts, err = findScripts(r.experiment, r.HookTime)
	return err
}

// figures returns the figures of the notebook.
func (r *run) figures() (all []*experiment.Figure) {
	for i := range r.experiment.Notebook {
		if f := r.experiment.Notebook[i].Figure; f != nil {
			all = append(all, f)
		}
	}
	return all
}

// Run runs all trials of an experiment, draws its figures and writes its
// notebook page. What earlier runs finished and nothing has changed since is
// not done again. On cancellation it returns ctx's error soon, having kept
// what was finished. A trial that fails does not keep the others from running,
// unless FailFast is set; the error is a [FailedError] then.
//
// With Options.Trials only these run, and nothing is drawn: other processes may run
// others at the same time, also on other machines with the same folder of results. A
// run of all, which does not begin while they are at it, then finds them done.
func Run(ctx context.Context, e *experiment.Experiment, opt Options) error {
	r, err := newRun(e, opt)
	if err != nil {
		return err
	}
	all, err := r.candidates()
	if err != nil {
		return err
	}
	release, err := r.hold(all)
	defer release()
	if err != nil {
		return advised(err)
	}
	if err := r.find(ctx); err != nil {
		return err
	}
	if n := len(e.Left); n > 0 {
		r.Reporter.Note(fmt.Sprintf("the budget of the sweep leaves out %d of its combinations (alamos plan lists them)", n))
	}
	left := report.Describe(e)
	if err := left.Write(r.dir); err != nil {
		return advised(err)
	}
	err = r.trials(ctx, all)
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
			failed.Folders = append(failed.Folders, c.folder)
			faults[filepath.Base(c.folder)] = c.err.Error()
		}
	}
	if len(r.Trials) == 0 {
		left.Failed = faults
		err := report.Write(left, r.dir)
		left.Ended = err == nil
		if err := errors.Join(err, left.Write(r.dir)); err != nil {
			failed.Errs = append(failed.Errs, advised(err))
		}
	}
	if len(failed.Errs) == 0 {
		return nil
	}
	return failed
}

// hold takes the locks of what the run writes, and removes what earlier runs left
// half-written there: the folder of the experiment, or those of the trials that are
// to run; that of the experiment is then held in common with other such runs. The
// caller calls release, even after an error.
func (r *run) hold(all []*candidate) (release func(), err error) {
	var locks []*disk.Lock
	release = func() {
		for _, l := range locks {
			_ = l.Release() // it is the end of the process that counts
		}
	}
	take := func(lock func(string) (*disk.Lock, error), dir string) error {
		l, err := lock(dir)
		if err == nil {
			locks = append(locks, l)
		}
		return err
	}
	sweep := func(dir string) error {
		if err := disk.Sweep(dir); err != nil {
			return fmt.Errorf("cleaning up after an earlier run: %w", err)
		}
		return nil
	}
	if len(r.Trials) == 0 {
		if err := take(disk.TakeLock, r.dir); err != nil {
			return release, err
		}
		return release, sweep(r.dir)
	}
	if err := take(disk.ShareLock, r.dir); err != nil {
		return release, err
	}
	for _, c := range all {
		if err := take(disk.TakeLock, c.folder); err != nil {
			return release, err
		}
		if err := sweep(c.folder); err != nil {
			return release, err
		}
	}
	return release, nil
}

// FailedError says what went wrong in a run, trial by trial. Where there are several
// trials the Reporter has heard of each when it failed.
type FailedError struct {
	Errs    []error
	Folders []string // of the trials that failed
	Trials  int      // of how many
}

func (e *FailedError) Error() string {
	text := errors.Join(e.Errs...).Error()
	if e.Trials > 1 && len(e.Folders) > 0 {
		text = fmt.Sprintf("%d of %d trials failed:\n%s", len(e.Folders), e.Trials, text)
	}
	return text
}

func (e *FailedError) Unwrap() []error { return e.Errs }

// advised adds to an error of the disk what a person can do about it.
func advised(err error) error {
	var held *disk.HeldError
	var advice string
	switch {
	case errors.As(err, &held):
		advice = "wait for it or stop it, or give another folder with --results"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		advice = "make room and run again: what was finished is kept"
	case errors.Is(err, syscall.EFBIG):
		advice = "raise the limit of a file's size (ulimit -f) and run again: what was finished is kept"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		advice = "make it writable, or give another folder with --results"
	default:
		return err
	}
	return fmt.Errorf("%w: %s", err, advice)
}

// Notebook returns the path of the page that Run writes.
func Notebook(e *experiment.Experiment, results string) string {
	if results == "" {
		results = "results"
	}
	return filepath.Join(results, e.Name, "notebook.html")
}
