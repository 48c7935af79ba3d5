package search

import (
	"math"
	"math/rand/v2"
)

// addNoise mixes Dirichlet noise into the priors of the root, which has edges, and
// tells whether there is any.
func (t *Tree) addNoise() bool {
	weight := t.cfg.Noise.Weight
	if weight <= 0 || t.still {
		return false
	}
	edges := t.edgesOf(&t.nodes[0])
	noise := dirichlet(t.rng, t.cfg.Noise.Alpha, len(edges))
	for i := range edges {
		e := &edges[i]
		e.prior = float32((1-weight)*float64(e.prior) + weight*noise[i])
		e.bonus = e.prior / float32(1+e.visits) // no visit waits
	}
	return true
}

// dirichlet draws n numbers of sum 1 from the symmetric Dirichlet
// distribution: gamma variates of shape alpha divided by their sum. They are
// kept as logarithms, since those of a small shape underflow.
func dirichlet(rng *rand.Rand, alpha float64, n int) []float64 {
	x := make([]float64, n)
	highest := math.Inf(-1)
	for i := range x {
		x[i] = logGamma(rng, alpha)
		highest = max(highest, x[i])
	}
	var sum float64
	for i := range x {
		x[i] = math.Exp(x[i] - highest)
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
	return x
}

// logGamma draws the logarithm of a gamma variate of the given shape and
// scale 1 by the method of Marsaglia and Tsang (A Simple Method for Generating
// Gamma Variables, 2000): exact, by rejection. A shape below 1 is one above
// it, boosted by a uniform variate.
func logGamma(rng *rand.Rand, shape float64) float64 {
	boost := 0.0
	if shape < 1 {
		boost = math.Log(1-rng.Float64()) / shape
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < x*x/2+d*(1-v+math.Log(v)) {
			return boost + math.Log(d*v)
		}
	}
}
