package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/hub"
	"alamos/pkg/nn"
	"alamos/pkg/report"
	"alamos/pkg/uci"

	"alamos/pkg/store"
)

// Options change how a run computes its results, never the results.
type Options struct {
	Results   string // folder of results; default "results"
	Trials    []int  // numbers of the trials to run, from 1; default all. See [Run]
	Jobs      int    // trials in parallel; default 1
	Workers   int    // goroutines that play games, over all jobs; default from nn.Throughput
	Threads   int    // of training on the processor; default all
	Batch     int    // positions per network call; default from nn.Throughput
	Device    string // see nn.Devices; default auto
	Precision string // of inference: "auto", "fp32" or "bf16"; default auto
	Alamos    string // version of the program, for the manifest
	Reporter  Reporter
	// HookTime is the time limit for one call of a script; default hook.DefaultTime.
	HookTime time.Duration
	// SkipMissingEngines skips opponents that are not installed. Without it the run refuses
	// to start.
	SkipMissingEngines bool
	// Verify compares all files of earlier stages with their checksums. Without it the run
	// trusts files with unchanged sizes and modification times.
	Verify bool
	// memory of the machine in bytes; default memoryIn.
	memory int64
	// Hub, if not nil, has workers on other machines play the games.
	Hub *hub.Hub
	// Kinds says whether these must be of one kind of machine, as by default, or may be of any.
	Kinds string
	// Recheck is the share of their games that other workers play again.
	Recheck float64
	// WaitLock waits for another process that writes to the same folders. Without it that is
	// an error.
	WaitLock bool
	// NoLock takes no locks, for file systems that have none. Then two processes may write to
	// one folder, and do a stage twice.
	NoLock bool
	// FailFast ends the run when a trial fails. Without it the other trials continue.
	FailFast bool
}

const defaultResults = "results"

// ThisMachine describes this machine. alamos is the version of the program.
func ThisMachine(alamos string) store.Machine {
	host, _ := os.Hostname()
	return store.Machine{
		Host: host, CPU: cmp.Or(field("/proc/cpuinfo", "model name"), "unknown"), Cores: runtime.GOMAXPROCS(0),
		GPU: field("/proc/driver/nvidia/gpus/*/information", "Model"),
		OS:  runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(), Alamos: alamos,
	}
}

// field returns the first value of name in lines of "name: value" of a file of Linux, or "".
func field(pattern, name string) string {
	files, _ := filepath.Glob(pattern) // the pattern is valid
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for line := range strings.Lines(string(text)) {
			if have, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(have) == name {
				return strings.TrimSpace(value)
			}
		}
	}
	return ""
}

// run is one call of [Run], or one plan.
type run struct {
	Options
	experiment *experiment.Experiment
	dir        string
	machine    store.Machine
	engines    memo[*uci.Found]
	models     memo[externalModel]
	scripts    *scripts
	sums       *disk.Sums // of the files of data
	cache      *cache
	locks      *disk.KeyLocks // of stages, by their inputs; nil: none
	executor   executor
	comparing  *Trial // compares the others; nil until the first comparison
	forecast   *forecast
}

func newRun(e *experiment.Experiment, opt Options) (*run, error) {
	opt.Results, opt.Jobs = cmp.Or(opt.Results, defaultResults), cmp.Or(opt.Jobs, 1)
	opt.Device, opt.Precision = cmp.Or(opt.Device, nn.Auto), cmp.Or(opt.Precision, nn.Auto)
	if opt.Reporter == nil {
		opt.Reporter = Quiet{}
	}
	opt.memory = cmp.Or(opt.memory, memoryIn(os.DirFS("/")))
	workers, batch, err := nn.Throughput(opt.Device)
	if err != nil {
		return nil, err
	}
	opt.Workers, opt.Batch = cmp.Or(opt.Workers, workers), cmp.Or(opt.Batch, batch)
	opt.Threads = cmp.Or(opt.Threads, runtime.GOMAXPROCS(0)) // which Go changes with the limits of the machine, even in the middle of a run
	return &run{
		Options: opt, experiment: e, dir: filepath.Join(opt.Results, e.Name), machine: ThisMachine(opt.Alamos),
		sums: disk.ReadSums(filepath.Join(opt.Results, sumsName)), cache: newCache(opt.Results), executor: execution{},
		forecast: newForecast(e, opt.Jobs),
	}, nil
}

// inference returns the options of networks.
func (r *run) inference() nn.InferenceOptions {
	return nn.InferenceOptions{Batch: r.Batch, Device: r.Device, Precision: r.Precision}
}

// find finds the scripts and opponents of all trials before any trial begins. It returns the
// errors of missing opponents.
func (r *run) find(ctx context.Context) (lacking []error, err error) {
	if r.scripts, err = findScripts(r.experiment, r.HookTime); err != nil {
		return nil, err
	}
	return r.findOpponents(ctx)
}

// begin is find, after a check that the trials exist which figures show alone. Those that a growing
// sweep adds are not known yet.
func (r *run) begin(ctx context.Context) (lacking []error, err error) {
	for i, cell := range r.experiment.Notebook {
		if cell.Figure == nil || r.experiment.Pending > 0 {
			continue
		}
		if _, err := store.TrialsOf(r.experiment.Trials, cell.Figure); err != nil {
			return nil, fmt.Errorf("%s: notebook[%d].figure.only: %w", r.experiment.File, i, err)
		}
	}
	return r.find(ctx)
}

