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
	Name       string        `json:"name"`
	Unit       string        `json:"unit,omitempty"`
	Better     report.Better `json:"better"` // "higher", "lower", or "" for a descriptive metric
	A          Estimate      `json:"a"`
	B          Estimate      `json:"b"`
	Difference Estimate      `json:"difference"` // b minus a
	// P is the p-value of a test of no difference, null without a test. Test is "paired
	// games", "Welch" or "Mann-Whitney".
	P    *float64 `json:"p"`
	Test string   `json:"test,omitempty"`
	// Verdict is "better" or "worse" for b, "higher" or "lower" if neither is preferred,
	// "~" for a difference within noise, "=" for no difference, and "" if the noise is
	// unknown.
	Verdict string `json:"verdict"`
	Basis   string `json:"basis,omitempty"` // the games or seeds behind the difference
}

// Estimate is a number, its 95 % interval, and the number of games or seeds behind it.
// Unknown values are NaN, which is null in JSON.
type Estimate struct {
	Value stats.Float `json:"value"`
	Low   stats.Float `json:"low"`
	High  stats.Float `json:"high"`
	N     int         `json:"n,omitempty"`
}

// estimate returns an estimate from n values.
func estimate(i stats.Interval, n int) Estimate {
	if !known(i) {
		i = stats.Exactly(i.Value)
	}
	return Estimate{stats.Float(i.Value), stats.Float(i.Low), stats.Float(i.High), n}
}

func (e Estimate) interval() stats.Interval {
	return stats.Interval{Value: float64(e.Value), Low: float64(e.Low), High: float64(e.High)}
}

// judged sets the difference of a metric and its verdict.
func (m Metric) judged(d difference) Metric {
	m.Difference = estimate(d.Interval, 0)
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
	trial       *store.Trial
	generations int // number of finished generations
	values      map[string]float64
	played      *played // nil without a tournament
}

// unopposed are the metrics that need no tournament.
var unopposed = []struct {
	name   string
	better report.Better
}{
	{"loss", report.Lower}, {"policy_loss", report.Lower}, {"value_loss", report.Lower}, {"top1", report.Higher}, {"top5", report.Higher},
	{"games", ""}, {"samples", ""}, {"evaluations", ""}, {"seconds", report.Lower},
}

// measure reads the results of a trial. It returns nil if there are none.
func measure(t *store.Trial) (m *measured, note string, err error) {
	m = &measured{trial: t, generations: t.Done(), values: map[string]float64{}}
	if m.generations == 0 {
		return nil, "", nil
	}
	for g := 1; g <= m.generations; g++ {
		row, err := t.Generation(g)
		if err != nil {
			return nil, "", err
		}
		m.values["games"] += float64(row.Games)
		m.values["evaluations"] += float64(row.Evaluations)
	}
	for _, name := range []string{"loss", "policy_loss", "value_loss", "top1", "top5", "samples", "seconds"} {
		v, err := t.Measure(name)
		if err != nil {
			return nil, "", err
		}
		m.values[name] = v.Value
	}
	for i, h := range t.Declared.Settings.Hooks {
		metrics, err := t.Metrics(m.generations, i)
		if err != nil {
			return nil, "", err
		}
		for name, v := range metrics {
			m.values[h.Name()+"."+name] = float64(v)
		}
	}
	for _, name := range t.Declared.Settings.EvaluationMeasures() {
		v, err := t.Measure(name)
		if err != nil {
			return nil, "", err
		}
		if !v.Missing() {
			m.values[name] = v.Value
		}
	}
	if m.generations == t.Last() { // otherwise the tournament is of a longer training
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
func compareMetrics(a, b []*measured, o Options) []Metric {
	var out []Metric
	all := slices.Concat(a, b)
	pa, pb := playedBy(a), playedBy(b)
	if len(pa) == len(a) && len(pb) == len(b) { // all have a tournament
		out = strength(pa, pb, o)
	}
	values := func(of []*measured, name string) (x []float64) {
		for _, m := range of {
			if v, ok := m.values[name]; ok && !math.IsNaN(v) {
				x = append(x, v)
			}
		}
		return x
	}
	for _, p := range unopposed {
		if x, y := values(a, p.name), values(b, p.name); len(x) > 0 && len(y) > 0 {
			out = append(out, o.seeds(Metric{Name: p.name, Better: p.better}, x, y))
		}
	}
	evaluated := a[0].trial.Declared.Settings.EvaluationMeasures()
	for _, name := range named(all) {
		m := Metric{Name: name}
		if slices.Contains(evaluated, name) {
			m.Better = report.Higher
			if name == "accuracy.value_error" {
				m.Better = report.Lower
			}
		}
		if x, y := values(a, name), values(b, name); len(x) > 0 && len(y) > 0 {
			out = append(out, o.seeds(m, x, y))
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

// strength compares the last networks of two groups in their tournaments.
func strength(a, b []*played, o Options) (out []Metric) {
	single := len(a) == 1 && len(b) == 1
	if single {
		if m, ok := eloOf(a[0], b[0]); ok {
			out = append(out, m)
		}
	} else if x, y, basis := eloOfSeeds(a, b); len(x) > 0 {
		m := o.seeds(Metric{Name: "elo", Better: report.Higher}, x, y)
		m.Basis += ", " + basis
		out = append(out, m)
	}
	score := func(name string, against []string, same bool) {
		m := Metric{Name: name, Unit: "%", Better: report.Higher}
		if single {
			m = scoreOf(name, a[0], b[0], against, same)
		} else {
			m = o.seeds(m, shares(a, against), shares(b, against))
		}
		if !same {
			m.Basis += ", each against its own"
		}
		out = append(out, m)
	}
	shared := common(slices.Concat(a, b))
	if len(shared) > 1 {
		score("score against all of these", shared, true)
	}
	for _, name := range shared {
		score("score against "+name, []string{name}, true)
	}
	// The untrained network differs between trials with other seeds or shapes, but the
	// score against it is still useful.
	own := store.CheckpointName(0)
	missing := func(p *played) bool { return p.record(own).Games() == 0 }
	if !slices.Contains(shared, own) && !slices.ContainsFunc(slices.Concat(a, b), missing) {
		score("score against "+own, []string{own}, false)
	}
	return out
}

// shares returns the points of each against the given opponents, in percent.
func shares(all []*played, against []string) (x []float64) {
	for _, p := range all {
		points, n := p.against(against)
		x = append(x, 100*points/float64(n))
	}
	return x
}

// seeds compares the values of the seeds.
func (o Options) seeds(m Metric, x, y []float64) Metric {
	a, b := stats.Mean(x), stats.Mean(y)
	m.A, m.B = estimate(a, len(x)), estimate(b, len(y))
	if len(x) == 1 && len(y) == 1 {
		return m.judged(untested(stats.Exactly(b.Value - a.Value)))
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
