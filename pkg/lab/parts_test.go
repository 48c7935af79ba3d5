package lab

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
)

func TestSeedsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for trial := range uint64(20) {
		for _, use := range []string{"network", "self-play", "split", "shuffle", "tournament"} {
			for number := range 50 {
				who := fmt.Sprint(trial, use, number)
				s := seed(trial, use, number)
				if other, taken := seen[s]; taken {
					t.Errorf("%s and %s share a seed", who, other)
				}
				seen[s] = who
			}
		}
	}
	// Old results stay what they are.
	if s := seed(1, "self-play", 2); s != 13781571325200019221 {
		t.Errorf("the seed of old games has become %d", s)
	}
}

func TestInputsChange(t *testing.T) {
	const a, b = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	for _, test := range []struct {
		was, is Inputs
		want    string
	}{
		{Inputs{"x": "1"}, Inputs{"x": "1"}, ""},
		{Inputs{"tournament.rounds": "4"}, Inputs{"tournament.rounds": "6"}, "tournament.rounds 4 -> 6"},
		{Inputs{"code": "1"}, Inputs{"code": "2"}, "alamos computes this in another way now (version 1 -> 2)"},
		{Inputs{"network": a}, Inputs{"network": b}, "network changed"},
		{Inputs{}, Inputs{"player random": "plays"}, "player random plays (new)"},
		{Inputs{"player random": "plays"}, Inputs{}, "player random plays (gone)"},
		{Inputs{}, Inputs{"samples 2": a}, "samples 2 changed"},
		{Inputs{"b": "1", "a": "1"}, Inputs{"b": "2", "a": "2"}, "a 1 -> 2, b 1 -> 2"},
		{Inputs{}, Inputs{"a": "1", "b": "1", "c": "1", "d": "1", "e": "1"}, "a 1 (new), b 1 (new), c 1 (new), and more"},
	} {
		if have := test.is.change(test.was); have != test.want {
			t.Errorf("%v -> %v: %q, want %q", test.was, test.is, have, test.want)
		}
	}
}

func TestInputsOfSettings(t *testing.T) {
	in := Inputs{}
	in.settings("search", experiment.Search{Visits: 100, CPuct: 1.5, TreeReuse: true, Noise: experiment.Noise{Alpha: 0.3}})
	for key, want := range map[string]string{"search.visits": "100", "search.c_puct": "1.5", "search.tree_reuse": "true", "search.noise.alpha": "0.3"} {
		if in[key] != want {
			t.Errorf("%s is %q, want %q (all: %v)", key, in[key], want, in)
		}
	}
}

func TestManifest(t *testing.T) {
	dir := t.TempDir()
	m, _, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	fresh := func(in Inputs, ok bool, why string) {
		t.Helper()
		haveOK, haveWhy, err := m.fresh(dir, "stage", in)
		if err != nil || haveOK != ok || haveWhy != why {
			t.Errorf("fresh: %v, %q, %v; want %v, %q", haveOK, haveWhy, err, ok, why)
		}
	}
	in := Inputs{"x": "1"}
	fresh(in, false, "first time")

	path := filepath.Join(dir, "out.txt")
	if err := disk.WriteBytes(path, []byte("bytes")); err != nil {
		t.Fatal(err)
	}
	h, err := disk.Sum(path)
	if err != nil {
		t.Fatal(err)
	}
	m.put(&Stage{Name: "other"})
	m.put(&Stage{Name: "stage", Inputs: in, Outputs: map[string]string{"out.txt": h}, Facts: json.RawMessage(`{"loss":null}`)})
	m.put(&Stage{Name: "other", Seconds: 2}) // replaces
	if err := m.write(dir); err != nil {
		t.Fatal(err)
	}
	if m, _, err = readManifest(dir); err != nil {
		t.Fatal(err)
	}
	if len(m.Stages) != 2 || m.Stages[0].Name != "other" || m.Stages[0].Seconds != 2 {
		t.Errorf("stages: %+v", m.Stages)
	}
	var facts struct {
		Loss float `json:"loss"`
	}
	if err := m.stage("stage").facts(&facts); err != nil || !math.IsNaN(float64(facts.Loss)) {
		t.Errorf("facts %+v (%v), want NaN", facts, err)
	}
	fresh(in, true, "")
	fresh(Inputs{"x": "2"}, false, "x 1 -> 2")

	if err := os.WriteFile(path, []byte("bytez"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err = m.fresh(dir, "stage", in)
	wantError(t, err, path, "checksum")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	fresh(in, false, "out.txt is missing")
}

func TestFloatJSON(t *testing.T) {
	type pair struct{ A, B float }
	b, err := json.Marshal(pair{1.5, float(math.NaN())})
	if err != nil || string(b) != `{"A":1.5,"B":null}` {
		t.Fatalf("%s (%v)", b, err)
	}
	var back pair
	if err := json.Unmarshal(b, &back); err != nil || back.A != 1.5 || !math.IsNaN(float64(back.B)) {
		t.Errorf("%+v (%v)", back, err)
	}
	if err := json.Unmarshal([]byte(`{"A":"x"}`), &back); err == nil {
		t.Error("a text is no number")
	}
}

// A trial keeps its folder as long as its networks stay the same.
func TestFolder(t *testing.T) {
	s := newSite(t)
	base := folder(&s.load(t).Trials[0])
	for set, same := range map[string]bool{
		"generations=3":                     true,
		"tournament.rounds=9":               true,
		"tournament.players=[last, random]": true,
		"notebook=[{table: settings}]":      true,
		"hooks=[]":                          true,
		"seed=8":                            false,
		"game.max_moves=41":                 false,
		"game.start=chess960":               false,
		"network.width=9":                   false,
		"search.visits=7":                   false,
		"selfplay.games=7":                  false,
		"training.epochs=3":                 false,
		"training.schedule.initial=0.04":    false,
	} {
		if have := folder(&s.load(t, set).Trials[0]) == base; have != same {
			t.Errorf("%s: same folder %v, want %v", set, have, same)
		}
	}
	// What a sweep varies splits folders, whatever it is.
	for _, set := range []string{"sweep.grid={generations: [2, 3]}", "sweep.grid={tournament.rounds: [2, 3]}", "sweep.seeds=2", "sweep.grid={search.visits: [6, 8]}"} {
		e := s.load(t, set)
		if len(e.Trials) != 2 || folder(&e.Trials[0]) == folder(&e.Trials[1]) {
			t.Errorf("%s: %d trials, in one folder", set, len(e.Trials))
		}
	}
}

func TestCells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	err := writeCSV(path, []string{"a", "b", "c", "d", "e"}, [][]any{{1, 0.5, "x, y", true, int64(-7)}, {-2, math.NaN(), `"`, false, int64(0)}})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"a", "b", "c", "d", "e"}, {"1", "0.5", "x, y", "true", "-7"}, {"-2", "", `"`, "false", "0"}}
	if diff := cmp.Diff(want, readCSV(t, path)); diff != "" {
		t.Error(diff)
	}
}

