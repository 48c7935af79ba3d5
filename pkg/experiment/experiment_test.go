package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/config"
	"alamos/pkg/match"
	"alamos/pkg/search"

	"github.com/google/go-cmp/cmp"
)

// folder is a disk in memory.
type folder map[string]string

func (f folder) read(path string) ([]byte, error) {
	data, ok := f[path]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return []byte(data), nil
}

const head = "alamos: 1\nname: x\n"

// load loads one text that must be valid.
func load(t *testing.T, body string, set ...string) *Experiment {
	t.Helper()
	return loadFrom(t, folder{"x.yaml": head + body}, set...)
}

func loadFrom(t *testing.T, f folder, set ...string) *Experiment {
	t.Helper()
	e, err := Load("x.yaml", Options{Set: set, ReadFile: f.read})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// faults loads one text that must not load and returns its faults.
func faults(t *testing.T, f folder, set ...string) string {
	t.Helper()
	_, err := Load("x.yaml", Options{Set: set, ReadFile: f.read})
	if err == nil {
		t.Fatal("it loads")
	}
	checkErrors(t, err)
	return err.Error()
}

func TestIDIgnoresSpelling(t *testing.T) {
	plain := "training:\n  optimizer: {weight_decay: 0.0001}\n  epochs: 1000\nsearch: {c_puct: 2, visits: 800}\ntournament: {players: [last, {player: random}]}\n"
	id := load(t, plain).Trials[0].ID
	for name, other := range map[string]string{
		"numbers":  "training: {optimizer: {weight_decay: 1e-4}, epochs: 1e3}\nsearch: {c_puct: 2.0, visits: 800.0}\ntournament: {players: [{player: last}, random]}\n",
		"order":    "tournament: {players: [last, random]}\nsearch:\n  visits: 800\n  c_puct: +2\n# comment\ntraining: {epochs: 1000}\n",
		"defaults": "training: {epochs: 1000, batch: 256}\ntournament: {players: [last, random], search: {visits: 800}}\n",
		"quotes":   "training: {epochs: 1000}\n\"game\": {'variant': \"atomic\"}\ntournament: {players: ['last', \"random\"]}\n",
		"null":     "training: {epochs: 1000, batch: null}\ngame:\ntournament: {players: [last, random]}\n",
		"asides":   plain + "about: words\nnotebook: [text: a]\n",
	} {
		if got := load(t, other).Trials[0].ID; got != id {
			t.Errorf("%s: ID %s, want %s", name, got, id)
		}
	}
}

// Every setting that decides a result changes the ID.
func TestIDKnowsEverySetting(t *testing.T) {
	id := load(t, "").Trials[0].ID
	for _, set := range []string{
		"seed=2", "game.variant=chess", "game.max_moves=10", "network.depth=7", "network.policy_head=conv-linear",
		"search.visits=1", "search.tree_reuse=false", "search.leaves=2", "search.cache=1", "search.solver=true",
		"tournament.search.leaves=2", "tournament.search.solver=true", "search.noise.weight=0.1", "selfplay.temperature.power=max",
		"selfplay.opening.fens=[a]", "generations=2", "training.window=2", "training.schedule.kind=constant",
		"training.loss.value=2", "tournament.rounds=1", "tournament.search.c_puct=1", "tournament.players=[last, random]",
	} {
		if got := load(t, "", set).Trials[0].ID; got == id {
			t.Errorf("%s leaves the ID as it is", set)
		}
	}
}

// The record of a trial has every setting that decides its result, so that a later
// default cannot change what it says; and those that mean nothing beside the others
// are not there.
func TestRecordIsComplete(t *testing.T) {
	s := load(t, "").Settings
	record, canonical := string(s.YAML(pathOf)), string(s.Canonical())
	for _, word := range []string{"dropout", "cache", "solver", "value_mix", "warmup", "leaves", "start", "carry", "moves_left", "value_hidden", "surprise", "root", "nodes", "policy_temperature"} {
		if !strings.Contains(record, word+":") || !strings.Contains(canonical, `"`+word+`"`) {
			t.Errorf("the record has no %s", word)
		}
	}
	for _, word := range []string{"period", "considered", "adjudicate", "stop", "value_target", "lookahead", "attention_reduction", "policy_channels", "beta1"} {
		if strings.Contains(canonical, word) {
			t.Errorf("the canonical settings have %s", word)
		}
	}
	for _, row := range load(t, "").Explain() {
		f := schema().Lookup(row.Path)
		if f == nil || !f.Decides {
			continue
		}
		if _, there := config.ValueAt(s.values(config.Form{}), row.Path); !there {
			t.Errorf("%s is explained, but no part of the identity", row.Path)
		}
	}
	if s := load(t, "training: {schedule: {kind: constant}}\n").Settings; strings.Contains(string(s.Canonical()), `"schedule":{"initial":0.05,"kind":"constant","patience"`) {
		t.Errorf("a constant schedule has a patience: %s", s.Canonical())
	}
	inherited := load(t, "search: {leaves: 8, solver: true, cache: 10}\ntournament: {search: {leaves: 1, solver: false}}\n").Settings
	again := loadFrom(t, folder{"x.yaml": string(inherited.YAML(pathOf))}).Settings
	if diff := cmp.Diff(inherited, again); diff != "" || again.Tournament.Search.Solver || again.Tournament.Search.Leaves > 1 || again.Tournament.Search.Cache != 10 {
		t.Errorf("the settings read back differently:\n%s", diff)
	}
}

func TestHooksAreNotPartOfTheID(t *testing.T) {
	f := folder{"x.yaml": head + "hooks: [h/a.go]\n", "h/a.go": "package a"}
	one := loadFrom(t, f)
	f["h/a.go"] = "package a // changed"
	two := loadFrom(t, f)
	a, b := one.Settings.Hooks[0], two.Settings.Hooks[0]
	if a.File.SHA256 == b.File.SHA256 || len(a.File.SHA256) != 64 || a.File.Path != "h/a.go" || a.Name() != "a" {
		t.Errorf("hooks %+v and %+v", a, b)
	}
	if one.Trials[0].ID != two.Trials[0].ID || one.Trials[0].ID != load(t, "").Trials[0].ID {
		t.Error("a hook changes the ID of its trial")
	}
	if Hash(one.Settings.Hooks) == Hash(two.Settings.Hooks) {
		t.Error("a changed hook does not change the hash of its stage")
	}
}

func TestExtends(t *testing.T) {
	f := folder{
		"x.yaml":    head + "extends: [lib/a, lib/b.yaml]\ntraining: {epochs: 3, schedule: null}\ntournament: {players: [last, random]}\n",
		"lib/a.yml": "never read",
		"lib/a.yaml": "alamos: 1\nname: a\nabout: A\nextends: [deep/c]\nsearch: {visits: 10, c_puct: 3}\ntraining: {batch: 8, schedule: {initial: 0.3}}\n" +
			"tournament: {players: [{every: 2}, last, untrained]}\n",
		"lib/b.yaml":      "alamos: 1\nextends: deep/c\nsearch: {visits: 20}\ntraining: {epochs: null}\n",
		"lib/deep/c.yaml": "alamos: 1\nsearch: {visits: 30, fpu: 0.5}\ntraining: {epochs: 7}\ngenerations: 4\n",
	}
	e := loadFrom(t, f)
	s := e.Settings
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"later base", s.Search.Visits, 20},
		{"earlier base", s.Search.CPuct, 3.0},
		{"shared base, laid over the earlier one again", s.Search.FPU, search.FPU{Parent: true, Reduction: 0.5}},
		{"base of a base", s.Generations, 4},
		{"own value over a null", s.Training.Epochs, 3},
		{"null resets a group", s.Training.Schedule.Initial, 0.05},
		{"beside the reset group", s.Training.Batch, 8},
		{"lists replace", len(s.Tournament.Players), 2},
		{"name", s.Name, "x"},
		{"about is not inherited", s.About, ""},
		{"inherited by the tournament", s.Tournament.Search.Visits, 20},
		{"base", e.Base, "lib/a.yaml"},
		{"files", fmt.Sprint(e.Files), "[lib/deep/c.yaml lib/a.yaml lib/b.yaml x.yaml]"},
		{"origin", e.Origin("search.visits").String(), "lib/b.yaml:3"},
		{"origin of what was reset", e.Origin("training.schedule.initial").String(), "default"},
	} {
		if c.got != c.want {
			t.Errorf("%s: have %v, want %v", c.what, c.got, c.want)
		}
	}
}

