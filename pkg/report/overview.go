package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/store"
)

// metric is a measure of a trial as a column.
type metric struct {
	name   string // see store.Trial.Measure
	label  string
	unit   string
	better Better
}

// metrics are the measures of a trial, see store.Trial.Measure.
var metrics = []metric{
	{"score", "score", "", Higher},
	{"elo", "Elo", "", Higher},
	{"vs_untrained", "against untrained", "", Higher},
	{"vs_random", "against random", "", Higher},
	{"loss", "loss", "", Lower},
	{"policy_loss", "policy loss", "", Lower},
	{"value_loss", "value loss", "", Lower},
	{"top1", "top-1 accuracy", "", Higher},
	{"top5", "top-5 accuracy", "", Higher},
	{"samples", "samples", "", Neither},
	{"seconds", "computing", "s", Neither},
}

// metricOf describes a metric by its name; one of a hook has its own.
func metricOf(name string) metric {
	if i := slices.IndexFunc(metrics, func(m metric) bool { return m.name == name }); i >= 0 {
		return metrics[i]
	}
	return evaluationMetric(name)
}

// overview is the table of a sweep: a row a trial and, where there are several
// seeds, one before it with a row for each setting; then how successive halving
// chose among them.
func (w *pageWriter) overview() ([]Cell, error) {
	cells, err := w.trialTables()
	if err != nil {
		return nil, err
	}
	rungs, err := w.rungs()
	return append(cells, rungs...), err
}

// rungs are the comparisons of successive halving, in a fold each.
func (w *pageWriter) rungs() ([]Cell, error) {
	all, err := w.Rungs(w.Dir)
	if err != nil {
		return nil, err
	}
	var cells []Cell
	for _, r := range all {
		m := metricOf(r.Metric)
		t := Table{
			Caption: fmt.Sprintf("Trials after generation %d, the best first; the first %d went on.", r.Generation, r.Survivors),
			Columns: []Column{{Name: "place", Numeric: true}, {Name: "trial"}, {Name: m.label, Unit: m.unit, Numeric: true}, {Name: "95 %"}},
		}
		for i, x := range r.Ranking {
			interval := ""
			if x.Value.Known() {
				interval = fmt.Sprintf("%.4g..%.4g", x.Value.Low, x.Value.High)
			}
			value := ""
			if !x.Value.Missing() {
				value = fmt.Sprintf("%.4g", x.Value.Value)
			}
			t.Rows = append(t.Rows, []string{fmt.Sprint(i + 1), cmp.Or(x.Label, x.Trial), value, interval})
		}
		cells = append(cells, Fold{Title: fmt.Sprintf("Successive halving after generation %d: %d of %d trials went on", r.Generation, r.Survivors, len(r.Ranking)), Cells: []Cell{t}})
	}
	return cells, nil
}

func (w *pageWriter) trialTables() ([]Cell, error) {
	files, err := w.links(nil, "trials.csv")
	if err != nil || len(w.trials) == 0 {
		return nil, err
	}
	trials := make([]store.Group, len(w.trials))
	for i, t := range w.trials {
		trials[i] = store.Group{Name: t.Name(), Trials: []*store.Trial{t}}
	}
	each, err := w.overviewOf(trials, w.Axes, "Trials, each in its own tournament. A score has the interval of as many tosses of a coin, Elo that of its likelihood.")
	if err != nil {
		return nil, err
	}
	each.Files = files
	groups := store.Groups(w.trials)
	if len(groups) == len(trials) {
		return []Cell{each}, nil
	}
	means, err := w.overviewOf(groups, w.sweepAxes(), "Settings, each trial in its own tournament: means over their seeds, with the 95 % interval (Student t).")
	if err != nil || len(groups) == 1 {
		return []Cell{means, each}, err
	}
	return []Cell{means, Fold{Title: "Each of " + english.Plural(len(trials), "trial", ""), Cells: []Cell{each}}}, nil
}

