package match

import (
	"fmt"
	"math"

	"alamos/pkg/stats"
)

// Pentanomial counts pairs of games, the same opening with colors swapped, by the
// points that a player made in both: 0, 1/2, 1, 3/2, 2. The two games of a pair go
// together, so that a pair and not a game is the unit of chance; counting pairs
// takes the share of the opening out of the error.
type Pentanomial [5]int

// Add counts a pair by the player's points in its two games, each 0, 1/2 or 1.
func (p *Pentanomial) Add(first, second float64) error {
	points := 2 * (first + second)
	if i := int(points); points == float64(i) && 0 <= i && i < len(p) {
		p[i]++
		return nil
	}
	return fmt.Errorf("arena: %v and %v are no points of two games", first, second)
}

// Pairs is the number of pairs.
func (p Pentanomial) Pairs() int { return p[0] + p[1] + p[2] + p[3] + p[4] }

// Statistics is what pairs tell of a player's strength against the other.
type Statistics struct {
	Score stats.Interval // share of the points
	Elo   stats.Interval // logistic: 400 log10(score / (1 - score))

	// Normalized is the normalized Elo: the score above one half in units of the
	// standard deviation of a game, times 800 / ln 10. It tells how many games it
	// takes to see the difference, whatever the share of draws (M. Van den Bergh,
	// "Normalized Elo", 2021).
	Normalized stats.Interval

	LOS float64 // likelihood of superiority: the probability that the player is stronger
}

// normalizedScale is the normalized Elo of a score that is one standard deviation
// of a game above one half.
const normalizedScale = 800 / math.Ln10

// Statistics estimates strength; intervals are those of a normal error of the mean
// of pairs, with counts of zero taken as a thousandth so that there is one. Without
// pairs all is NaN.
func (p Pentanomial) Statistics() Statistics {
	if p.Pairs() == 0 {
		return Statistics{stats.Unknown(), stats.Unknown(), stats.Unknown(), math.NaN()}
	}
	d := p.distribution()
	mean, deviation := d.moments()
	stderr := deviation / math.Sqrt(d.pairs)
	score := stats.Around(mean, stats.Normal95*stderr)
	perGame := deviation * math.Sqrt2 // of the mean of two games that go their own ways
	t, half := (mean-0.5)/perGame, stats.Normal95/math.Sqrt(2*d.pairs)
	return Statistics{
		Score:      score,
		Elo:        stats.Interval{Value: eloOf(score.Value), Low: eloOf(score.Low), High: eloOf(score.High)},
		Normalized: stats.Around(normalizedScale*t, normalizedScale*half),
		LOS:        (1 + math.Erf((mean-0.5)/stderr/math.Sqrt2)) / 2,
	}
}

// eloOf is the logistic difference that gives an expected score, infinite beyond
// 0 and 1.
func eloOf(score float64) float64 {
	score = min(1, max(0, score))
	return scale * (math.Log(score) - math.Log1p(-score))
}

// scoreOf is the expected score at a logistic difference.
func scoreOf(elo float64) float64 { return 1 / (1 + math.Exp(-elo/scale)) }

// distribution is a distribution of the share of the points made in a pair: 0,
// 1/4, ..., 1.
type distribution struct {
	pairs float64
	p     [5]float64
}

func shareOfPair(i int) float64 { return float64(i) / 4 }

// distribution is the one that was observed.
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

// moments are the mean and the standard deviation.
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
