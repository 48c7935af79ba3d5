package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval returns the mean of some numbers and the ends of its 95 %
// confidence interval, mean ± t s / √n with Student's t of n-1 degrees of
// freedom: that of trials which differ in nothing but their seed. NaN, a
// number that is missing, is left out; n is how many remain. Of one number the
// ends are NaN, of none the mean as well.
func Interval(values []float64) (mean, low, high float64, n int) {
	var have []float64
	for _, v := range values {
		if !math.IsNaN(v) {
			have = append(have, v)
		}
	}
	n = len(have)
	switch n {
	case 0:
		return math.NaN(), math.NaN(), math.NaN(), 0
	case 1:
		return have[0], math.NaN(), math.NaN(), 1
	}
	mean, deviation := stat.MeanStdDev(have, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(0.975)
	half := t * deviation / math.Sqrt(float64(n))
	return mean, mean - half, mean + half, n
}

// Band joins runs that differ in nothing but their seed into one series: at
// every x that a run has, in ascending order, the mean of the runs' numbers
// there and its [Interval], shown as a band. A single run stays a line.
func Band(name string, runs ...Series) (Series, error) {
	at := map[float64][]float64{}
	for i, r := range runs {
		if err := r.check(i); err != nil {
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
		mean, low, high, _ := Interval(at[x])
		band.Y = append(band.Y, mean)
		if band.Band {
			band.Low, band.High = append(band.Low, low), append(band.High, high)
		}
	}
	return band, nil
}
