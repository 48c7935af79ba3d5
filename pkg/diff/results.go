package diff

import (
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/match"
	"alamos/pkg/report"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// Metric is a result of both sides.
type Metric struct {
	Name       string         `json:"name"`
	Label      string         `json:"label,omitempty"` // that a script gives to its metric
	Unit       string         `json:"unit,omitempty"`
	Better     stats.Better   `json:"better"` // "higher", "lower", or "" for a descriptive metric
	A          stats.Interval `json:"a"`
	B          stats.Interval `json:"b"`
	N          [2]int         `json:"n"`          // number of games or seeds behind A and B; 0 if unknown
	Difference stats.Interval `json:"difference"` // B minus A
	// P is the p-value of a test of no difference, null without a test. Test is "paired
	// games", "games", "Welch" or "Mann-Whitney".
	P    *float64 `json:"p"`
	Test string   `json:"test,omitempty"`
	// Holm is P corrected for the number of metrics of which one side is better.
	Holm *float64 `json:"p_holm,omitempty"`
	// Verdict is "better" or "worse" for B, by Holm; "higher" or "lower" if neither is
	// preferred, by P; "~" for a difference within noise, "=" for no difference, and "" if
	// the noise is unknown or the metric is a cost.
	Verdict string `json:"verdict"`
	Basis   string `json:"basis,omitempty"` // the games or seeds behind the difference
}

// measured sets the difference of a metric.
func (m Metric) measured(d stats.Difference) Metric {
	m.Difference = d.Interval
	if math.IsNaN(d.P) {
		m.Test = ""
	} else {
		m.P = &d.P
	}
	return m
}

// costs are metrics that say what a training took. They have no verdict.
var costs = []string{"games", "samples", "evaluations", "seconds"}

// judge corrects the p-values of the metrics of which one side is better, and sets all
// verdicts.
func judge(all []Metric) {
	p := make([]float64, len(all))
	for i, m := range all {
		p[i] = math.NaN()
		if m.P != nil && m.Better != stats.Neither {
			p[i] = *m.P
		}
	}
	for i, adjusted := range stats.Holm(p) {
		m := &all[i]
		if !math.IsNaN(adjusted) {
			m.Holm = &adjusted
		}
		if !slices.Contains(costs, m.Name) {
			m.Verdict = m.verdict()
		}
	}
}

// deciding is the p-value that decides: P, corrected if it can be.
func (m *Metric) deciding() *float64 {
	if m.Holm != nil {
		return m.Holm
	}
	return m.P
}

func (m *Metric) verdict() string {
	d, p := m.Difference, m.deciding()
	switch {
	case math.IsNaN(d.Value) || math.IsInf(d.Value, 0):
		return ""
	case p == nil && d.Value == 0:
		return "="
	case p == nil:
		return ""
	case *p >= stats.Alpha:
		return "~"
	case m.Better == stats.Neither && d.Value > 0:
		return "higher"
	case m.Better == stats.Neither:
		return "lower"
	case (d.Value > 0) == (m.Better == stats.Higher):
		return "better"
	}
	return "worse"
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
func measure(t *store.Trial) (m *measured, note string) {
	if t.Done() == 0 {
		return nil, ""
	}
	m = &measured{trial: t, values: map[string]float64{}}
	for _, name := range slices.Concat(unopposed, t.MeasureNames()) {
		if v := t.Measure(name); !v.Missing() {
			m.values[name] = v.Value
		}
	}
	if t.Done() == t.Last() { // otherwise the tournament is of a longer training
		m.played, note = tournament(t)
	}
	return m, note
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
	if finalists(slices.Concat(a, b)) {
		out = slices.Insert(out, 0, o.final("elo in the final tournament", "", "elo", a, b), o.final("score in the final tournament", "%", "score", a, b))
	}
	values := func(of []*measured, name string) (x []float64) {
		for _, m := range of {
			if v, ok := m.values[name]; ok {
				x = append(x, v)
			}
		}
		return x
	}
	ownGames := slices.ContainsFunc(slices.Concat(a, b), func(m *measured) bool { return m.trial.Declared.Settings.Data == nil })
	for _, name := range slices.Concat(unopposed, named(slices.Concat(a, b))) {
		if x, y := values(a, name), values(b, name); len(x) > 0 && len(y) > 0 {
			label := b[0].trial.MetricLabel(name)
			out = append(out, o.seeds(Metric{Name: name, Label: label.Text, Unit: label.Unit, Better: report.BetterOf(name, ownGames)}, x, y))
		}
	}
	judge(out)
	return out
}

// finalists reports whether the networks of all trials met in one final tournament.
func finalists(all []*measured) bool {
	return !slices.ContainsFunc(all, func(m *measured) bool {
		return m.trial.Final == nil || filepath.Dir(m.trial.Dir) != filepath.Dir(all[0].trial.Dir)
	})
}

// final compares ratings or shares of the points in the final tournament of both groups.
func (o Options) final(name, unit, metric string, a, b []*measured) Metric {
	m := Metric{Name: name, Unit: unit, Better: stats.Higher}
	of := func(all []*measured) (each []stats.Interval, values []float64) {
		for _, x := range all {
			v := x.trial.Measure(metric)
			if unit == "%" {
				v = v.Times(100)
			}
			each, values = append(each, v), append(values, v.Value)
		}
		return each, values
	}
	eachA, x := of(a)
	eachB, y := of(b)
	if len(x) > 1 || len(y) > 1 {
		return o.seeds(m, x, y)
	}
	m.A, m.B, m.N, m.Test = eachA[0], eachB[0], [2]int{a[0].trial.Played(), b[0].trial.Played()}, separateGames
	m.Basis = fmt.Sprintf("%d and %d games", m.N[0], m.N[1])
	return m.measured(apartInFinal(a[0].trial, b[0].trial, metric, m.A, m.B))
}

// apartInFinal returns the difference of two ratings in the final tournament of both trials, or of
// the shares a and b.
func apartInFinal(x, y *store.Trial, metric string, a, b stats.Interval) stats.Difference {
	f := x.Final
	if metric != "elo" {
		return stats.ApartInPool(a, b, f.Mutual(x.Name(), y.Name()))
	}
	r, err := match.Rate(&f.Games, f.Anchor)
	if err != nil {
		return stats.Untested(stats.Unknown())
	}
	return stats.Tested(r.Difference(f.Find(y.Name()), f.Find(x.Name())))
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
		return m.measured(stats.Untested(stats.Exactly(y[0] - x[0])))
	}
	m.Basis = fmt.Sprintf("n=%d+%d", len(x), len(y))
	d := stats.Welch(x, y)
	switch {
	case o.MannWhitney && len(x) > 1 && len(y) > 1: // also where Welch's test has no variance to go by
		d = stats.Difference{Interval: stats.Exactly(d.Value), P: stats.MannWhitney(x, y)}
		m.Test = "Mann-Whitney"
	case !math.IsNaN(d.P):
		m.Test = "Welch"
	}
	return m.measured(d)
}