// A change of the kind of a schedule needs no reset of the details of the old
// kind, but may not write them down either.
func TestInapplicableKeys(t *testing.T) {
	f := folder{
		"x.yaml":    head + "extends: base\ntraining: {schedule: {kind: constant}}\n",
		"base.yaml": "alamos: 1\ntraining: {schedule: {kind: plateau, patience: 9, factor: 0.1}}\n",
	}
	if s := loadFrom(t, f).Settings.Training.Schedule; s.Kind != "constant" || s.Initial != 0.05 || s.Patience != 0 || s.Factor != 0 {
		t.Errorf("schedule %+v", s)
	}
	got := faults(t, f, "training.schedule.patience=2")
	if want := "--set training.schedule.patience=2: training.schedule.patience: applies only with kind: plateau"; got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	e := loadFrom(t, f, "sweep.grid.training.schedule.kind=[plateau, step]")
	if p := e.Trials[0].Settings.Training.Schedule.Patience; p != 9 {
		t.Errorf("patience %d of the plateau trial, want the base's 9", p)
	}
	if p := e.Trials[1].Settings.Training.Schedule.Patience; p != 0 {
		t.Errorf("patience %d of the step trial", p)
	}
}

// A value without its condition is dropped together with all values that depend on it, in
// any order of overrides. In the same file it is a fault that names the key of the condition.
func TestInapplicableChain(t *testing.T) {
	f := folder{"x.yaml": head + "network: {policy_head: conv-linear, policy_channels: 4}\n"}
	for _, set := range []string{"network.policy=none", "network.policy_head=conv73-linear"} {
		if n := loadFrom(t, f, set).Settings.Network; n.PolicyChannels != 0 || n.PolicyHead == "conv-linear" {
			t.Errorf("%s: head %q of %d channels", set, n.PolicyHead, n.PolicyChannels)
		}
	}
	got := faults(t, folder{"x.yaml": head + "network: {policy: none, policy_channels: 4}\n"})
	if want := "x.yaml:3:25: network.policy_channels: applies only with policy_head: conv-linear, or with policy_head: attention"; got != want {
		t.Errorf("have %s\nwant %s", got, want)
	}
	const refused = "network.attention_reduction: applies only with attention"
	off, five := "network.attention=none", "network.attention_reduction=5"
	for _, sets := range [][]string{{off, five}, {five, off}} {
		if got := faults(t, f, sets...); !strings.Contains(got, refused) {
			t.Errorf("%q: %s", sets, got)
		}
	}
}

