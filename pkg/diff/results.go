package diff

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	moremath "github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"alamos/pkg/report"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Metric is a result of both sides.
type Metric struct {
	Name       string         `json:"name"`
	Unit       string         `json:"unit,omitempty"`
	Better     report.Better  `json:"better"` // "higher", "lower", or "" for a descriptive metric
	A          stats.Interval `json:"a"`
	B          stats.Interval `json:"b"`
	N          [2]int         `json:"n"`          // number of games or seeds behind A and B; 0 if unknown
	Difference stats.Interval `json:"difference"` // B minus A
	// P is the p-value of a test of no difference, null without a test. Test is "paired
	// games", "Welch" or "Mann-Whitney".
	P    *float64 `json:"p"`
	Test string   `json:"test,omitempty"`
	// Verdict is "better" or "worse" for B, "higher" or "lower" if neither is preferred,
	// "~" for a difference within noise, "=" for no difference, and "" if the noise is
	// unknown.
	Verdict string `json:"verdict"`
	Basis   string `json:"basis,omitempty"` // the games or seeds behind the difference
}

// judged sets the difference of a metric and its verdict.
func (m Metric) judged(d difference) Metric {
	m.Difference = d.Interval
	tested, bounded := !math.IsNaN(d.p), known(d.Interval)
	if tested {
		m.P = &d.p
	} else {
		m.Test = ""
	}
	switch {
	case math.IsNaN(d.Value) || math.IsInf(d.Value, 0):
	case tested && d.p >= alpha, !tested && bounded && d.Low <= 0 && d.High >= 0:
		m.Verdict = "~"
	case !tested && !bounded && d.Value == 0:
		m.Verdict = "="
	case !tested && !bounded:
	case m.Better == report.Neither && d.Value > 0:
		m.Verdict = "higher"
	case m.Better == report.Neither:
		m.Verdict = "lower"
	case (d.Value > 0) == (m.Better == report.Higher):
		m.Verdict = "better"
	default:
		m.Verdict = "worse"
	}
	return m
}

// measured holds the results of one trial.
type measured struct {
	trial  *store.Trial
	values map[string]float64 // metrics that need no tournament; unknown ones are missing
	played *played            // nil without a tournament
}

// unopposed are the metrics of all trials that need no tournament.
var unopposed = []string{"loss", "policy_loss", "value_loss", "top1", "top5", "kl", "calibration_error", "distinct_games", "replay_ratio", "games", "samples", "evaluations", "seconds"}

// measure reads the results of a trial. It returns nil if there are none.
func measure(t *store.Trial) (m *measured, note string, err error) {
	if t.Done() == 0 {
		return nil, "", nil
	}
	m = &measured{trial: t, values: map[string]float64{}}
	names := slices.Concat(unopposed, t.Declared.Settings.EvaluationMeasures())
	for i, h := range t.Declared.Settings.Hooks {
		metrics, err := t.MetricNames(i)
		if err != nil {
			return nil, "", err
		}
		for _, name := range metrics {
			names = append(names, h.Name()+"."+name)
		}
	}
	for _, name := range names {
		v, err := t.Measure(name)
		if err != nil {
			return nil, "", err
		}
		if !v.Missing() {
			m.values[name] = v.Value
		}
	}
	if t.Done() == t.Last() { // otherwise the tournament is of a longer training
		m.played, note, err = tournament(t)
	}
	return m, note, err
}

// named returns the sorted names of the metrics of hooks and evaluations that all have.
func named(all []*measured) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(all[0].values)) {
		if strings.Contains(name, ".") && !slices.ContainsFunc(all, func(m *measured) bool { _, ok := m.values[name]; return !ok }) {
			names = append(names, name)
		}
	}
	return names
}

// compareMetrics compares the results of two groups of trials.
func compareMetrics(a, b []*measured, o Options) (out []Metric) {
	pa, pb := playedBy(a), playedBy(b)
	if len(pa) == len(a) && len(pb) == len(b) { // all have a tournament
		out = o.strength(pa, pb)
	}
	values := func(of []*measured, name string) (x []float64) {
		for _, m := range of {
			if v, ok := m.values[name]; ok {
				x = append(x, v)
			}
		}
		return x
	}
	for _, name := range slices.Concat(unopposed, named(slices.Concat(a, b))) {
		if x, y := values(a, name), values(b, name); len(x) > 0 && len(y) > 0 {
			out = append(out, o.seeds(Metric{Name: name, Better: report.BetterOf(name)}, x, y))
		}
	}
	return out
}

