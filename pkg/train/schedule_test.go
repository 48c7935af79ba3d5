package train

import (
	"math"
	"testing"
)

// perEpoch is the number of samples of the epochs of rates, which are steps too.
const perEpoch = 10

// rates runs a schedule over validation losses and returns the rate of each
// epoch, starting with the first.
func rates(t *testing.T, s Schedule, losses ...float64) []float64 {
	t.Helper()
	st, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	rate := func() float64 { return s.rate(st.Rate, st, 0, perEpoch, perEpoch) }
	out := []float64{rate()}
	for _, l := range losses {
		st = s.Next(st, l, perEpoch)
		out = append(out, rate())
	}
	return out
}

func check(t *testing.T, got []float64, want ...float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d rates, want %d", len(got), len(want))
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-12 {
			t.Errorf("epoch %d: rate %v, want %v (all: %v)", i+1, got[i], want[i], got)
		}
	}
}

// The expected rates are those of torch.optim.lr_scheduler.ReduceLROnPlateau
// (factor 0.5, patience 3, min_lr 0.01), traced by hand through its definition:
// the cut comes with the fourth bad epoch, and the count starts again.
func TestPlateau(t *testing.T) {
	s := Schedule{Kind: "plateau", Initial: 0.05, Factor: 0.5, Patience: 3, Minimum: 0.01}
	check(t, rates(t, s, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1),
		0.05, 0.05, 0.05, 0.05, 0.05, 0.05, 0.025, 0.025, 0.025, 0.025, 0.025, 0.0125, 0.0125, 0.0125, 0.0125, 0.01)
}

func TestPlateauThreshold(t *testing.T) {
	s := Schedule{Kind: "plateau", Initial: 1, Factor: 0.5, Patience: 0, Minimum: 0}
	check(t, rates(t, s, 1, 0.99995, 0.99), 1, 1, 0.5, 0.5)
}

func TestStepAndConstant(t *testing.T) {
	check(t, rates(t, Schedule{Kind: "step", Initial: 1, Unit: UnitEpochs, Factor: 0.1, Every: 2, Minimum: 0.05}, 1, 1, 1, 1, 1, 1), 1, 1, 0.1, 0.1, 0.05, 0.05, 0.05)
	check(t, rates(t, Schedule{Kind: "constant", Initial: 0.3}, 1, 2, 3), 0.3, 0.3, 0.3, 0.3)
}

// Half a wave from 1 to 0.2 in four epochs, then flat: the middle is 0.6 and the
// quarters are cos(45 degrees) = 0.7071 of 0.4 away from it.
func TestCosine(t *testing.T) {
	s := Schedule{Kind: "cosine", Initial: 1, Unit: UnitEpochs, Minimum: 0.2, Period: 4}
	q := 0.4 * math.Sqrt2 / 2
	check(t, rates(t, s, 1, 1, 1, 1, 1, 1), 1, 0.6+q, 0.6, 0.6-q, 0.2, 0.2, 0.2)
}

// Each schedule begins when the warm-up has ended; losses before count for nothing.
func TestWarmup(t *testing.T) {
	for _, s := range []Schedule{
		{Kind: "constant"},
		{Kind: "plateau", Factor: 0.5, Patience: 1},
		{Kind: "step", Factor: 0.1, Every: 2},
		{Kind: "cosine", Period: 3, Minimum: 0.1},
	} {
		s.Initial, s.Unit = 1, UnitEpochs
		plain := rates(t, s, 3, 3, 3, 3)
		s.Warmup = 4
		check(t, rates(t, s, 1, 1, 1, 1, 3, 3, 3, 3), append([]float64{0.25, 0.5, 0.75, 1}, plain...)...)
		s.Unit, s.Warmup, s.Every, s.Period = UnitSamples, s.Warmup*perEpoch, s.Every*perEpoch, s.Period*perEpoch
		check(t, rates(t, s, 1, 1, 1, 1, 3, 3, 3, 3), append([]float64{0.25, 0.5, 0.75, 1}, plain...)...)
	}
}

// Within an epoch the rate changes with every step, by the samples before it. The warm-up
// counts the step's own samples, so that the first step has a rate.
func TestRateOfSteps(t *testing.T) {
	const samples = 40
	st := ScheduleState{Rate: 1, Epochs: 1, Samples: 20} // the epoch before was shorter
	for _, c := range []struct {
		s    Schedule
		want []float64
	}{
		{Schedule{Kind: "constant", Warmup: 40}, []float64{0.75, 1, 1, 1}},
		{Schedule{Kind: "constant", Warmup: 2, Unit: UnitEpochs}, []float64{0.625, 0.75, 0.875, 1}},
		{Schedule{Kind: "step", Every: 25, Factor: 0.5}, []float64{1, 0.5, 0.5, 0.25}},
		{Schedule{Kind: "step", Every: 1, Factor: 0.5, Unit: UnitEpochs}, []float64{0.5, 0.5, 0.5, 0.5}},
		{Schedule{Kind: "cosine", Period: 60}, []float64{0.75, 0.5, 0.25, (1 - math.Sqrt(3)/2) / 2}},
		{Schedule{Kind: "cosine", Period: 2, Unit: UnitEpochs}, []float64{0.5, (1 - math.Sin(math.Pi/8)) / 2, (1 - math.Sqrt2/2) / 2, (1 - math.Cos(math.Pi/8)) / 2}},
	} {
		var have []float64
		for from := 0; from < samples; from += 10 {
			have = append(have, c.s.rate(st.Rate, st, from, from+10, samples))
		}
		check(t, have, c.want...)
	}
}

func TestAsked(t *testing.T) {
	s := Schedule{Kind: "hook", Initial: 9, Unit: UnitEpochs, Warmup: 2, Ask: func(done []Epoch) (float64, error) { return 0.5 / float64(len(done)+1), nil }}
	st, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	var have []float64
	var done []Epoch
	for range 3 {
		base, err := s.base(st, done)
		if err != nil {
			t.Fatal(err)
		}
		have = append(have, s.rate(base, st, 0, perEpoch, perEpoch))
		done, st = append(done, Epoch{}), s.Next(st, 1, perEpoch)
	}
	check(t, have, 0.25, 0.25, 0.5/3)
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		s.Ask = func([]Epoch) (float64, error) { return bad, nil }
		if _, err := s.base(st, done); err == nil {
			t.Errorf("rate %v: no error", bad)
		}
	}
}

func TestScheduleRefusesNonsense(t *testing.T) {
	for _, s := range []Schedule{
		{Kind: "cosinus", Initial: 1},
		{Kind: "constant"},
		{Kind: "constant", Initial: math.NaN()},
		{Kind: "plateau", Initial: 1, Factor: 1},
		{Kind: "step", Initial: 1, Factor: 0.5},
		{Kind: "cosine", Initial: 1},
		{Kind: "hook", Initial: 1},
		{Kind: "constant", Initial: 1, Warmup: -1},
	} {
		if _, err := s.Start(); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
}
