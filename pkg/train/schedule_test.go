package train

import (
	"math"
	"testing"
)

// rates runs a schedule over validation losses and returns the rate of each
// epoch, starting with the first.
func rates(t *testing.T, s Schedule, losses ...float64) []float64 {
	t.Helper()
	st, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	out := []float64{st.Rate}
	for _, l := range losses {
		st = s.Next(st, l)
		out = append(out, st.Rate)
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
	check(t, rates(t, Schedule{Kind: "step", Initial: 1, Factor: 0.1, Every: 2, Minimum: 0.05}, 1, 1, 1, 1, 1, 1), 1, 1, 0.1, 0.1, 0.05, 0.05, 0.05)
	check(t, rates(t, Schedule{Kind: "constant", Initial: 0.3}, 1, 2, 3), 0.3, 0.3, 0.3, 0.3)
}

// Half a wave from 1 to 0.2 in four epochs, then flat: the middle is 0.6 and the
// quarters are cos(45 degrees) = 0.7071 of 0.4 away from it.
func TestCosine(t *testing.T) {
	s := Schedule{Kind: "cosine", Initial: 1, Minimum: 0.2, Period: 4}
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
		s.Initial = 1
		plain := rates(t, s, 3, 3, 3, 3)
		s.Warmup = 3
		check(t, rates(t, s, 1, 1, 1, 3, 3, 3, 3), append([]float64{0.25, 0.5, 0.75}, plain...)...)
	}
}

func TestAsked(t *testing.T) {
	s := Schedule{Kind: "hook", Initial: 9, Warmup: 1, Ask: func(done []Epoch) (float64, error) { return 0.5 / float64(len(done)+1), nil }}
	st, err := s.Start()
	if err != nil {
		t.Fatal(err)
	}
	var have []float64
	var done []Epoch
	for range 3 {
		rate, err := s.rate(st, done)
		if err != nil {
			t.Fatal(err)
		}
		have, done, st = append(have, rate), append(done, Epoch{}), s.Next(st, 1)
	}
	check(t, have, 0.25, 0.25, 0.5/3)
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		s.Ask = func([]Epoch) (float64, error) { return bad, nil }
		if _, err := s.rate(st, done); err == nil {
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