func TestTournamentSearch(t *testing.T) {
	s := load(t, "game: {max_moves: 9}\nsearch: {visits: 5, c_puct: 3, noise: {alpha: 1, weight: 0.25}}\ntournament: {search: {c_puct: 1}}\n").Settings
	want := s.Search
	want.CPuct, want.Noise.Weight = 1, 0
	if diff := cmp.Diff(want, s.Tournament.Search); diff != "" {
		t.Error(diff)
	}
	if s.Tournament.MaxMoves != 9 || s.Tournament.Temperature.Power != 4 || !math.IsInf(s.SelfPlay.Temperature.Then, 1) {
		t.Errorf("%+v %+v", s.Tournament, s.SelfPlay)
	}
}

func TestPlayers(t *testing.T) {
	s := load(t, "tournament:\n  players: [every: 3, last, untrained, {player: random, rounds: 2}, {uci: fish, level: 2}, {uci: fish, depth: 1, options: {Hash: 16, Ponder: false}}]\n").Settings
	want := []match.Spec{
		{Every: 3}, {Player: match.Last}, {Player: match.Untrained}, {Player: match.Random, Rounds: 2},
		{UCI: "fish", Level: 2},
		{UCI: "fish", Depth: 1, Options: map[string]string{"Hash": "16", "Ponder": "false"}},
	}
	if diff := cmp.Diff(want, s.Tournament.Players); diff != "" {
		t.Error(diff)
	}
}

// Less common kinds of players; a checkpoint's file is beside the
// experiment's.
func TestMorePlayers(t *testing.T) {
	e := load(t, "tournament:\n  players: [last, material: 2, policy: untrained, model: quickstart@8, {model: nets/old.safetensors, rounds: 4}]\n")
	s := e.Settings
	want := []match.Spec{
		{Player: match.Last}, {Material: 2}, {Policy: "untrained"},
		{Model: "quickstart@8"}, {Model: "nets/old.safetensors", Rounds: 4},
	}
	if diff := cmp.Diff(want, s.Tournament.Players); diff != "" {
		t.Error(diff)
	}
	var again Settings
	if b, err := json.Marshal(s); err != nil || json.Unmarshal(b, &again) != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again.Tournament.Players); diff != "" {
		t.Error(diff)
	}
}

