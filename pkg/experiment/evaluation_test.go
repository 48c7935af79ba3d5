package experiment

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const evaluated = "tournament: {search: {visits: 100, solver: true}}\nevaluation: {every: 2, puzzles: [p/a.epd, {file: p/b.epd}], search: {visits: 50}}\n"

func evaluatedFiles() folder {
	return folder{"x.yaml": head + evaluated, "p/a.epd": "a", "p/b.epd": "b"}
}

// An evaluation is not part of a trial's ID, but the trial has the hashes of its files.
func TestEvaluationIsNotPartOfTheID(t *testing.T) {
	plain := load(t, "tournament: {search: {visits: 100, solver: true}}\n").Trials[0]
	f := evaluatedFiles()
	e := loadFrom(t, f)
	trial := e.Trials[0]
	if trial.ID != plain.ID || plain.Settings.Evaluation != nil {
		t.Errorf("ID %s, without an evaluation %s: %+v", trial.ID, plain.ID, plain.Settings.Evaluation)
	}
	// The trial has the hashes of its files, as the stages need them.
	of := trial.Settings.Evaluation
	if of.Every != 2 || !of.Accuracy || of.Search.Visits != 50 || !of.Search.Solver || len(of.Puzzles) != 2 {
		t.Errorf("read as %+v", of)
	}
	f["p/b.epd"] = "changed"
	changed := loadFrom(t, f).Trials[0]
	if changed.ID != trial.ID {
		t.Error("the content of a file of puzzles is part of the trial's identity")
	}
	for i, name := range []string{"a", "b"} {
		p, q := of.Puzzles[i], changed.Settings.Evaluation.Puzzles[i]
		if p.Name() != name || len(p.File.SHA256) != 64 || (p.File.SHA256 == q.File.SHA256) != (name == "a") {
			t.Errorf("%+v, changed %+v", p, q)
		}
	}
	if len(trial.Settings.Scripts()) != 0 {
		t.Errorf("puzzles are scripts: %v", trial.Settings.Scripts())
	}
}

// Settings written out read back as the same, inherited searches included.
func TestEvaluationReadsBack(t *testing.T) {
	f := evaluatedFiles()
	s := loadFrom(t, f).Settings
	f["x.yaml"] = string(s.YAML(pathOf))
	if diff := cmp.Diff(s, loadFrom(t, f).Settings); diff != "" {
		t.Errorf("the settings read back differently:\n%s", diff)
	}
	off := load(t, "search: {leaves: 4}\nevaluation: {search: {leaves: 1}}\n").Settings
	if again := loadFrom(t, folder{"x.yaml": string(off.YAML(pathOf))}).Settings; again.Evaluation.Search.Leaves > 1 || again.Tournament.Search.Leaves != 4 {
		t.Errorf("leaves %d of the evaluation, %d of the tournament", again.Evaluation.Search.Leaves, again.Tournament.Search.Leaves)
	}
}
