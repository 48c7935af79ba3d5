package match

import (
	"fmt"
	"math"

	"alamos/pkg/stats"
)

// distribution is a distribution of the share of points in a pair: 0, 1/4, ..., 1.
type distribution struct {
	pairs float64
	p     [5]float64
}

func shareOfPair(i int) float64 { return float64(i) / 4 }

// distribution returns the observed distribution.
func (p Pentanomial) distribution() distribution {
	var d distribution
	for i, n := range p {
		d.p[i] = max(float64(n), 1e-3)
		d.pairs += d.p[i]
	}
	for i := range d.p {
		d.p[i] /= d.pairs
	}
	return d
}

// moments returns the mean and the standard deviation.
func (d *distribution) moments() (mean, deviation float64) {
	for i, p := range d.p {
		mean += p * shareOfPair(i)
	}
	var variance float64
	for i, p := range d.p {
		variance += p * (shareOfPair(i) - mean) * (shareOfPair(i) - mean)
	}
	return mean, math.Sqrt(variance)
}

// SPRT is a sequential probability ratio test (A. Wald, 1945) of two hypotheses about a
// player's strength: Elo0 and Elo1. After every pair of games it decides whether one
// hypothesis is likely enough, relative to the other, to stop.
type SPRT struct {
	Elo0 float64 `json:"elo0"`
	Elo1 float64 `json:"elo1"`

	// Model is the kind of Elo of the hypotheses: Logistic or Normalized, see [Statistics].
	Model string `json:"elo_model"`

	// Alpha is the probability of accepting Elo1 when Elo0 is true. Beta is the probability
	// of accepting Elo0 when Elo1 is true.
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"`
}

// Models of an [SPRT].
const (
	Logistic   = "logistic"
	Normalized = "normalized"
)

// Verdicts of a test.
const (
	Undecided = "undecided"
	Accept0   = "H0 accepted" // no improvement
	Accept1   = "H1 accepted" // an improvement
)

// Test is the state of a sequential test.
type Test struct {
	SPRT
	LLR     stats.Float `json:"llr"`   // log-likelihood ratio of Elo1 to Elo0
	Lower   float64     `json:"lower"` // LLR at which Elo0 is accepted
	Upper   float64     `json:"upper"`
	Verdict string      `json:"verdict"`
}

// mostNormalized bounds normalized Elo: from about 231.6 on no mean of the uniform distribution, from
// which the fit begins, is as strong.
const mostNormalized = 230

// Validate returns an error for a test that makes no sense.
func (s SPRT) Validate() error {
	switch {
	case !(s.Elo0 < s.Elo1) || math.IsInf(s.Elo0, 0) || math.IsInf(s.Elo1, 0):
		return fmt.Errorf("match: SPRT: want elo0 below elo1, have %v and %v", s.Elo0, s.Elo1)
	case s.Model == Normalized && max(-s.Elo0, s.Elo1) > mostNormalized:
		return fmt.Errorf("match: SPRT: want elo0 and elo1 between -%d and %d, have %v and %v: further apart, use the logistic model", mostNormalized, mostNormalized, s.Elo0, s.Elo1)
	case !(0 < s.Alpha && s.Alpha < 0.5 && 0 < s.Beta && s.Beta < 0.5):
		return fmt.Errorf("match: SPRT: want alpha and beta between 0 and 0.5, have %v and %v", s.Alpha, s.Beta)
	}
	return nil
}

// Test returns the state of the test after these pairs. The likelihood of a hypothesis is
// the maximum likelihood over all distributions of pairs with that strength.
func (s SPRT) Test(p Pentanomial) Test {
	t := Test{SPRT: s, Lower: math.Log(s.Beta / (1 - s.Alpha)), Upper: math.Log((1 - s.Beta) / s.Alpha), Verdict: Undecided}
	if p.Pairs() == 0 {
		return t
	}
	d := p.distribution()
	fit := func(elo float64) [5]float64 { return d.fitMean(scoreOf(elo)) }
	if s.Model == Normalized {
		// The standard deviation of a pair's mean is that of a game divided by root 2.
		fit = func(elo float64) [5]float64 { return d.fitRatio(elo / normalizedScale * math.Sqrt2) }
	}
	q0, q1 := fit(s.Elo0), fit(s.Elo1)
	llr := 0.0
	for i, p := range d.p {
		llr += d.pairs * p * math.Log(q1[i]/q0[i])
	}
	t.LLR = stats.Float(llr)
	switch {
	case llr <= t.Lower:
		t.Verdict = Accept0
	case llr >= t.Upper:
		t.Verdict = Accept1
	}
	return t
}

// fitMean returns the maximum-likelihood distribution with this mean, between 0 and 1. With
// a Lagrange multiplier x it is p/(1 + x (share - mean)), where x makes the sum 1 and the
// mean right.
func (d *distribution) fitMean(mean float64) [5]float64 {
	var off [5]float64
	for i := range off {
		off[i] = shareOfPair(i) - mean
	}
	return d.tilt(off)
}

// fitRatio returns the maximum-likelihood distribution whose mean exceeds 1/2 by ratio
// standard deviations. The constraint is nonlinear, so each iteration solves its
// linearization at the previous distribution. The first is uniform, as in Fishtest: at the
// observed one, of few kinds of pairs, the linearization may have no solution.
func (d *distribution) fitRatio(ratio float64) [5]float64 {
	q := distribution{p: [5]float64{0.2, 0.2, 0.2, 0.2, 0.2}}
	for range 200 {
		mean, deviation := q.moments()
		// off is the derivative of mean - 1/2 - ratio * deviation by each probability,
		// shifted to have the mean of the constraint under q.
		var off [5]float64
		for i := range off {
			z := (shareOfPair(i) - mean) / deviation
			off[i] = shareOfPair(i) - 0.5 - ratio*deviation*(1+z*z)/2
		}
		next := d.tilt(off)
		change := 0.0
		for i := range next {
			change = max(change, math.Abs(next[i]-q.p[i]))
		}
		q.p = next
		if change < 1e-12 {
			break
		}
	}
	return q.p
}

// tilt returns p/(1 + x off) with the x that makes the mean of off zero. This x is the root
// of the falling function sum p off/(1 + x off) between the poles beyond which a
// probability would be negative. If off has one sign only, no such x exists, and tilt
// returns p.
func (d *distribution) tilt(off [5]float64) [5]float64 {
	low, high := math.Inf(-1), math.Inf(1)
	for _, o := range off {
		switch {
		case o > 0:
			low = max(low, -1/o)
		case o < 0:
			high = min(high, -1/o)
		}
	}
	if math.IsInf(low, 0) || math.IsInf(high, 0) {
		return d.p
	}
	x := bisect(low, high, func(x float64) bool {
		sum := 0.0
		for i, o := range off {
			sum += d.p[i] * o / (1 + x*o)
		}
		return sum <= 0
	})
	var q [5]float64
	for i, o := range off {
		q[i] = d.p[i] / (1 + x*o)
	}
	return q
}
