package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/stats"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func labels(e *Experiment) []string {
	var all []string
	for _, t := range e.Trials {
		all = append(all, t.Label)
	}
	return all
}

func wantLabels(t *testing.T, e *Experiment, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, labels(e)); diff != "" {
		t.Error(diff)
	}
}

func TestZip(t *testing.T) {
	e := load(t, `
sweep:
  grid: {search.c_puct: [1, 2]}
  zip: {selfplay.games: [100, 200], generations: [40, 20]}
`)
	wantLabels(t, e,
		"search.c_puct=1 selfplay.games=100 generations=40", "search.c_puct=1 selfplay.games=200 generations=20",
		"search.c_puct=2 selfplay.games=100 generations=40", "search.c_puct=2 selfplay.games=200 generations=20")
	if s := e.Trials[3].Settings; s.Search.CPuct != 2 || s.SelfPlay.Games != 200 || s.Generations != 20 {
		t.Errorf("%+v", s)
	}
	several := load(t, `
sweep:
  zip:
    - {selfplay.games: [100, 200], generations: [40, 20]}
    - {network.depth: [2, 2], network.width: [32, 64]}
`)
	wantLabels(t, several,
		"selfplay.games=100 generations=40 network.depth=2 network.width=32", "selfplay.games=100 generations=40 network.depth=2 network.width=64",
		"selfplay.games=200 generations=20 network.depth=2 network.width=32", "selfplay.games=200 generations=20 network.depth=2 network.width=64")
	if diff := cmp.Diff([]Axis{
		{"selfplay.games", []string{"100", "200"}}, {"generations", []string{"40", "20"}},
		{"network.depth", []string{"2"}}, {"network.width", []string{"32", "64"}},
	}, several.Axes); diff != "" {
		t.Error(diff)
	}
}

