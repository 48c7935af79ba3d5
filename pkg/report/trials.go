package report

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// metric is a measure of a trial in the form of a column; see [store.Trial.Measure].
type metric struct {
	name, label, unit string
	better            Better
}

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

// trialColumns are the metrics in the table of trials, before those of puzzles.
var trialColumns = []string{"score", "elo", "vs_untrained", "vs_random", "loss", "samples", "seconds"}

// metricOf describes a metric by its name. Metrics of evaluations and hooks contain a dot.
func metricOf(name string) metric {
	if i := slices.IndexFunc(metrics, func(m metric) bool { return m.name == name }); i >= 0 {
		return metrics[i]
	}
	kind, of, _ := strings.Cut(name, ".")
	switch {
	case kind == "puzzles":
		return metric{name, of + " solved", "", Higher}
	case kind == "policy":
		return metric{name, of + " solved by the network alone", "", Higher}
	case kind == "accuracy" && strings.HasPrefix(of, "value_error"):
		return metric{name, spaced(of), "", Lower}
	case kind == "accuracy" && strings.HasPrefix(of, "top"):
		return metric{name, spaced(of) + " accuracy", "", Higher}
	}
	return metric{name, spaced(name), "", Neither}
}

// spaced returns a metric's name for people.
func spaced(metric string) string { return strings.ReplaceAll(metric, "_", " ") }

// evaluationMetrics returns the metrics of the experiment's evaluation that begin with
// prefix. All trials have the same ones.
func evaluationMetrics(x *store.Experiment, prefix string) (names []string) {
	if len(x.Trials) == 0 {
		return nil
	}
	for _, name := range x.Trials[0].Settings.EvaluationMeasures() {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	return names
}

// nameOf names a trial by its number and its swept settings, "#3 network.depth=2", or the
// only trial by its experiment.
func nameOf(t *experiment.Trial) string {
	if t.Label == "" {
		return t.Settings.Name
	}
	return fmt.Sprintf("#%d %s", t.Number, t.Label)
}

// numbersOf formats the numbers of a group's trials: "3", "1–4" or "1, 5".
func numbersOf(g store.Group) string {
	n := len(g.Trials)
	first, last := g.Trials[0].Declared.Number, g.Trials[n-1].Declared.Number
	if n > 2 && last-first == n-1 {
		return fmt.Sprintf("%d–%d", first, last)
	}
	var parts []string
	for _, t := range g.Trials {
		parts = append(parts, fmt.Sprint(t.Declared.Number))
	}
	return strings.Join(parts, ", ")
}

// axisValue returns a trial's value of a swept setting.
func axisValue(t *experiment.Trial, path string) string {
	for _, a := range t.Axis {
		if a.Path == path {
			return a.Value
		}
	}
	return ""
}

// withoutSeed returns the axes of a sweep other than the seed.
func withoutSeed(axes []experiment.Axis) []experiment.Axis {
	return slices.DeleteFunc(slices.Clone(axes), func(a experiment.Axis) bool { return a.Path == "seed" })
}

// trialBlocks returns the tables of trials. With several seeds, there is a table of the
// means of each setting and one of all trials.
func trialBlocks(x *store.Experiment, trials []*store.Trial) ([]Block, error) {
	if len(trials) == 0 {
		return nil, nil
	}
	each := make([]store.Group, len(trials))
	for i, t := range trials {
		each[i] = store.Group{Name: t.Name(), Trials: []*store.Trial{t}}
	}
	all, err := trialsTable(x, each, x.Axes)
	if err != nil {
		return nil, err
	}
	all.Caption = "Trials, each in its own tournament. A score has the interval of as many tosses of a coin, Elo that of its likelihood."
	all.Files = []string{"trials.csv"}
	groups := store.Groups(trials)
	if len(groups) == len(trials) {
		return []Block{all}, nil
	}
	means, err := trialsTable(x, groups, withoutSeed(x.Axes))
	if err != nil {
		return nil, err
	}
	means.Caption = "Settings, each trial in its own tournament: means over their seeds, with the 95 % interval (Student t)."
	if len(groups) == 1 {
		return []Block{means, all}, nil
	}
	return []Block{means, Fold{Title: "Each of " + english.Plural(len(trials), "trial", ""), Blocks: []Block{all}}}, nil
}

// trialsTable has a row for each group of trials: the values of the axes, then results.
func trialsTable(x *store.Experiment, groups []store.Group, axes []experiment.Axis) (Table, error) {
	t := Table{Columns: []Column{number("#", ""), {Name: "trial"}}}
	lone := len(x.Axes) == 0 // without a sweep a trial needs no number
	if lone {
		t.Columns = t.Columns[1:]
	}
	for _, a := range axes {
		t.Columns = append(t.Columns, Column{Name: a.Path})
	}
	unfinished, failed := false, false
	for _, g := range groups {
		first := g.Trials[0]
		row := []Cell{{Text: numbersOf(g)}, {Text: g.Name}}
		switch n := len(g.Trials); { // the settings are in other columns
		case n > 1:
			row[1].Text = english.Plural(n, "seed", "")
		default:
			row[0].Link = anchor(first.Declared.Number)
			if len(axes) > 0 {
				row[1].Text = filepath.Base(first.Dir)
			}
		}
		for _, a := range axes {
			row = append(row, Cell{Text: axisValue(&first.Declared, a.Path)})
		}
		if lone {
			row = row[1:]
		}
		t.Rows = append(t.Rows, row)
		unfinished = unfinished || first.Done() < first.Last()
		failed = failed || x.Failed[filepath.Base(first.Dir)] != ""
	}
	column := func(c Column, cells []Cell) {
		t.Columns = append(t.Columns, c)
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], cells[i])
		}
	}
	if unfinished {
		var cells []Cell
		for _, g := range groups {
			cells = append(cells, Cell{Text: progress(g.Trials[0].Done(), g.Trials[0].Last())})
		}
		column(number("generations", ""), cells)
	}
	used := map[mark]bool{}
	for _, name := range slices.Concat(trialColumns, evaluationMetrics(x, "puzzles.")) {
		m := metricOf(name)
		values := make([]stats.Interval, len(groups))
		for i, g := range groups {
			var err error
			if values[i], err = g.Measure(name); err != nil {
				return t, err
			}
			if name == "seconds" || name == "samples" {
				values[i] = stats.Exactly(math.Round(values[i].Value))
			}
		}
		if !slices.ContainsFunc(values, func(v stats.Interval) bool { return !v.Missing() }) {
			continue
		}
		texts, marks := sameDecimals(values), marks(values, m.better)
		cells := make([]Cell, len(groups))
		for i := range cells {
			cells[i] = Cell{Text: texts[i], Mark: string(marks[i])}
			if marks[i] == bestMark {
				cells[i].Class = Best
			}
			used[marks[i]] = true
		}
		column(Column{Name: m.label, Unit: m.unit, Numeric: true, Descending: m.better == Higher}, cells)
	}
	if failed {
		var cells []Cell
		for _, g := range groups {
			why, _, _ := strings.Cut(x.Failed[filepath.Base(g.Trials[0].Dir)], "\n")
			cells = append(cells, Cell{Text: why})
		}
		column(Column{Name: "failed"}, cells)
	}
	var legend []string
	for _, m := range []mark{noiseMark, bestMark} {
		if used[m] {
			legend = append(legend, legends[m])
		}
	}
	t.Legend = strings.Join(legend, " ")
	return t, nil
}

// progress returns "3/8", or "8" if all are done.
func progress(done, of int) string {
	if done == of {
		return fmt.Sprint(of)
	}
	return fmt.Sprintf("%d/%d", done, of)
}