func playedBy(all []*measured) (out []*played) {
	for _, m := range all {
		if m.played != nil {
			out = append(out, m.played)
		}
	}
	return out
}

// seeds compares the values of the seeds.
func (o Options) seeds(m Metric, x, y []float64) Metric {
	m.A, m.B, m.N = stats.Mean(x), stats.Mean(y), [2]int{len(x), len(y)}
	if len(x) == 1 && len(y) == 1 {
		return m.judged(untested(stats.Exactly(y[0] - x[0])))
	}
	m.Basis = fmt.Sprintf("n=%d+%d", len(x), len(y))
	d := welch(x, y)
	if !math.IsNaN(d.p) {
		m.Test = "Welch"
		if o.MannWhitney {
			d = difference{stats.Exactly(d.Value), mannWhitney(x, y)}
			m.Test = "Mann-Whitney"
		}
	}
	return m.judged(d)
}

// alpha is the level of all tests. Intervals have the confidence 1 - alpha.
const alpha = 0.05

// difference is an estimated difference and the p-value of a test of no difference, which
// is NaN without a test.
type difference struct {
	stats.Interval
	p float64
}

// untested is a difference without a test. Its interval may be unknown.
func untested(i stats.Interval) difference { return difference{i, math.NaN()} }

// known reports whether an interval is more than a point.
func known(i stats.Interval) bool { return i.Low < i.High }

// student returns an estimate with Student's t distribution of errors.
func student(value, standardError, freedom float64) difference {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}
	return difference{
		stats.Around(value, t.Quantile(1-alpha/2)*standardError),
		2 * t.CDF(-math.Abs(value)/standardError),
	}
}

// mean returns the mean of differences. It applies Student's t-test to two or more values
// that are not all equal.
func mean(x []float64) difference {
	m, variance := stat.MeanVariance(x, nil)
	if len(x) < 2 || variance == 0 {
		return untested(stats.Exactly(m))
	}
	n := float64(len(x))
	return student(m, math.Sqrt(variance/n), n-1)
}

// welch returns the difference b - a of the means of two samples with different variances,
// with Welch's t-test. The test needs two values on each side, and variation on one.
func welch(a, b []float64) difference {
	meanA, varianceA := stat.MeanVariance(a, nil)
	meanB, varianceB := stat.MeanVariance(b, nil)
	d := meanB - meanA
	test, err := moremath.TwoSampleWelchTTest(&moremath.Sample{Xs: b}, &moremath.Sample{Xs: a}, moremath.LocationDiffers)
	if err != nil {
		return untested(stats.Exactly(d))
	}
	return student(d, math.Sqrt(varianceA/float64(len(a))+varianceB/float64(len(b))), test.DoF)
}

// mannWhitney returns the two-sided p-value of the rank-sum test of Mann and Whitney, which
// assumes nothing about the distributions. It is NaN if a side has no values.
func mannWhitney(a, b []float64) float64 {
	test, err := moremath.MannWhitneyUTest(a, b, moremath.LocationDiffers)
	switch err {
	case nil:
		return test.P
	case moremath.ErrSamplesEqual:
		return 1
	}
	return math.NaN()
}

// apart returns b - a for two independent measurements. Unless both have an interval, the
// interval is unknown.
func apart(a, b stats.Interval) difference {
	if !known(a) || !known(b) {
		return untested(stats.Exactly(b.Value - a.Value))
	}
	return untested(b.Minus(a))
}

// jackknife returns an estimate from its value over all n parts and its values without each
// part. Its interval is Student's with n - 1 degrees of freedom (B. Efron, "The Jackknife,
// the Bootstrap and Other Resampling Plans", 1982).
func jackknife(value float64, without []float64) difference {
	n := float64(len(without))
	_, variance := stat.PopMeanVariance(without, nil)
	if len(without) < 2 || variance == 0 {
		return untested(stats.Exactly(value))
	}
	return student(value, math.Sqrt((n-1)*variance), n-1)
}