func TestIncludeExclude(t *testing.T) {
	e := load(t, `
search: {c_puct: 1.5}
sweep:
  grid: {network.depth: [2, 5], search.c_puct: [1, 2]}
  include:
    - {network.depth: 20, network.width: 256}
    - {training.schedule: {kind: constant}}
  exclude:
    - {network.depth: 5, search.c_puct: 2.0}
    - {network.depth: 2, search.visits: 800, search.c_puct: 1}
`)
	wantLabels(t, e, "network.depth=2 search.c_puct=2", "network.depth=5 search.c_puct=1",
		"network.depth=20 network.width=256", "training.schedule={kind: constant}")
	if diff := cmp.Diff([]Axis{
		{"network.depth", []string{"2", "5", "20", "6"}}, {"search.c_puct", []string{"2", "1", "1.5"}}, {"network.width", []string{"64", "256"}},
		{"training.schedule", []string{"{kind: plateau, initial: 0.05, unit: samples, warmup: 0, factor: 0.5, patience: 3, minimum: 0.0001}", "{kind: constant}"}},
	}, e.Axes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(AxisValue{"search.c_puct", "1.5"}, e.Trials[2].Axis[1]); diff != "" {
		t.Error(diff)
	}
	// Excluded combinations need not be valid, and a sweep may list its trials.
	load(t, "sweep: {grid: {training.window: [1, 9], generations: [5, 10]}, exclude: [{training.window: 9, generations: 5}]}\n")
	wantLabels(t, load(t, "sweep: {include: [{network.depth: 1}, {network.width: 8}]}\n"), "network.depth=1", "network.width=8")
}

func TestNamedCombinations(t *testing.T) {
	e := load(t, `
sweep:
  seeds: 2
  include:
    - name: base
    - {name: wide, network.width: 128}
    - {network.depth: 3}
`)
	wantLabels(t, e, "base seed=1", "base seed=2", "wide seed=1", "wide seed=2", "network.depth=3 seed=1", "network.depth=3 seed=2")
	wide := e.Trials[3]
	if wide.Name != "wide" || wide.Group != "wide" || wide.Settings.Network.Width != 128 || !wide.Sets("seed") || wide.Sets("network.width") {
		t.Errorf("have %q in group %q with width %d", wide.Name, wide.Group, wide.Settings.Network.Width)
	}
	plain := load(t, "seed: 2\nnetwork: {width: 128}\n").Trials[0]
	if wide.ID != plain.ID {
		t.Error("a name changes the identity of a trial")
	}
}

func TestGroups(t *testing.T) {
	e := load(t, "seed: 3\nsweep: {grid: {network.depth: [1, 2]}, seeds: 2}\n")
	var got []string
	for _, t := range e.Trials {
		got = append(got, t.Label+" | "+t.Group)
	}
	want := []string{
		"network.depth=1 seed=3 | network.depth=1", "network.depth=1 seed=4 | network.depth=1",
		"network.depth=2 seed=3 | network.depth=2", "network.depth=2 seed=4 | network.depth=2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	e = load(t, "sweep: {grid: {seed: [3, 7], network.depth: [1]}}\n")
	if g := e.Trials[1].Group; g != "network.depth=1" {
		t.Errorf("swept seed: group %q", g)
	}
}

const randomSweep = `
sweep:
  random:
    trials: 6
    draw:
      search.c_puct: {uniform: [0.5, 4]}
      training.schedule.initial: {log_uniform: [1e-3, 1e-1]}
      network.depth: {int: [2, 20]}
      search.fpu: {choice: [zero, 0.2]}
`

// The draws must stay as they are, because results depend on them.
func TestRandom(t *testing.T) {
	e := load(t, randomSweep)
	wantLabels(t, e,
		"search.c_puct=3.807 training.schedule.initial=0.04772 network.depth=2 search.fpu=0.2",
		"search.c_puct=1.202 training.schedule.initial=0.05533 network.depth=18 search.fpu=0.2",
		"search.c_puct=3.396 training.schedule.initial=0.001156 network.depth=4 search.fpu=zero",
		"search.c_puct=0.9154 training.schedule.initial=0.02572 network.depth=8 search.fpu=0.2",
		"search.c_puct=1.878 training.schedule.initial=0.04627 network.depth=5 search.fpu=0.2",
		"search.c_puct=1.51 training.schedule.initial=0.00169 network.depth=10 search.fpu=0.2")
}

// The draws of a key depend only on the seed and the key.
func TestRandomIsStable(t *testing.T) {
	drawn := func(e *Experiment, path string) []string {
		var values []string
		for _, t := range e.Trials {
			for _, a := range t.Axis {
				if a.Path == path {
					values = append(values, a.Value)
				}
			}
		}
		return values
	}
	const path = "search.c_puct"
	want := drawn(load(t, randomSweep), path)
	for _, other := range [][]string{
		{"sweep.random.trials=9"},
		{"sweep.random.draw.network.depth="},
		{"sweep.random.draw.training.batch={int: [32, 512]}"},
		{"selfplay.games=7"},
	} {
		if got := drawn(load(t, randomSweep, other...), path); !slices.Equal(got[:6], want) {
			t.Errorf("%v: %v, want %v", other, got, want)
		}
	}
	if got := drawn(load(t, randomSweep, "seed=2"), path); slices.Equal(got, want) {
		t.Error("another seed draws the same")
	}
	crossed := drawn(load(t, randomSweep, "sweep.grid.network.width=[8, 16]"), path)
	if !slices.Equal(crossed, append(slices.Clone(want), want...)) {
		t.Errorf("crossed with a grid: %v", crossed)
	}
	if v := load(t, randomSweep).Axes[0].Values; !slices.IsSortedFunc(v, func(a, b string) int {
		return int(math.Copysign(1, number(a)-number(b)))
	}) {
		t.Errorf("drawn values do not rise: %v", v)
	}
	// The distribution of a file replaces that of its base.
	f := folder{
		"x.yaml":    head + "extends: base\nsweep: {random: {draw: {search.c_puct: {int: [1, 3]}}}}\n",
		"base.yaml": "alamos: 1\nsweep: {random: {trials: 2, draw: {search.c_puct: {uniform: [5, 6]}, network.depth: {int: [1, 9]}}}}\n",
	}
	for _, trial := range loadFrom(t, f).Trials {
		if trial.Settings.Search.CPuct > 3 {
			t.Errorf("%s", trial.Label)
		}
	}
}

// Draws stay within their bounds, have few digits, and
// reach both halves.
func TestDrawsAreReadable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := math.Pow(10, float64(rapid.IntRange(-8, 8).Draw(t, "scale")))
		low := rapid.Float64Range(0.01, 1).Draw(t, "low") * scale
		high := low * rapid.Float64Range(1.5, 1000).Draw(t, "ratio")
		low, high = number(strconv.FormatFloat(low, 'g', 4, 64)), number(strconv.FormatFloat(high, 'g', 4, 64))
		d := distribution{kind: rapid.SampledFrom([]string{"uniform", "log_uniform"}).Draw(t, "kind"), low: low, high: high}
		source := stats.NewRand(rapid.Uint64().Draw(t, "seed"))
		middle, under, n := (low+high)/2, 0, 200
		if d.kind == "log_uniform" {
			middle = math.Sqrt(low * high)
		}
		for range n {
			text := d.draw(source).text
			x := number(text)
			if x < low || x > high {
				t.Fatalf("%s is not from %v to %v", text, low, high)
			}
			if mantissa, _, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e"); len(mantissa) > len("1.2345") {
				t.Fatalf("%s of %+v has too many digits", text, d)
			}
			if x < middle {
				under++
			}
		}
		if under < n/4 || under > 3*n/4 {
			t.Fatalf("%d of %d draws in the lower half of %+v", under, n, d)
		}
	})
}