func TestSweep(t *testing.T) {
	e := load(t, "seed: 5\nsweep:\n  grid:\n    search.c_puct: [1, 2.50]\n    training.schedule: [{kind: constant}, {kind: step, initial: 1e-1}]\n  seeds: 2\n")
	var labels []string
	ids := map[string]bool{}
	for _, trial := range e.Trials {
		labels = append(labels, trial.Label)
		ids[trial.ID] = true
		if trial.ID != trial.Settings.ID() || len(trial.ID) != 10 || len(trial.Axis) != len(e.Axes) {
			t.Errorf("trial %+v", trial)
		}
	}
	want := []string{
		"search.c_puct=1 training.schedule={kind: constant} seed=5",
		"search.c_puct=1 training.schedule={kind: constant} seed=6",
		"search.c_puct=1 training.schedule={kind: step, initial: 0.1} seed=5",
		"search.c_puct=1 training.schedule={kind: step, initial: 0.1} seed=6",
		"search.c_puct=2.5 training.schedule={kind: constant} seed=5",
		"search.c_puct=2.5 training.schedule={kind: constant} seed=6",
		"search.c_puct=2.5 training.schedule={kind: step, initial: 0.1} seed=5",
		"search.c_puct=2.5 training.schedule={kind: step, initial: 0.1} seed=6",
	}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Error(diff)
	}
	if len(ids) != len(want) {
		t.Errorf("%d different IDs of %d", len(ids), len(want))
	}
	if s := e.Trials[7].Settings; s.Search.CPuct != 2.5 || s.Training.Schedule.Initial != 0.1 || s.Seed != 6 {
		t.Errorf("%+v", s)
	}
	// A trial of a sweep equals the trial of a file with the same settings.
	alone := load(t, "", "seed=6", "search.c_puct=2.5", "training.schedule={kind: step, initial: 0.1}")
	if alone.Trials[0].ID != e.Trials[7].ID || alone.Trials[0].Label != "" {
		t.Errorf("%s alone, %s in the sweep", alone.Trials[0].ID, e.Trials[7].ID)
	}
}

