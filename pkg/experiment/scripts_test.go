package experiment

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"alamos/pkg/config"

	"github.com/google/go-cmp/cmp"
)

const scripted = `
selfplay: {adjudicate: h/end.go}
stop: h/stop.go
training:
  schedule: {kind: hook, file: h/rate.go}
  value_target: {file: h/value.go}
tournament:
  adjudicate: h/end.go
  players: [last, {hook: h/value.go, depth: 2}, {alphabeta: untrained, depth: 1}]
hooks: [{file: h/count.go, metric: n, on_error: stop}]
`

func scriptFiles() folder {
	return folder{
		"x.yaml": head + scripted, "h/end.go": "package end", "h/stop.go": "package stop", "h/rate.go": "package rate",
		"h/value.go": "package value", "h/count.go": "package count",
	}
}

// The content of a script decides results. Its location does not.
func TestScriptsAreTheirSource(t *testing.T) {
	f := scriptFiles()
	e := loadFrom(t, f)
	s := e.Trials[0].Settings
	for _, x := range s.Scripts() {
		if len(x.SHA256) != 64 || !strings.HasPrefix(x.Path, "h/") {
			t.Errorf("%+v", x)
		}
		g := scriptFiles()
		g[x.Path] += " // changed"
		changed := loadFrom(t, g).Trials[0]
		if aside := strings.HasPrefix(x.Key, "hooks"); (changed.ID == e.Trials[0].ID) != aside {
			t.Errorf("%s changed: ID %s, was %s", x.Key, changed.ID, e.Trials[0].ID)
		}
	}
	moved := folder{"x.yaml": head + strings.ReplaceAll(scripted, "h/", "elsewhere/")}
	for name, source := range f {
		if rest, ok := strings.CutPrefix(name, "h/"); ok {
			moved["elsewhere/"+rest] = source
		}
	}
	m := loadFrom(t, moved).Trials[0]
	if m.ID != e.Trials[0].ID || Hash(m.Settings.Training) != Hash(s.Training) || Hash(m.Settings.SelfPlay) != Hash(s.SelfPlay) {
		t.Error("the folder of the scripts is part of the identity")
	}
}

func TestScripts(t *testing.T) {
	s := loadFrom(t, scriptFiles()).Settings
	var got []string
	for _, x := range s.Scripts() {
		got = append(got, x.Key+" "+x.Path)
	}
	want := []string{
		"selfplay.adjudicate h/end.go", "stop h/stop.go", "training.schedule.file h/rate.go", "training.value_target.file h/value.go",
		"tournament.adjudicate h/end.go", "tournament.players[1].hook h/value.go", "hooks[0].file h/count.go",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.Training.ValueTarget.Weight != 0.5 || s.Hooks[0].OnError != "stop" || s.Tournament.Players[1].Depth != 2 || s.Tournament.Players[2].AlphaBeta != "untrained" {
		t.Errorf("%+v %+v %+v", s.Training, s.Hooks, s.Tournament.Players)
	}
	yaml := string(s.YAML(func(f config.File) string { return "kept/" + filepath.Base(f.Path) }))
	if n := strings.Count(yaml, "kept/"); n != len(want) || strings.Contains(yaml, "sha256:") || len(s.Files()) != len(want) {
		t.Errorf("%d of %d scripts (%v) are written under the names that they were given:\n%s", n, len(want), s.Files(), yaml)
	}
	f := scriptFiles()
	f["x.yaml"] = string(s.YAML(pathOf))
	if again := loadFrom(t, f).Settings; cmp.Diff(s, again) != "" {
		t.Error(cmp.Diff(s, again))
	}
	// By default no script changes the value target, and null restores the default.
	for _, set := range []string{"training.value_target=", "training={value_target: null, schedule: {kind: constant}}"} {
		if v := loadFrom(t, scriptFiles(), set).Settings.Training.ValueTarget; v != nil {
			t.Errorf("%s: %+v", set, v)
		}
	}
}

func TestHalving(t *testing.T) {
	const sweep = "generations: 40\nsweep:\n  grid: {network.depth: [1, 2, 3]}\n  halving: "
	h := load(t, sweep+"{first: 2}\n").Halving
	if diff := cmp.Diff(&Halving{Metric: "elo", Factor: 3, First: 2, Games: 20}, h); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct {
		generations int
		want        string
	}{{40, "[2 6 18 40]"}, {54, "[2 6 18 54]"}, {3, "[2 3]"}} {
		if got := fmt.Sprint(h.Rungs(c.generations)); got != c.want {
			t.Errorf("rungs to %d: %s, want %s", c.generations, got, c.want)
		}
	}
	if h.Survivors(10) != 3 || h.Survivors(2) != 1 {
		t.Error("survivors")
	}
	if h := load(t, "").Halving; h != nil {
		t.Errorf("%+v", h)
	}
	for body, want := range map[string]string{
		sweep + "{first: 40}\n":                         "x.yaml:6:13: sweep.halving.first: want fewer than the 40 generations of a trial, have 40",
		sweep + "{games: 3, metric: validation_loss}\n": "x.yaml:6:13: sweep.halving.games: applies only with metric: elo",
		sweep + "{metric: validation_loss}\ntraining: {validation: 0, select: last, schedule: {kind: constant}}\n": "x.yaml:6:13: sweep.halving.metric: the validation loss needs a training.validation above 0 (choose metric: elo)",
		"sweep: {halving: {first: 2}}\n":                              "x.yaml:3:9: sweep.halving: nothing to select from: want at least 2 settings",
		"sweep: {halving: {first: 2}, grid: {generations: [4, 5]}}\n": "x.yaml:3:9: sweep.halving: compares trials after equal numbers of generations, but \"generations=4\" has 4 and \"generations=5\" has 5",
	} {
		if got := faults(t, folder{"x.yaml": head + body}); got != want {
			t.Errorf("have %s\nwant %s", got, want)
		}
	}
}
