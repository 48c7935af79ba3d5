package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"alamos/pkg/config"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/stats"
)

// ExperimentName is the file name of an [Experiment] in its folder of results.
const ExperimentName = "experiment.json"

// PageName is the file of the notebook page in the folder of an experiment.
const PageName = "notebook.html"

// Experiment is an experiment as its latest run resolved it, and how that run ended.
// Results can be shown from it without the experiment's source files.
type Experiment struct {
	experiment.Description
	Changes  []experiment.Difference `json:"changes,omitempty"` // between Base (A) and the experiment (B)
	Settings []config.Explained      `json:"settings"`
	// Ended reports that the run was neither killed nor interrupted. Failed has the errors
	// of trials by folder.
	Ended  bool              `json:"ended"`
	Failed map[string]string `json:"failed,omitempty"`
}

// Describe returns the stored form of an experiment.
func Describe(e *experiment.Experiment) *Experiment {
	return &Experiment{Description: e.Description, Changes: e.BaseDiff(), Settings: e.Explain()}
}

// Recall adds what the latest run in dir found: the trials by which a sweep grew, and why trials
// failed. It adds nothing if no run has left a whole file of it.
func (x *Experiment) Recall(dir string) {
	before, err := ReadExperiment(dir)
	if err != nil {
		return
	}
	x.Regrow(before)
	for _, t := range x.Trials {
		if why, failed := before.Failed[t.Folder]; failed {
			if x.Failed == nil {
				x.Failed = map[string]string{}
			}
			x.Failed[t.Folder] = why
		}
	}
}

// Regrow adds the trials by which a sweep grew before, if it began with the same ones. A run adds
// them again from the same results.
func (x *Experiment) Regrow(before *Experiment) {
	n := len(x.Trials)
	equal := func(a, b experiment.Trial) bool { return a.ID == b.ID }
	if x.Pending == 0 || len(before.Trials) <= n || !slices.EqualFunc(x.Trials, before.Trials[:n], equal) {
		return
	}
	grown := before.Trials[:min(len(before.Trials), n+x.Pending)]
	x.Pending -= len(grown) - n
	x.Trials, x.Axes = grown, before.Axes
}

// ReadExperiment reads the file that the latest run wrote in dir. The error is
// fs.ErrNotExist if there was no run.
func ReadExperiment(dir string) (*Experiment, error) {
	path := filepath.Join(dir, ExperimentName)
	b, err := disk.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var x Experiment
	if err := json.Unmarshal(b, &x); err != nil {
		return nil, fmt.Errorf("%s %w (%v): the next run writes it again", path, ErrDamaged, err)
	}
	if h := x.Halving; h != nil && (h.First < 1 || h.Factor < 2) {
		return nil, fmt.Errorf("%s %w (rungs from %d by %d): the next run writes it again", path, ErrDamaged, h.First, h.Factor)
	}
	return &x, nil
}

// Write writes the file in dir.
func (x *Experiment) Write(dir string) error { return writeJSON(filepath.Join(dir, ExperimentName), x) }

// Open opens the trials of the experiment that have begun, in order. dir is the
// experiment's folder of results. notes lists damaged manifests, which are left out.
func (x *Experiment) Open(dir string) (trials []*Trial, notes []string, err error) {
	final, err := x.FinalTournament(dir)
	if err != nil {
		notes = append(notes, err.Error())
	}
	for _, declared := range x.Trials {
		t, err := Open(dir, declared)
		switch {
		case errors.Is(err, ErrDamaged):
			notes = append(notes, err.Error())
		case err != nil:
			return nil, nil, err
		case len(t.Manifest.Stages) > 0:
			trials = append(trials, t)
		}
	}
	x.Attach(final, trials)
	return trials, notes, nil
}

// ComparisonsFolder is the folder below an experiment's results of what compares its trials:
// the rungs of successive halving and the final tournament. It has a manifest with a stage
// for each, and the games of those that are tournaments.
const ComparisonsFolder = "comparisons"

// FinalStage is the name of the stage that plays the final tournament.
const FinalStage = "final"

// FinalTournament returns the final tournament of the sweep, or nil. The name of a trial's
// network in it is the trial's, see [Trial.Name]. dir is the experiment's folder of results.
func (x *Experiment) FinalTournament(dir string) (*Tournament, error) {
	if x.Final == nil {
		return nil, nil
	}
	comparisons, err := Open(dir, experiment.Trial{Folder: ComparisonsFolder})
	if err != nil {
		return nil, err
	}
	return comparisons.played(FinalStage), nil
}

// Attach sets the final tournament of all trials. A trial that has trained since, and whose latest
// network is the one that plays, has none.
func (x *Experiment) Attach(final *Tournament, trials []*Trial) {
	ranked := false
	for _, t := range trials {
		t.Final = nil
		if i := final.Find(t.Name()); i >= 0 && (x.Final.Network == experiment.BestNetwork || final.Players[i].Generation == t.Done()) {
			t.Final, ranked = final, true
		}
	}
	for _, t := range trials {
		t.Unranked = ranked && t.Final == nil
	}
}

// RungStage returns the name of the stage that compares trials after g generations.
func RungStage(g int) string { return fmt.Sprintf("rung %d", g) }

// RungFolder returns the folder of the games of that stage, below ComparisonsFolder.
func RungFolder(g int) string { return fmt.Sprintf("gen-%04d", g) }

// Rung is a comparison of trials in successive halving.
type Rung struct {
	Generation int         `json:"generation"`
	Metric     string      `json:"metric"`    // as in [experiment.Halving]
	Survivors  int         `json:"survivors"` // number of settings that continue
	Ranking    []RungTrial `json:"ranking"`   // best setting first; the trials of a setting are together
}

// Settings groups the trials by their settings. Trials of one setting differ only in their
// seeds.
func (r *Rung) Settings() [][]RungTrial {
	return GroupBy(r.Ranking, func(x RungTrial) string { return x.Setting })
}

// Place returns the place of a trial's setting, from 1, and the number of settings. A trial
// that was not compared has place 0.
func (r *Rung) Place(trial string) (place, settings int) {
	all := r.Settings()
	before := slices.IndexFunc(all, func(trials []RungTrial) bool {
		return slices.ContainsFunc(trials, func(x RungTrial) bool { return x.Trial == trial })
	})
	return before + 1, len(all)
}

// RungTrial is a trial in a comparison.
type RungTrial struct {
	Trial      string         `json:"trial"` // name of its folder
	Label      string         `json:"label"`
	Setting    string         `json:"setting"`    // the label without the seed
	Generation int            `json:"generation"` // of its checkpoint; lower than the rung's if a stop rule ended the trial earlier
	Value      stats.Interval `json:"value"`      // of the metric
	Mean       stats.Interval `json:"mean"`       // of the values of the setting's trials, which are ranked by it; unknown means rank last
}

// Rungs returns the comparisons so far. It returns none without successive halving. dir is
// the experiment's folder of results.
func (x *Experiment) Rungs(dir string) ([]Rung, error) {
	if x.Halving == nil || len(x.Trials) == 0 {
		return nil, nil
	}
	m, err := ReadManifest(filepath.Join(dir, ComparisonsFolder))
	if err != nil {
		return nil, err
	}
	var all []Rung
	for _, g := range x.Halving.Rungs(x.Trials[0].Settings.Generations) {
		s := m.Stage(RungStage(g))
		if s == nil {
			break
		}
		var r Rung
		if err := s.Decode(&r); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}