func (w *pageWriter) overviewOf(groups []store.Group, axes []experiment.Axis, caption string) (Overview, error) {
	o := Overview{Caption: caption}
	for _, a := range axes {
		o.Settings = append(o.Settings, a.Path)
	}
	for _, g := range groups {
		row := OverviewRow{Trial: g.Name}
		switch n := len(g.Trials); { // the settings stand beside it
		case n > 1:
			row.Name = english.Plural(n, "seed", "")
		case len(axes) > 0:
			row.Name = filepath.Base(g.Trials[0].Dir)
		}
		for _, a := range axes {
			row.Settings = append(row.Settings, axisValue(g.Trials[0], a.Path))
		}
		o.Rows = append(o.Rows, row)
	}
	if slices.ContainsFunc(w.trials, func(t *store.Trial) bool { return t.Done() != w.trials[0].Done() }) {
		o.Metrics = append(o.Metrics, Metric{Name: "generations"})
		for i, g := range groups {
			o.Rows[i].Values = append(o.Rows[i].Values, Measure{Value: float64(g.Trials[0].Done())})
		}
	}
	for _, m := range slices.Concat(metrics, w.evaluationMetrics("puzzles.")) {
		switch m.name {
		case "policy_loss", "value_loss", "top1", "top5":
			continue // the table is wide, and they are in other files
		}
		values := make([]Measure, len(groups))
		some := false
		for i, g := range groups {
			v, err := g.Measure(m.name)
			if err != nil {
				return o, err
			}
			values[i] = shown(m, v)
			some = some || !values[i].Missing()
		}
		if !some {
			continue
		}
		o.Metrics = append(o.Metrics, Metric{Name: m.label, Unit: m.unit, Better: m.better})
		for i := range o.Rows {
			o.Rows[i].Values = append(o.Rows[i].Values, values[i])
		}
	}
	return o, nil
}

// shown is a measure as the page shows it.
func shown(m metric, v stats.Interval) Measure {
	out := Measure{Value: v.Value, Low: v.Low, High: v.High}
	switch {
	case m.name == "seconds" || m.name == "samples":
		out = Measure{Value: math.Round(v.Value)}
	case !v.Known():
		out.Low, out.High = 0, 0
	}
	return out
}

// axisValue is what a trial has where the sweep varies path.
func axisValue(t *store.Trial, path string) string {
	for _, a := range t.Axis {
		if a.Path == path {
			return a.Value
		}
	}
	return ""
}

// trialRows is the table of trials as a file: what the sweep varies, then results
// of the last checkpoint.
func (r *Report) trialRows(trials []*store.Trial) (head []string, rows [][]any, err error) {
	for _, a := range r.Axes {
		head = append(head, a.Path)
	}
	head = append(head, "trial")
	// Seconds stand last: all else is the same whenever an experiment is run.
	columns := []string{"samples", "loss", "score", "elo", "vs_untrained", "vs_random", "generations", "policy_loss", "value_loss", "elo_low", "elo_high"}
	for _, m := range r.evaluationMetrics("") {
		columns = append(columns, m.name)
	}
	columns = append(columns, "seconds")
	head = append(head, columns...)
	for _, t := range trials {
		var row []any
		for _, a := range r.Axes {
			row = append(row, axisValue(t, a.Path))
		}
		row = append(row, filepath.Base(t.Dir))
		for _, c := range columns {
			if c == "generations" {
				row = append(row, t.Done())
				continue
			}
			of := c
			if c == "elo_low" || c == "elo_high" {
				of = "elo"
			}
			m, err := t.Measure(of)
			if err != nil {
				return nil, nil, err
			}
			switch c {
			case "elo_low":
				m.Value = m.Low
			case "elo_high":
				m.Value = m.High
			}
			if c == "samples" || c == "seconds" {
				row = append(row, int64(math.Round(m.Value)))
				continue
			}
			row = append(row, m.Value)
		}
		rows = append(rows, row)
	}
	return head, rows, nil
}
