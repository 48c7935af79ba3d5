package match

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"alamos/pkg/stats"
)

// SPSA looks for the values of some settings at which a player scores most, by simultaneous
// perturbation: J. C. Spall, "Multivariate stochastic approximation using a simultaneous
// perturbation gradient approximation" (1992) and "Implementation of the simultaneous
// perturbation algorithm for stochastic optimization" (1998).
//
// Each iteration k is a pair of games between theta + c_k d and theta - c_k d. Each component
// of d is 1 or -1 at random, so that one result measures the slope along all settings at once.
// Then theta moves by a_k / c_k d times the difference of the points. The gains a_k and c_k
// are those of fishtest, the testing framework of Stockfish: they are given by their values
// at the last iteration.
//
// Values are in parts of their ranges inside, from 0 to 1, on the scales of [Range].
type SPSA struct {
	Ranges []Range
	Start  []float64 // values of the ranges before the first pair
	Pairs  int       // iterations
	Seed   uint64

	// Delay is the number of pairs that may be in play at once: pair k is played around theta
	// after pair k-Delay. With 0 one long game would keep all others from beginning. It decides
	// the result, unlike the number of workers.
	Delay int

	path   [][]float64 // path[k] is theta after k pairs
	points []float64   // of the plus player, by pair
}

// Exponents of the gains, from Spall 1998, section III.B, and the part of the iterations in
// which the steps stay large (A).
const (
	stepExponent         = 0.602 // alpha
	perturbationExponent = 0.101 // gamma
	stability            = 0.1
)

// Range is a setting that SPSA moves between two bounds. The scale is logarithmic if the
// lower bound is above 0 and the numbers are not whole.
type Range struct {
	Key       string
	Low, High float64
	Whole     bool // values are rounded

	// C is the perturbation of the last pair, in parts of the range. R is its gain: a pair that
	// is won by one point moves the value by R*C parts of the range. 0 means the default.
	C, R float64
}

// Defaults of the gains. They lost the least Elo in simulations of 2 and 4 settings and 300 to
// 4,000 pairs, with 20 to 400 Elo lost at half a range from the best value. Longer searches
// make smaller steps: the steps of all pairs together, each won by one point, are travel
// ranges long if the gains stay as they are at the end.
const (
	defaultC = 0.15
	travel   = 2.5
)

func (r *Range) logarithmic() bool { return r.Low > 0 && !r.Whole }

// part returns the place of a value in the range, from 0 to 1.
func (r *Range) part(x float64) float64 {
	if r.logarithmic() {
		return math.Log(x/r.Low) / math.Log(r.High/r.Low)
	}
	return (x - r.Low) / (r.High - r.Low)
}

// value is the inverse of part, within the bounds.
func (r *Range) value(part float64) float64 {
	part = min(1, max(0, part))
	x := r.Low + part*(r.High-r.Low)
	if r.logarithmic() {
		x = r.Low * math.Pow(r.High/r.Low, part)
	}
	if r.Whole {
		x = math.Round(x)
	}
	return min(r.High, max(r.Low, x)) // rounding errors of Pow
}

// gains returns the perturbation of a pair, numbered from 0, and the step for each point by
// which it is won.
func (s *SPSA) gains(r *Range, pair int) (perturbation, step float64) {
	n, k := float64(s.Pairs), float64(pair+1)
	c := cmp.Or(r.C, defaultC)
	if r.Whole { // the players must differ after rounding
		c = max(c, 0.5/(r.High-r.Low))
	}
	gain := cmp.Or(r.R, travel/(c*n))
	perturbation = c * math.Pow(n/k, perturbationExponent)
	a := gain * c * c * math.Pow((stability*n+n)/(stability*n+k), stepExponent)
	return perturbation, a / perturbation
}

// validate checks the bounds and the gains.
func (r *Range) validate() error {
	switch {
	case !(r.Low < r.High):
		return fmt.Errorf("%s: want the lower bound first, have %g..%g", r.Key, r.Low, r.High)
	case !(r.C >= 0 && r.C <= 0.5 && r.R >= 0):
		return fmt.Errorf("%s: want c from 0 to 0.5 of the range, and r of 0 or more, have %g and %g", r.Key, r.C, r.R)
	}
	return nil
}

func (s *SPSA) validate() error {
	if s.Pairs < 1 || s.Delay < 0 || len(s.Ranges) == 0 || len(s.Start) != len(s.Ranges) {
		return fmt.Errorf("match: want pairs, and ranges with a start each, have %d, %d and %d", s.Pairs, len(s.Ranges), len(s.Start))
	}
	for i, r := range s.Ranges {
		if err := r.validate(); err != nil {
			return err
		}
		if x := s.Start[i]; !(x >= r.Low && x <= r.High) {
			return fmt.Errorf("%s: it starts at %g, outside of %g..%g: want a range around it, or another start, as in MODEL,%s=%g", r.Key, x, r.Low, r.High, r.Key, r.value(0.5))
		}
	}
	return nil
}

// theta returns the parts after a number of pairs that were added.
func (s *SPSA) theta(pairs int) []float64 {
	if len(s.path) == 0 {
		start := make([]float64, len(s.Ranges))
		for i := range start {
			start[i] = s.Ranges[i].part(s.Start[i])
		}
		s.path = [][]float64{start}
	}
	return s.path[pairs]
}

// Done returns the number of pairs that were added.
func (s *SPSA) Done() int { return len(s.points) }

// ready reports whether the pairs that a pair depends on were added.
func (s *SPSA) ready(pair int) bool { return pair-s.Delay <= s.Done() }

// direction returns 1 or -1.
func (s *SPSA) direction(pair, setting int) float64 {
	return float64(2*int(stats.Derive(s.Seed, pair, setting)>>63) - 1)
}

// Players returns the values of the two players of a pair.
func (s *SPSA) Players(pair int) (plus, minus []float64) {
	theta := s.theta(max(0, pair-s.Delay))
	for i := range s.Ranges {
		r := &s.Ranges[i]
		c, _ := s.gains(r, pair)
		c *= s.direction(pair, i)
		plus, minus = append(plus, r.value(theta[i]+c)), append(minus, r.value(theta[i]-c))
	}
	return plus, minus
}

// Add moves the values after the next pair. points are those of the plus player, from 0 to 2.
func (s *SPSA) Add(points float64) {
	pair := s.Done()
	moved := slices.Clone(s.theta(pair))
	for i := range moved {
		_, step := s.gains(&s.Ranges[i], pair)
		moved[i] = min(1, max(0, moved[i]+step*s.direction(pair, i)*2*(points-1)))
	}
	s.path, s.points = append(s.path, moved), append(s.points, points)
}

// Values returns the values after a number of pairs that were added.
func (s *SPSA) Values(pairs int) []float64 { return s.values(s.theta(pairs)) }

func (s *SPSA) values(parts []float64) []float64 {
	values := make([]float64, len(parts))
	for i := range parts {
		values[i] = s.Ranges[i].value(parts[i])
	}
	return values
}

// Mean returns the mean of the values over the last quarter of the pairs, which varies less
// than the last values.
func (s *SPSA) Mean() []float64 {
	mean := make([]float64, len(s.Ranges))
	first := s.Done() - s.Done()/4
	for k := first; k <= s.Done(); k++ {
		for i, x := range s.theta(k) {
			mean[i] += x / float64(s.Done()-first+1)
		}
	}
	return s.values(mean)
}
