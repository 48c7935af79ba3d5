package store

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/train"
)

func TestRootTally(t *testing.T) {
	var y RootTally
	if y.Roots() != nil {
		t.Error("roots of no position")
	}
	y.Policy(0.5, 2, 1)
	y.Policy(1.5, 1, 0)
	y.Policy(math.NaN(), math.NaN(), 0)
	if r := y.Roots(); r.KL != 1 || r.PriorEntropy != 1.5 || r.TargetEntropy != 0.5 || !math.IsNaN(r.CalibrationError()) || !math.IsNaN(float64(r.ValueError)) {
		t.Errorf("without results: %+v", r)
	}
	for _, x := range [][2]float64{{1, 1}, {0.9, -1}, {0.9, 1}, {-1, -1}, {0.05, 1}, {0.15, -1}} {
		y.Value(x[0], x[1])
	}
	r := y.Roots()
	// by hand: errors 0, 1.9, 0.1, 0, 0.95, 1.15
	if have := float64(r.ValueError); math.Abs(have-(1.9*1.9+0.1*0.1+0.95*0.95+1.15*1.15)/6) > 1e-12 {
		t.Errorf("value error %v", have)
	}
	have := ""
	for _, b := range r.Calibration {
		have += fmt.Sprintf("%.1f to %.1f: %d %.2f %.2f; ", b.Low, b.High(), b.Positions, b.Value, b.Result)
	}
	if want := "-1.0 to -0.8: 1 -1.00 -1.00; 0.0 to 0.2: 2 0.10 0.00; 0.8 to 1.0: 3 0.93 0.33; "; have != want {
		t.Errorf("bins %s\nwant %s", have, want)
	}
	// the bins differ by 0, 0.1 and 0.6
	if have := r.CalibrationError(); math.Abs(have-(2*0.1+3*0.6)/6) > 1e-12 {
		t.Errorf("calibration error %v", have)
	}
}

func TestLearning(t *testing.T) {
	x := made(t)
	put := func(name string, facts any) {
		b, err := json.Marshal(facts)
		if err != nil {
			t.Fatal(err)
		}
		x.Manifest.Put(&Stage{Name: name, Facts: b, Seconds: 2})
	}
	put(SelfPlayStage(1), Generation{
		Games: 8, WhiteWins: 3, Draws: 2, BlackWins: 3, Thrown: 2, Samples: 100, Lengths: []int{10, 30}, Reasons: map[string]int{"move_limit": 3}, DistinctGames: 6, DistinctPositions: 30,
		Roots: &Roots{KL: 0.5, PriorEntropy: 2, TargetEntropy: 1, ValueError: 0.25, Calibration: []CalibrationBin{{-1, 4, -0.9, -0.4}}},
	})
	loss := nn.Loss{Total: 3, Policy: 2, Value: 1}
	put(TrainStage(1), []train.Epoch{{Samples: 80, Train: loss, Validation: loss, Gradient: train.Gradient{Steps: 1, Sum: 5, Peak: 5, Clipped: 1}}, {Samples: 80, Train: loss, Validation: loss, Selected: true, Gradient: train.Gradient{Steps: 3, Sum: 3, Peak: 2}, Accuracy: &nn.Accuracy{N: 4, Top1: 1, Top5: 3}}})
	put(SelfPlayStage(2), Generation{Samples: 100, Data: &Chunk{}})
	for g, all := range []map[string]float64{1: {
		"kl": 0.5, "prior_entropy": 2, "target_entropy": 1, "root_value_error": 0.25, "calibration_error": 0.5, "distinct_games": 0.75,
		"distinct_positions": 0.75, "drawn_games": 0.25, "long_games": 0.5, "replay_ratio": 1.6, "gradient_norm": 2, "gradient_peak": 5, "clipped": 0.25, "loss": 3, "policy_loss": 2, "value_loss": 1, "top1": 0.25, "top5": 0.75, "samples": 100, "seconds": 6,
	}, 2: {
		"kl": math.NaN(), "calibration_error": math.NaN(), "distinct_games": math.NaN(), "long_games": math.NaN(), "replay_ratio": 0, "gradient_norm": math.NaN(), "clipped": math.NaN(), "samples": 200, "seconds": 14,
	}} {
		for name, want := range all {
			if m := x.MeasureAt(g, name); m.Value != want && !(math.IsNaN(want) && m.Missing()) {
				t.Errorf("%s of generation %d: %v, want %v", name, g, m.Value, want)
			}
		}
	}
	for _, name := range LearningMeasures() {
		if m := x.MeasureAt(0, name); !m.Missing() {
			t.Errorf("%s before the first generation: %v", name, m.Value)
		}
	}
	x.Manifest.Drop(SelfPlayStage(1))
	if m := x.MeasureAt(1, "kl"); !m.Missing() {
		t.Error("a measure of no games")
	}
}

// The language knows the same metrics.
func TestMetricsOfTheLanguage(t *testing.T) {
	var names []string
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	if diff := cmp.Diff(experiment.TrialMetrics(), names); diff != "" {
		t.Error(diff)
	}
}