// Run runs all trials of an experiment, draws its figures and writes its notebook page. It
// reuses the results of earlier runs if their inputs have not changed. On cancellation it
// keeps finished work and returns ctx's error soon. If a trial fails, the others continue
// unless FailFast is set, and the error is a [FailedError].
//
// With Options.Trials it runs only these trials and draws nothing. Other processes may run
// other trials at the same time, even on other machines with the same folder of results. A
// later run of all trials reuses their results. It cannot start while they are running.
func Run(ctx context.Context, e *experiment.Experiment, opt Options) error {
	r, err := newRun(e, opt)
	if err != nil {
		return err
	}
	all, err := r.candidates()
	if err != nil {
		return err
	}
	release, err := r.hold(ctx, all)
	defer release()
	if err != nil {
		return advised(err)
	}
	lacking, err := r.begin(ctx)
	if err != nil {
		return err
	}
	if len(lacking) > 0 && !r.SkipMissingEngines {
		return fmt.Errorf("%w\nor leave it out with --skip-missing-engines", errors.Join(lacking...))
	}
	for _, lack := range lacking {
		r.Reporter.Note(fmt.Sprintf("left out: %v", lack))
	}
	if n := len(e.Left); n > 0 {
		r.Reporter.Note(fmt.Sprintf("the budget of the sweep leaves out %d of its combinations (alamos plan lists them)", n))
	}
	if err := r.executor.batch(r); err != nil {
		return advised(err)
	}
	defer r.noteWorkers()()
	if len(all) > 1 {
		if r.forecast.count = len(all); len(r.Trials) == 0 {
			r.forecast.count = e.Total()
		}
		r.Reporter.Progress(r.forecast.String)
	}
	all, err = r.trials(ctx, all)
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
		left := report.Describe(r.experiment)
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

// stageLocks is the file of the locks of stages, in the folder of all results.
const stageLocks = ".stages.lock"

// hold takes the locks of the run and removes temporary files of earlier runs. A run of all
// trials locks the experiment's folder. A run of some trials locks their folders and shares
// the lock of the experiment's folder. The caller must call release, even after an error.
func (r *run) hold(ctx context.Context, all []*candidate) (release func(), err error) {
	if r.NoLock {
		return func() {}, disk.SweepStale(r.dir)
	}
	var locks []*disk.Lock
	release = func() {
		if r.locks != nil {
			_ = r.locks.Close()
		}
		for _, l := range locks {
			_ = l.Release() // the kernel releases it at the latest when the process ends
		}
	}
	folders := []string{r.dir}
	if len(r.Trials) > 0 {
		l, err := r.lock(ctx, disk.ShareLock, r.dir)
		if err != nil {
			return release, err
		}
		locks, folders = append(locks, l), nil
		for _, c := range all {
			folders = append(folders, c.folder)
		}
	}
	for _, dir := range folders {
		l, err := r.lock(ctx, disk.TakeLock, dir)
		if err != nil {
			return release, err
		}
		locks = append(locks, l)
		if err := disk.Sweep(dir); err != nil {
			return release, fmt.Errorf("cleaning up after an earlier run: %w", err)
		}
	}
	r.locks, err = disk.OpenKeyLocks(filepath.Join(r.Results, stageLocks))
	return release, err
}

// lock takes the lock of a folder. It waits for another process if the options say so.
func (r *run) lock(ctx context.Context, take func(dir string) (*disk.Lock, error), dir string) (*disk.Lock, error) {
	for told := false; ; told = true {
		l, err := take(dir)
		held, is := errors.AsType[*disk.HeldError](err)
		if !is || !r.WaitLock {
			return l, err
		}
		if !told {
			r.Reporter.Note(held.Error() + ": waiting for it")
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockPause):
		}
	}
}

// lockPause is the time between two attempts to take a lock.
const lockPause = 200 * time.Millisecond

// FailedError lists the failures of a run by trial. If there are several trials, the
// Reporter has already reported each failure.
type FailedError struct {
	Errs    []error
	Folders []string // of the trials that failed
	Trials  int      // total number of trials
}

func (e *FailedError) Error() string {
	text := errors.Join(e.Errs...).Error()
	if e.Trials > 1 && len(e.Folders) > 0 {
		text = fmt.Sprintf("%d of %d trials failed:\n%s", len(e.Folders), e.Trials, text)
	}
	return text
}

func (e *FailedError) Unwrap() []error { return e.Errs }

// advised adds advice for the user to an error of the file system.
func advised(err error) error {
	var advice string
	switch {
	case errors.As(err, new(*disk.HeldError)):
		advice = "wait for it or stop it, let this run wait with --wait-lock, or give another folder with --results"
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP):
		advice = "if its file system has no locks, run with --no-lock, and never two runs of one trial at a time"
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

// Notebook returns the path of the notebook page that Run writes.
func Notebook(e *experiment.Experiment, results string) string {
	return filepath.Join(cmp.Or(results, defaultResults), e.Name, store.PageName)
}
