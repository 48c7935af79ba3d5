package selfplay

import (
	"math"

	"alamos/pkg/encode"
)

// leastPrior stands for a smaller prior where surprise is measured, so that a move
// that the network rules out altogether is not infinitely surprising.
const leastPrior = 1e-8

// surprise is how far the search went from what the network thought: the
// Kullback-Leibler divergence of the target of s from the priors of the same moves,
// in nats.
func surprise(s *encode.Sample, priors []float64) float64 {
	var sum float64
	for i, p := range s.Policy {
		if p > 0 {
			sum += float64(p) * math.Log(float64(p)/max(priors[i], leastPrior))
		}
	}
	return max(0, sum)
}

// repeat writes each sample of a finished game as often as its weight says: policy
// surprise weighting, as KataGo does it (its docs/KataGoMethods.md). Of the n samples
// of a game, with the surprises D, sample i has the weight
//
//	(1 - share) + share * n * D(i) / (sum of all D)
//
// and is there as often as the whole part of that, and once more with the
// probability of its fraction. The weights sum to n: on average there are as many
// samples as without.
func (t *table) repeat(r *Record) {
	share := t.cfg.Surprise
	if share == 0 {
		return // no number is drawn, which would change nothing but costs time
	}
	var total float64
	for _, d := range t.surprises {
		total += d
	}
	var all []encode.Sample
	for i, s := range r.Samples {
		weight := 1.0
		if total > 0 {
			weight = 1 - share + share*float64(len(r.Samples))*t.surprises[i]/total
		}
		for weight += t.rng.Float64(); weight >= 1; weight-- {
			all = append(all, s)
		}
	}
	r.Samples = all
}
