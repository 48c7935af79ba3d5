package stats

import (
	"cmp"
	"math"
	"slices"

	moremath "github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Alpha is the level of all tests. Intervals have the confidence 1 - Alpha.
const Alpha = 0.05

// Better is the preferred direction of a measure.
type Better string

const (
	Neither Better = "" // no preference
	Higher  Better = "higher"
	Lower   Better = "lower"
)

// Gain returns the improvement that a difference means.
func (b Better) Gain(difference float64) float64 {
	if b == Lower {
		return -difference
	}
	return difference
}

// Difference is an estimated difference and the p-value of a two-sided test of no difference,
// which is NaN without a test.
type Difference struct {
	Interval
	P float64
}

// Untested is a difference without a test. Its interval may be unknown.
func Untested(i Interval) Difference { return Difference{i, math.NaN()} }

// student returns an estimate with Student's t distribution of errors.
func student(value, standardError, freedom float64) Difference {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
	return Difference{
		Around(value, t.Quantile(1-Alpha/2)*standardError),
		2 * t.CDF(-math.Abs(value)/standardError),
	}
}

// Paired returns the mean of differences. It applies Student's t-test to two or more values that
// are not all equal.
func Paired(differences []float64) Difference {
	n := float64(len(differences))
	mean, variance := stat.MeanVariance(differences, nil)
	if n < 2 || variance == 0 {
		return Untested(Exactly(mean))
	}
	return student(mean, math.Sqrt(variance/n), n-1)
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
	return student(d, math.Sqrt(varianceA/float64(len(a))+varianceB/float64(len(b))), test.DoF)
}

// WelchP returns only the p-value of [Welch], without the slow quantiles of an interval.
func WelchP(a, b []float64) float64 {
	test, err := moremath.TwoSampleWelchTTest(&moremath.Sample{Xs: a}, &moremath.Sample{Xs: b}, moremath.LocationDiffers)
	if err != nil {
		return math.NaN()
	}
	return test.P
}

// SampleSize returns how many values each of two samples needs so that Student's t-test at the
// level alpha finds a difference of their means with the probability power. Both have this
// standard deviation (G. W. Snedecor and W. G. Cochran, "Statistical Methods", 1989, section 6.14).
func SampleSize(difference, deviation, alpha, power float64) int {
	effect := math.Abs(difference) / deviation
	z := distuv.UnitNormal.Quantile(1-alpha/2) + distuv.UnitNormal.Quantile(power)
	for n := max(2, math.Floor(2*z*z/(effect*effect))); ; n++ { // Student's quantiles need a little more
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: 2*n - 2}
		if n >= math.MaxInt32 || effect*math.Sqrt(n/2) >= t.Quantile(1-alpha/2)+t.Quantile(power) {
			return int(min(n, math.MaxInt32))
		}
	}
}

// Apart returns the difference of two independent measurements, b - a. Its p-value takes the
// interval as that of a normal error. Unless both have an interval, there is no test.
func Apart(a, b Interval) Difference {
	if !a.HasWidth() || !b.HasWidth() {
		return Untested(Exactly(b.Value - a.Value))
	}
	return Tested(b.Minus(a))
}

// ApartInPool is Apart of the points of two players of one pool: of the games behind each value they
// played the share mutual against each other, where what one wins, the other loses. The variance of
// the difference is that of independent games times 1 + mutual.
func ApartInPool(a, b Interval, mutual float64) Difference {
	wider := math.Sqrt(1 + mutual)
	return Apart(a.Widened(wider), b.Widened(wider))
}

// Tested returns a difference with the p-value that its interval has as that of a normal error;
// without an interval there is no test.
func Tested(d Interval) Difference {
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
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
	out, most := slices.Clone(p), 0.0
	for at, i := range order {
		most = max(most, min(1, float64(len(order)-at)*p[i]))
		out[i] = most
	}
	return out
}

// HolmPairs compares one of n groups with all others. It returns the p-values, corrected by
// [Holm] for all pairs of groups, since the group may have been chosen by its values. p returns
// the p-value of a pair, NaN for no test.
func HolmPairs(n, one int, p func(i, j int) float64) []float64 {
	var pairs [][2]int
	var all []float64
	for i := range n {
		for j := range i {
			pairs, all = append(pairs, [2]int{i, j}), append(all, p(i, j))
		}
	}
	out := slices.Repeat([]float64{math.NaN()}, n)
	for k, adjusted := range Holm(all) {
		switch one {
		case pairs[k][0]:
			out[pairs[k][1]] = adjusted
		case pairs[k][1]:
			out[pairs[k][0]] = adjusted
		}
	}
	return out
}

// MannWhitney returns the two-sided p-value of the rank-sum test of Mann and Whitney, which
// assumes nothing about the distributions. It is NaN if a side has no values. It is twice the
// smaller of the one-sided p-values, since the distribution of ranks with ties is not symmetric.
func MannWhitney(a, b []float64) float64 {
	less, err := moremath.MannWhitneyUTest(a, b, moremath.LocationLess)
	switch err {
	case nil:
		more, _ := moremath.MannWhitneyUTest(b, a, moremath.LocationLess)
		return min(1, 2*min(less.P, more.P))
	case moremath.ErrSamplesEqual:
		return 1
	}
	return math.NaN()
}

// Jackknife returns an estimate from its value over all n parts and its values without each
// part. Its interval is Student's with n - 1 degrees of freedom (B. Efron, "The Jackknife,
// the Bootstrap and Other Resampling Plans", 1982).
func Jackknife(value float64, without []float64) Difference {
	n := float64(len(without))
	_, variance := stat.PopMeanVariance(without, nil)
	if len(without) < 2 || variance == 0 {
		return Untested(Exactly(value))
	}
	return student(value, math.Sqrt((n-1)*variance), n-1)
}
