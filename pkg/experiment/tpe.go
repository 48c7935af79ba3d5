package experiment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize/english"
	"gonum.org/v1/gonum/stat"

	"alamos/pkg/match"
	"alamos/pkg/stats"
)

// TPE has a tree-structured Parzen estimator propose the later trials of a random search
// (Bergstra, Bardenet, Bengio and Kégl, "Algorithms for Hyper-Parameter Optimization", NIPS
// 2011). It models the density of the settings of the best trials and that of the others,
// and proposes settings at which the first is high and the second is low.
//
// Trials run in batches. A batch depends only on the results of those before it, and never
// on the order or time in which its trials end.
type TPE struct {
	Startup int `key:"startup" default:"8" range:"2..10000" unit:"trials" doc:"Number of random trials before the first proposal. They are those of a random search."`
	Batch   int `key:"batch" default:"4" range:"1..10000" unit:"trials" doc:"Number of trials that are proposed at a time. All of them end before the next ones are proposed, so that the search does not depend on timing and the trials of a batch can run at the same time."`
	Objective
}

func (t *TPE) pending(n int) string { return "TPE proposes " + english.Plural(n, "more trial", "") }

// grow adds the trials of the next batch. Settings that are invalid or taken are not proposed.
func (t *TPE) grow(x *expansion, next *Experiment, values []float64) (string, error) {
	draw, taken := x.Random.Draw, map[string]bool{}
	var points, batch [][]float64 // coordinates of the finished and of the proposed trials
	var means, gains []float64    // of the finished ones
	for i := 0; i < len(values); i += x.Seeds {
		points = append(points, draw.coordinates(next.Trials[i].combination))
		mean := stat.Mean(values[i:i+x.Seeds], nil)
		means, gains = append(means, mean), append(gains, t.gain(mean))
		taken[next.Trials[i].ID] = true
	}
	for range min(t.Batch, next.Pending/x.Seeds) {
		number := len(next.Trials) / x.Seeds
		c := x.firstFree(draw.candidates(points, gains, batch, stats.NewRand(stats.DeriveNamed(x.seed, "sweep.random.tpe", number))), taken)
		if c == nil {
			return "", next.Fault("sweep.random.trials", "", fmt.Sprintf("only %d different valid trials can be proposed", number))
		}
		taken[c.id] = true
		batch = append(batch, draw.coordinates(c.combination))
		next.add(x.repeated(c, 0, x.Seeds))
		next.Pending -= x.Seeds
	}
	i, best := t.best(means)
	i *= x.Seeds
	return fmt.Sprintf("TPE proposes %s; so far trial %d has %s: %s", numbers(len(values)+1, len(next.Trials)), i+1, best, next.Trials[i].Label), nil
}

// firstFree returns the first valid point whose settings are not taken. If there is none, it
// tries the points that a random search would draw. It returns nil if they are taken too.
func (x *expansion) firstFree(points []combination, taken map[string]bool) *combo {
	for i := range x.Random.Trials {
		var point combination
		for _, a := range x.drawn {
			point = append(point, a.values[i])
		}
		points = append(points, point)
	}
	for _, point := range points {
		if c := x.combo(point); c != nil && !taken[c.id] {
			return c
		}
	}
	return nil
}

// candidateCount is the number of candidates for each proposal, as in hyperopt and Optuna.
const candidateCount = 24

// candidates returns points from the density of the best trials, in descending order of the
// expected improvement, which rises with the ratio of the two densities (Bergstra et al.
// 2011, equation 1). High gains of the finished trials are better. The proposed trials of the
// same batch count among the bad ones, which keeps the points of a batch apart: the constant
// liar of Ginsbourger, Le Riche and Carraro ("Kriging is well-suited to parallelize
// optimization", 2010), with the worst value as the lie.
func (d draws) candidates(finished [][]float64, gains []float64, batch [][]float64, rng *rand.Rand) []combination {
	var best, rest [][]float64
	for place, i := range match.Descending(len(gains), func(i int) float64 { return gains[i] }) {
		if place < bestCount(len(gains)) {
			best = append(best, finished[i])
		} else {
			rest = append(rest, finished[i])
		}
	}
	good, bad := newParzen(d, best), newParzen(d, append(rest, batch...))
	points, scores := make([]combination, candidateCount), make([]float64, candidateCount)
	for n := range points {
		for i, u := range good.sample(rng) {
			points[n] = append(points[n], d[i].setting(u))
		}
		at := d.coordinates(points[n])
		scores[n] = good.logDensity(at) - bad.logDensity(at)
	}
	var sorted []combination
	for _, i := range match.Descending(len(points), func(i int) float64 { return scores[i] }) {
		sorted = append(sorted, points[i])
	}
	return sorted
}

// bestCount returns how many of n trials count as the best: a tenth, but at most 25 (Optuna).
func bestCount(n int) int { return min(25, int(math.Ceil(0.1*float64(n)))) }

