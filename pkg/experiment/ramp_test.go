package experiment

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each generation has the settings of its step, and whatever else reads the settings has
// those of the end.
func TestRamps(t *testing.T) {
	e := load(t, `
search: {visits: {from: 32, to: 128, over: 4}}
selfplay: {games: {from: 10, to: 25, over: 3}, playout_cap: {visits: {from: 4, to: 10, over: 2}}}
training: {window: {from: 2, to: 8, over: 4}}
evaluation: {search: {c_puct: 1}}
`)
	s := &e.Trials[0].Settings
	of, err := NewSetup(s)
	if err != nil {
		t.Fatal(err)
	}
	var have [][]int
	for g := 1; g <= 5; g++ {
		play := of.SelfPlay(g)
		training, _ := of.Training(g, nil)
		have = append(have, []int{play.Search.Visits, play.Games, play.PlayoutCap.Visits, training.Window})
		if at := s.At(g); at.Tournament.Search.Visits != 128 || at.Evaluation.Search.Visits != 128 {
			t.Errorf("generation %d: the tournament searches %d visits", g, at.Tournament.Search.Visits)
		}
	}
	if diff := cmp.Diff([][]int{{32, 10, 4, 2}, {64, 18, 10, 4}, {96, 25, 10, 6}, {128, 25, 10, 8}, {128, 25, 10, 8}}, have); diff != "" {
		t.Error(diff)
	}
	if s.games(2) != 28 || s.games(5) != 10+18+3*25 {
		t.Errorf("games %v", s.games(5))
	}
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Settings
	if err := json.Unmarshal(b, &back); err != nil || back.ID() != s.ID() || back.At(2).Search.Visits != 64 {
		t.Errorf("%v\n%s", err, b)
	}
}

// A trial is another one if a ramp differs in any of its keys, and the same however the ramp
// is written.
func TestRampsDecideTheTrial(t *testing.T) {
	const text = "search: {visits: {from: 32, to: 128, over: 4}}\n"
	id := load(t, text).Trials[0].ID
	if same := load(t, "search: {visits: {over: 4, to: 1.28e2, from: 32.0}}\n").Trials[0].ID; same != id {
		t.Errorf("the same ramp is %s and %s", id, same)
	}
	for _, set := range []string{"search.visits.from=31", "search.visits.to=129", "search.visits.over=5", "search.visits=128", "search.visits="} {
		if other := load(t, text, set).Trials[0].ID; other == id {
			t.Errorf("%s changes nothing", set)
		}
	}
}

func TestSweepOfRamps(t *testing.T) {
	wantLabels(t, load(t, "sweep: {grid: {search.visits: [64, {from: 32, to: 128, over: 4}]}}\n"),
		"search.visits=64", "search.visits={from: 32, to: 128, over: 4}")
	e := load(t, `
search: {visits: {from: 32, to: 128, over: 4}}
sweep:
  random: {trials: 3, draw: {search.visits.to: {int: [100, 1000]}}}
  include: [{search.visits.over: 9}]
  budget: {games: 1000000}
`)
	for i, trial := range e.Trials {
		r := trial.Settings.Ramps["search.visits"]
		if i < 3 && (r.From != 32 || r.Over != 4 || r.To < 100 || trial.Settings.Search.Visits != int(r.To)) || i == 3 && r.Over != 9 {
			t.Errorf("%s: %+v", trial.Label, r)
		}
	}
	if x := e.ExplainTrial(0); len(x) == 0 {
		t.Error("nothing explained")
	}
}

func TestBudgetCountsTheGamesOfRamps(t *testing.T) {
	const text = "generations: 10\nselfplay: {games: {from: 10, to: 30, over: 3}}\nsweep: {grid: {search.c_puct: [1, 2, 3]}, budget: {games: 1}}\n"
	for games, want := range map[string]int{"810": 3, "809": 2, "540": 2, "270": 1} {
		if e := load(t, text, "sweep.budget.games="+games); len(e.Trials) != want {
			t.Errorf("%s games are enough for %d trials, want %d", games, len(e.Trials), want)
		}
	}
}
