package store

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/train"
)

// made is a trial of two generations and a tournament, as stages leave it.
func made(t *testing.T) *Trial {
	t.Helper()
	x := &Trial{Manifest: &Manifest{}}
	x.Declared.Settings.Generations = 2
	x.Declared.Settings.Tournament.Rounds = 10
	x.Declared.Settings.Hooks = []experiment.Hook{{File: config.File{Path: "kings.go"}}}
	put := func(name string, facts any) {
		b, err := json.Marshal(facts)
		if err != nil {
			t.Fatal(err)
		}
		x.Manifest.Put(&Stage{Name: name, Facts: b, Seconds: 2})
	}
	none := nn.Loss{Total: math.NaN(), Policy: math.NaN(), Value: math.NaN()}
	for g := 1; g <= 2; g++ {
		put(SelfPlayStage(g), Generation{Samples: 100 * g, Lengths: []int{10, 20}})
		kings := HookResults{Metrics: []map[string]stats.Float{{"alive": stats.Float(g)}}}
		if g == 1 {
			kings.Label(0, "alive", Label{Text: "kings alive", Unit: "kings"})
		}
		put(HooksStage(g), kings)
		x.Manifest.Stage(HooksStage(g)).Inputs = Inputs{"hooks": `["kings"]`}
		put(TrainStage(g), []train.Epoch{{Train: nn.Loss{Total: 9, Policy: 9, Value: 9}, Validation: none},
			{Train: nn.Loss{Total: 3, Policy: 2, Value: 1}, Validation: none, Accuracy: &nn.Accuracy{N: 4, Top1: 1, Top5: 3}, Selected: true}})
	}
	put(TournamentStage, Tournament{
		Players: []PlayerResult{
			{Generation: 2, Rating: match.Rating{Standing: match.Standing{Name: "gen-2", Record: stats.Record{Wins: 8, Draws: 4, Losses: 8}}, Elo: stats.Interval{Value: 50, Low: -10, High: 110}}},
			{Generation: 0, Rating: match.Rating{Standing: match.Standing{Name: "untrained"}}},
			{Generation: -1, Rating: match.Rating{Standing: match.Standing{Name: "random"}}},
		},
		Games: tenGames(t),
	})
	return x
}

// tenGames has ten games of gen-2 against untrained, of which it won eight and drew two.
func tenGames(t *testing.T) match.Results {
	t.Helper()
	r := match.NewResults([]string{"gen-2", "untrained", "random"})
	for i := range 10 {
		g := &match.Game{White: "gen-2", Black: "untrained", Number: i, Outcome: chess.Outcome{Result: chess.WhiteWins}}
		if i%2 == 1 {
			g.White, g.Black, g.Outcome.Result = g.Black, g.White, chess.BlackWins
		}
		if i < 2 {
			g.Outcome.Result = chess.Draw
		}
		if err := r.Add(g); err != nil {
			t.Fatal(err)
		}
	}
	return *r
}

func TestMeasure(t *testing.T) {
	x := made(t)
	for name, want := range map[string]string{
		"samples": "300.000 NaN NaN", "seconds": "14.000 NaN NaN",
		"loss": "3.000 NaN NaN", "policy_loss": "2.000 NaN NaN", "value_loss": "1.000 NaN NaN",
		"top1": "0.250 NaN NaN", "top5": "0.750 NaN NaN",
		"elo": "50.000 -10.000 110.000", "kings.alive": "2.000 NaN NaN", "kings.dead": "NaN NaN NaN",
		"score": "0.900 0.561 0.998", "vs_untrained": "0.900 0.561 0.998", "vs_random": "NaN NaN NaN",
	} {
		m := x.Measure(name)
		if have := fmt.Sprintf("%.3f %.3f %.3f", m.Value, m.Low, m.High); have != want {
			t.Errorf("%s: %s, want %s", name, have, want)
		}
		if err := x.CheckMetric(name); err != nil {
			t.Error(err)
		}
	}
	if have := x.MetricLabel("kings.alive"); have != (Label{Text: "kings alive", Unit: "kings"}) || x.MetricLabel("kings.dead") != (Label{}) {
		t.Errorf("label %+v", have)
	}
	for _, name := range []string{"alive", "queens.alive", ""} {
		if m := x.Measure(name); !m.Missing() {
			t.Errorf("%s: %v", name, m)
		}
		wantError(t, x.CheckMetric(name), fmt.Sprintf("%q", name), "vs_untrained", "HOOK.METRIC")
	}
	x.Unranked = true
	for name, missing := range map[string]bool{"score": true, "elo": true, "vs_untrained": false, "loss": false} {
		if m := x.Measure(name); m.Missing() != missing {
			t.Errorf("a trial that is not in the final has %s %v", name, m)
		}
	}
	x.Manifest.Drop(TrainStage(2))
	if m := x.Measure("samples"); m.Value != 100 || x.Done() != 1 {
		t.Errorf("one generation done: %v samples, done %d", m.Value, x.Done())
	}
	x.Manifest.Drop(TrainStage(1))
	if m := x.Measure("loss"); !m.Missing() || x.Done() != 0 {
		t.Errorf("nothing done: loss %v, done %d", m.Value, x.Done())
	}
}

func TestGroups(t *testing.T) {
	var trials []*Trial
	for _, x := range [][2]string{{"a=1 seed=1", "a=1"}, {"a=1 seed=2", "a=1"}, {"a=2 seed=1", "a=2"}} {
		s := made(t)
		s.Declared.Label, s.Declared.Group = x[0], x[1]
		trials = append(trials, s)
	}
	groups := Groups(trials)
	if len(groups) != 2 || groups[0].Name != "a=1" || len(groups[0].Trials) != 2 || groups[1].Trials[0] != trials[2] {
		t.Fatalf("groups %+v", groups)
	}
	if m, _ := groups[0].Measure("score"); m.Value != 0.9 || m.Low != 0.9 || m.High != 0.9 {
		t.Errorf("seeds that agree: %v", m)
	}
	if m, _ := groups[1].Measure("score"); m.Value != 0.9 || m.Low > 0.6 {
		t.Errorf("one seed: %v", m)
	}
	failed := trials[1]
	failed.Manifest.Stages = slices.DeleteFunc(failed.Manifest.Stages, func(s *Stage) bool { return s.Name == TrainStage(failed.Done()) })
	if m, seeds := groups[0].Measure("loss"); len(seeds) != 1 || m.Value != trials[0].Measure("loss").Value {
		t.Errorf("with a seed that failed: %v of %v", m, seeds)
	}
}

// Facts that are not the rows of their stage are damage.
func TestFactsOfAnotherStage(t *testing.T) {
	for name, facts := range map[string]string{
		SelfPlayStage(1): `[]`, DataStage(2): `7`, TrainStage(1): `{}`, HooksStage(1): `[]`, CheckpointHooksStage(1): `""`,
		PuzzlesStage(1): `{}`, AccuracyStage(1): `{}`, RungStage(1): `[]`, TournamentStage: `[]`,
		FinalStage: `{"players": [{}], "games": {}}`,
	} {
		dir := t.TempDir()
		m := &Manifest{Stages: []*Stage{{Name: name, Facts: json.RawMessage(facts)}}}
		if err := m.Write(dir); err != nil {
			t.Fatal(err)
		}
		_, err := ReadManifest(dir)
		wantError(t, err, fmt.Sprintf("%q", name), "is damaged")
	}
}