func TestDrawBounds(t *testing.T) {
	for _, d := range []distribution{
		{kind: "uniform", low: 0, high: math.SmallestNonzeroFloat64},
		{kind: "uniform", low: 1, high: math.Nextafter(1, 2)},
		{kind: "log_uniform", low: math.SmallestNonzeroFloat64, high: math.MaxFloat64},
		{kind: "log_uniform", low: 1, high: math.Nextafter(1, 2)},
		{kind: "int", low: -1 << 53, high: 1 << 53},
		{kind: "int", low: 3, high: 4},
		{kind: "log_uniform", low: 1, high: 3, whole: true},
	} {
		source := stats.NewRand(1)
		for range 100 {
			if x := number(d.draw(source).text); x < d.low || x > d.high {
				t.Errorf("%v of %+v", x, d)
			}
		}
	}
}

func TestBudget(t *testing.T) {
	const grid = "sweep:\n  grid: {network.depth: [1, 2, 3, 4], search.c_puct: [1, 2, 3]}\n"
	all := load(t, grid)
	var before []string
	for n := 1; n <= 12; n++ {
		e := load(t, grid+fmt.Sprintf("  budget: {trials: %d}\n", n))
		got := labels(e)
		if len(got) != n || len(e.Left) != 12-n {
			t.Fatalf("%d trials of a budget of %d, %d left", len(got), n, len(e.Left))
		}
		for _, label := range before {
			if !slices.Contains(got, label) {
				t.Errorf("a budget of %d gives up %s", n, label)
			}
		}
		if in := slices.DeleteFunc(labels(all), func(l string) bool { return !slices.Contains(got, l) }); !slices.Equal(in, got) {
			t.Errorf("the order changes: %v", got)
		}
		before = got
	}
	if a, b := labels(load(t, grid+"  budget: {trials: 4}\n")), labels(load(t, grid+"  budget: {trials: 4}\n", "seed=2")); slices.Equal(a, b) {
		t.Error("another seed selects the same combinations")
	}
	// All seeds of a combination stay together, and included combinations stay.
	e := load(t, grid+"  seeds: 2\n  include: [{network.depth: 9}, {network.depth: 10}]\n  budget: {trials: 7}\n")
	if got := labels(e); len(got) != 6 || got[2] != "network.depth=9 seed=1" || got[5] != "network.depth=10 seed=2" {
		t.Errorf("%v", got)
	}
	// A budget of games takes trials in order while they fit.
	const games = "generations: 10\nsweep:\n  grid: {selfplay.games: [100, 200, 300]}\n"
	e = load(t, games+"  budget: {games: 3000}\n")
	wantLabels(t, e, "selfplay.games=100", "selfplay.games=200")
	if diff := cmp.Diff([]Left{{"selfplay.games=300", "sweep.budget.games"}}, e.Left); diff != "" {
		t.Error(diff)
	}
	// Halving needs fewer: 3 trials for one generation, then the best for nine more.
	if e = load(t, games+"  budget: {games: 3300}\n  halving: {}\n"); len(e.Trials) != 3 || e.Halving == nil {
		t.Errorf("%v", labels(e))
	}
	if e = load(t, games+"  budget: {games: 3299}\n  halving: {}\n"); len(e.Trials) != 2 {
		t.Errorf("%v", labels(e))
	}
	// With 2 seeds: 6 trials for one generation, then those of the best setting for nine more.
	if e = load(t, games+"  seeds: 2\n  budget: {games: 6600}\n  halving: {}\n"); len(e.Trials) != 6 {
		t.Errorf("%v", labels(e))
	}
	if e = load(t, games+"  seeds: 2\n  budget: {games: 6599}\n  halving: {}\n"); len(e.Trials) != 4 {
		t.Errorf("%v", labels(e))
	}
}

