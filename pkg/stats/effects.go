package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Effect is how much of the variance of values one factor explains.
type Effect struct {
	Share Interval // of the variance; an estimate may be below 0 or above 1
	P     float64  // that the factor has no effect; NaN without a test. It is corrected for the number of factors
}

// jackknifeParts is the number of parts whose omission estimates the error of a share.
const jackknifeParts = 10

// withErrors adds intervals to shares, by the jackknife over parts of the values.
func withErrors(n int, effects []Effect, shares func(rows []int) []float64) {
	without := make([][]float64, len(effects)) // shares of each factor
	parts := min(n, jackknifeParts)
	for part := range parts {
		var rows []int
		for i := range n {
			if i%parts != part {
				rows = append(rows, i)
			}
		}
		for f, x := range shares(rows) {
			without[f] = append(without[f], x)
		}
	}
	for f := range effects {
		if !effects[f].Share.Missing() && !slices.ContainsFunc(without[f], math.IsNaN) {
			effects[f].Share = Jackknife(effects[f].Share.Value, without[f]).Interval
		}
	}
}

// anova tests the main effect of each factor by an analysis of variance: does it explain more than
// all other factors do together (sums of squares of type II; Ø. Langsrud, "ANOVA for Unbalanced
// Data", 2003)? levels[f][i] is the level of factor f for y[i]. Interactions count as noise.
//
// A share is the factor's sum of squares as a share of the total, NaN if other factors determine it.
// p is NaN without variation that the factors leave unexplained.
func anova(y []float64, levels [][]int) (shares, p []float64) {
	total := float64(len(y)) * stat.PopVariance(y, nil)
	rest, rank := residual(y, levels)
	free := float64(len(y) - rank)
	for f := range levels {
		restOthers, rankOthers := residual(y, slices.Delete(slices.Clone(levels), f, f+1))
		share, chance := math.NaN(), math.NaN()
		if factor := float64(rank - rankOthers); factor > 0 && total > 0 {
			share = max(0, restOthers-rest) / total
			if free > 0 && rest > 1e-12*total {
				chance = distuv.F{D1: factor, D2: free}.Survival(max(0, (restOthers-rest)/factor/(rest/free)))
			}
		}
		shares, p = append(shares, share), append(p, chance)
	}
	return shares, p
}

// residual fits y by the sum of an effect of each factor's level. It returns the sum of squares
// that is left, and the number of parameters that the levels determine.
func residual(y []float64, levels [][]int) (squares float64, rank int) {
	columns := 1
	for _, l := range levels {
		columns += slices.Max(l)
	}
	x := mat.NewDense(len(y), columns, nil)
	for i := range y {
		x.Set(i, 0, 1)
		at := 1
		for _, l := range levels {
			if l[i] > 0 {
				x.Set(i, at+l[i]-1, 1)
			}
			at += slices.Max(l)
		}
	}
	var svd mat.SVD
	svd.Factorize(x, mat.SVDThinU)
	rank = svd.Rank(1e-9)
	var u mat.Dense
	svd.UTo(&u)
	left := slices.Clone(y)
	for j := range rank {
		direction := mat.Col(nil, j, &u)
		floats.AddScaled(left, -floats.Dot(direction, left), direction)
	}
	return floats.Dot(left, left), rank
}

// MainEffects returns the effect of each factor on y. levels[f][i] is the level of factor f for
// y[i]. The p-values are of an analysis of variance, corrected by Holm.
func MainEffects(y []float64, levels [][]int) []Effect {
	out := make([]Effect, len(levels))
	shares, p := anova(y, levels)
	for f, corrected := range Holm(p) {
		out[f] = Effect{Exactly(shares[f]), corrected}
	}
	withErrors(len(y), out, func(rows []int) []float64 {
		some := make([][]int, len(levels))
		for f, l := range levels {
			some[f] = pick(l, rows)
		}
		shares, _ := anova(pick(y, rows), some)
		return shares
	})
	return out
}

func pick[T any](all []T, rows []int) []T {
	out := make([]T, len(rows))
	for i, row := range rows {
		out[i] = all[row]
	}
	return out
}

// Sizes of the forests of [ForestEffects].
const (
	forestTrees = 60
	forestNulls = 99 // forests of values in random order
	leafSize    = 3
)

