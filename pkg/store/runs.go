package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"alamos/pkg/disk"
)

type State string

const (
	Running     State = "running"
	Finished    State = "finished"
	Failed      State = "failed" // the latest run reached its end, but some trials failed
	Interrupted State = "interrupted"
	Damaged     State = "damaged"
)

// Run is the results of an experiment in its folder.
type Run struct {
	Name   string `json:"name"`
	Dir    string `json:"dir"`
	State  State  `json:"state"`
	Holder string `json:"holder,omitempty"` // process that holds the folder's lock, if running
	// Stage is the next stage of the first unfinished trial.
	Stage string `json:"stage,omitempty"`
	Why   string `json:"why,omitempty"` // reason for the states damaged and failed

	Trials      int       `json:"trials"` // number of trials in the experiment
	TrialsDone  int       `json:"trials_done"`
	Generations int       `json:"generations"` // sum over all trials
	Done        int       `json:"generations_done"`
	Old         int       `json:"old_trials"`        // folders of trials that are no longer in the experiment
	Changed     time.Time `json:"changed"`           // latest modification time of a file
	Bytes       int64     `json:"bytes"`             // a file with several hard links counts once
	Page        string    `json:"page,omitempty"`    // path of the notebook page, if it exists
	Workers     []Worker  `json:"workers,omitempty"` // on other machines, while it runs

	Experiment *Experiment `json:"-"` // nil if the file is damaged
	Opened     []*Trial    `json:"-"` // trials that have begun
}

// Names returns the names of the experiments with results in a folder, sorted. Each is the name
// of a folder or of a link to one. It returns none if the folder does not exist.
func Names(results string) (names []string, err error) {
	entries, err := os.ReadDir(results)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		hidden := strings.HasPrefix(e.Name(), ".") // a pack that is being unpacked
		if !hidden && exists(filepath.Join(results, e.Name(), ExperimentName)) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// List returns the results of all experiments in a folder, sorted by name. It only reads, so it
// is safe during runs.
func List(results string) (all []*Run, err error) {
	names, err := Names(results)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		r, err := ReadRun(filepath.Join(results, name))
		if err != nil {
			return nil, err
		}
		if r != nil {
			all = append(all, r)
		}
	}
	return all, nil
}

// ReadRun reads the state of the results in a folder. It returns nil if there are none.
func ReadRun(dir string) (*Run, error) {
	full, err := filepath.Abs(dir) // dir may be "."
	if err != nil {
		return nil, err
	}
	r := &Run{Name: filepath.Base(full), Dir: dir} // by which commands find it, also if the folder was renamed
	var faults []string
	x, err := ReadExperiment(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, ErrDamaged):
		faults = append(faults, err.Error())
	case err != nil:
		return nil, err
	}
	folders, err := trialFolders(dir)
	if err != nil {
		return nil, err
	}
	r.Experiment, r.Trials = x, len(folders)
	if x != nil {
		r.Trials = len(x.Trials) + x.Pending
		fault, err := r.progress(folders)
		if err != nil {
			return nil, err
		}
		faults = append(faults, fault...)
	}
	if page := filepath.Join(dir, PageName); exists(page) {
		r.Page = page
	}
	space, err := disk.Measure(dir)
	if err != nil {
		return nil, err
	}
	r.Changed, r.Bytes = space.Changed, space.Bytes
	held, err := heldBy(dir, folders)
	if err != nil {
		return nil, err
	}
	switch {
	case held != nil:
		r.State, r.Holder = Running, held.Holder
		r.Workers, _ = ReadWorkers(dir) // a note that cannot be read says nothing about the results
	case len(faults) > 0:
		r.State, r.Why = Damaged, strings.Join(faults, "; ")
	case !x.Ended:
		r.State = Interrupted
	case len(x.Failed) > 0:
		r.State, r.Why = Failed, fmt.Sprintf("%d of %d trials failed", len(x.Failed), r.Trials)
	case r.TrialsDone < r.Trials: // a folder was deleted after the run
		r.State = Interrupted
	default:
		r.State, r.Stage = Finished, ""
	}
	return r, nil
}

// heldBy returns the process that writes to an experiment or to one of its trials, or nil.
func heldBy(dir string, folders []string) (held *disk.HeldError, err error) {
	for _, folder := range append([]string{"."}, folders...) {
		if held, err = disk.Held(filepath.Join(dir, folder)); held != nil || err != nil {
			break
		}
	}
	return held, err
}

// progress reads the progress of the trials. faults lists damaged manifests.
func (r *Run) progress(folders []string) (faults []string, err error) {
	x := r.Experiment
	if r.Opened, faults, err = x.Open(r.Dir); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for i, t := range r.All() {
		folder := t.Declared.Folder
		known[folder] = true
		r.Generations += t.Last()
		r.Done += t.Done()
		next := t.Next()
		if next == "" || next == TournamentStage && x.Ended && x.Failed[folder] == "" { // a tournament is skipped if too few opponents are installed
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

// All returns the trials of the experiment in order. Those that have not begun have no stages.
func (r *Run) All() []*Trial {
	opened := map[string]*Trial{}
	for _, t := range r.Opened {
		opened[t.Declared.Folder] = t
	}
	var all []*Trial
	for _, declared := range r.Experiment.Trials {
		t := opened[declared.Folder]
		if t == nil {
			t = &Trial{Declared: declared, Dir: filepath.Join(r.Dir, declared.Folder), Manifest: &Manifest{}}
		}
		all = append(all, t)
	}
	return all
}

// trialFolders returns the names of the folders in dir that contain a trial's manifest.
func trialFolders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != ComparisonsFolder && exists(filepath.Join(dir, e.Name(), ManifestName)) {
			all = append(all, e.Name())
		}
	}
	return all, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
