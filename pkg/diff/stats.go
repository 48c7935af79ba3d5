package diff

import (
	"math"

	moremath "github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"alamos/pkg/stats"
)

// alpha is the level of all tests; intervals hold 1 - alpha.
const alpha = 0.05

// difference is an estimated difference and the p-value of a test that there is none,
// NaN without a test.
type difference struct {
	stats.Interval
	p float64
}

// untested is a difference of which only the interval is known, or not even that.
func untested(i stats.Interval) difference { return difference{i, math.NaN()} }

// known reports whether an interval is more than a point.
func known(i stats.Interval) bool { return i.Low < i.High }

// student is an estimate whose error has Student's t distribution.
func student(value, standardError, freedom float64) difference {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
	return difference{
		stats.Around(value, t.Quantile(1-alpha/2)*standardError),
		2 * t.CDF(-math.Abs(value)/standardError),
	}
}

// mean is the mean of differences, with Student's t-test from two values on that are
// not all alike.
func mean(x []float64) difference {
	m, variance := stat.MeanVariance(x, nil)
	if len(x) < 2 || variance == 0 {
		return untested(stats.Exactly(m))
	}
	n := float64(len(x))
	return student(m, math.Sqrt(variance/n), n-1)
}

// welch is the difference of the means of two samples whose variances may differ, b
// less a, with Welch's t-test. Without two values on each side, or where neither side
// varies, only the difference is known.
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

// mannWhitney returns the two-sided p-value of the rank-sum test of Mann and Whitney,
// which assumes nothing about the distributions; NaN where a side has no values.
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

// apart is b less a where the two were measured apart from one another. Unless both
// have an interval, only the difference is known.
func apart(a, b stats.Interval) difference {
	if !known(a) || !known(b) {
		return untested(stats.Exactly(b.Value - a.Value))
	}
	return untested(b.Minus(a))
}

// jackknife is an estimate from its value over all n parts and over all but each one.
// Its interval is Student's with n - 1 degrees of freedom (B. Efron, "The Jackknife, the
// Bootstrap and Other Resampling Plans", 1982).
func jackknife(value float64, without []float64) difference {
	n := float64(len(without))
	_, variance := stat.PopMeanVariance(without, nil)
	if len(without) < 2 || variance == 0 {
		return untested(stats.Exactly(value))
	}
	return student(value, math.Sqrt((n-1)*variance), n-1)
}
