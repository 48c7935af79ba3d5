package run

import (
	"slices"
	"testing"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// A generation depends on the values of its own step alone: trials with other ramps share
// the generations in which their values are equal.
func TestRamps(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ramps := func(visits string) []string {
		return []string{"generations=3", "tournament.rounds=0", "hooks=[]", "search.visits=" + visits,
			"selfplay.games={from: 2, to: 6, over: 3}", "training.window={from: 1, to: 2, over: 2}", "selfplay.decided.visits=2"}
	}
	s.run(t, ramps("{from: 2, to: 6, over: 3}")...)
	trial := store.Trial{Dir: s.trial(t)}
	var err error
	if trial.Manifest, err = store.ReadManifest(trial.Dir); err != nil {
		t.Fatal(err)
	}
	for g, visits := range []string{"2", "4", "6"} {
		stage := trial.Manifest.Stage(store.SelfPlayStage(g + 1))
		row := trial.Generation(g + 1)
		if stage.Inputs["search.visits"] != visits || row.Games != 2*(g+1) {
			t.Errorf("generation %d: %s visits, %d games", g+1, stage.Inputs["search.visits"], row.Games)
		}
	}

	longer := s.run(t, ramps("{from: 2, to: 10, over: 5}")...) // 2, 4, 6, 8, 10
	if want := []string{"untrained network", "self-play 1", "training 1", "self-play 2", "training 2", "self-play 3", "training 3"}; !slices.Equal(longer.reused, want) {
		t.Errorf("reused %q, want %q", longer.reused, want)
	}
	steeper := s.run(t, ramps("{from: 2, to: 6, over: 2}")...) // 2, 6, 6
	if want := []string{"untrained network", "self-play 1", "training 1"}; !slices.Equal(steeper.reused, want) {
		t.Errorf("reused %q, want %q", steeper.reused, want)
	}

	plans, err := MakePlans(t.Context(), []*experiment.Experiment{s.load(t, ramps("{from: 3, to: 6, over: 3}")...)}, PlanOptions{Options: s.options(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if games := plans[0].Total.Games; games != 2+4+6 {
		t.Errorf("the plan has %d games", games)
	}
}
