package store

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"alamos/pkg/experiment"
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