// Whatever a sweep is made of: it has as many trials as it says, each once, and
// each is what a file of its own would be.
func TestSweepsAreTheirTrials(t *testing.T) {
	paths := []string{"network.depth", "network.width", "search.c_puct", "search.visits", "selfplay.games", "training.epochs"}
	rapid.Check(t, func(t *rapid.T) {
		free := rapid.Permutation(paths).Draw(t, "paths")
		next := func() string { p := free[0]; free = free[1:]; return p }
		values := func(n int, name string) []int {
			return rapid.SliceOfNDistinct(rapid.IntRange(1, 100), n, n, rapid.ID).Draw(t, name)
		}
		sweep, want := map[string]any{}, 1
		grid := map[string]any{}
		for range rapid.IntRange(0, 2).Draw(t, "grid") {
			n := rapid.IntRange(1, 3).Draw(t, "values")
			grid[next()], want = values(n, "grid"), want*n
		}
		sweep["grid"] = grid
		if rapid.Bool().Draw(t, "zip") {
			n := rapid.IntRange(1, 3).Draw(t, "values")
			sweep["zip"], want = map[string]any{next(): values(n, "zip"), next(): values(n, "zip")}, want*n
		}
		if rapid.Bool().Draw(t, "random") {
			n := rapid.IntRange(1, 5).Draw(t, "trials")
			sweep["random"] = map[string]any{"trials": n, "draw": map[string]any{next(): map[string]any{"int": []int{1, 100}}, next(): map[string]any{"log_uniform": []int{10, 90}}}}
			want *= n
		}
		seeds := rapid.IntRange(1, 3).Draw(t, "seeds")
		sweep["seeds"] = seeds
		body, err := json.Marshal(map[string]any{"alamos": 1, "name": "x", "seed": rapid.IntRange(0, 9).Draw(t, "seed"), "sweep": sweep})
		if err != nil {
			t.Fatal(err)
		}
		f := folder{"x.yaml": string(body)}
		e, err := Load("x.yaml", Options{ReadFile: f.read})
		if err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		if len(e.Trials) != want*seeds {
			t.Fatalf("%d trials, want %d\n%s", len(e.Trials), want*seeds, body)
		}
		ids, groups := map[string]bool{}, map[string]int{}
		for _, trial := range e.Trials {
			ids[trial.ID] = true
			groups[trial.Group]++
		}
		if len(ids) != len(e.Trials) || len(groups) != want {
			t.Fatalf("%d different trials in %d groups", len(ids), len(groups))
		}
		trial := rapid.SampledFrom(e.Trials).Draw(t, "trial")
		set := []string{"sweep="}
		for _, a := range trial.Axis {
			set = append(set, a.Path+"="+a.Value)
		}
		alone, err := Load("x.yaml", Options{Set: set, ReadFile: f.read})
		if err != nil || alone.Trials[0].ID != trial.ID {
			t.Fatalf("%v: %+v is not the trial %s", err, alone, trial.Label)
		}
	})
}

