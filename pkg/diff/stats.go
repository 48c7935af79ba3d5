package diff

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// alpha is the level of all tests; intervals hold 1 - alpha.
const alpha = 0.05

// estimate is a number with its interval and the p-value of a test against 0.
// What is not known is NaN.
type estimate struct{ value, low, high, p float64 }

var nan = math.NaN()

// bare is a number of which nothing more is known.
func bare(value float64) estimate { return estimate{value, nan, nan, nan} }

// known says whether there is an interval.
func (e estimate) known() bool { return e.low < e.high }

// student is an estimate whose error has Student's t distribution.
func student(value, standardError, freedom float64) estimate {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
	half := t.Quantile(1-alpha/2) * standardError
	return estimate{value, value - half, value + half, 2 * t.CDF(-math.Abs(value)/standardError)}
}

// mean is the mean of a sample, with an interval from two values on that are
// not all alike.
func mean(x []float64) estimate {
	m, v := stat.MeanVariance(x, nil)
	if len(x) < 2 || v == 0 {
		return bare(m)
	}
	n := float64(len(x))
	return student(m, math.Sqrt(v/n), n-1)
}

// welch compares two samples whose variances may differ: the difference of their
// means, b less a (B. L. Welch, "The generalization of Student's problem when
// several different population variances are involved", Biometrika 34, 1947).
// Nothing but the difference is known of less than two values on a side, or where
// neither side varies.
func welch(a, b []float64) estimate {
	ma, va := stat.MeanVariance(a, nil)
	mb, vb := stat.MeanVariance(b, nil)
	na, nb := float64(len(a)), float64(len(b))
	if len(a) < 2 || len(b) < 2 || va+vb == 0 {
		return bare(mb - ma)
	}
	ea, eb := va/na, vb/nb
	freedom := (ea + eb) * (ea + eb) / (ea*ea/(na-1) + eb*eb/(nb-1))
	return student(mb-ma, math.Sqrt(ea+eb), freedom)
}

// exactRanks is the number of values up to which the distribution of ranks is
// counted out, ties and all.
const exactRanks = 50

// mannWhitney returns the two-sided p-value of the rank-sum test of Mann and
// Whitney, which asks nothing of the distributions: the probability that ranks
// given out at random lie as far from their mean. Of many values it takes the
// normal approximation, corrected for ties and continuity.
func mannWhitney(a, b []float64) float64 {
	n, all := len(a), len(a)+len(b)
	if n == 0 || n == all {
		return nan
	}
	ranks, ties := doubledRanks(append(slices.Clone(a), b...))
	sum, total := 0, 0
	for i, r := range ranks {
		if total += r; i < n {
			sum += r
		}
	}
	// In doubled ranks; the mean of sum is n/all of the total.
	away := math.Abs(float64(sum) - float64(n)*float64(total)/float64(all))
	if all <= exactRanks {
		return rankTail(ranks, n, away)
	}
	N := float64(all)
	variance := float64(n) * float64(all-n) / 12 * (N + 1 - ties/(N*(N-1)))
	if variance == 0 {
		return 1
	}
	z := max(0, away/2-0.5) / math.Sqrt(variance)
	return math.Erfc(z / math.Sqrt2)
}

// doubledRanks are twice the ranks of values, equal ones sharing the mean of
// theirs; ties is the sum of t^3 - t over groups of t equal values.
func doubledRanks(x []float64) (ranks []int, ties float64) {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	ranks = make([]int, len(x))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && x[order[j]] == x[order[i]] {
			j++
		}
		for _, k := range order[i:j] {
			ranks[k] = i + 1 + j // twice the mean of i+1 .. j
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return ranks, ties
}

// rankTail is the share of all choices of n ranks whose sum is at least away from
// the mean of such sums.
func rankTail(ranks []int, n int, away float64) float64 {
	total := 0
	for _, r := range ranks {
		total += r
	}
	ways := make([][]float64, n+1) // ways[k][s]: choices of k ranks with sum s
	for k := range ways {
		ways[k] = make([]float64, total+1)
	}
	ways[0][0] = 1
	for i, r := range ranks {
		for k := min(i+1, n); k > 0; k-- {
			for s := total; s >= r; s-- {
				ways[k][s] += ways[k-1][s-r]
			}
		}
	}
	mean := float64(n) * float64(total) / float64(len(ranks))
	tail, sum := 0.0, 0.0
	for s, w := range ways[n] {
		sum += w
		if math.Abs(float64(s)-mean) >= away-1e-9 {
			tail += w
		}
	}
	return tail / sum
}

// apart is b less a where the two were measured apart from one another: each end
// of the interval is as far off as the two errors that push it there together. Of
// shares with Wilson's intervals it is method 10 of R. G. Newcombe, "Interval
// estimation for the difference between independent proportions", Statistics in
// Medicine 17, 1998; of any others see G. Y. Zou and A. Donner, "Construction of
// confidence limits about effect measures", Statistics in Medicine 27, 2008.
func apart(a, b estimate) estimate {
	d := b.value - a.value
	if !a.known() || !b.known() {
		return bare(d)
	}
	return estimate{d, d - math.Hypot(b.value-b.low, a.high-a.value), d + math.Hypot(b.high-b.value, a.value-a.low), nan}
}

// jackknife is an estimate made of n parts, from its value over all of them and
// over all but each one; its interval is Student's with n - 1 degrees of freedom
// (B. Efron, "The Jackknife, the Bootstrap and Other Resampling Plans", 1982).
func jackknife(value float64, without []float64) estimate {
	n := float64(len(without))
	m := stat.Mean(without, nil)
	sum := 0.0
	for _, x := range without {
		sum += (x - m) * (x - m)
	}
	if len(without) < 2 || sum == 0 {
		return bare(value)
	}
	return student(value, math.Sqrt((n-1)/n*sum), n-1)
}
