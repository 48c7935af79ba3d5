package stats

import (
	"math"
	"slices"

	moremath "github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Alpha is the level of all tests. Intervals have the confidence 1 - Alpha.
const Alpha = 0.05

// Difference is an estimated difference and the p-value of a two-sided test of no difference,
// which is NaN without a test.
type Difference struct {
	Interval
	P float64
}

// Untested is a difference without a test. Its interval may be unknown.
func Untested(i Interval) Difference { return Difference{i, math.NaN()} }

// Student returns an estimate with Student's t distribution of errors.
func Student(value, standardError, freedom float64) Difference {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
	return Difference{
		Around(value, t.Quantile(1-Alpha/2)*standardError),
		2 * t.CDF(-math.Abs(value)/standardError),
	}
}

// Welch returns the difference b - a of the means of two samples with different variances,
// with Welch's t-test. The test needs two values on each side, and variation on one.
func Welch(a, b []float64) Difference {
	meanA, varianceA := stat.MeanVariance(a, nil)
	meanB, varianceB := stat.MeanVariance(b, nil)
	d := meanB - meanA
	test, err := moremath.TwoSampleWelchTTest(&moremath.Sample{Xs: b}, &moremath.Sample{Xs: a}, moremath.LocationDiffers)
	if err != nil {
		return Untested(Exactly(d))
	}
	return Student(d, math.Sqrt(varianceA/float64(len(a))+varianceB/float64(len(b))), test.DoF)
}

// Apart returns the difference of two independent measurements, b - a. Its p-value takes the
// interval as that of a normal error. Unless both have an interval, there is no test.
func Apart(a, b Interval) Difference {
	if !(a.Low < a.High && b.Low < b.High) {
		return Untested(Exactly(b.Value - a.Value))
	}
	d := b.Minus(a)
	half := d.High - d.Value // of the side of 0
	if d.Value > 0 {
		half = d.Value - d.Low
	}
	return Difference{d, math.Erfc(math.Abs(d.Value) / (half / Normal95) / math.Sqrt2)}
}

// Holm corrects the p-values of several tests so that a true hypothesis is rejected in no more
// than the level of all families of tests (S. Holm, "A Simple Sequentially Rejective Multiple
// Test Procedure", 1979). NaN stands for no test and stays.
func Holm(p []float64) []float64 {
	var order []int
	for i, x := range p {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		if p[i] < p[j] {
			return -1
		}
		return 1
	})
	out, most := slices.Clone(p), 0.0
	for at, i := range order {
		most = max(most, min(1, float64(len(order)-at)*p[i]))
		out[i] = most
	}
	return out
}
