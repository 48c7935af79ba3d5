package match

import (
	"fmt"
	"math"
)

// SPRT is a sequential probability ratio test (A. Wald, 1945) between two
// hypotheses on a player's strength against another: that it is Elo0, and that it is
// Elo1. After every pair of games it says whether one has become so much more
// likely than the other that no more games are needed.
type SPRT struct {
	Elo0, Elo1 float64

	// Normalized says that the two are normalized Elo (see [Statistics]),
	// otherwise logistic Elo.
	Normalized bool

	// Alpha is the probability to accept Elo1 where Elo0 is true, Beta that to
	// accept Elo0 where Elo1 is true.
	Alpha, Beta float64
}

// Verdict is what a test says.
type Verdict int

const (
	GoOn    Verdict = iota // neither is likely enough yet
	Accept0                // Elo0: no improvement
	Accept1                // Elo1: an improvement
)

func (v Verdict) String() string { return [...]string{"go on", "H0 accepted", "H1 accepted"}[v] }

// Validate returns an error for a test that says nothing.
func (s SPRT) Validate() error {
	switch {
	case !(s.Elo0 < s.Elo1) || math.IsInf(s.Elo0, 0) || math.IsInf(s.Elo1, 0):
		return fmt.Errorf("arena: SPRT: want elo0 below elo1, have %v and %v", s.Elo0, s.Elo1)
	case !(0 < s.Alpha && s.Alpha < 0.5):
		return fmt.Errorf("arena: SPRT: alpha: want a probability between 0 and 0.5, have %v", s.Alpha)
	case !(0 < s.Beta && s.Beta < 0.5):
		return fmt.Errorf("arena: SPRT: beta: want a probability between 0 and 0.5, have %v", s.Beta)
	}
	return nil
}

// Bounds are the log-likelihood ratios at which the test ends.
func (s SPRT) Bounds() (lower, upper float64) {
	return math.Log(s.Beta / (1 - s.Alpha)), math.Log((1 - s.Beta) / s.Alpha)
}

// Test gives the logarithm of the generalized likelihood ratio of Elo1 to Elo0, and
// what follows from it. The likelihood of a hypothesis is that of the distribution
// of pairs that fits the counts best among all with its strength.
func (s SPRT) Test(p Pentanomial) (llr float64, v Verdict) {
	if p.Pairs() == 0 {
		return 0, GoOn
	}
	d := p.distribution()
	var q0, q1 [5]float64
	if s.Normalized {
		// A pair's mean has the standard deviation of a game over root 2.
		q0 = d.fitRatio(s.Elo0 / normalizedScale * math.Sqrt2)
		q1 = d.fitRatio(s.Elo1 / normalizedScale * math.Sqrt2)
	} else {
		q0, q1 = d.fitMean(scoreOf(s.Elo0)), d.fitMean(scoreOf(s.Elo1))
	}
	for i, p := range d.p {
		llr += d.pairs * p * math.Log(q1[i]/q0[i])
	}
	switch lower, upper := s.Bounds(); {
	case llr <= lower:
		return llr, Accept0
	case llr >= upper:
		return llr, Accept1
	}
	return llr, GoOn
}

// fitMean is the distribution of the highest likelihood with this mean, between 0
// and 1. By Lagrange it is p/(1 + x (share - mean)), with the x at which it sums to
// one and has the mean.
func (d *distribution) fitMean(mean float64) [5]float64 {
	var off [5]float64
	for i := range off {
		off[i] = shareOfPair(i) - mean
	}
	return d.tilt(off)
}

// fitRatio is the distribution of the highest likelihood whose mean is so many of its
// own standard deviations above one half. The condition is not linear: each round
// solves it as it stands to first order about the distribution of the last.
func (d *distribution) fitRatio(ratio float64) [5]float64 {
	q := distribution{p: d.p}
	for range 200 {
		mean, deviation := q.moments()
		// The derivative of mean - 1/2 - ratio * deviation by each probability, made
		// to have the mean of the condition under q.
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

// tilt is p/(1 + x off) with the x at which off has the mean 0: the root of the
// falling function sum p off/(1 + x off) between the poles at which a probability
// would be negative. Where off has one sign there is no such x, and p stays.
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
	for range 200 { // to the last bit
		x := (low + high) / 2
		sum := 0.0
		for i, o := range off {
			sum += d.p[i] * o / (1 + x*o)
		}
		if sum > 0 {
			low = x
		} else {
			high = x
		}
	}
	x := (low + high) / 2
	var q [5]float64
	for i, o := range off {
		q[i] = d.p[i] / (1 + x*o)
	}
	return q
}
