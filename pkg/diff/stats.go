package diff

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"alamos/pkg/stats"
)

// alpha is the level of all tests. Intervals have the confidence 1 - alpha.
const alpha = 0.05

// difference is an estimated difference and the p-value of a test of no difference, which
// is NaN without a test.
type difference struct {
	stats.Interval
	p float64
}

// untested is a difference without a test. Its interval may be unknown.
func untested(i stats.Interval) difference { return difference{i, math.NaN()} }

// known reports whether an interval is more than a point.
func known(i stats.Interval) bool { return i.Low < i.High }

// student returns an estimate with Student's t distribution of errors.
func student(value, standardError, freedom float64) difference {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
	return difference{
		stats.Around(value, t.Quantile(1-alpha/2)*standardError),
		2 * t.CDF(-math.Abs(value)/standardError),
	}
}

// mean returns the mean of differences. It applies Student's t-test to two or more values
// that are not all equal.
func mean(x []float64) difference {
	m, variance := stat.MeanVariance(x, nil)
	if len(x) < 2 || variance == 0 {
		return untested(stats.Exactly(m))
	}
	n := float64(len(x))
	return student(m, math.Sqrt(variance/n), n-1)
}

// welch returns the difference b - a of the means of two samples with different variances,
// with Welch's t-test. The test needs two values on each side, and variation on one.
func welch(a, b []float64) difference {
	meanA, varianceA := stat.MeanVariance(a, nil)
	meanB, varianceB := stat.MeanVariance(b, nil)
	d := meanB - meanA
	test, err := moremath.TwoSampleWelchTTest(&moremath.Sample{Xs: b}, &moremath.Sample{Xs: a}, moremath.LocationDiffers)
	if err != nil {
		return untested(stats.Exactly(d))
	}
	return student(d, math.Sqrt(varianceA/float64(len(a))+varianceB/float64(len(b))), test.DoF)
}

// mannWhitney returns the two-sided p-value of the rank-sum test of Mann and Whitney, which
// assumes nothing about the distributions. It is NaN if a side has no values.
func mannWhitney(a, b []float64) float64 {
	test, err := moremath.MannWhitneyUTest(a, b, moremath.LocationDiffers)
	switch err {
	case nil:
		return test.P
	case moremath.ErrSamplesEqual:
		return 1
	}
	return math.NaN()
}

// apart returns b - a for two independent measurements. Unless both have an interval, the
// interval is unknown.
func apart(a, b stats.Interval) difference {
	if !known(a) || !known(b) {
		return untested(stats.Exactly(b.Value - a.Value))
	}
	return untested(b.Minus(a))
}

// jackknife returns an estimate from its value over all n parts and its values without each
// part. Its interval is Student's with n - 1 degrees of freedom (B. Efron, "The Jackknife,
// the Bootstrap and Other Resampling Plans", 1982).
func jackknife(value float64, without []float64) difference {
	n := float64(len(without))
	_, variance := stat.PopMeanVariance(without, nil)
	if len(without) < 2 || variance == 0 {
		return untested(stats.Exactly(value))
	}
	return student(value, math.Sqrt((n-1)*variance), n-1)
}
