package run

import (
	"context"
	"math"
	"testing"

	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/selfplay"
)

func probeTrial(t *testing.T) *Trial {
	t.Helper()
	s := &experiment.Settings{
		Game:    experiment.Game{Variant: "atomic"},
		Network: experiment.Network{Input: "atomic16", Policy: "uci1968", Spec: nn.Spec{PolicyHead: "conv-linear", Depth: 1, Width: 8}},
	}
	s.Search.Visits = 400
	s.SelfPlay.PlayoutCap = selfplay.PlayoutCap{Full: 0.25, Visits: 40}
	of, err := experiment.NewSetup(s)
	if err != nil {
		t.Fatal(err)
	}
	return &Trial{Settings: s, Setup: of, run: &run{cache: newCache(t.TempDir())}}
}

// A probe has fewer visits than the games that it stands for, in the same proportion.
func TestQuickConfig(t *testing.T) {
	quick := quickConfig(probeTrial(t))
	if quick.Search.Visits != quickVisits || quick.PlayoutCap.Visits*10 > quickVisits || quick.PlayoutCap.Visits == 0 {
		t.Errorf("a probe has %d visits, %d in fast searches", quick.Search.Visits, quick.PlayoutCap.Visits)
	}
}

// Each rate that no run measured is probed once, even if the probe finds nothing.
func TestRatesAreProbedOnce(t *testing.T) {
	trial := probeTrial(t)
	in := networkInputs(trial)
	for _, probes := range []bool{true, false} {
		e := estimate{estimator: &estimator{probe: probes, rates: map[string]*ratio{}}, ctx: t.Context()}
		e.add(evaluationsPerSecond, in, 200, 2) // by an earlier run
		for _, test := range []struct {
			unit  unit
			want  float64
			calls int
		}{{*evaluationsPerSecond, 100, 0}, {*trainedPerSecond, math.NaN(), 1}} {
			calls := 0
			for range 2 {
				test.unit.probe = func(context.Context, *Trial) (float64, float64, error) {
					calls++
					return 0, 0, nil
				}
				have := e.rate(trial, &test.unit, in)
				if have != test.want && !(math.IsNaN(have) && math.IsNaN(test.want)) {
					t.Errorf("%s: %v, want %v", test.unit.name, have, test.want)
				}
			}
			if probes && calls != test.calls || !probes && calls != 0 {
				t.Errorf("%s: %d probes, probes allowed: %v", test.unit.name, calls, probes)
			}
		}
	}
}
