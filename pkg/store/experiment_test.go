package store

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
)

// What a run keeps of its experiment is read again as it was, texts of values
// included.
func TestExperimentIsKept(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.yaml")
	text := "alamos: 1\nname: x\ngenerations: 3\nsearch: {c_puct: 1e-1}\nsweep: {grid: {network.depth: [1, 2]}, seeds: 2}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Load(file, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := Describe(e)
	want.Ended, want.Failed = true, map[string]string{"folder": "why"}
	if err := want.Write(dir); err != nil {
		t.Fatal(err)
	}
	have, err := ReadExperiment(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, have, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(experiment.Settings{}, "Folder"), cmpopts.IgnoreUnexported(experiment.Trial{})); diff != "" {
		t.Error(diff)
	}
}

// A damaged manifest of a trial is a note, also if the trial has played in a final tournament.
func TestDamagedTrialOfAFinal(t *testing.T) {
	dir := t.TempDir()
	x := &Experiment{Description: experiment.Description{Final: &experiment.Final{}}}
	for i, folder := range []string{"a", "b"} {
		x.Trials = append(x.Trials, experiment.Trial{Number: i + 1, Label: folder, Folder: folder, Settings: experiment.Settings{Generations: 1}})
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
			t.Fatal(err)
		}
		m := &Manifest{Stages: []*Stage{{Name: UntrainedStage}}}
		if err := m.Write(filepath.Join(dir, folder)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, ComparisonsFolder), 0o777); err != nil {
		t.Fatal(err)
	}
	played := Tournament{Games: *match.NewResults([]string{"a", "b"}), Players: make([]PlayerResult, 2)}
	for i, name := range played.Games.Names {
		played.Players[i].Name = name
	}
	facts, err := json.Marshal(played)
	if err != nil {
		t.Fatal(err)
	}
	final := &Manifest{Stages: []*Stage{{Name: FinalStage, Facts: facts}}}
	if err := final.Write(filepath.Join(dir, ComparisonsFolder)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", ManifestName), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	trials, notes, err := x.Open(dir)
	if err != nil || len(trials) != 1 || len(notes) != 1 {
		t.Errorf("%d trials, notes %q, %v", len(trials), notes, err)
	}
	// A trial that has trained since is not compared with the others.
	trained := &Manifest{Stages: []*Stage{{Name: UntrainedStage}, {Name: TrainStage(1), Facts: []byte("[]")}}}
	if err := trained.Write(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	trials, notes, err = x.Open(dir)
	if err != nil || len(trials) != 2 || !trials[0].Unranked || trials[0].Final != nil || trials[1].Unranked || trials[1].Final == nil {
		t.Errorf("%+v, notes %q, %v", trials, notes, err)
	}
}
