package store

import (
	"cmp"
	"math"

	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/train"
)

// Roots compares the searches of self-play with the network's policy and with the results of
// the games, in the positions that became samples.
type Roots struct {
	Positions     int     `json:"positions"`
	KL            float64 `json:"kl"`             // mean divergence of the targets from the priors, nats
	PriorEntropy  float64 `json:"prior_entropy"`  // mean, nats
	TargetEntropy float64 `json:"target_entropy"` // mean, nats
	// ValueError is the mean squared error of the search's value, over the games with a
	// result. NoValueError is that of the value 0, which knows nothing.
	ValueError   stats.Float      `json:"value_error"`
	NoValueError stats.Float      `json:"no_value_error"`
	Calibration  []CalibrationBin `json:"calibration"` // without empty bins
}

// CalibrationBin is a row of the reliability table: positions with similar values of the
// search. Values and results are from -1 to 1 for the side to move.
type CalibrationBin struct {
	Low       float64 `json:"low"` // of the values; a bin is as wide as calibrationWidth
	Positions int     `json:"positions"`
	Value     float64 `json:"value"`  // mean
	Result    float64 `json:"result"` // mean
}

// calibrationBins is the number of bins from -1 to 1.
const (
	calibrationBins  = 10
	calibrationWidth = 2.0 / calibrationBins
)

// High returns the upper end of the bin's values.
func (b *CalibrationBin) High() float64 { return b.Low + calibrationWidth }

// CalibrationError returns the expected calibration error (Guo et al. 2017, On Calibration
// of Modern Neural Networks): the mean difference of value and result over the bins, weighted
// by positions. It is NaN without results.
func (r *Roots) CalibrationError() float64 {
	sum, n := 0.0, 0
	for _, b := range r.Calibration {
		sum += float64(b.Positions) * math.Abs(b.Value-b.Result)
		n += b.Positions
	}
	return sum / float64(n) // 0/0 is NaN
}

// RootTally adds up [Roots]. The zero value is empty.
type RootTally struct {
	positions, results                                       int
	kl, priorEntropy, targetEntropy, squares, noValueSquares float64
	bins                                                     [calibrationBins]struct {
		n             int
		value, result float64
	}
}

// Policy adds a position's divergence and entropies.
func (y *RootTally) Policy(kl, priorEntropy, targetEntropy float64) {
	y.positions++
	y.kl += kl
	y.priorEntropy += priorEntropy
	y.targetEntropy += targetEntropy
}

// Value adds a position's value and the result of its game, both for the side to move.
func (y *RootTally) Value(value, result float64) {
	y.results++
	y.squares += (value - result) * (value - result)
	y.noValueSquares += result * result
	bin := &y.bins[max(0, min(calibrationBins-1, int((value+1)/calibrationWidth)))]
	bin.n++
	bin.value += value
	bin.result += result
}

// Roots returns the means, or nil if there are no positions.
func (y *RootTally) Roots() *Roots {
	if y.positions == 0 {
		return nil
	}
	n := float64(y.positions)
	r := &Roots{
		Positions: y.positions, KL: y.kl / n, PriorEntropy: y.priorEntropy / n, TargetEntropy: y.targetEntropy / n,
		ValueError: stats.Float(y.squares / float64(y.results)), NoValueError: stats.Float(y.noValueSquares / float64(y.results)),
	}
	for i, b := range y.bins {
		if b.n > 0 {
			r.Calibration = append(r.Calibration, CalibrationBin{float64(i)*calibrationWidth - 1, b.n, b.value / float64(b.n), b.result / float64(b.n)})
		}
	}
	return r
}

// learningMeasure is a measure of how a generation learns: of its games or of its training.
type learningMeasure struct {
	name string
	of   func(*Generation, []train.Epoch) float64
}

