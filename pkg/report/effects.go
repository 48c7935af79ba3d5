package report

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// keyEffects are the shares of the variance of a metric between trials that keys explain.
type keyEffects struct {
	metric store.Metric
	trials int
	keys   []string
	forest bool           // by a random forest, instead of an analysis of variance
	each   []stats.Effect // of each key
}

// leastOfForest is the minimum number of trials of a forest.
const leastOfForest = 10

// errFewTrials says that effects need more trials.
var errFewTrials = errors.New("too few trials to tell the effects of the swept keys apart")

// effectsOf returns the effects of keys on a metric. The analysis of variance needs two trials of
// each value of a key on average; without them, as with random draws, a forest finds effects.
// Keys that do not differ are left out.
func effectsOf(trials []*store.Trial, keys []string, value func(t *store.Trial, key string) string, metric string) (*keyEffects, error) {
	e := &keyEffects{metric: store.MetricOf(metric, trials...)}
	var y []float64
	var known []*store.Trial
	for _, t := range trials {
		if m := t.Measure(metric); !m.Missing() {
			known, y = append(known, t), append(y, m.Value)
		}
	}
	e.trials = len(y)
	var levels [][]int
	var features [][][]float64
	free := len(y) - 1
	for _, key := range keys {
		texts := make([]string, len(known))
		for i, t := range known {
			texts[i] = value(t, key)
		}
		level, values := levelsOf(texts)
		if len(values) < 2 {
			continue
		}
		e.keys, levels, features = append(e.keys, key), append(levels, level), append(features, columns(level, values))
		e.forest = e.forest || 2*len(values) > len(y)
		free -= len(values) - 1
	}
	switch {
	case len(e.keys) == 0 || e.forest && len(y) < leastOfForest || !e.forest && free < 1:
		return nil, errFewTrials
	case e.forest:
		e.each = stats.ForestEffects(y, features, stats.DeriveNamed(0, "effects on "+metric, 0))
	default:
		e.each = stats.MainEffects(y, levels)
	}
	for i := range e.each { // the jackknife does not know that a share is within 0 and 1
		share := &e.each[i].Share
		share.Low, share.High = max(share.Low, min(share.Value, 0)), min(share.High, 1)
	}
	return e, nil
}

// levelsOf returns the index of each value among the different ones, in order of appearance.
func levelsOf(texts []string) (level []int, values []string) {
	for _, text := range texts {
		i := slices.Index(values, text)
		if i < 0 {
			i = len(values)
			values = append(values, text)
		}
		level = append(level, i)
	}
	return level, values
}

// columns returns a key's values as a column of numbers, or as a column of 0 and 1 for each value
// if some are words. A number that does not apply to a trial is below all others.
func columns(level []int, values []string) [][]float64 {
	codes := [][]float64{make([]float64, len(values))} // of the values, for each column
	words := false
	for i, text := range values {
		x, err := strconv.ParseFloat(text, 64)
		if text == "" {
			x, err = math.Inf(-1), nil
		}
		codes[0][i], words = x, words || err != nil
	}
	if words {
		codes = nil
		for i := range values {
			code := make([]float64, len(values))
			code[i] = 1
			codes = append(codes, code)
		}
	}
	out := make([][]float64, len(codes))
	for i, code := range codes {
		for _, l := range level {
			out[i] = append(out[i], code[l])
		}
	}
	return out
}

// method says how the effects were found.
func (e *keyEffects) method() string {
	if e.forest {
		return "by a random forest; p from forests of permuted values"
	}
	return "by an analysis of variance of main effects; interactions count as noise"
}

// text says what a key explains of the metric: "38 % (12 … 64) of score, p = 0.02". It is "" if
// that is not known.
func (e *keyEffects) text(key string) string {
	i := slices.Index(e.keys, key)
	if i < 0 || e.each[i].Share.Missing() {
		return ""
	}
	share := e.each[i].Share.Times(100)
	text := fmt.Sprintf("%.0f %%", share.Value)
	if share.HasWidth() {
		text += fmt.Sprintf(" (%.0f … %.0f)", share.Low, share.High)
	}
	text += " of " + e.metric.Label
	if p := e.each[i].P; !math.IsNaN(p) {
		text += fmt.Sprintf(", p = %.2g", p)
	}
	return text
}

// basis says of how many trials the effects are, and how they were found.
func (e *keyEffects) basis() string {
	text := fmt.Sprintf("between %s, %s", english.Plural(e.trials, "trial", ""), e.method())
	if len(e.keys) > 1 {
		text += fmt.Sprintf("; p is corrected for %d keys", len(e.keys))
	}
	return text
}

// drawEffects shows what each swept key explains of a metric.
func drawEffects(p *picture) (plots.Chart, string, error) {
	m := p.metric()
	if err := p.trials[0].CheckMetric(m.Name); err != nil {
		return nil, "", err
	}
	var keys []string
	for _, a := range p.axes {
		keys = append(keys, a.Path)
	}
	e, err := effectsOf(store.Comparable(p.trials), keys, func(t *store.Trial, key string) string { return axisValue(&t.Declared, key) }, m.Name)
	if err != nil {
		return nil, "", nothing(err.Error())
	}
	c := plots.Ladder{Frame: p.frame, X: plots.Axis{Label: "share of the variance of " + m.Label, Unit: "%, 95 % interval"}}
	for i, key := range e.keys {
		name := shortKey(&p.groups[0].Trials[0].Declared, key)
		if e.each[i].P < stats.Alpha {
			name += " *"
		}
		c.Rows = append(c.Rows, plots.Rung{Name: name, Value: e.each[i].Share.Times(100)})
	}
	return c, fmt.Sprintf("Share of the variance of %s between %s that each key explains, with 95 %% intervals (jackknife), %s. * p < 5 %%, corrected for %s.",
		m.Label, english.Plural(e.trials, "trial", ""), e.method(), english.Plural(len(e.keys), "key", "")), nil
}