// ForestEffects returns the effect of each factor in a random forest (L. Breiman, "Random
// Forests", 2001), for factors with many values. features[f] has the columns of factor f, one
// number for each value of y. The share is half of what the squared error of values out of the
// bag rises by if the factor's columns are permuted, which for factors that add up is the share
// of the variance (B. Gregorutti, B. Michel and P. Saint-Pierre, "Correlation and Variable
// Importance in Random Forests", 2017). The p-value compares it with the greatest of all factors
// in forests of permuted values, which corrects it for the number of factors (P. Westfall and
// S. Young, "Resampling-Based Multiple Testing", 1993; for forests A. Altmann et al.,
// "Permutation Importance: A Corrected Feature Importance Measure", 2010).
func ForestEffects(y []float64, features [][][]float64, seed uint64) []Effect {
	out := make([]Effect, len(features))
	if slices.Min(y) == slices.Max(y) {
		for f := range out {
			out[f] = Effect{Share: Unknown(), P: math.NaN()}
		}
		return out
	}
	all := newForest(y, features, seed).shares()
	above := make([]float64, len(features))
	rng := NewRand(Derive(seed, 1))
	for i := range forestNulls {
		null := newForest(pick(y, rng.Perm(len(y))), features, Derive(seed, 2+i)).shares()
		for f := range features {
			if floats.Max(null) >= all[f] {
				above[f]++
			}
		}
	}
	for f := range features {
		out[f] = Effect{Share: Exactly(all[f]), P: (1 + above[f]) / (1 + forestNulls)}
	}
	withErrors(len(y), out, func(rows []int) []float64 {
		some := make([][][]float64, len(features))
		for f, columns := range features {
			for _, c := range columns {
				some[f] = append(some[f], pick(c, rows))
			}
		}
		return newForest(pick(y, rows), some, seed).shares()
	})
	return out
}

// forest grows trees on samples of values.
type forest struct {
	y        []float64
	features [][][]float64
	columns  [][]float64 // of all factors
	rng      *rand.Rand
}

func newForest(y []float64, features [][][]float64, seed uint64) *forest {
	return &forest{y, features, slices.Concat(features...), NewRand(seed)}
}

// shares returns the share of the variance of each factor, NaN if all values are equal.
func (f *forest) shares() []float64 {
	shares := make([]float64, len(f.features))
	if slices.Min(f.y) == slices.Max(f.y) {
		floats.AddConst(math.NaN(), shares)
		return shares
	}
	variance, trees := stat.PopVariance(f.y, nil), 0
	for range forestTrees {
		sample := make([]int, len(f.y))
		bagged := make([]bool, len(f.y))
		for i := range sample {
			sample[i] = f.rng.IntN(len(f.y))
			bagged[sample[i]] = true
		}
		var out []int
		for i, in := range bagged {
			if !in {
				out = append(out, i)
			}
		}
		if len(out) == 0 {
			continue
		}
		trees++
		t := f.grow(sample)
		squares := func(from []int, first, end int) (mean float64) { // columns from first to end are those of other rows
			for k, i := range out {
				e := f.y[i] - t.predict(f.columns, i, from[k], first, end)
				mean += e * e / float64(len(out))
			}
			return mean
		}
		plain, first := squares(out, 0, 0), 0
		for factor, columns := range f.features {
			from := slices.Clone(out)
			f.rng.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
			end := first + len(columns)
			shares[factor] += squares(from, first, end) - plain
			first = end
		}
	}
	floats.Scale(1/(2*variance*float64(max(1, trees))), shares)
	return shares
}

// node is a node of a regression tree.
type node struct {
	mean        float64
	column      int
	threshold   float64 // values up to it are on the left
	left, right *node   // nil at a leaf
}

// grow grows a tree on a sample. A split considers a third of the columns, as Breiman does.
func (f *forest) grow(sample []int) *node {
	n := &node{mean: stat.Mean(pick(f.y, sample), nil)}
	best := 0.0
	for _, column := range f.rng.Perm(len(f.columns))[:(len(f.columns)+2)/3] {
		x := f.columns[column]
		sorted := slices.SortedStableFunc(slices.Values(sample), func(i, j int) int { return cmp.Compare(x[i], x[j]) })
		left, total := 0.0, n.mean*float64(len(sample))
		for i := 1; i < len(sorted); i++ {
			left += f.y[sorted[i-1]]
			low, high := x[sorted[i-1]], x[sorted[i]]
			if low == high || i < leafSize || len(sorted)-i < leafSize {
				continue
			}
			right := total - left
			if gain := left*left/float64(i) + right*right/float64(len(sorted)-i) - total*n.mean; gain > best {
				best, n.column, n.threshold = gain, column, low
			}
		}
	}
	if best == 0 {
		return n
	}
	var left, right []int
	for _, i := range sample {
		if f.columns[n.column][i] <= n.threshold {
			left = append(left, i)
		} else {
			right = append(right, i)
		}
	}
	n.left, n.right = f.grow(left), f.grow(right)
	return n
}

// predict returns the prediction for a row, whose columns from first to end are those of the row
// other.
func (n *node) predict(columns [][]float64, row, other, first, end int) float64 {
	for n.left != nil {
		i := row
		if n.column >= first && n.column < end {
			i = other
		}
		if columns[n.column][i] <= n.threshold {
			n = n.left
		} else {
			n = n.right
		}
	}
	return n.mean
}