var learningMeasures = []learningMeasure{
	{"loss", ofSelected(func(e *train.Epoch) float64 { return e.Loss().Total })},
	{"policy_loss", ofSelected(func(e *train.Epoch) float64 { return e.Loss().Policy })},
	{"value_loss", ofSelected(func(e *train.Epoch) float64 { return e.Loss().Value })},
	{"top1", ofSelected(func(e *train.Epoch) float64 { top1, _ := accuracyOf(e).Shares(); return top1 })},
	{"top5", ofSelected(func(e *train.Epoch) float64 { _, top5 := accuracyOf(e).Shares(); return top5 })},
	{"kl", ofRoots(func(r *Roots) float64 { return r.KL })},
	{"prior_entropy", ofRoots(func(r *Roots) float64 { return r.PriorEntropy })},
	{"target_entropy", ofRoots(func(r *Roots) float64 { return r.TargetEntropy })},
	{"root_value_error", ofRoots(func(r *Roots) float64 { return float64(r.ValueError) })},
	{"calibration_error", ofRoots((*Roots).CalibrationError)},
	{"distinct_games", ofGames(func(g *Generation) (int, int) { return g.DistinctGames, g.Games })},
	{"distinct_positions", ofGames(func(g *Generation) (int, int) { return g.DistinctPositions, g.plies() })},
	{"long_games", ofGames((*Generation).LongGames)},
	{"replay_ratio", func(g *Generation, epochs []train.Epoch) float64 {
		trained := 0
		for _, e := range epochs {
			trained += e.Samples
		}
		return float64(trained) / float64(g.Samples)
	}},
	{"gradient_norm", ofGradient(train.Gradient.Norm)},
	{"gradient_peak", ofGradient(func(g train.Gradient) float64 { return g.Peak })},
	{"clipped", ofGradient(train.Gradient.ClippedShare)},
}

func ofRoots(of func(*Roots) float64) func(*Generation, []train.Epoch) float64 {
	return func(g *Generation, _ []train.Epoch) float64 {
		if g.Roots == nil {
			return math.NaN()
		}
		return of(g.Roots)
	}
}

// ofGames returns a share of the games, or of the positions, of self-play.
func ofGames(of func(*Generation) (part, whole int)) func(*Generation, []train.Epoch) float64 {
	return func(g *Generation, _ []train.Epoch) float64 {
		if g.Data != nil {
			return math.NaN()
		}
		part, whole := of(g)
		return float64(part) / float64(whole)
	}
}

// ofGradient returns a measure of the steps of all epochs.
func ofGradient(of func(train.Gradient) float64) func(*Generation, []train.Epoch) float64 {
	return func(_ *Generation, epochs []train.Epoch) float64 {
		var all train.Gradient
		for _, e := range epochs {
			all.Add(e.Gradient)
		}
		if all.Steps == 0 {
			return math.NaN()
		}
		return of(all)
	}
}

func ofSelected(of func(*train.Epoch) float64) func(*Generation, []train.Epoch) float64 {
	return func(_ *Generation, epochs []train.Epoch) float64 {
		e := train.Selected(epochs)
		if e == nil {
			return math.NaN()
		}
		return of(e)
	}
}

// accuracyOf returns the accuracy of an epoch, of no positions if it was not measured.
func accuracyOf(e *train.Epoch) *nn.Accuracy { return cmp.Or(e.Accuracy, new(nn.Accuracy)) }

// LearningMeasures returns the names of the measures that [Learning] returns.
func LearningMeasures() (names []string) {
	for _, m := range learningMeasures {
		names = append(names, m.name)
	}
	return names
}

// Learning returns the measures of the games and of the training of a generation by name,
// see [Trial.MeasureAt]. A measure that does not apply is NaN.
func Learning(row *Generation, epochs []train.Epoch) map[string]float64 {
	all := map[string]float64{}
	for _, m := range learningMeasures {
		all[m.name] = m.of(row, epochs)
	}
	return all
}

// Learning returns the measures of generation g by name, see [Learning]. Those of
// generation 0, which is not trained, are NaN.
func (t *Trial) Learning(g int) (map[string]float64, error) {
	if g == 0 {
		return Learning(new(Generation), nil), nil
	}
	row, err := t.Generation(g)
	if err != nil {
		return nil, err
	}
	epochs, err := t.Epochs(g)
	return Learning(row, epochs), err
}