func TestWords(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 7300: "7,300", 1234567: "1,234,567", -999: "-999", -1000: "-1,000"} {
		if have := thousands(n); have != want {
			t.Errorf("thousands(%d) = %q, want %q", n, have, want)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "about 1 s", 7 * time.Second: "about 5 s", 93 * time.Second: "about 95 s",
		2 * time.Minute: "about 2 min", 119 * time.Minute: "about 119 min", 150 * time.Minute: "about 2.5 h",
	} {
		if have := roughly(d); have != want {
			t.Errorf("roughly(%v) = %q, want %q", d, have, want)
		}
	}
}

func TestFindMetric(t *testing.T) {
	s := &trial{manifest: &Manifest{}}
	s.Settings.Generations = 2
	s.Settings.Hooks = []experiment.Hook{{File: "x/kings.go"}, {File: "pawns.go", Metric: "pawn"}}
	s.manifest.put(&Stage{Name: hooksStage(1), Facts: json.RawMessage(`[{"alive": 1, "dead": null}, {}]`)})
	s.manifest.put(&Stage{Name: hooksStage(2), Facts: json.RawMessage(`[{"alive": 1}, {"passed": 3}]`)})
	for name, want := range map[string]string{
		"alive": "0 alive", "kings.dead": "0 dead", "dead": "0 dead",
		"pawn": "1 passed", "passed": "1 passed", "pawn.passed": "1 passed", // only generation 2 has it
	} {
		i, metric, err := s.findMetric(name)
		if have := fmt.Sprint(i, " ", metric); err != nil || have != want {
			t.Errorf("%s: %s (%v), want %s", name, have, err, want)
		}
	}
	for _, name := range []string{"kings", "queens", "pawn.alive"} {
		_, _, err := s.findMetric(name)
		wantError(t, err, fmt.Sprintf("%q", name), "alive, dead, passed")
	}
}

// What the language cannot know is told like its own faults.
func TestLoadFindsBadPositions(t *testing.T) {
	s := newSite(t)
	s.edit(t, "small.yaml", "opening: {random_plies: 4, share: 0.5}",
		"opening: {fens: [rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1, 8/8/8/8/8/8/8/K w - - 0 1]}")
	_, err := Load(s.file(), nil)
	wantError(t, err, "small.yaml:8:", "selfplay.opening.fens", "position 2")
	if errs, ok := err.(experiment.Errors); !ok || len(errs) != 1 {
		t.Errorf("want one fault, have %v", err)
	}

	// Trials of a sweep share the fault, which is told once.
	_, err = Load(s.file(), []string{"sweep.seeds=3"})
	if errs, ok := err.(experiment.Errors); !ok || len(errs) != 1 {
		t.Errorf("want one fault, have %v", err)
	}
	_, err = Load(filepath.Join(s.dir, "none.yaml"), nil)
	wantError(t, err, "none.yaml")
}

// No player is lost because another has its name.
func TestContestants(t *testing.T) {
	s := newSite(t)
	e := s.load(t, "generations=5", "tournament.players=[every: 2, last, untrained, random, {uci: /a/engine, depth: 3}, {uci: /b/engine, depth: 3, rounds: 2}, {uci: gone, depth: 1}]")
	r := &run{experiment: e, dir: s.results(), engines: map[string]*engine{}}
	tr, err := r.trial(e.Trials[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range tr.Settings.Tournament.Players {
		if p := &tr.Settings.Tournament.Players[i]; p.UCI == "/a/engine" || p.UCI == "/b/engine" {
			r.engines[engineKey(tr.variant, tr.chess960, p)] = &engine{name: "engine depth 3"}
		}
	}
	var have []string
	for _, c := range tr.contestants() {
		have = append(have, fmt.Sprintf("%s %d %d", c.name, c.generation, c.rounds))
	}
	want := []string{
		"gen-2 2 0", "gen-4 4 0", "gen-5 5 0", "untrained 0 0", "random -1 0",
		"engine depth 3 -1 0", "engine depth 3 (/b/engine) -1 2",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("players (-want +have):\n%s", diff)
	}
}