func TestDifferences(t *testing.T) {
	a := load(t, "about: a\nsearch: {visits: 10}\ntraining: {optimizer: {weight_decay: 1e-3}}\n")
	b := load(t, "# other\ntraining: {schedule: {kind: constant}, optimizer: {weight_decay: 0.001}}\nsearch: {visits: 20.0}\n")
	want := []string{
		"search.visits: 10 | 20",
		"training.schedule.kind: plateau | constant",
		"training.schedule.factor: 0.5 | ",
		"training.schedule.patience: 3 | ",
		"training.schedule.minimum: 0.0001 | ",
		"tournament.search.visits: 10 | 20",
	}
	var got, paths []string
	for _, d := range differences(a.Explain(), b.Explain()) {
		got = append(got, fmt.Sprintf("%s: %s | %s", d.Path, d.A, d.B))
		paths = append(paths, d.Path)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var settings []string
	for _, d := range differencesOf(&a.Settings, &b.Settings) {
		settings = append(settings, d.Path)
	}
	if !slices.Equal(paths, settings) {
		t.Errorf("settings differ in %v, experiments in %v", settings, paths)
	}
	if d := differences(a.Explain(), a.Explain()); len(d) != 0 {
		t.Errorf("an experiment differs from itself: %v", d)
	}
}

func TestSet(t *testing.T) {
	e := load(t, "search: {visits: 10}\n", "search.visits=1e2", "training={epochs: 2}", "about=a=b", "generations=", "tournament.players=[last, random]")
	s := e.Settings
	if s.Search.Visits != 100 || s.Training.Epochs != 2 || s.About != "a=b" || s.Generations != 30 || len(s.Tournament.Players) != 2 {
		t.Errorf("%+v", s)
	}
	for _, sets := range [][]string{{"search.root=gumbel", "search.root.considered=8"}, {"search.root.considered=8", "search.root=gumbel"}} {
		if n := load(t, "", sets...).Settings.Search.Root.Considered; n != 8 {
			t.Errorf("%q: %d considered", sets, n)
		}
	}
	if o := e.Origin("search.visits").String(); o != "--set" {
		t.Errorf("origin %s", o)
	}
	got := faults(t, folder{"x.yaml": head}, "search.visits=ten", "serach.visits=1", "nothing", "extends=a", "search.fpu=[1", "about=a: b: c", "alamos=1", "hooks=[gone.go]")
	want := strings.Join([]string{
		`--set about=a: b: c: a second ": " in one value (start a new line, or put quotes around the text)`,
		`--set alamos=1: alamos: can only be set in a file`,
		`--set extends=a: extends: can only be set in a file`,
		`--set hooks=[gone.go]: hooks[0].file: cannot read gone.go: file does not exist (paths of --set start at the working directory)`,
		`--set nothing: want key.path=value`,
		`--set search.fpu=[1: a list that starts with '[' is not closed or lacks a comma`,
		`--set search.visits=ten: search.visits: want a whole number of at least 1, have ten`,
		`--set serach.visits=1: serach.visits: unknown key (did you mean "search.visits"?)`,
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A missing base hides how files fit together, not what is wrong in each.
func TestMissingBase(t *testing.T) {
	_, err := Load("x.yaml", Options{ReadFile: folder{"x.yaml": head + "extends: gone\nnetwork: {policy_channels: 3}\nsearch: {visits: 0}\n"}.read})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	want := "x.yaml:3:10: extends: cannot read gone.yaml: file does not exist (paths start at the folder of this file)\n" +
		"x.yaml:5:18: search.visits: want a whole number of at least 1, have 0"
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

// Bases that multiply end in an error, not in an endless merge.
func TestEndlessExtends(t *testing.T) {
	f := folder{"x.yaml": head + "extends: [b0, b0]\n"}
	for i := range 40 {
		f[fmt.Sprintf("b%d.yaml", i)] = fmt.Sprintf("alamos: 1\nextends: [b%d, b%d]\n", i+1, i+1)
	}
	if got := faults(t, f); !strings.Contains(got, "too many files") {
		t.Error(got[:min(len(got), 500)])
	}
	wide := folder{"x.yaml": head + "extends: [b0, b0]\n"}
	for i := range 20 {
		wide[fmt.Sprintf("b%d.yaml", i)] = fmt.Sprintf("alamos: 1\nextends: [b%d, b%d]\n", i+1, i+1)
	}
	wide["b20.yaml"] = "alamos: 1\n"
	if got := faults(t, wide); !strings.Contains(got, "too many files") {
		t.Error(got[:min(len(got), 500)])
	}
}

// Every key has a sentence, and every default is a value that its own type takes.
func TestSchemaIsSound(t *testing.T) {
	for _, k := range Keys() {
		if k.Doc == "" || !strings.HasSuffix(k.Doc, ".") {
			t.Errorf("%s: doc %q", k.Path, k.Doc)
		}
	}
}

func TestHash(t *testing.T) {
	s := load(t, "").Settings
	again := load(t, "").Settings
	if Hash(s.Search) == Hash(s.Game) || Hash("a", "b") == Hash("ab") || Hash(s.Search, 1) != Hash(again.Search, 1) || len(Hash()) != 64 {
		t.Error("hashes collide or wander")
	}
	var back Settings
	if err := json.Unmarshal(s.Canonical(), &back); err != nil || back.ID() != s.ID() {
		t.Errorf("canonical settings do not read back: %v", err)
	}
}

func TestErrorsAreOneType(t *testing.T) {
	_, err := Load("nowhere.yaml", Options{})
	var one *config.Error
	if !errors.As(err, &one) || one.File != "nowhere.yaml" || one.Line != 1 {
		t.Errorf("%#v", err)
	}
}

// differencesOf returns the differences between the resolved settings of two trials.
func differencesOf(a, b *Settings) []Difference {
	return differences(schema().Explain("", a.values(config.Form{}), nil), schema().Explain("", b.values(config.Form{}), nil))
}

// Keys add to a group that is written short, from a file below, the command line and a sweep. A
// short group replaces all keys.
func TestShortGroups(t *testing.T) {
	const short = "search: {root: gumbel}\n"
	f := folder{"x.yaml": head + "extends: y.yaml\nsearch: {root: {policy_temperature: 1.2}}\n", "y.yaml": "alamos: 1\nname: y\n" + short}
	for name, e := range map[string]*Experiment{
		"file": loadFrom(t, f), "set": load(t, short, "search.root.policy_temperature=1.2"), "sweep": load(t, short+"sweep: {grid: {search.root.policy_temperature: [1.2, 1.3]}}\n"),
	} {
		if root := e.Trials[0].Settings.Search.Root; root.Kind != "gumbel" || fmt.Sprint(root.PolicyTemperature) != "1.2" {
			t.Errorf("%s: %+v", name, root)
		}
	}
	if root := load(t, "search: {root: {kind: gumbel, considered: 8}}\n", "search.root=puct").Trials[0].Settings.Search.Root; root.Kind != "puct" {
		t.Errorf("a short group over keys: %+v", root)
	}
}
