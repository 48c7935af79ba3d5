package store

import (
	"fmt"
	"path/filepath"

	"alamos/pkg/stats"
)

// RungsFolder, in the results of an experiment, has what successive halving chose
// its trials by: a manifest with a stage for each rung and, where trials were
// compared by a match, its games.
const RungsFolder = "rungs"

// RungStage is the name of the comparison after g generations.
func RungStage(g int) string { return fmt.Sprintf("rung %d", g) }

// RungFolder is the folder of the games of that comparison, below RungsFolder.
func RungFolder(g int) string { return fmt.Sprintf("gen-%04d", g) }

// Rung is a comparison of trials after some generations.
type Rung struct {
	Generation int         `json:"generation"`
	Metric     string      `json:"metric"`    // as in [experiment.Halving]
	Survivors  int         `json:"survivors"` // so many of the first go on
	Ranking    []RungTrial `json:"ranking"`   // the best first
}

// RungTrial is a trial in a comparison.
type RungTrial struct {
	Trial      string         `json:"trial"` // name of its folder
	Label      string         `json:"label"`
	Generation int            `json:"generation"` // of its checkpoint: that of the rung, unless a rule stopped the trial before
	Value      stats.Interval `json:"value"`      // of the metric; unknown is last
}

// Rungs are the comparisons that the trials of the experiment have come to, in
// their order, none without successive halving; dir is the folder of its results.
func (x *Experiment) Rungs(dir string) ([]Rung, error) {
	if x.Halving == nil || len(x.Trials) == 0 {
		return nil, nil
	}
	m, _, err := ReadManifest(filepath.Join(dir, RungsFolder))
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
