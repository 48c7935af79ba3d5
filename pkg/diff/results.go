package diff

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

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
var unopposed = []string{"loss", "policy_loss", "value_loss", "top1", "top5", "games", "samples", "evaluations", "seconds"}

// measure reads the results of a trial. It returns nil if there are none.
func measure(t *store.Trial) (m *measured, note string, err error) {
	m = &measured{trial: t, values: map[string]float64{}}
	done := t.Done()
	if done == 0 {
		return nil, "", nil
	}
	for g := 1; g <= done; g++ {
		row, err := t.Generation(g)
		if err != nil {
			return nil, "", err
		}
		m.values["games"] += float64(row.Games)
		m.values["evaluations"] += float64(row.Evaluations)
	}
	for _, name := range slices.Concat(unopposed, t.Declared.Settings.EvaluationMeasures()) {
		if _, have := m.values[name]; have {
			continue
		}
		v, err := t.Measure(name)
		if err != nil {
			return nil, "", err
		}
		if !v.Missing() {
			m.values[name] = v.Value
		}
	}
	for i, h := range t.Declared.Settings.Hooks {
		metrics, err := t.Metrics(done, i)
		if err != nil {
			return nil, "", err
		}
		for name, v := range metrics {
			if !math.IsNaN(float64(v)) {
				m.values[h.Name()+"."+name] = float64(v)
			}
		}
	}
	if done == t.Last() { // otherwise the tournament is of a longer training
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
