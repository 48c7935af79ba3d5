package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
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
		if g := Generations(results, what); g != nil {
			t.Errorf("%q has generations %v", what, g)
		}
	})
}
