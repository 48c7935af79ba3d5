package store

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"alamos/pkg/disk"
)

// Words for generations in the name of a model.
const (
	LastGeneration      = "last"
	UntrainedGeneration = "untrained"
)

// FindModel finds the checkpoint that a person means: by its file, or as
// RUN@GENERATION, where the run is a trial as [Resolve] finds it, an experiment with
// one trial, or EXPERIMENT/HASH with the first digits of a trial's hash, and the
// generation is a number, "last" or "untrained". Errors say what there is.
func FindModel(results, what string) (file string, err error) {
	at := strings.LastIndex(what, "@")
	if at < 0 || exists(what) {
		if !exists(what) && !strings.HasSuffix(what, ".safetensors") {
			return "", fmt.Errorf("%s: no such file, and no model of a run: want RUN@GENERATION, as in tiny@%s, or of a sweep quickstart/24b4@%[2]s", what, LastGeneration)
		}
		return what, nil
	}
	t, err := findTrial(results, what[:at])
	if err != nil {
		return "", fmt.Errorf("model %s: %w", what, err)
	}
	g, err := t.generationOf(what[at+1:])
	if err != nil {
		return "", fmt.Errorf("model %s: %w", what, err)
	}
	file = t.Path(CheckpointFile(g))
	sum, err := disk.Sum(file)
	if err != nil {
		return "", fmt.Errorf("model %s: %w", what, err)
	}
	if sum != t.CheckpointSum(g) {
		return "", fmt.Errorf("model %s: %s %w: it is not what the run wrote (its checksum differs)", what, file, ErrDamaged)
	}
	return file, nil
}

// earlyRun is the error of results whose trials cannot be told.
func earlyRun(r *Run) error {
	return fmt.Errorf("%s is of a run of early days, without %s: run its experiment again, or name the file of a checkpoint", r.Dir, ExperimentName)
}

// findTrial is the one trial that is meant by a run.
func findTrial(results, what string) (*Trial, error) {
	experiment, hash, inside := strings.Cut(what, "/")
	if inside && hash != "" && !strings.Contains(hash, "/") && !exists(what) && exists(filepath.Join(results, experiment)) {
		run, _, err := Resolve(results, experiment)
		if err != nil {
			return nil, err
		}
		if run.Experiment == nil {
			return nil, earlyRun(run)
		}
		var found []*Trial
		for _, t := range run.Opened {
			if strings.HasPrefix(filepath.Base(t.Dir), hash) || strings.HasPrefix(t.ID, hash) {
				found = append(found, t)
			}
		}
		if len(found) == 1 {
			return found[0], nil
		}
		return nil, fmt.Errorf("%d trials of %s have a hash that begins with %q: there are %s", len(found), run.Name, hash, run.trialNames())
	}
	run, t, err := Resolve(results, what)
	switch {
	case err != nil:
		return nil, err
	case t != nil:
		return t, nil
	case run.Experiment == nil:
		return nil, earlyRun(run)
	case len(run.Opened) == 0:
		return nil, fmt.Errorf("no trial of %s has begun (alamos run goes on with it)", run.Name)
	case len(run.Opened) > 1:
		return nil, fmt.Errorf("%s has %d trials: name one of %s", run.Name, len(run.Opened), run.trialNames())
	}
	return run.Opened[0], nil
}

// trialNames lists the trials that have begun, with what sets them apart.
func (r *Run) trialNames() string {
	var names []string
	for _, t := range r.Opened {
		name := r.Name + "/" + filepath.Base(t.Dir)
		if t.Label != "" {
			name += " (" + t.Label + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// generationOf reads a word for a generation that the trial has finished.
func (t *Trial) generationOf(word string) (int, error) {
	done := t.Done()
	if done == 0 && t.Manifest.Stage(UntrainedStage) == nil {
		return 0, fmt.Errorf("the trial has no network yet (alamos run goes on with it)")
	}
	switch word {
	case LastGeneration:
		return done, nil
	case UntrainedGeneration:
		return 0, nil
	}
	g, err := strconv.Atoi(word)
	if err != nil || g < 0 || g > done {
		return 0, fmt.Errorf("no generation %q: there are 0 (%s) to %d (%s)", word, UntrainedGeneration, done, LastGeneration)
	}
	return g, nil
}

// Generations are those of which a run, as [FindModel] names it, has checkpoints; none
// where it names no trial.
func Generations(results, run string) []int {
	t, err := findTrial(results, run)
	if err != nil || t.Manifest.Stage(UntrainedStage) == nil {
		return nil
	}
	var all []int
	for g := range t.Done() + 1 {
		all = append(all, g)
	}
	return all
}
