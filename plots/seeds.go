package plots

import (
	"fmt"
	"math"
	"slices"

	"alamos/pkg/stats"
)

// Band joins runs that differ in nothing but their seed into one series: at
// every x that a run has, in ascending order, the mean of the runs' numbers
// there and its interval ([stats.Mean]), shown as a band. A single run stays a line.
func Band(name string, runs ...Series) (Series, error) {
	at := map[float64][]float64{}
	for i, r := range runs {
		if err := r.check("run", i); err != nil {
			return Series{}, err
		}
		for j, x := range r.X {
			if !math.IsNaN(x) {
				at[x] = append(at[x], r.Y[j])
			}
		}
	}
	if len(at) == 0 {
		return Series{}, fmt.Errorf("plots: band %q of %d runs without a point: %w", name, len(runs), ErrNoData)
	}
	band := Series{Name: name, Band: len(runs) > 1}
	for x := range at {
		band.X = append(band.X, x)
	}
	slices.Sort(band.X)
	for _, x := range band.X {
		mean := stats.Mean(at[x])
		band.Y = append(band.Y, mean.Value)
		if band.Band {
			band.Low, band.High = append(band.Low, mean.Low), append(band.High, mean.High)
		}
	}
	return band, nil
}

// LossBand is [Band] for all curves of [Loss]: it joins the trainings of
// trials that differ in nothing but their seed. Losses get bands; of learning
// rates, which a plateau lowers at different epochs, there is the mean.
func LossBand(name string, runs ...LossSeries) (LossSeries, error) {
	if len(runs) == 1 {
		single := runs[0]
		single.Name = name
		return single, nil
	}
	out := LossSeries{Name: name, low: &LossSeries{}, high: &LossSeries{}}
	var x [][]float64
	heads := 0
	for i, r := range runs {
		epochs, err := r.epochs(fmt.Sprintf("run %d (%q)", i, r.Name))
		if err != nil {
			return LossSeries{}, err
		}
		x = append(x, epochs)
		heads = max(heads, len(r.Heads))
	}
	// join puts the lists that of returns together.
	join := func(of func(LossSeries) []float64) (mean, low, high []float64, err error) {
		var series []Series
		there := false
		for i, r := range runs {
			list := of(r)
			there = there || len(list) > 0
			if len(list) == 0 { // the run's epochs stay epochs of the band
				list = make([]float64, len(x[i]))
				for j := range list {
					list[j] = math.NaN()
				}
			}
			series = append(series, Series{X: x[i], Y: list})
		}
		band, err := Band(name, series...)
		if err != nil || !there {
			return nil, nil, nil, err
		}
		out.Epoch = band.X
		return band.Y, band.Low, band.High, nil
	}
	var err error
	if out.Rate, _, _, err = join(func(r LossSeries) []float64 { return r.Rate }); err != nil {
		return LossSeries{}, err
	}
	if out.Training, out.low.Training, out.high.Training, err = join(func(r LossSeries) []float64 { return r.Training }); err != nil {
		return LossSeries{}, err
	}
	if out.Validation, out.low.Validation, out.high.Validation, err = join(func(r LossSeries) []float64 { return r.Validation }); err != nil {
		return LossSeries{}, err
	}
	for h := range heads {
		var head, low, high Head
		for _, r := range runs {
			if head.Name == "" && h < len(r.Heads) {
				head.Name = r.Heads[h].Name
			}
		}
		head.Loss, low.Loss, high.Loss, err = join(func(r LossSeries) []float64 {
			if h < len(r.Heads) {
				return r.Heads[h].Loss
			}
			return nil
		})
		if err != nil {
			return LossSeries{}, err
		}
		out.Heads = append(out.Heads, head)
		out.low.Heads, out.high.Heads = append(out.low.Heads, low), append(out.high.Heads, high)
	}
	return out, nil
}
