package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
)

// ExperimentName is the file of an [Experiment] in the folder of its results.
const ExperimentName = "experiment.json"

// Experiment is an experiment as its latest run resolved it: what is needed to show
// its results without the files that it was written in, and how that run ended.
type Experiment struct {
	Name     string              `json:"name"`
	About    string              `json:"about,omitempty"`   // Markdown
	File     string              `json:"file"`              // as given to the run
	Base     string              `json:"base,omitempty"`    // the first file that it extends
	Changes  []Change            `json:"changes,omitempty"` // against that
	Settings Explained           `json:"settings"`
	Axes     []experiment.Axis   `json:"axes,omitempty"`
	Notebook []experiment.Cell   `json:"notebook"`
	Trials   []experiment.Trial  `json:"trials"`
	Left     []experiment.Left   `json:"left,omitempty"` // what the budget of the sweep has no trial for
	Halving  *experiment.Halving `json:"halving,omitempty"`
	// Ended says that the run came to its end, with what failed by the folder of
	// the trial. A run that is killed or interrupted has no end.
	Ended  bool              `json:"ended"`
	Failed map[string]string `json:"failed,omitempty"`
	// Checksum is the SHA-256, in hexadecimal, of all this as JSON without it.
	Checksum string `json:"checksum"`
}

// Explained are the resolved values of an experiment as a file keeps them, to be read
// again; the JSON of each by itself is for programs that want values, not texts.
type Explained []experiment.Explained

type explained experiment.Explained // without its JSON

func (all Explained) MarshalJSON() ([]byte, error) {
	kept := make([]explained, len(all))
	for i, x := range all {
		kept[i] = explained(x)
	}
	return json.Marshal(kept)
}

func (all *Explained) UnmarshalJSON(b []byte) error {
	var kept []explained
	if err := json.Unmarshal(b, &kept); err != nil {
		return err
	}
	*all = make(Explained, len(kept))
	for i, x := range kept {
		(*all)[i] = experiment.Explained(x)
	}
	return nil
}

// Change is a setting that is not as in the file that the experiment extends; empty
// where it has none.
type Change struct {
	Key  string `json:"key"`
	Base string `json:"base,omitempty"`
	This string `json:"this,omitempty"`
}

// Describe is an experiment as a run keeps it.
func Describe(e *experiment.Experiment) *Experiment {
	x := &Experiment{
		Name: e.Name, About: e.About, File: e.File, Base: e.Base,
		Settings: e.Explain(), Axes: e.Axes, Notebook: e.Notebook, Trials: e.Trials, Left: e.Left, Halving: e.Halving,
	}
	for _, d := range e.BaseDiff() {
		x.Changes = append(x.Changes, Change{d.Path, d.A, d.B})
	}
	return x
}

// ReadExperiment reads what the latest run left of its experiment in dir; the error
// is fs.ErrNotExist where no run has been.
func ReadExperiment(dir string) (*Experiment, error) {
	path := filepath.Join(dir, ExperimentName)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var x Experiment
	err = json.Unmarshal(b, &x)
	if err == nil {
		var sum string
		if sum, err = x.sum(); err == nil && sum != x.Checksum {
			err = errors.New("its checksum differs")
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s %w (%v): the next run writes it again", path, ErrDamaged, err)
	}
	return &x, nil
}

// Write writes the file in dir.
func (x *Experiment) Write(dir string) (err error) {
	if x.Checksum, err = x.sum(); err != nil {
		return err
	}
	b, err := json.MarshalIndent(x, "", " ")
	if err != nil {
		return err
	}
	return disk.WriteBytes(filepath.Join(dir, ExperimentName), append(b, '\n'))
}

func (x *Experiment) sum() (string, error) {
	bare := *x
	bare.Checksum = ""
	return sumJSON(bare)
}

// Open opens those trials of the experiment that have begun, in its order; dir is
// the folder of its results. Notes say what a person should know: that a copy took
// a manifest's place, or that a trial is left out because its manifest is damaged.
func (x *Experiment) Open(dir string) (trials []*Trial, notes []string, err error) {
	for _, t := range x.Trials {
		s, note, err := Open(dir, t)
		if errors.Is(err, ErrDamaged) {
			notes = append(notes, err.Error())
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
		if len(s.Manifest.Stages) > 0 {
			trials = append(trials, s)
		}
	}
	return trials, notes, nil
}

// Find reads the experiment whose results lie in dir; where there are none, the
// error says how they are made.
func Find(dir string) (*Experiment, error) {
	x, err := ReadExperiment(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no results of an experiment: alamos run makes them, alamos ls lists what there is", dir)
	}
	return x, err
}
