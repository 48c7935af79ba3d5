package run

import (
	"context"
	"math"
	"testing"

	"alamos/pkg/experiment"
	"alamos/pkg/nn"
)

// Each rate of a network is probed by itself, where no run tells it, and once, even
// where the probe finds out nothing.
func TestRatesAreProbedOnce(t *testing.T) {
	s := experiment.Settings{
		Game:    experiment.Game{Variant: "atomic"},
		Network: experiment.Network{Input: "atomic16", Policy: "uci1968", Spec: nn.Spec{PolicyHead: "conv-linear", Depth: 1, Width: 8}},
	}
	of, err := experiment.NewSetup(&s)
	if err != nil {
		t.Fatal(err)
	}
	trial := &Trial{Settings: &s, Setup: of, run: &run{cache: newCache(t.TempDir())}}
	for _, probes := range []bool{true, false} {
		e := NewEstimator(probes)
		v := e.speed(trial)
		v.evaluations.perSecond = 100 // as an earlier run told
		for _, test := range []struct {
			of    *rate
			found float64
			calls int
		}{{&v.evaluations, 5, 0}, {&v.positions, math.NaN(), 1}} {
			calls, want := 0, test.of.perSecond
			for range 2 {
				have, err := e.ask(t.Context(), trial, test.of, func(context.Context, *Trial, *nn.Network) (float64, error) {
					calls++
					return test.found, nil
				})
				if err != nil || have != want && !(math.IsNaN(have) && math.IsNaN(want)) {
					t.Errorf("%v a second (%v), want %v", have, err, want)
				}
			}
			if probes && calls != test.calls || !probes && calls != 0 {
				t.Errorf("%d probes of a rate of %v, may probe: %v", calls, want, probes)
			}
		}
	}
}
