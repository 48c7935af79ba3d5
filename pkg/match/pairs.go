package match

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"alamos/pkg/stats"
)

// Pentanomial counts pairs of games by the points that a player made in both: 0, 1/2, 1,
// 3/2, 2. The two games of a pair have the same opening with colors swapped, so their
// results are correlated. Counting pairs removes the opening's share of the variance.
type Pentanomial [5]int

// add counts a pair by the player's points in both games.
func (p *Pentanomial) add(points float64) { p[int(2*points)]++ }

func (p Pentanomial) Pairs() int { return p[0] + p[1] + p[2] + p[3] + p[4] }

// dispersion compares the points of pairs of games with those of independent games without
// draws, of the same expectation. Draws and colors that matter make the points of a pair vary
// less than these.
type dispersion struct {
	squares  float64 // of the differences of points and expectation
	variance float64 // of as many independent games
	pairs    int
}

// add adds the games of players i and j, of which i is expected to score the share p. Games
// without a partner count together, as one pair.
func (d *dispersion) add(r *Results, i, j int, p float64) {
	if i > j {
		i, j, p = j, i, 1-p
	}
	all, points := r.Against(i, j), 0.0
	for k, n := range r.Pairs[i][j] {
		x := float64(k) / 2
		d.squares += float64(n) * (x - 2*p) * (x - 2*p)
		points += float64(n) * x
	}
	pairs := r.Pairs[i][j].Pairs()
	d.pairs += pairs
	if single := float64(all.Games() - 2*pairs); single > 0 {
		d.squares += (all.Score() - points - single*p) * (all.Score() - points - single*p)
		d.pairs++
	}
	d.variance += bernoulli(p, all.Games())
}

// bernoulli returns the variance of the points of n games with the expected share p. One game
// more, a draw, keeps it above 0.
func bernoulli(p float64, n int) float64 {
	p = (p*float64(n) + 0.5) / float64(n+1)
	return float64(n) * p * (1 - p)
}

// estimate returns the dispersion, which is 1 for independent games without draws, and the law of
// errors in units of it. The pairs' expectations have this many parameters. A square of 1, as
// expected without dispersion, is added: where nearly all games are won, their points say little
// about it.
func (d *dispersion) estimate(parameters int) (value float64, law distuv.StudentsT) {
	free := float64(max(0, d.pairs-parameters))
	value = (d.squares + 1) / (d.variance*free/float64(max(1, d.pairs)) + 1)
	return value, distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free + 2}
}

// Share returns the share of the points that player i scored against others, or against all
// if none are given, with its 95 % interval. It is the profile likelihood of a share with the
// dispersion of the pairs, so it stays between 0 and 1. Between two players it agrees with
// [Ratings.Difference]. The strengths of the others are no part of the error.
func (r *Results) Share(i int, others ...int) stats.Interval {
	var d dispersion
	var all stats.Record
	opponents := 0
	if len(others) == 0 {
		for j := range r.Names {
			others = append(others, j)
		}
	}
	for _, j := range others {
		x := r.Against(i, j)
		if x.Games() == 0 || i == j {
			continue
		}
		d.add(r, i, j, x.Share())
		all = all.Plus(x)
		opponents++
	}
	if opponents == 0 {
		return stats.Unknown()
	}
	n, share := float64(all.Games()), all.Share()
	d.variance = bernoulli(share, all.Games())
	value, law := d.estimate(opponents)
	if share == 0 || share == 1 { // equal games say nothing about the dispersion
		value = max(value, 1)
	}
	quantile := law.Quantile(0.975)
	far := func(p float64) bool { return 2*n*divergence(share, p) > quantile*quantile*value }
	return stats.Interval{Value: share, Low: bisect(share, 0, far), High: bisect(share, 1, far)}
}

// divergence returns the Kullback-Leibler divergence of two coins, nats.
func divergence(p, from float64) float64 {
	d := 0.0
	if p > 0 {
		d += p * math.Log(p/from)
	}
	if p < 1 {
		d += (1 - p) * math.Log((1-p)/(1-from))
	}
	return d
}

// bisect returns where a condition begins to hold on the way from a number to another.
func bisect(from, to float64, holds func(float64) bool) float64 {
	for range 100 {
		if x := (from + to) / 2; holds(x) {
			to = x
		} else {
			from = x
		}
	}
	return to
}

// Statistics is the strength of a player relative to its opponent. The share and the Elo
// are those of [Results.Share] and [Ratings.Difference].
type Statistics struct {
	Score stats.Interval `json:"score"` // fraction of points scored
	Elo   stats.Interval `json:"elo"`   // logistic, see [Rate]

	// Normalized is the normalized Elo: the score minus 1/2, in units of the standard
	// deviation of a game, times 800 / ln 10. It determines how many games are needed to
	// see the difference, whatever the draw rate (M. Van den Bergh, "Normalized Elo",
	// 2021). It is NaN if all pairs have the same result.
	Normalized stats.Interval `json:"normalized_elo"`

	LOS stats.Float `json:"los"` // likelihood of superiority: the probability that the player is stronger
}

// normalizedScale is the normalized Elo of a score one standard deviation of a game above
// 1/2.
const normalizedScale = 800 / math.Ln10

// statistics compares the first of two players with the second.
func (r *Results) statistics() (Statistics, *Ratings, error) {
	s := Statistics{r.Share(0, 1), stats.Unknown(), r.Pairs[0][1].normalized(), stats.Float(math.NaN())}
	ratings, err := Rate(r, "")
	if err == nil {
		s.Elo, s.LOS = ratings.Difference(0, 1), stats.Float(ratings.LOS(0, 1))
	}
	return s, ratings, err
}

// normalized returns the normalized Elo. Its interval assumes a normal error of the mean over
// pairs.
func (p Pentanomial) normalized() stats.Interval {
	for _, n := range p {
		if n == p.Pairs() {
			return stats.Unknown()
		}
	}
	d := p.distribution()
	mean, deviation := d.moments()
	perGame := deviation * math.Sqrt2 // the two games of a pair are taken as independent
	return stats.Around(normalizedScale*(mean-0.5)/perGame, normalizedScale*stats.Normal95/math.Sqrt(2*d.pairs))
}
