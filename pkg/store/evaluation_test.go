package store

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"alamos/pkg/config"
	"alamos/pkg/experiment"
	"alamos/pkg/stats"
)

// evaluated is a trial of two generations with an evaluation of its last checkpoint.
func evaluated(t *testing.T) *Trial {
	t.Helper()
	x := made(t)
	x.Declared.Settings.Evaluation = &experiment.Evaluation{
		Every: 2, Accuracy: true,
		Puzzles: []experiment.Puzzles{{File: config.File{Path: "puzzles/mate-in-1.epd"}}, {File: config.File{Path: "puzzles/mate-in-2.epd"}}},
	}
	for g := 1; g <= 2; g++ {
		x.Manifest.Stage(TrainStage(g)).Outputs = map[string]string{CheckpointFile(g): fmt.Sprint("sum ", g)}
	}
	put := func(name string, facts any) {
		b, err := json.Marshal(facts)
		if err != nil {
			t.Fatal(err)
		}
		x.Manifest.Put(&Stage{Name: name, Inputs: Inputs{"network": "sum 2"}, Facts: b})
	}
	nine := 9
	put(PuzzlesStage(2), []PuzzleScore{{Set: "mate-in-1", Puzzles: 20, Policy: &nine, Search: 10}, {Set: "mate-in-2", Puzzles: 20}})
	none := stats.Float(math.NaN())
	put(AccuracyStage(2), []PhaseAccuracy{
		{Phase: "opening", Positions: 20, Top1: 0.5, Top5: 0.9, ValueError: 0.25},
		{Phase: "middlegame", Top1: none, Top5: none, ValueError: none},
		{Phase: "endgame", Positions: 10, Top1: none, Top5: none, ValueError: 0.75},
		{Phase: AllPhases, Positions: 30, Top1: 0.5, Top5: 0.9, ValueError: 0.5},
	})
	return x
}

func TestEvaluationMeasures(t *testing.T) {
	x := evaluated(t)
	for name, want := range map[string]string{
		// Wilson's interval of 10 and of 9 of 20; positions of a game are not independent
		"puzzles.mate-in-1": "0.500 0.299 0.701", "policy.mate-in-1": "0.450 0.258 0.658",
		"puzzles.mate-in-2": "0.000 0.000 0.161", "policy.mate-in-2": "NaN NaN NaN",
		"accuracy.top1_opening": "0.500 NaN NaN", "accuracy.value_error": "0.500 NaN NaN", "accuracy.value_error_endgame": "0.750 NaN NaN",
		"accuracy.top1_endgame": "NaN NaN NaN", "accuracy.top5_middlegame": "NaN NaN NaN", "kings.alive": "2.000 NaN NaN",
	} {
		m := x.Measure(name)
		if have := fmt.Sprintf("%.3f %.3f %.3f", m.Value, m.Low+1e-9, m.High); have != want {
			t.Errorf("%s: %s, want %s", name, have, want)
		}
	}
	for name, want := range map[string]string{
		"puzzles.mate-in-3": "puzzles.mate-in-1", "policy.x": "policy.mate-in-2",
		"accuracy.top2": "accuracy.top1", "accuracy.top1_late": "_endgame", "other.top1": "HOOK.METRIC",
	} {
		wantError(t, x.CheckMetric(name), fmt.Sprintf("%q", name), want)
	}
	for _, name := range x.Declared.Settings.EvaluationMeasures() {
		if err := x.CheckMetric(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Evaluations of another checkpoint, or that the experiment no longer has, are not returned.
func TestEvaluationOfAnother(t *testing.T) {
	for what, change := range map[string]func(x *Trial){
		"trained again": func(x *Trial) { x.Manifest.Stage(TrainStage(2)).Outputs[CheckpointFile(2)] = "sum of another" },
		"no evaluation": func(x *Trial) { x.Declared.Settings.Evaluation = nil },
		"other measures": func(x *Trial) {
			x.Declared.Settings.Evaluation.Puzzles, x.Declared.Settings.Evaluation.Accuracy = nil, false
		},
		"not trained": func(x *Trial) { x.Manifest.Drop(TrainStage(2)) },
	} {
		x := evaluated(t)
		change(x)
		if scores, phases := x.PuzzleScores(2), x.Accuracy(2); scores != nil || phases != nil {
			t.Errorf("%s: %v, %v", what, scores, phases)
		}
	}
	x := evaluated(t)
	if scores := x.PuzzleScores(1); scores != nil {
		t.Errorf("generation 1: %v", scores)
	}
	if x.Evaluates(1) || !x.Evaluates(2) || x.Evaluates(0) {
		t.Error("every 2: want generation 2 only")
	}
	x.Declared.Settings.Evaluation.Every = 0
	if !x.Evaluates(2) || x.Evaluates(1) {
		t.Error("want the last only")
	}
}

func TestEvaluationStagesInOrder(t *testing.T) {
	order := []string{TrainStage(1), CheckpointHooksStage(1), PuzzlesStage(1), AccuracyStage(1), StopStage(1), SelfPlayStage(2), PuzzlesStage(2), TournamentStage}
	for i := range order[1:] {
		if CompareStages(order[i], order[i+1]) >= 0 {
			t.Errorf("%s does not come before %s", order[i], order[i+1])
		}
	}
}
