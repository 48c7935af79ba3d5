package experiment

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/stats"
)

const closeSweep = `
sweep:
  grid: {network.depth: [2, 3, 4]}
  seeds: 2
  close_calls: {seeds: 5, add: 2, metric: score}
`

func TestGrowByCloseCalls(t *testing.T) {
	first := load(t, closeSweep)
	if len(first.Trials) != 6 || first.Pending != 9 || first.Total() != 15 {
		t.Fatalf("%d trials, %d pending", len(first.Trials), first.Pending)
	}
	noise := map[uint64]float64{1: 0.1, 2: -0.1, 3: 0.05, 4: -0.05, 5: 0}
	// Depth 2 is far behind, depths 3 and 4 are alike.
	score := func(t *Trial) float64 {
		x := noise[t.Settings.Seed]
		if t.Settings.Network.Depth == 2 {
			return x/100 - 10
		}
		return x
	}
	second, decision, err := first.Grow(values(first, score))
	if want := "close calls: 2 of 3 settings may have the best score; so far network.depth=3 has it, 0; more seeds: trials 7 to 10"; err != nil || decision != want {
		t.Errorf("%v, decision\n%s\nwant\n%s", err, decision, want)
	}
	third, decision, err := second.Grow(values(second, score))
	if want := "close calls: 2 of 3 settings may have the best score; so far network.depth=3 has it, 0; more seeds: trials 11 to 12"; err != nil || decision != want {
		t.Errorf("%v, decision\n%s\nwant\n%s", err, decision, want)
	}
	want := append(labels(first), "network.depth=3 seed=3", "network.depth=3 seed=4", "network.depth=4 seed=3", "network.depth=4 seed=4", "network.depth=3 seed=5", "network.depth=4 seed=5")
	if diff := cmp.Diff(want, labels(third)); diff != "" || second.Pending != 2 || third.Pending != 0 {
		t.Errorf("%d and %d pending, trials:\n%s", second.Pending, third.Pending, diff)
	}
	for i, trial := range third.Trials {
		if trial.Number != i+1 || trial.ID != trial.Settings.ID() {
			t.Errorf("trial %d has the number %d and another ID than its settings", i+1, trial.Number)
		}
	}
	// The trials are those of a sweep that has had all seeds from the start.
	ids := map[string]string{}
	for _, trial := range load(t, closeSweep, "sweep.close_calls=", "sweep.seeds=5").Trials {
		ids[trial.Label] = trial.ID + trial.Folder
	}
	for _, trial := range third.Trials {
		if ids[trial.Label] != trial.ID+trial.Folder {
			t.Errorf("%s differs from that of a sweep with 5 seeds", trial.Label)
		}
	}

	// Without a close call nothing is added.
	ended, decision, err := first.Grow(values(first, func(t *Trial) float64 {
		return float64(t.Settings.Network.Depth) + noise[t.Settings.Seed]/1000
	}))
	if want := "close calls: 1 of 3 settings may have the best score; so far network.depth=4 has it, 4, and no call is close"; err != nil || decision != want || len(ended.Trials) != 6 || ended.Pending != 0 {
		t.Errorf("%v, %d trials, %d pending, decision\n%s\nwant\n%s", err, len(ended.Trials), ended.Pending, decision, want)
	}
	// A trial without a value does not set its setting apart.
	more, _, err := first.Grow(values(first, func(t *Trial) float64 {
		if t.Settings.Network.Depth == 2 && t.Settings.Seed == 2 {
			return math.NaN()
		}
		return score(t)
	}))
	if err != nil || !slices.Contains(labels(more), "network.depth=2 seed=3") {
		t.Errorf("%v, trials %v", err, labels(more))
	}
}

// Of sweeps whose settings do not matter, no more than 5 % end with a setting that the tables
// set apart, although settings are dropped on the way.
func TestCloseCallsOfNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, settings := range []int{2, 4, 12} {
		c := CloseCalls{Seeds: 6, Add: 1, Level: 0.01, Objective: Objective{Metric: "score"}}
		wrong := 0
		for range 1000 {
			groups := make([][]float64, settings)
			for i := range groups {
				groups[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
			}
			best, open := c.open(groups)
			for grown := true; grown && len(open) > 1; best, open = c.open(groups) {
				grown = false
				for _, i := range open {
					if len(groups[i]) < c.Seeds {
						groups[i], grown = append(groups[i], rng.NormFloat64()), true
					}
				}
			}
			p := stats.HolmPairs(settings, best, func(i, j int) float64 { return stats.WelchP(groups[i], groups[j]) })
			if slices.ContainsFunc(p, func(p float64) bool { return p < stats.Alpha }) {
				wrong++
			}
		}
		if wrong > 65 { // 5 %, and two standard deviations of the count
			t.Errorf("%d settings: %d sweeps of 1000 set one apart", settings, wrong)
		}
	}
}

