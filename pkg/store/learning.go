package store

import (
	"math"

	"alamos/pkg/stats"
	"alamos/pkg/train"
)

// Roots compares the searches of self-play with the network's policy and with the results of
// the games, in the positions that became samples.
type Roots struct {
	Positions     int     `json:"positions"`      // that the network was asked about
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
func (b *CalibrationBin) High() float64 {
	return math.Round((b.Low+calibrationWidth)*1e6) / 1e6 // 0, not 5e-17
}

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
	sums    Roots // with sums in place of the means
	results int
	bins    [calibrationBins]CalibrationBin // likewise
}

// Policy adds a position's divergence and entropies. It passes over one whose divergence is not known.
func (y *RootTally) Policy(kl, priorEntropy, targetEntropy float64) {
	if math.IsNaN(kl) {
		return
	}
	y.sums.Positions++
	y.sums.KL += kl
	y.sums.PriorEntropy += priorEntropy
	y.sums.TargetEntropy += targetEntropy
}

// Value adds a position's value and the result of its game, both for the side to move.
func (y *RootTally) Value(value, result float64) {
	y.results++
	y.sums.ValueError += stats.Float((value - result) * (value - result))
	y.sums.NoValueError += stats.Float(result * result)
	bin := &y.bins[max(0, min(calibrationBins-1, int((value+1)/calibrationWidth)))]
	bin.Positions++
	bin.Value += value
	bin.Result += result
}

// Roots returns the means, or nil if there are no positions.
func (y *RootTally) Roots() *Roots {
	r := y.sums
	if r.Positions == 0 {
		return nil
	}
	n, results := float64(r.Positions), stats.Float(y.results)
	r.KL, r.PriorEntropy, r.TargetEntropy = r.KL/n, r.PriorEntropy/n, r.TargetEntropy/n
	r.ValueError, r.NoValueError = r.ValueError/results, r.NoValueError/results
	for i, b := range y.bins {
		if n := float64(b.Positions); n > 0 {
			r.Calibration = append(r.Calibration, CalibrationBin{float64(i)*calibrationWidth - 1, b.Positions, b.Value / n, b.Result / n})
		}
	}
	return &r
}

// LearningMeasures returns the names of the measures that [Learning] returns, in the order of
// tables.
func LearningMeasures() (names []string) {
	for _, m := range metrics {
		if m.Source == FromTraining {
			names = append(names, m.Name)
		}
	}
	return names
}

// Learning returns the measures of the games and of the training of generation g by name, see
// [Trial.MeasureAt]. A measure that does not apply is NaN, as all are of generation 0, which is not
// trained.
func (t *Trial) Learning(g int) map[string]float64 {
	row, epochs, all := t.Generation(g), t.Epochs(g), map[string]float64{}
	for _, name := range LearningMeasures() {
		all[name] = math.NaN()
	}
	if e := train.Selected(epochs); e != nil {
		loss := e.Loss()
		all["loss"], all["policy_loss"], all["value_loss"] = loss.Total, loss.Policy, loss.Value
		if e.Accuracy != nil {
			all["top1"], all["top5"] = e.Accuracy.Shares()
		}
	}
	if r := row.Roots; r != nil {
		all["kl"], all["prior_entropy"], all["target_entropy"] = r.KL, r.PriorEntropy, r.TargetEntropy
		all["root_value_error"], all["calibration_error"] = float64(r.ValueError), r.CalibrationError()
	}
	all["drawn_games"] = float64(row.Draws) / float64(row.WhiteWins+row.Draws+row.BlackWins)
	if row.Data == nil {
		long, games := row.LongGames()
		all["distinct_games"] = float64(row.DistinctGames) / float64(row.Games)
		all["distinct_positions"] = float64(row.DistinctPositions) / float64(row.plies())
		all["long_games"] = float64(long) / float64(games)
	}
	trained := 0
	var gradient train.Gradient
	for _, e := range epochs {
		trained += e.Samples
		gradient.Add(e.Gradient)
	}
	all["replay_ratio"] = float64(trained) / float64(row.Samples)
	if gradient.Steps > 0 {
		all["gradient_norm"], all["gradient_peak"], all["clipped"] = gradient.Norm(), gradient.Peak, gradient.ClippedShare()
	}
	return all
}
