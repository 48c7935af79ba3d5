package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"alamos/pkg/experiment"
)

// Names of models that are none are errors that say what is wanted, whatever they are.
func TestNoModels(t *testing.T) {
	results := t.TempDir()
	if err := os.MkdirAll(filepath.Join(results, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]string{
		"":              "TRIAL@GENERATION",
		"quickstart":    "lab/3@last of a sweep",
		"quickstart@8":  "there are none at all",
		"empty@last":    "there are none at all",
		"empty/ab12@0":  "there are none at all",
		"@":             "model @",
		"a/b/c@1":       "there are none at all",
		"some.yaml@1@2": "there are none at all",
	} {
		file, err := FindModel(results, what)
		if err == nil {
			t.Errorf("%q: found %s", what, file)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v: want %q in it", what, err, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		what := rapid.StringMatching(`[a-z./@0-9]{0,12}@[a-z0-9./-]{0,5}`).Draw(t, "name")
		if file, err := FindModel(results, what); err == nil {
			t.Errorf("%q: found %s", what, file)
		}
		if g := Generations(results, what); g != 0 {
			t.Errorf("%q has %d generations", what, g)
		}
	})
}

// A checkpoint of a run has a name for people, by its file.
func TestModelTitle(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "lab")
	axis := []experiment.AxisValue{{Path: "network.width", Value: "16"}, {Path: "seed", Value: "8"}}
	settings := experiment.Settings{Name: "lab"}
	x := &Experiment{Description: experiment.Description{Name: "lab", Trials: []experiment.Trial{
		{Number: 1, Folder: "one", Settings: settings},
		{Number: 2, Folder: "two", Settings: settings, Axis: axis, Label: "network.width=16 seed=8"},
	}}}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := x.Write(dir); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"one/checkpoints/gen-0000.safetensors": "lab, untrained",
		"two/checkpoints/gen-0012.safetensors": "lab, width=16, seed=8, generation 12",
		"two/checkpoints/gen-12.safetensors":   "",
		"two/gen-0012.safetensors":             "",
		"six/checkpoints/gen-0012.safetensors": "",
		"gen-0012.safetensors":                 "",
	} {
		if title := ModelTitle(filepath.Join(dir, file)); title != want {
			t.Errorf("%s: %q, want %q", file, title, want)
		}
	}
}