// coordinates returns the coordinates of a point: numbers between 0 and 1 in their range, or
// the index of a choice. A key that does not apply has NaN.
func (d draws) coordinates(c combination) []float64 {
	at := make([]float64, len(d))
	for i := range d {
		at[i] = math.NaN()
		if s := c.find(d[i].path); s != nil {
			at[i] = d[i].coordinate(s.text)
		}
	}
	return at
}

func (d *distribution) coordinate(text string) float64 {
	if d.kind == "choice" {
		return float64(slices.IndexFunc(d.choices, func(s setting) bool { return s.text == text }))
	}
	x, _ := strconv.ParseFloat(text, 64) // it was formatted as a number
	if d.kind == "log_uniform" {
		x = math.Log(x)
	}
	low, high := d.scale()
	return (x - low) / (high - low)
}

// setting returns the value at a coordinate.
func (d *distribution) setting(u float64) setting {
	if d.kind == "choice" {
		return d.choices[int(u)]
	}
	low, high := d.scale()
	x := low*(1-u) + high*u
	if d.kind == "log_uniform" {
		x = math.Exp(x)
	}
	return plainSetting(d.path, d.rounded(x), d.at)
}

// scale returns the bounds of a number on its linear or logarithmic scale. A whole number is
// in the middle of an interval of length 1.
func (d *distribution) scale() (low, high float64) {
	low, high = d.low, d.high
	if d.whole {
		low, high = low-0.5, high+0.5
	}
	if d.kind == "log_uniform" {
		low, high = math.Log(low), math.Log(high)
	}
	return low, high
}

// parzen is a density of points: a mixture in equal parts of the distributions of the random
// search, and of a kernel for each point (Bergstra et al. 2011, section 4). A kernel is a
// product over the keys, so that keys that work together stay together (Falkner, Klein and
// Hutter, "BOHB", ICML 2018).
type parzen struct {
	draws   draws
	centers [][]float64 // of the kernels; NaN stands for the distributions of the random search
	width   float64     // standard deviation of the kernel of a number
}

// newParzen chooses the width as Optuna does (Watanabe, "Tree-Structured Parzen Estimator",
// arXiv:2304.11127, 2023, section 3.3): it shrinks with the number of points as in Scott's
// rule, but not below 1/(n+2) and 1/100.
func newParzen(d draws, points [][]float64) *parzen {
	n := float64(len(points))
	scott := 0.2 * math.Pow(max(1, n), -1/float64(len(d)+4))
	random := slices.Repeat([]float64{math.NaN()}, len(d))
	return &parzen{d, append(slices.Clip(points), random), max(scott, 1/min(100, n+2))}
}

// sample draws a point.
func (p *parzen) sample(rng *rand.Rand) []float64 {
	centers := p.centers[rng.IntN(len(p.centers))]
	at := make([]float64, len(p.draws))
	for i, center := range centers {
		n := len(p.draws[i].choices)
		switch {
		case n > 0 && (math.IsNaN(center) || rng.Float64() < p.otherChoice(n)):
			at[i] = float64(rng.IntN(n))
		case n > 0:
			at[i] = center
		case math.IsNaN(center):
			at[i] = rng.Float64()
		default:
			at[i] = -1
			for at[i] < 0 || at[i] > 1 {
				at[i] = center + p.width*rng.NormFloat64()
			}
		}
	}
	return at
}

// logDensity returns the logarithm of the density at a point.
func (p *parzen) logDensity(at []float64) float64 {
	sum := 0.0
	for _, centers := range p.centers {
		product := 1.0
		for i, center := range centers {
			product *= p.kernel(&p.draws[i], at[i], center)
		}
		sum += product
	}
	return math.Log(sum / float64(len(p.centers)))
}

// kernel returns the density of one coordinate around a center. A center of NaN means that
// of the random search.
func (p *parzen) kernel(d *distribution, at, center float64) float64 {
	if n := len(d.choices); n > 0 {
		uniform := 1 / float64(n)
		if math.IsNaN(center) {
			return uniform
		}
		density := p.otherChoice(n) * uniform
		if at == center {
			density += 1 - p.otherChoice(n)
		}
		return density
	}
	if math.IsNaN(center) {
		return 1
	}
	// A normal distribution that is truncated to the range from 0 to 1.
	normal := func(x float64) float64 { return math.Erf(x/p.width/math.Sqrt2) / 2 }
	z := (at - center) / p.width
	return math.Exp(-z*z/2) / (p.width * math.Sqrt(2*math.Pi)) / (normal(1-center) - normal(-center))
}

// otherChoice returns the probability with which a kernel ignores its center and takes any
// of n choices: each has the weight 1/(points+1) beside the 1 of the center (Optuna).
func (p *parzen) otherChoice(n int) float64 {
	return float64(n) / float64(n+len(p.centers))
}
