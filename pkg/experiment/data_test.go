package experiment

import (
	"encoding/json"
	"strings"
	"testing"
)

const pgnData = "data: {kind: pgn, files: [games/*.pgn]}\n"

// The ID of a trial does not depend on the working directory: paths of its files are relative
// to the experiment file.
func TestDataFilesLieBesideTheExperiment(t *testing.T) {
	ids := map[string]bool{}
	for _, dir := range []string{"", "a/b/", "../c/"} {
		f := folder{dir + "x.yaml": head + pgnData}
		e, err := Load(dir+"x.yaml", Options{ReadFile: f.read})
		if err != nil {
			t.Fatal(err)
		}
		files := e.Trials[0].Settings.Data.Files
		if len(files) != 1 || files[0] != dir+"games/*.pgn" {
			t.Errorf("in %q: %+v", dir, files)
		}
		ids[e.Trials[0].ID] = true
		// Results remember the settings as JSON.
		var again Settings
		b, err := json.Marshal(e.Trials[0].Settings)
		if err == nil {
			err = json.Unmarshal(b, &again)
		}
		if err != nil {
			t.Fatal(err)
		}
		ids[again.ID()] = true
		if y := string(e.Trials[0].Settings.YAML(pathOf)); !strings.Contains(y, `files: ["games/*.pgn"]`) {
			t.Errorf("in %q the file of the results has\n%s", dir, y)
		}
	}
	if len(ids) != 1 {
		t.Errorf("the trial has the IDs %v", ids)
	}
}

// Self-play does not apply with data: keys of an extended file are dropped and are not part
// of the identity, and keys of the same file are a fault.
func TestDataInPlaceOfSelfPlay(t *testing.T) {
	plain := loadFrom(t, folder{"x.yaml": head + pgnData})
	under := loadFrom(t, folder{"x.yaml": head + "extends: base\n" + pgnData, "base.yaml": "alamos: 1\nselfplay: {games: 3, surprise: 0.5}\n"})
	if a, b := plain.Trials[0].ID, under.Trials[0].ID; a != b {
		t.Errorf("a base's self-play changes the ID from %s to %s", a, b)
	}
	if strings.Contains(string(plain.Settings.Canonical()), "selfplay") {
		t.Errorf("the settings have self-play: %s", plain.Settings.Canonical())
	}
	if got := faults(t, folder{"x.yaml": head + pgnData + "selfplay: {games: 3}\n"}); !strings.Contains(got, "selfplay: applies only without data") {
		t.Error(got)
	}
	back := loadFrom(t, folder{"x.yaml": head + "extends: base\ndata:\n", "base.yaml": "alamos: 1\n" + pgnData})
	if back.Settings.Data != nil || back.Settings.SelfPlay.Games != 250 {
		t.Errorf("without the data of its base: %+v", back.Settings)
	}
}

// Every key of data decides results.
func TestIDKnowsData(t *testing.T) {
	pgn := "data: {kind: pgn, files: [a.pgn], label: {uci: stockfish, depth: 1, finish: {depth: 3}}}\n"
	engine := "data: {kind: engine, games: 9, engine: {uci: stockfish, depth: 1}}\n"
	for body, sets := range map[string][]string{
		pgn: {
			"data.files=[b.pgn]", "data.games=3", "data.positions=1", "data.chunk=all", "data.shuffle=0", "data.policy=engine",
			"data.broken=skip", "data.label.depth=2", "data.label.finish.depth=2", "data.label.finish=", "data.label.options={Hash: 1}", "data.label=", "data=",
		},
		engine: {"data.games=10", "data.engine.random_plies=0", "data.engine.depth=3", "data.engine.uci=other"},
	} {
		seen := map[string]string{load(t, body).Trials[0].ID: "nothing"}
		for _, set := range sets {
			id := load(t, body, set).Trials[0].ID
			if other := seen[id]; other != "" {
				t.Errorf("%s gives the ID of %s", set, other)
			}
			seen[id] = set
		}
	}
}
