package experiment

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alamos/pkg/config"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "update the golden files")

// golden compares got with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test -update updates it):\n%s", name, diff)
	}
}

// Canonical returns the settings as JSON with sorted keys and every default.
func (s *Settings) Canonical() []byte { return config.JSON(s.values(config.Form{})) }

// Every file of testdata/broken has faults, all of which broken.golden lists.
func TestBroken(t *testing.T) {
	t.Chdir("testdata/broken")
	names, err := filepath.Glob("*.yaml")
	if err != nil || len(names) < 30 {
		t.Fatalf("%d broken files, %v", len(names), err)
	}
	var b strings.Builder
	for _, name := range append(names, "base", "nowhere.yaml") {
		e, err := Load(name, Options{})
		if err == nil || e != nil {
			t.Errorf("%s loads", name)
			continue
		}
		checkErrors(t, err)
		fmt.Fprintf(&b, "# %s\n%s\n\n", name, err)
	}
	golden(t, "../broken.golden", b.String())
}

// checkErrors verifies what every error promises: a list of faults, each one
// line with a position.
func checkErrors(t *testing.T, err error) {
	t.Helper()
	errs, ok := err.(config.Errors)
	if !ok || len(errs) == 0 {
		t.Fatalf("want config.Errors, have %T: %v", err, err)
	}
	for _, e := range errs {
		if e.File == "" || e.Line < 1 || e.Col < 1 || e.Msg == "" || strings.ContainsAny(e.Error(), "\n\r\x00") {
			t.Errorf("not one line with a position: %q", e.Error())
		}
	}
}

// Every file of testdata/good resolves to what its golden file shows: each
// value with its origin, the trials, and what differs from its base.
func TestGood(t *testing.T) {
	t.Chdir("testdata/good")
	for _, name := range []string{"minimal", "depth", "selfplay", "data", "heads", "heads-leela", "evaluation", "ramps"} {
		e, err := Load(name+".yaml", Options{Set: []string{"tournament.random_plies=2"}})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, x := range e.Explain() {
			fmt.Fprintf(&b, "%-31s %-26s # %s\n", x.Path, x.Value, x.Origin)
		}
		fmt.Fprintf(&b, "\nfiles: %v\nbase: %v\naxes: %v\n\ntrials:\n", e.Files, e.Base, e.Axes)
		for _, trial := range e.Trials {
			fmt.Fprintf(&b, "%s %s\n", trial.ID, trial.Label)
		}
		b.WriteString("\nagainst the base:\n")
		for _, d := range e.BaseDiff() {
			fmt.Fprintf(&b, "%-31s %s -> %s\n", d.Path, d.A, d.B)
		}
		golden(t, name+".explained", b.String())
		golden(t, name+".resolved", string(e.Trials[0].Settings.YAML(pathOf)))
		golden(t, name+".canonical", string(e.Trials[0].Settings.Canonical())+"\n")
	}
}

// The committed reference and schema are what the code says; the message says
// how to update them.
func TestReferenceIsCurrent(t *testing.T) {
	golden(t, "../../experiments/REFERENCE.md", Reference())
	golden(t, "../../experiments/schema.json", string(JSONSchema()))
}
