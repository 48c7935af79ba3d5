package diff

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"alamos/pkg/store"
)

// Better says which of two values is preferred: "higher", "lower", or "" for what
// is only described.
type Better string

const (
	higher Better = "higher"
	lower  Better = "lower"
)

// Metric is a result of both sides.
type Metric struct {
	Name       string   `json:"name"`
	Unit       string   `json:"unit,omitempty"`
	Better     Better   `json:"better"`
	A          Estimate `json:"a"`
	B          Estimate `json:"b"`
	Difference Estimate `json:"difference"` // b less a
	// P is the p-value of a test of no difference, null where none applies; Test
	// says which: "paired games", "Welch" or "Mann-Whitney".
	P    *float64 `json:"p"`
	Test string   `json:"test,omitempty"`
	// Verdict is "better" or "worse" of b, "higher" or "lower" where neither is
	// preferred, "~" for a difference within noise, "=" for none, and "" where
	// nothing tells how much chance there is.
	Verdict string `json:"verdict"`
	Basis   string `json:"basis,omitempty"` // what the difference rests on
}

// Estimate is a number, the 95 % interval that it is known to, and of how many
// games or seeds it is made. null stands for what is not known.
type Estimate struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	N     int      `json:"n,omitempty"`
}

// of is an estimate made of n values.
func (e estimate) of(n int) Estimate {
	out := Estimate{Value: number(e.value), N: n}
	if e.known() {
		out.Low, out.High = number(e.low), number(e.high)
	}
	return out
}

// number is nil for what JSON cannot hold.
func number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// judged sets a metric's difference and says what it is worth.
func (m Metric) judged(d estimate) Metric {
	m.Difference, m.P = d.of(0), number(d.p)
	if m.P == nil {
		m.Test = ""
	}
	switch {
	case m.Difference.Value == nil:
		m.Verdict = ""
	case m.P != nil && d.p >= alpha, m.P == nil && d.known() && d.low <= 0 && d.high >= 0:
		m.Verdict = "~"
	case m.P == nil && !d.known() && d.value == 0:
		m.Verdict = "="
	case m.P == nil && !d.known():
		m.Verdict = ""
	case m.Better == "" && d.value > 0:
		m.Verdict = "higher"
	case m.Better == "":
		m.Verdict = "lower"
	case (d.value > 0) == (m.Better == higher):
		m.Verdict = "better"
	default:
		m.Verdict = "worse"
	}
	return m
}

// measured is what the runs of one trial came to.
type measured struct {
	trial       *store.Trial
	generations int // that are done
	values      map[string]float64
	played      *played // nil: no tournament
}

// unopposed are the metrics that need no tournament, with what is preferred of
// them, by the names that a trial's have everywhere.
var unopposed = []struct {
	name   string
	better Better
}{
	{"loss", lower}, {"policy_loss", lower}, {"value_loss", lower}, {"top1", higher}, {"top5", higher},
	{"games", ""}, {"samples", ""}, {"evaluations", ""}, {"seconds", lower},
}

// measure reads the results of a trial. There may be none: nil.
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
	for i, h := range t.Settings.Hooks {
		metrics, err := t.Metrics(m.generations, i)
		if err != nil {
			return nil, "", err
		}
		for name, v := range metrics {
			m.values[h.Name()+"."+name] = float64(v)
		}
	}
	for _, name := range t.Settings.EvaluationMeasures() {
		v, err := t.Measure(name)
		if err != nil {
			return nil, "", err
		}
		if !v.Missing() {
			m.values[name] = v.Value
		}
	}
	if m.generations == t.Last() { // or the tournament is of a longer training
		m.played, note, err = tournament(t)
	}
	return m, note, err
}

// named are the names of the metrics of hooks and of evaluations that all have, sorted.
func named(all []*measured) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(all[0].values)) {
		if strings.Contains(name, ".") && !slices.ContainsFunc(all, func(m *measured) bool { _, ok := m.values[name]; return !ok }) {
			names = append(names, name)
		}
	}
	return names
}

// compareMetrics compares what the trials of two groups came to.
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
	evaluated := a[0].trial.Settings.EvaluationMeasures()
	for _, name := range named(all) {
		m := Metric{Name: name}
		if slices.Contains(evaluated, name) {
			m.Better = higher
			if name == "accuracy.value_error" {
				m.Better = lower
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

// strength compares what the last networks of two groups came to in their
// tournaments.
func strength(a, b []*played, o Options) (out []Metric) {
	single := len(a) == 1 && len(b) == 1
	if single {
		if m, ok := eloOf(a[0], b[0]); ok {
			out = append(out, m)
		}
	} else if x, y, basis := eloOfSeeds(a, b); len(x) > 0 {
		m := o.seeds(Metric{Name: "elo", Better: higher}, x, y)
		m.Basis += ", " + basis
		out = append(out, m)
	}
	score := func(name string, against []string, same bool) {
		m := Metric{Name: name, Unit: "%", Better: higher}
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
	// The network before training is another one in every trial of another seed or
	// shape; what it makes of a training is worth seeing all the same.
	own := store.CheckpointName(0)
	missing := func(p *played) bool { return p.record(own).Games() == 0 }
	if !slices.Contains(shared, own) && !slices.ContainsFunc(slices.Concat(a, b), missing) {
		score("score against "+own, []string{own}, false)
	}
	return out
}

// shares are the points that each made against some opponents, in percent.
func shares(all []*played, against []string) (x []float64) {
	for _, p := range all {
		points, n := p.against(against)
		x = append(x, 100*points/float64(n))
	}
	return x
}

// seeds compares a value of each seed.
func (o Options) seeds(m Metric, x, y []float64) Metric {
	ex, ey := mean(x), mean(y)
	m.A, m.B = ex.of(len(x)), ey.of(len(y))
	if len(x) == 1 && len(y) == 1 {
		return m.judged(bare(ey.value - ex.value))
	}
	m.Basis = fmt.Sprintf("n=%d+%d", len(x), len(y))
	d := welch(x, y)
	if !math.IsNaN(d.p) {
		m.Test = "Welch"
		if o.MannWhitney {
			d = bare(d.value)
			d.p = mannWhitney(x, y)
			m.Test = "Mann-Whitney"
		}
	}
	return m.judged(d)
}
