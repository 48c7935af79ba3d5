// Package stats has what several packages know of chance: the intervals of means and
// of shares. It compares nothing and tests no hypotheses: that is package diff's.
package stats

import (
	"encoding/json"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Normal95 is the 97.5 % quantile of the normal distribution: half of a 95 % interval
// in standard deviations.
const Normal95 = 1.959963984540054

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

// Float is a number that JSON may hold as null, as it does NaN and the infinities. It
// is read back as NaN.
type Float float64

func (f Float) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

func (f *Float) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*f = Float(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(f))
}