// What no trial can have is found before the run.
func TestLateFaults(t *testing.T) {
	for more, want := range map[string]string{
		"tournament: {random_plies: 40, max_moves: 20}":                                       "tournament.random_plies: an opening of 40 plies leaves nothing of a game of 20 moves",
		"notebook: [figure: {kind: tree, generation: 31}]":                                    "cell 1: it shows generation 31, which no trial has",
		"notebook: [figure: {kind: score, x_axis: {from: 10, to: 5}}]":                        "x_axis is from 10 to 5: write the low end first",
		"notebook: [figure: {kind: score, x_axis: {ticks: {ten: 10}}}]":                       "x_axis has a tick at ten: want a number",
		"notebook: [figure: {kind: score, y_axis: {from: 0, scale: log}}]":                    "y_axis is logarithmic: its ends must be above 0",
		"evaluation: {}\ntraining: {validation: 0, select: last, schedule: {kind: constant}}": "accuracy is measured on games that are held out, and training.validation is 0",
		"notebook: [figure: {kind: metric, metric: nonsense}]":                                "nothing measures nonsense",
		"notebook: [figure: {kind: board, position: \"2k5/8/8/8/8/8/8/4K3[Qn] w - - 0 1\", only: variant=crazyhouse}]\nnetwork: {input: rules, policy: rules}\nsweep: {grid: {game.variant: [chess, crazyhouse]}}": "",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "x.yaml"), []byte("alamos: 1\nname: x\n"+more+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := LoadChecked(filepath.Join(dir, "x.yaml"), nil)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", more, err, want)
		}
	}
}

func TestCloseCallFaults(t *testing.T) {
	for _, c := range []struct{ sweep, want string }{
		{"{grid: {network.depth: [2, 3]}, close_calls: {seeds: 5}}", "sweep.seeds: want at least 2 beside sweep.close_calls: one seed does not show how much seeds differ"},
		{"{grid: {network.depth: [2, 3]}, seeds: 4, close_calls: {seeds: 4}}", "sweep.close_calls.seeds: want more than the 4 seeds with which all settings begin, have 4"},
		{"{seeds: 2, close_calls: {seeds: 4}}", "sweep.close_calls: nothing to decide: want at least 2 settings"},
		{"{grid: {network.depth: [2, 3]}, seeds: 2, close_calls: {seeds: 4}, budget: {trials: 4}}", "sweep.budget: cannot be combined with sweep.close_calls"},
		{"{grid: {network.depth: [2, 3]}, seeds: 2, close_calls: {seeds: 4}, halving: {first: 1}}", "sweep.halving: cannot be combined with sweep.close_calls"},
		{"{grid: {network.depth: [2, 3]}, seeds: 2, close_calls: {seeds: 4, metric: puzzles.none}}", "sweep.close_calls.metric: nothing measures puzzles.none"},
		{"{grid: {network.depth: [2, 3]}, seeds: 2, close_calls: {seeds: 4, metric: accuracy.luck}}\nevaluation: {}", "sweep.close_calls.metric: nothing measures accuracy.luck"},
		{"{grid: {network.depth: [2, 3]}, seeds: 2, close_calls: {seeds: 4, metric: accuracy.top1}}\nevaluation: {puzzles: [m.epd]}\ntraining: {validation: 0, select: last, schedule: {kind: constant}}", "sweep.close_calls.metric: nothing measures accuracy.top1"},
		{"{grid: {network.depth: [2, 3]}, seeds: 2, close_calls: {seeds: 4, metric: top1}}\ntraining: {validation: 0, select: last, schedule: {kind: constant}}", "sweep.close_calls.metric: nothing measures top1"},
		{"{grid: {network.depth: [2, 3]}, seeds: 2, close_calls: {seeds: 9000}}", "sweep.close_calls.seeds: want at most 10000 trials"},
	} {
		if have := faults(t, folder{"x.yaml": "alamos: 1\nname: x\nsweep: " + c.sweep + "\n"}); !strings.Contains(have, c.want) {
			t.Errorf("%s: faults\n%s\nwant %s", c.sweep, have, c.want)
		}
	}
}

func TestObjectiveLowest(t *testing.T) {
	for metric, want := range map[string]bool{
		"score": false, "policy_loss": true, "accuracy.value_error": true, "explosions.loss": true,
		"puzzles.opening-errors": false, "policy.lossless": false,
	} {
		if have := (&Objective{Metric: metric}).lowest(); have != want {
			t.Errorf("%s: %v", metric, have)
		}
	}
}
