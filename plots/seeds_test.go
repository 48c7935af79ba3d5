package plots_test

import (
	"errors"
	"math"
	"testing"

	"alamos/plots"
)

func TestBand(t *testing.T) {
	band, err := plots.Band("b",
		plots.Series{X: []float64{3, 1, 2}, Y: []float64{30, 10, nan}},
		plots.Series{X: []float64{1, 2, nan}, Y: []float64{14, 20, 99}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{12, 20, 30} {
		if band.X[i] != float64(i+1) || band.Y[i] != want {
			t.Errorf("point %d: have %v, %v; want %d, %v", i, band.X[i], band.Y[i], i+1, want)
		}
	}
	// Two numbers 4 apart: 12.706 times 2.828 / 1.414 below and above.
	if math.Abs(band.Low[0]-12+25.412) > 1e-3 || math.Abs(band.High[0]-12-25.412) > 1e-3 || !math.IsNaN(band.Low[1]) {
		t.Errorf("intervals from %v to %v", band.Low, band.High)
	}
	if single, err := plots.Band("s", plots.Series{X: []float64{1}, Y: []float64{2}}); err != nil || single.Band || len(single.Low) > 0 {
		t.Errorf("of one run: %+v, %v", single, err)
	}
	if _, err := plots.Band("none"); !errors.Is(err, plots.ErrNoData) {
		t.Errorf("of no runs: %v", err)
	}
	if _, err := plots.Band("bad", plots.Series{X: []float64{1}}); !errors.Is(err, plots.ErrLength) {
		t.Errorf("of unequal lists: %v", err)
	}
}

func TestLossBand(t *testing.T) {
	band, err := plots.LossBand("b",
		plots.LossSeries{Rate: []float64{.1, .1}, Validation: []float64{2, 1}, Heads: []plots.Head{{Name: "policy", Loss: []float64{1, 3}}}},
		plots.LossSeries{Rate: []float64{.1, .05, .05}, Validation: []float64{4, 3, 2}},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{1, 2, 3}, {.1, .075, .05}, {3, 2, 2}, {1, 3, nan}}
	for i, have := range [][]float64{band.Epoch, band.Rate, band.Validation, band.Heads[0].Loss} {
		for j := range want[i] {
			if math.Abs(have[j]-want[i][j]) > 1e-12 || math.IsNaN(have[j]) != math.IsNaN(want[i][j]) {
				t.Errorf("list %d: have %v, want %v", i, have, want[i])
			}
		}
	}
	if band.Training != nil || band.Heads[0].Name != "policy" {
		t.Errorf("have %+v", band)
	}
	if _, err := (plots.Loss{Series: []plots.LossSeries{band}}).Figure(); err != nil {
		t.Error(err)
	}
	if single, err := plots.LossBand("s", plots.LossSeries{Validation: []float64{1}}); err != nil || single.Name != "s" || single.Validation[0] != 1 {
		t.Errorf("of one run: %+v, %v", single, err)
	}
	if _, err := plots.LossBand("none"); !errors.Is(err, plots.ErrNoData) {
		t.Errorf("of none: %v", err)
	}
	if _, err := plots.LossBand("bad", plots.LossSeries{Rate: []float64{1}}, plots.LossSeries{Rate: []float64{1}, Training: []float64{1, 2}}); !errors.Is(err, plots.ErrLength) {
		t.Errorf("of unequal lists: %v", err)
	}
}