// ExplainTrial names the line of the sweep or file that sets each value.
func TestExplainTrial(t *testing.T) {
	e := load(t, "seed: 4\nnetwork: {depth: 9}\nsweep:\n  grid:\n    network.depth: [1, 2]\n    training.schedule:\n      - {kind: constant}\n      - {kind: step,\n         every: 7000}\n  seeds: 2\n")
	row := func(rows []config.Explained, path string) string {
		i := slices.IndexFunc(rows, func(x config.Explained) bool { return x.Path == path })
		if i < 0 {
			return ""
		}
		return fmt.Sprint(rows[i].Value, " ", rows[i].Origin, " ", rows[i].Swept)
	}
	rows := e.ExplainTrial(7)
	for path, want := range map[string]string{
		"network.depth": "2 x.yaml:7 true", "training.schedule.kind": "step x.yaml:10 true", "training.schedule.every": "7000 x.yaml:11 true",
		"training.schedule.initial": "0.05 default true", "seed": "5 x.yaml:12 true", "network.width": "64 default false", "sweep.seeds": "",
	} {
		if got := row(rows, path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if got := row(e.ExplainTrial(0), "training.schedule.every"); got != "" {
		t.Errorf("a constant schedule has every: %s", got)
	}
	for _, r := range rows { // every value is that of the trial
		if v, ok := config.ValueAt(e.Trials[7].Settings.values(config.Form{}), r.Path); ok && config.Show(schema().Lookup(r.Path).Type, v) != r.Value {
			t.Errorf("%s: %s, the trial has %s", r.Path, r.Value, config.Show(schema().Lookup(r.Path).Type, v))
		}
	}
}

// The trials of games_per_generation.yaml cost the same, as it says.
func TestGamesPerGenerationAreEqual(t *testing.T) {
	e, err := Load("../../experiments/sweeps/games_per_generation.yaml", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range e.Trials {
		s := trial.Settings
		games, kept, times := s.SelfPlay.Games*s.Generations, s.SelfPlay.Games*s.Training.Window, s.Training.Epochs*s.Training.Window
		if games != 4800 || kept != 1200 || times != 8 {
			t.Errorf("%s: %d games, %d of them kept, samples are trained on %d times", trial.Label, games, kept, times)
		}
		if c := s.Training.Schedule; c.Warmup+c.Period != s.Training.Epochs*s.Generations {
			t.Errorf("%s: %d epochs, but the schedule has %d", trial.Label, s.Training.Epochs*s.Generations, c.Warmup+c.Period)
		}
	}
}

// A key that does not apply is not part of a trial, whatever the order of the keys, and equal
// combinations become one trial.
func TestSweptKeysOfSomeKinds(t *testing.T) {
	labels := func(sweep string) (all []string) {
		for _, x := range load(t, "sweep: "+sweep+"\n").Trials {
			all = append(all, strings.ReplaceAll(x.Label, "training.schedule.", ""))
		}
		return all
	}
	const kind, patience = "training.schedule.kind: [plateau, constant]", "training.schedule.patience: [1, 2]"
	for sweep, want := range map[string][]string{
		"{grid: {" + kind + ", " + patience + "}}":                                             {"kind=plateau patience=1", "kind=plateau patience=2", "kind=constant"},
		"{grid: {" + patience + ", " + kind + "}}":                                             {"patience=1 kind=plateau", "kind=constant", "patience=2 kind=plateau"},
		"{zip: {" + kind + ", " + patience + "}}":                                              {"kind=plateau patience=1", "kind=constant"},
		"{grid: {" + kind + ", " + patience + "}, exclude: [{training.schedule.patience: 1}]}": {"kind=plateau patience=2", "kind=constant"},
	} {
		if diff := cmp.Diff(want, labels(sweep)); diff != "" {
			t.Errorf("%s: %s", sweep, diff)
		}
	}
	drawn := load(t, "sweep: {random: {trials: 40, draw: {training.schedule.kind: {choice: [plateau, constant]}, training.schedule.patience: {int: [1, 9]}, training.schedule.initial: {log_uniform: [0.01, 0.1]}}}}\n")
	with := 0
	for i, x := range drawn.Trials {
		plateau := x.Settings.Training.Schedule.Kind == "plateau"
		if has := strings.Contains(x.Label, "patience="); has != plateau {
			t.Errorf("%s", x.Label)
		}
		if has := slices.ContainsFunc(drawn.ExplainTrial(i), func(r config.Explained) bool { return r.Path == "training.schedule.patience" }); has != plateau {
			t.Errorf("%s: patience is explained: %v", x.Label, has)
		}
		if plateau {
			with++
		}
	}
	if len(drawn.Trials) != 40 || with == 0 || with == 40 {
		t.Errorf("%d of %d trials have a plateau", with, len(drawn.Trials))
	}
	const nowhere = "training.schedule.patience: applies in no combination, only with kind: plateau"
	for _, sweep := range []string{
		"{grid: {training.schedule.kind: [step, constant], " + patience + "}}",
		"{grid: {network.depth: [1, 2]}, include: [{training.schedule.kind: constant, training.schedule.patience: 2}]}",
		"{grid: {" + patience + "}}\ntraining: {schedule: {kind: constant}}",
	} {
		want := nowhere
		if !strings.Contains(sweep, "step") {
			want = "training.schedule.patience: applies only with kind: plateau"
		}
		if got := faults(t, folder{"x.yaml": head + "sweep: " + sweep + "\n"}); !strings.Contains(got, want) {
			t.Errorf("%s: %s", sweep, got)
		}
	}
}

// number parses a number that was just formatted.
func number(s string) float64 {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return x
}

// Which keys come first in a sweep does not decide whether it is valid, also of keys and groups
// whose deciders have conditions of their own.
func TestOrderOfSweptKeys(t *testing.T) {
	for _, sweep := range []string{
		"{grid: {network.policy_head: [conv-linear, conv73-linear], network.policy_channels: [4, 8]}}",
		"{grid: {network.policy_channels: [4, 8], network.policy_head: [conv-linear, conv73-linear]}}",
		"{grid: {data: [null, {kind: pgn, files: [a.pgn]}], selfplay.games: [100, 200]}}",
		"{grid: {selfplay.games: [100, 200], data: [null, {kind: pgn, files: [a.pgn]}]}}",
	} {
		if n := len(load(t, "sweep: "+sweep).Trials); n != 3 {
			t.Errorf("%s: %d trials, want 3", sweep, n)
		}
	}
}

// The folders of trials do not depend on the order of the keys.
func TestFoldersOfSweptKeys(t *testing.T) {
	folders := func(keys string) (all []string) {
		for _, trial := range load(t, "sweep: {grid: {"+keys+"}}").Trials {
			all = append(all, trial.Folder)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
	if a, b := folders("generations: [1, 2], tournament.rounds: [2, 4]"), folders("tournament.rounds: [2, 4], generations: [1, 2]"); !slices.Equal(a, b) || len(a) != 4 {
		t.Errorf("folders %v and %v", a, b)
	}
}

// A ramp counts up to the last generation of the experiment.
func TestRampsBeyondTheEnd(t *testing.T) {
	load(t, "generations: 10\ntraining: {window: {from: 2, to: 12, over: 20}}")
}

// null restores the rule of the variant, not that of chess.
func TestNullOfARule(t *testing.T) {
	f := folder{
		"x.yaml":    head + "extends: base.yaml\ngame: {rules: {explosion: null}}",
		"base.yaml": "alamos: 1\nname: base\nnetwork: {input: rules, policy: rules}\ngame: {variant: mine.yaml, rules: {explosion: 2}}",
		"mine.yaml": "base: atomic\nname: mine\ncastling: false\nstalemate:\n",
	}
	rules := loadFrom(t, f).Trials[0].Settings.Game.Rules
	if want := chess.RulesOf(chess.Atomic); rules.Explosion != want.Explosion || rules.Stalemate != want.Stalemate || rules.Castling {
		t.Errorf("%+v", rules)
	}
}

// null takes an option of an engine away that a base sets.
func TestNullOfAnOption(t *testing.T) {
	f := folder{
		"x.yaml":    head + "extends: base.yaml\ndata: {engine: {options: {Hash: null}}}",
		"base.yaml": "alamos: 1\nname: base\ngame: {variant: chess}\ndata: {kind: engine, games: 2, engine: {uci: stockfish, nodes: 10, options: {Hash: 16, Ponder: true}}}",
	}
	if options := loadFrom(t, f).Trials[0].Settings.Data.Player.Options; len(options) != 1 || options["Ponder"] == "" {
		t.Errorf("options %v", options)
	}
}

// A fault of an included trial is at its item.
func TestFaultOfAnIncludedTrial(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.yaml")
	text := "alamos: 1\nname: x\ngame:\n  start: chess960\nsweep:\n  include:\n    - {name: base}\n    - {game.start: 8/8 w - -}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadChecked(file, nil); err == nil || !strings.Contains(err.Error(), "x.yaml:8:8: game.start") {
		t.Errorf("%v", err)
	}
}

// null of a key above one that it decided drops that one.
func TestNullOfADecider(t *testing.T) {
	f := folder{
		"x.yaml":    head + "extends: base.yaml\nnetwork: {moves_left: null}",
		"base.yaml": "alamos: 1\nname: base\nnetwork: {moves_left: true}\ntraining: {loss: {moves_left: 0.1}}",
	}
	if loss := loadFrom(t, f).Trials[0].Settings.Training.Loss.MovesLeft; loss == 0.1 {
		t.Error("the loss of moves left is still that of the base")
	}
}

// null of a key in a group that applies is a value as any other.
func TestNullOfASweptKey(t *testing.T) {
	e := loadFrom(t, folder{"x.yaml": head + "sweep: {grid: {selfplay.adjudicate: [null, a.go], search.visits: [50, 100]}}", "a.go": "package main\n"})
	wantLabels(t, e, "selfplay.adjudicate=null search.visits=50", "selfplay.adjudicate=null search.visits=100", "selfplay.adjudicate=a search.visits=50", "selfplay.adjudicate=a search.visits=100")
}

// The first draws of TPE may all have a kind of schedule to which another drawn key does not apply.
func TestDrawsThatTPEProposes(t *testing.T) {
	for seed := range 4 {
		load(t, fmt.Sprintf("seed: %d\nsweep: {random: {trials: 40, tpe: {startup: 2, batch: 1}, draw: {training.schedule.kind: {choice: [constant, plateau]}, training.schedule.patience: {int: [1, 20]}}}}", seed))
	}
}

// The settings of a file count in its included trials, also where the grid has other values.
func TestExplainOwnValueOfASweptKey(t *testing.T) {
	explained := func(body string) string {
		for _, r := range load(t, body).Explain() {
			if r.Path == "training.batch" {
				return r.Meaning
			}
		}
		return ""
	}
	const sweep = "sweep: {grid: {training.batch: [64, 256]}, include: [{name: base}]}"
	if have := explained("training: {batch: 128}\n" + sweep); have != "[64, 256], 128 in sweep.include" {
		t.Error(have)
	}
}

func TestExcludeOfADefault(t *testing.T) {
	wantLabels(t, load(t, "sweep: {grid: {search.visits: [null, 100]}, exclude: [{search.visits: 800}]}"), "search.visits=100")
}
