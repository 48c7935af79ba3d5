package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"alamos/pkg/disk"
)

// State is how it stands with an experiment's results.
type State string

const (
	Running     State = "running"
	Finished    State = "finished"
	Failed      State = "failed" // the latest run came to its end, but not all trials did
	Interrupted State = "interrupted"
	Damaged     State = "damaged"
)

// Run is the results of an experiment, in a folder of their own.
type Run struct {
	Name   string `json:"name"`
	Dir    string `json:"dir"`
	State  State  `json:"state"`
	Holder string `json:"holder,omitempty"` // running: the process that has the folder
	// Stage is the one that is next or under way, of the first trial that is not done.
	Stage string `json:"stage,omitempty"`
	Why   string `json:"why,omitempty"` // damaged, failed: what is the matter

	Trials      int       `json:"trials"` // of the experiment
	TrialsDone  int       `json:"trials_done"`
	Generations int       `json:"generations"` // of all trials
	Done        int       `json:"generations_done"`
	Old         int       `json:"old_trials"` // folders of trials that the experiment no longer has
	Changed     time.Time `json:"changed"`    // when a file last was
	Bytes       int64     `json:"bytes"`
	Page        string    `json:"page,omitempty"` // the notebook page, where there is one

	Experiment *Experiment `json:"-"` // nil where it is damaged or from before there were such files
	Opened     []*Trial    `json:"-"` // the trials that have begun
}

// List finds the results of all experiments below a folder, by name. A folder that
// is not there has none. It only reads, so it may be called while runs are under way.
func List(results string) ([]*Run, error) {
	entries, err := os.ReadDir(results)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []*Run
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		r, err := ReadRun(filepath.Join(results, e.Name()))
		if err != nil {
			return nil, err
		}
		if r != nil {
			all = append(all, r)
		}
	}
	return all, nil
}

// ReadRun reads how it stands with the results in a folder; nil where there are none.
func ReadRun(dir string) (*Run, error) {
	r := &Run{Name: filepath.Base(dir), Dir: dir}
	folders, err := trialFolders(dir)
	if err != nil {
		return nil, err
	}
	var faults []string
	r.Experiment, err = ReadExperiment(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if len(folders) == 0 {
			return nil, nil
		}
	case errors.Is(err, ErrDamaged):
		faults = append(faults, err.Error())
	case err != nil:
		return nil, err
	}
	if x := r.Experiment; x != nil {
		r.Name = x.Name
		fault, err := r.trials(x, folders)
		if err != nil {
			return nil, err
		}
		faults = append(faults, fault...)
	} else {
		r.Trials = len(folders)
	}
	if page := filepath.Join(dir, "notebook.html"); exists(page) {
		r.Page = page
	}
	if err := r.measure(); err != nil {
		return nil, err
	}
	held, err := heldBy(dir, folders)
	if err != nil {
		return nil, err
	}
	switch {
	case held != nil:
		r.State, r.Holder = Running, held.Holder
	case len(faults) > 0:
		r.State, r.Why = Damaged, strings.Join(faults, "; ")
	case r.Experiment == nil || !r.Experiment.Ended:
		r.State = Interrupted
	case len(r.Experiment.Failed) > 0:
		r.State, r.Why = Failed, fmt.Sprintf("%d of %d trials failed", len(r.Experiment.Failed), r.Trials)
	case r.TrialsDone < r.Trials: // a folder was removed since
		r.State = Interrupted
	default:
		r.State, r.Stage = Finished, ""
	}
	return r, nil
}

// heldBy tells who writes to an experiment, or to the first of its trials that
// somebody writes to; nil where nobody does.
func heldBy(dir string, folders []string) (*disk.HeldError, error) {
	held, err := disk.Held(dir)
	for _, folder := range folders {
		if held != nil || err != nil {
			break
		}
		held, err = disk.Held(filepath.Join(dir, folder))
	}
	return held, err
}

// trials reads how far the trials of the experiment have come; faults are what is
// damaged.
func (r *Run) trials(x *Experiment, folders []string) (faults []string, err error) {
	r.Trials = len(x.Trials)
	known := map[string]bool{}
	for i := range x.Trials {
		declared := x.Trials[i]
		folder := Folder(&declared)
		known[folder] = true
		t, _, err := Open(r.Dir, declared)
		if errors.Is(err, ErrDamaged) {
			faults = append(faults, err.Error())
			continue
		}
		if err != nil {
			return nil, err
		}
		if len(t.Manifest.Stages) > 0 {
			r.Opened = append(r.Opened, t)
		}
		r.Generations += t.Last()
		r.Done += t.Done()
		next := t.Next()
		if next == "" || next == TournamentStage && x.Ended && x.Failed[folder] == "" { // its opponents may be left out
			r.TrialsDone++
		} else if r.Stage == "" && x.Failed[folder] == "" {
			if r.Stage = next; r.Trials > 1 {
				r.Stage = fmt.Sprintf("%s of trial %d", next, i+1)
			}
		}
	}
	for _, f := range folders {
		if !known[f] {
			r.Old++
		}
	}
	return faults, nil
}

