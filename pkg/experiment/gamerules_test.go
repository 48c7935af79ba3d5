package experiment

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/config"
)

// The defaults of the keys are the rules of chess.
func TestDefaultRulesAreThoseOfChess(t *testing.T) {
	want := chess.RulesOf(chess.Standard)
	want.Name = "custom"
	if have := config.Defaults[chess.Rules](); !reflect.DeepEqual(have, want) {
		t.Errorf("the defaults are %v, want %v", have, want)
	}
}

// All shipped files of rules can be played, and the template is what the command writes.
func TestShippedRules(t *testing.T) {
	files, err := filepath.Glob("../../experiments/variants/*.yaml")
	if err != nil || len(files) < 17 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		r, err := ReadRules(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := chess.Define(r); err != nil {
			t.Error(err)
		}
		if r.Name+".yaml" != filepath.Base(file) {
			t.Errorf("%s has the name %s", file, r.Name)
		}
	}
	const template = "../../experiments/variants/template.yaml"
	text, err := RulesTemplate("template", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(template, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if have, err := os.ReadFile(template); err != nil || string(have) != string(text) {
		t.Errorf("%s is not what alamos variants new template writes (-update changes it): %v", template, err)
	}
}

// loadRules loads an experiment in a folder with a file of rules.
func loadRules(t *testing.T, game string, more ...string) (*Experiment, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"x.yaml":        "alamos: 1\nname: x\ngame: " + game + "\nnetwork: {input: rules, policy: rules}\n" + strings.Join(more, "\n"),
		"rules/t.yaml":  "name: fast\ndouble_step: [2, 3]\n",
		"rules/u.yaml":  "base: chess\nname: fast\ndouble_step: [2, 3]\n",
		"rules/a.yaml":  "base: atomic\nname: dull\ncastling: false\n",
		"rules/no.yaml": "name: no\nroyal: none\n",
		"more/t.yaml":   "name: other\n",
		"rules/b.yaml":  "name: b\nfiles: 4.5\nking: yes\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return LoadChecked(filepath.Join(dir, "x.yaml"), nil)
}

// A trial's identity has the rules, not the file that says them.
func TestRulesAreIdentity(t *testing.T) {
	id := func(game string) string {
		t.Helper()
		e, err := loadRules(t, game)
		if err != nil {
			t.Fatal(err)
		}
		return e.Trials[0].Settings.ID()
	}
	same := id("{variant: rules/t.yaml}")
	for _, game := range []string{"{variant: rules/u.yaml}", "{variant: chess, rules: {name: fast, double_step: [2, 3]}}"} {
		if other := id(game); other != same {
			t.Errorf("%s has another identity", game)
		}
	}
	for _, game := range []string{"{variant: chess}", "{variant: rules/a.yaml}", "{variant: rules/t.yaml, rules: {castling: false}}"} {
		if id(game) == same {
			t.Errorf("%s has the same identity", game)
		}
	}
}

// Rules are swept as other keys are, their origins are explained, and the rules of a base are
// kept.
func TestRulesInExperiments(t *testing.T) {
	e, err := loadRules(t, "{variant: rules/a.yaml, rules: {stalemate: win}}", "sweep: {grid: {game.rules.castling: [true, false], game.variant: [rules/a.yaml, rules/t.yaml]}}")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, trial := range e.Trials {
		r := trial.Settings.Game.Rules
		names[r.Name]++
		if r.Stalemate != "win" || (r.Explosion == 1) != (r.Name == "dull") || (len(r.DoubleStep) == 2) != (r.Name == "fast") {
			t.Errorf("%s has the rules %v", trial.Label, r)
		}
	}
	wantLabels(t, e,
		"game.rules.castling=true game.variant=a", "game.rules.castling=true game.variant=t",
		"game.rules.castling=false game.variant=a", "game.rules.castling=false game.variant=t")
	if len(e.Trials) != 4 || names["dull"] != 2 || names["fast"] != 2 {
		t.Errorf("the trials are of %v", names)
	}
	e, err = loadRules(t, "{variant: rules/a.yaml}")
	if err != nil {
		t.Fatal(err)
	}
	if at := e.Origin("game.rules.castling"); filepath.Base(at.File) != "a.yaml" || at.Line != 3 {
		t.Errorf("castling is from %v", at)
	}
	if !e.Origin("game.rules.explosion").Default() {
		t.Error("the explosion is from a file")
	}
}

// Files of the same name cannot be told apart in the labels of trials.
func TestFilesOfOneName(t *testing.T) {
	_, err := loadRules(t, "{variant: chess}", "sweep: {grid: {game.variant: [rules/t.yaml, more/t.yaml]}}")
	if err == nil || !strings.Contains(err.Error(), "have the same name, t,") {
		t.Error(err)
	}
}

// Faults of rules have places and names of keys.
func TestFaultsOfRules(t *testing.T) {
	for game, want := range map[string]string{
		"{variant: rules/missing.yaml}":                             "cannot read",
		"{variant: rules/b.yaml}":                                   "b.yaml:2:8: files: want a whole number",
		"{variant: rules/no.yaml}":                                  "no.yaml:2:1: game.rules.royal: ",
		"{variant: chess, rules: {files: 6, castling: false}}":      "more than 6 squares",
		"{variant: chess, rules: {promotion: z}}":                   `promotion: no piece has the letter 'z'`,
		"{variant: chess, rules: {checks: 2, give_check: false}}":   "game.rules.checks",
		"{variant: chess, rules: {pieces: [{name: x, letter: o}]}}": "want a letter a-z other than o",
	} {
		_, err := loadRules(t, game)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", game, err, want)
		}
	}
}
