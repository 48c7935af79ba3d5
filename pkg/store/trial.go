package store

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/experiment"
)

// Trial is a trial and what its runs have left in its folder.
type Trial struct {
	experiment.Trial
	Dir      string // its folder
	Manifest *Manifest
}

// Open reads what runs have left of a trial in the results of its experiment,
// dir. There may be nothing yet. Note says what a person should know: that a copy
// took the manifest's place.
func Open(dir string, t experiment.Trial) (trial *Trial, note string, err error) {
	trial = &Trial{Trial: t, Dir: filepath.Join(dir, Folder(&t))}
	trial.Manifest, note, err = ReadManifest(trial.Dir)
	return trial, note, err
}

// Path is the path of a file of the trial.
func (t *Trial) Path(elem ...string) string {
	return filepath.Join(append([]string{t.Dir}, elem...)...)
}

// Name is the name of the trial in a legend: what sets it apart, or else the name
// of the experiment.
func (t *Trial) Name() string {
	if t.Label == "" {
		return t.Settings.Name
	}
	return t.Label
}

// Done is the number of generations that are played and trained.
func (t *Trial) Done() int {
	g := 0
	for g < t.Last() && t.Manifest.Stage(TrainStage(g+1)) != nil {
		g++
	}
	return g
}

// SamplesStage is the stage that makes the samples of generation g: self-play, or the
// import of a chunk of data.
func (t *Trial) SamplesStage(g int) string {
	if t.Settings.Data != nil {
		return DataStage(g)
	}
	return SelfPlayStage(g)
}

// Generation is the row of generation g.
func (t *Trial) Generation(g int) (*Generation, error) {
	var row Generation
	return &row, t.Manifest.Stage(t.SamplesStage(g)).Decode(&row)
}

// SamplesUntil is the number of samples made in generations 1 to g.
func (t *Trial) SamplesUntil(g int) (int, error) {
	n := 0
	for i := 1; i <= g; i++ {
		row, err := t.Generation(i)
		if err != nil {
			return 0, err
		}
		n += row.Samples
	}
	return n, nil
}

// Epochs are the rows of generation g.
func (t *Trial) Epochs(g int) ([]Epoch, error) {
	var rows []Epoch
	return rows, t.Manifest.Stage(TrainStage(g)).Decode(&rows)
}

// Tournament is the result of the trial's tournament, nil where none is played, even
// if there was one before the experiment was changed.
func (t *Trial) Tournament() (*Tournament, error) {
	s := t.Manifest.Stage(TournamentStage)
	if s == nil || t.Settings.Tournament.Rounds == 0 {
		return nil, nil
	}
	var out Tournament
	return &out, s.Decode(&out)
}

// MetricNames are the metrics of script i that occur in any generation, sorted.
func (t *Trial) MetricNames(i int) ([]string, error) {
	all := map[string]bool{}
	for g := 1; g <= t.Last(); g++ {
		m, err := t.Metrics(g, i)
		if err != nil {
			return nil, err
		}
		for name := range m {
			all[name] = true
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// ErrUnmeasured is the error of a metric that may be that of a hook which has left
// none: it failed in every generation.
var ErrUnmeasured = errors.New("no metrics")

// FindMetric finds a metric of a hook by the name of a hook with one metric, the
// name of a metric, or "hook.metric". Not every generation needs to have it.
func (t *Trial) FindMetric(name string) (script int, metric string, err error) {
	var known, silent []string
	for i, h := range t.Settings.Hooks {
		names, err := t.MetricNames(i)
		if err != nil {
			return 0, "", err
		}
		for _, n := range names {
			if name == n || name == h.Name()+"."+n || (name == h.Name() || name == "") && len(names) == 1 {
				return i, n, nil
			}
			known = append(known, n)
		}
		if len(names) == 0 {
			silent = append(silent, h.Name())
		}
	}
	switch {
	case len(silent) > 0:
		return 0, "", fmt.Errorf("%w of %s in any generation", ErrUnmeasured, strings.Join(silent, ", "))
	case len(known) == 0:
		return 0, "", fmt.Errorf("no hook has a metric %q: there are no hooks", name)
	}
	return 0, "", fmt.Errorf("no hook has a metric %q: there are %s", name, strings.Join(known, ", "))
}

// Output is the checksum of a file that an earlier stage wrote.
func (t *Trial) Output(stage, file string) string { return t.Manifest.Stage(stage).Outputs[file] }

// CheckpointSum is the checksum of a generation's checkpoint.
func (t *Trial) CheckpointSum(g int) string {
	if g == 0 {
		return t.Output(UntrainedStage, CheckpointFile(0))
	}
	return t.Output(TrainStage(g), CheckpointFile(g))
}