// Next is the stage that the trial has before it, "" where it is done. It does not
// know of stages whose inputs have changed since.
func (t *Trial) Next() string {
	has := func(stage string) bool { return t.Manifest.Stage(stage) != nil }
	if !has(UntrainedStage) {
		return UntrainedStage
	}
	if g := t.Done() + 1; g <= t.Last() {
		switch {
		case !has(t.SamplesStage(g)):
			return t.SamplesStage(g)
		case t.Settings.Data == nil && len(t.Settings.Hooks) > 0 && !has(HooksStage(g)) && !has(TrainStage(g)):
			return HooksStage(g)
		}
		return TrainStage(g)
	}
	if t.Settings.Tournament.Rounds > 0 && !has(TournamentStage) {
		return TournamentStage
	}
	return ""
}

// trialFolders are the names of the folders in dir that have the manifest of a trial.
func trialFolders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != RungsFolder && (exists(filepath.Join(dir, e.Name(), ManifestName)) || exists(filepath.Join(dir, e.Name(), ManifestCopy))) {
			all = append(all, e.Name())
		}
	}
	return all, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// measure adds up the sizes of all files and finds the newest. A file that a run
// removes meanwhile is passed over.
func (r *Run) measure() error {
	return filepath.WalkDir(r.Dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return nil
		}
		var info fs.FileInfo
		if err == nil {
			info, err = d.Info()
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		r.Bytes += info.Size()
		if info.ModTime().After(r.Changed) {
			r.Changed = info.ModTime()
		}
		return nil
	})
}

// Resolve finds the results that a person means: by the name of an experiment below
// the folder of results, by their folder, by the folder of a trial, or by the first
// digits of a trial's hash. Trial is nil where all of the experiment is meant.
func Resolve(results, what string) (run *Run, trial *Trial, err error) {
	what = strings.TrimSuffix(what, string(filepath.Separator))
	for _, dir := range []string{filepath.Join(results, what), what} {
		if !exists(dir) {
			continue
		}
		if run, err = ReadRun(dir); err != nil || run != nil {
			return run, nil, err
		}
		if !exists(filepath.Join(dir, ManifestName)) {
			continue
		}
		if run, err = ReadRun(filepath.Dir(dir)); err != nil || run == nil {
			return run, nil, err
		}
		if trial = run.find(filepath.Base(dir)); trial == nil {
			return nil, nil, fmt.Errorf("%s is a trial that the experiment %s no longer has", dir, run.Name)
		}
		return run, trial, nil
	}
	runs, err := List(results)
	if err != nil {
		return nil, nil, err
	}
	var names, found []string
	for _, r := range runs {
		names = append(names, r.Name)
		if len(what) < 3 {
			continue
		}
		for _, t := range r.Opened {
			if strings.HasPrefix(filepath.Base(t.Dir), what) || strings.HasPrefix(t.ID, what) {
				run, trial = r, t
				found = append(found, t.Dir)
			}
		}
	}
	switch {
	case len(found) == 1:
		return run, trial, nil
	case len(found) > 1:
		return nil, nil, fmt.Errorf("%q begins the hashes of several trials: want the folder of one, %s", what, strings.Join(found, " or "))
	case len(names) == 0:
		return nil, nil, fmt.Errorf("no results of %q: there are none at all in %s (alamos run makes them; --results names another folder)", what, results)
	}
	return nil, nil, fmt.Errorf("no results of %q in %s: there are %s", what, results, strings.Join(names, ", "))
}

// find is the trial in a folder, nil where it is none of the experiment's.
func (r *Run) find(folder string) *Trial {
	i := slices.IndexFunc(r.Opened, func(t *Trial) bool { return filepath.Base(t.Dir) == folder })
	if i < 0 {
		return nil
	}
	return r.Opened[i]
}

// FileState is how a file stands to what a stage wrote.
type FileState string

const (
	FileOK      FileState = "ok"
	FileMissing FileState = "missing"
	FileDamaged FileState = "damaged"
)

// Verify compares the files of a stage with their checksums: the worst that was
// found, and the first file that it was found of.
func (t *Trial) Verify(s *Stage) (FileState, string, error) {
	state, which := FileOK, ""
	var files []string
	for f := range s.Outputs {
		files = append(files, f)
	}
	slices.Sort(files)
	for _, f := range files {
		sum, err := disk.Sum(t.Path(f))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if state == FileOK {
				state, which = FileMissing, f
			}
		case err != nil:
			return state, f, err
		case sum != s.Outputs[f]:
			return FileDamaged, f, nil
		}
	}
	return state, which, nil
}
