package experiment

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const populationSweep = `
sweep:
  random:
    trials: 6
    draw:
      search.c_puct: {uniform: [0.5, 4]}
      selfplay.games: {int: [2, 20]}
      search.fpu: {choice: [zero, 0.2]}
    pbt: {rounds: 3, replaced: 0.34, metric: score}
`

func TestPopulation(t *testing.T) {
	first := load(t, populationSweep)
	if len(first.Trials) != 6 || first.Pending != 12 || first.Growth() != "population-based training continues with 12 more trials" {
		t.Fatalf("%d trials, %d pending: %s", len(first.Trials), first.Pending, first.Growth())
	}
	if diff := cmp.Diff(labels(load(t, populationSweep, "sweep.random.pbt=")), labels(first)); diff != "" {
		t.Errorf("the population begins with other trials than a random search:\n%s", diff)
	}
	// The best are the trials with the lowest c_puct.
	score := func(x *Trial) float64 { return -x.Settings.Search.CPuct }
	second, decision, err := first.Grow(values(first, score))
	if err != nil || len(second.Trials) != 12 || second.Pending != 6 || !strings.HasPrefix(decision, "population-based training, round 1 of 3: trial ") {
		t.Fatalf("%v, %d trials, %d pending: %s", err, len(second.Trials), second.Pending, decision)
	}
	order := []int{0, 1, 2, 3, 4, 5}
	slices.SortFunc(order, func(i, j int) int {
		return int(math.Copysign(1, score(&first.Trials[j])-score(&first.Trials[i])))
	})
	for i, x := range second.Trials[6:] {
		parent := &second.Trials[x.Parent-1]
		if x.Number != i+7 || x.Settings.Start == nil || string(x.Settings.Start.Model) != "x/"+strconv.Itoa(x.Parent)+"@last" || x.Settings.Seed != parent.Settings.Seed+1 || x.ID != x.Settings.ID() {
			t.Errorf("trial %d continues with %+v, its parent is %d", x.Number, x.Settings.Start, x.Parent)
		}
		changed := x.Settings.Search.CPuct != parent.Settings.Search.CPuct && x.Settings.SelfPlay.Games != parent.Settings.SelfPlay.Games
		if kept := slices.Contains(order[:4], i); kept && x.Parent != i+1 || !kept && !slices.Contains(order[:2], x.Parent-1) || kept == changed {
			t.Errorf("member %d of order %v continues trial %d, changed: %v", i, order, x.Parent, changed)
		}
	}
	again, _, err := load(t, populationSweep).Grow(values(first, score))
	if err != nil || cmp.Diff(labels(second), labels(again)) != "" {
		t.Errorf("the same values give other trials (%v)", err)
	}
	third, _, err := second.Grow(values(second, score))
	if err != nil || len(third.Trials) != 18 || third.Pending != 0 {
		t.Fatalf("%v, %d trials, %d pending", err, len(third.Trials), third.Pending)
	}
	folders := map[string]bool{}
	for _, x := range third.Trials {
		folders[x.Folder] = true
		if c, g := x.Settings.Search.CPuct, x.Settings.SelfPlay.Games; c < 0.5 || c > 4 || g < 2 || g > 20 {
			t.Errorf("trial %d is out of bounds: c_puct %v, %d games", x.Number, c, g)
		}
		if x.Number > 12 && (x.Parent < 7 || x.Parent > 12) {
			t.Errorf("trial %d of the third round continues trial %d", x.Number, x.Parent)
		}
	}
	if len(folders) != 18 {
		t.Errorf("18 trials have %d folders", len(folders))
	}

	// Copies that are as their parents, or as each other, are trials nevertheless.
	few := load(t, regexp.MustCompile(`.*(uniform|int):.*\n`).ReplaceAllString(strings.Replace(populationSweep, "[zero, 0.2]", "[zero, 0.1, 0.2, 0.3, 0.4, 0.5]", 1), ""))
	for len(few.Trials) < 18 {
		if few, _, err = few.Grow(values(few, func(x *Trial) float64 { return -float64(x.Number) })); err != nil {
			t.Fatal(err)
		}
	}
	folders = map[string]bool{}
	names := map[string]bool{}
	for _, x := range few.Trials {
		folders[x.Folder], names[x.Label] = true, true
	}
	if len(folders) != 18 || len(names) != 18 {
		t.Errorf("18 trials of one choice have %d folders and %d names", len(folders), len(names))
	}

	// Failed trials are replaced too; if all failed, nothing can continue.
	failing, _, err := first.Grow(values(first, func(x *Trial) float64 {
		if x.Number > 1 {
			return math.NaN()
		}
		return 1
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range failing.Trials[6:] {
		if x.Parent != 1 {
			t.Errorf("trial %d continues the failed trial %d", x.Number, x.Parent)
		}
	}
	if _, _, err := first.Grow(values(first, func(*Trial) float64 { return math.NaN() })); err == nil || !strings.Contains(err.Error(), "all trials of round 1 failed") {
		t.Errorf("%v", err)
	}
}

func TestPopulationFaults(t *testing.T) {
	for set, want := range map[string]string{
		"sweep.seeds=2":                                 "sweep.seeds: cannot be combined with sweep.random.pbt",
		"sweep.random.trials=1":                         "sweep.random.trials: want a population of at least 2 trials",
		"sweep.random.pbt.rounds=2000":                  "sweep.random.pbt.rounds",
		"sweep.random.pbt.metric=vs_untrained":          "does not compare the rounds",
		"sweep.random.pbt.metric=puzzles.x":             "nothing measures puzzles.x",
		"sweep.random.draw.network.depth={int: [1, 3]}": "sweep.random.draw.network.depth: cannot be drawn with sweep.random.pbt",
		"sweep.halving={first: 1}":                      "sweep.halving: cannot be combined with sweep.random.pbt",
		"training.window=999":                           "999",
		"sweep.random.tpe={startup: 2}":                 "cannot be combined with sweep.random.",
	} {
		if have := faults(t, folder{"x.yaml": head + populationSweep}, set); !strings.Contains(have, want) {
			t.Errorf("%s: faults\n%s\nwant %s", set, have, want)
		}
	}
}
