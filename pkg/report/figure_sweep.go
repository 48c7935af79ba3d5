package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"

	"alamos/pkg/store"
	"alamos/plots"
)

func init() {
	register("sweep", kind{over: theSweep, reads: metricSource, name: sweepName, draw: drawSweep})
	register("heatmap", kind{over: theSweep, reads: metricSource, name: sweepName, draw: drawHeatmap})
}

// metricSource is what the metric of a figure is made from.
func metricSource(f *experiment.Figure) source { return sourceOf(f.Metric) }

func sourceOf(metric string) source {
	switch metric {
	case "score", "elo", "vs_untrained", "vs_random", "":
		return fromTournament
	}
	if strings.Contains(metric, ".") {
		return fromHooks
	}
	return fromTraining
}

func sweepName(f *experiment.Figure) string {
	parts := []string{f.Kind, figureMetric(f).name}
	for _, axis := range []string{f.X, f.Y} {
		if axis != "" {
			parts = append(parts, axis)
		}
	}
	return strings.ReplaceAll(fileName(strings.Join(parts, "-")), ".", "-")
}

func figureMetric(f *experiment.Figure) metric {
	if f.Metric == "" {
		return metricOf("score")
	}
	return metricOf(f.Metric)
}

// drawSweep shows a metric over one axis of the sweep: a line for each value of the
// figure's y, or for each combination of all other axes. Words on the axis (kinds of
// schedules) stand in their order, and nothing joins them.
func drawSweep(q *request) (*drawing, error) {
	m := figureMetric(q.Figure)
	x := q.X
	if x == "" {
		x = q.axes[0].Path
	}
	ticks, numeric := numbers(q.groups, x)
	var words []string
	if !numeric {
		words, ticks = q.words(x)
	}
	type place struct {
		line string
		x    float64
	}
	values := map[place][]stats.Interval{}
	lines := map[string][]float64{} // the places of each line
	var order []string
	others := q.lineAxes(x)
	for _, g := range q.groups {
		v, err := g.Measure(m.name)
		if err != nil {
			return nil, err
		}
		at, there := ticks[axisValue(&g.Trials[0].Trial, x)]
		if v.Missing() || !there { // x means nothing beside the trial's other settings
			continue
		}
		p := place{labelOf(g, others), at}
		if _, known := lines[p.line]; !known {
			order = append(order, p.line)
		}
		if len(values[p]) == 0 {
			lines[p.line] = append(lines[p.line], p.x)
		}
		values[p] = append(values[p], v)
	}
	if len(order) == 0 {
		return nil, nothing(noMetric(m))
	}
	c := plots.Lines{Frame: q.frame, X: plots.Axis{Label: x}, Y: plots.Axis{Label: m.label, Unit: m.unit}, Ticks: words}
	if numeric {
		c.X.Log = wide(slices.Collect(maps.Values(ticks)))
	}
	pooled := false
	for _, line := range order {
		slices.Sort(lines[line])
		s := plots.Series{Name: line}
		for _, at := range lines[line] {
			v := pool(values[place{line, at}])
			pooled = pooled || len(values[place{line, at}]) > 1
			s.Points = append(s.Points, plots.Point{X: at, Y: v})
		}
		c.Series = append(c.Series, s)
	}
	caption := fmt.Sprintf("%s over %s.", capital(m.label), x) + q.bars(m)
	if pooled {
		caption += " Where settings differ in what is not shown, points are their means, with the 95 % interval (Student t)."
	}
	return &drawing{c, caption}, nil
}

// words are the values of an axis that has more than numbers, and their places.
func (q *request) words(path string) (ticks []string, at map[string]float64) {
	at = map[string]float64{}
	for _, a := range q.axes {
		if a.Path == path {
			ticks = byValue(a.Values)
		}
	}
	for i, t := range ticks {
		at[t] = float64(i)
	}
	return ticks, at
}

// drawHeatmap shows a metric over two axes of the sweep.
func drawHeatmap(q *request) (*drawing, error) {
	m := figureMetric(q.Figure)
	x, y, err := q.plane()
	if err != nil {
		return nil, err
	}
	x.Values, y.Values = byValue(x.Values), byValue(y.Values)
	short := shortKeys(q.axes) // a few rows are not high enough for a long name
	c := plots.Heatmap{Frame: q.frame, X: plots.Categories{Label: short[x.Path], Ticks: x.Values}, Y: plots.Categories{Label: short[y.Path], Ticks: y.Values},
		Value: plots.Axis{Label: m.label, Unit: m.unit}, Best: best(m)}
	some, pooled := false, false
	for _, row := range y.Values {
		var cells []stats.Interval
		for _, column := range x.Values {
			var values []stats.Interval
			for _, g := range q.groups {
				if t := g.Trials[0]; axisValue(&t.Trial, x.Path) == column && axisValue(&t.Trial, y.Path) == row {
					v, err := g.Measure(m.name)
					if err != nil {
						return nil, err
					}
					values = append(values, v)
				}
			}
			v := pool(values)
			some, pooled = some || !v.Missing(), pooled || len(values) > 1
			cells = append(cells, v)
		}
		c.Cells = append(c.Cells, cells)
	}
	if !some {
		return nil, nothing(noMetric(m))
	}
	caption := fmt.Sprintf("%s over %s and %s.", capital(m.label), x.Path, y.Path) + q.bars(m)
	if pooled {
		caption += " Cells are means over what is not shown."
	}
	return &drawing{c, caption}, nil
}

// plane is the two axes of a figure over two.
func (q *request) plane() (x, y experiment.Axis, err error) {
	if len(q.axes) < 2 {
		return x, y, nothing("the experiment sweeps one key only, " + q.axes[0].Path)
	}
	find := func(path string, not experiment.Axis) experiment.Axis {
		for _, a := range q.axes {
			if a.Path == path || path == "" && a.Path != not.Path {
				return a
			}
		}
		return experiment.Axis{}
	}
	y = find(q.Y, experiment.Axis{})
	if q.Y == "" {
		y = experiment.Axis{}
	}
	if x = find(q.X, y); y.Path == "" {
		y = find("", x)
	}
	if x.Path == "" || y.Path == "" || x.Path == y.Path {
		return x, y, fmt.Errorf("want two different keys that the sweep varies, have x %q and y %q", q.X, q.Y)
	}
	return x, y, nil
}

// lineAxes are the axes whose values tell the lines of a figure over x apart: the
// figure's y, or all that do not follow from x as zipped ones do.
func (q *request) lineAxes(x string) []string {
	if q.Y != "" {
		return []string{q.Y}
	}
	var out []string
	for _, a := range q.axes {
		if a.Path == x {
			continue
		}
		at := map[string]string{}
		for _, g := range q.groups {
			t := g.Trials[0]
			here, v := axisValue(&t.Trial, x), axisValue(&t.Trial, a.Path)
			if was, known := at[here]; known && was != v {
				out = append(out, a.Path)
				break
			}
			at[here] = v
		}
	}
	return out
}

// labelOf names a line by the axes that tell it apart.
func labelOf(g store.Group, axes []string) string {
	var values []experiment.AxisValue
	keys := make([]experiment.Axis, len(axes))
	for i, a := range axes {
		keys[i].Path = a
		values = append(values, experiment.AxisValue{Path: a, Value: axisValue(&g.Trials[0].Trial, a)})
	}
	return shortLabel(values, shortKeys(keys))
}

// numbers are the values of an axis as numbers, by their text; false where one is
// none. Groups that have no value there are passed over.
func numbers(groups []store.Group, path string) (map[string]float64, bool) {
	out := map[string]float64{}
	for _, g := range groups {
		text := axisValue(&g.Trials[0].Trial, path)
		if text == "" {
			continue
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, false
		}
		out[text] = v
	}
	return out, len(out) > 0
}

// wide reports whether numbers are so far apart that they want a logarithmic axis.
func wide(values []float64) bool {
	low, high := slices.Min(values), slices.Max(values)
	return low > 0 && high/low >= 30
}

// pool is the mean of several measures, or the one there is.
func pool(measures []stats.Interval) stats.Interval {
	measures = slices.DeleteFunc(slices.Clone(measures), stats.Interval.Missing)
	if len(measures) == 1 {
		return measures[0]
	}
	values := make([]float64, len(measures))
	for i, m := range measures {
		values[i] = m.Value
	}
	return stats.Mean(values)
}

// bars is what a caption says of the intervals of a metric.
func (q *request) bars(m metric) string {
	switch {
	case q.repeated():
		return " Means over seeds, with the 95 % interval (Student t)."
	case m.name == "elo":
		return " Bars are 95 % intervals of the likelihood."
	case sourceOf(m.name) == fromTournament:
		return " Bars are 95 % intervals, each game a coin that is tossed."
	}
	return ""
}

func noMetric(m metric) string { return "no trial has " + m.label + " yet" }

// best is which number of a metric is marked.
func best(m metric) plots.Extreme {
	return map[Better]plots.Extreme{Higher: plots.Highest, Lower: plots.Lowest}[m.better]
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// byValue orders the values of an axis: numbers by size, words as they come.
func byValue(values []string) []string {
	out := slices.Clone(values)
	slices.SortStableFunc(out, func(a, b string) int {
		x, err := strconv.ParseFloat(a, 64)
		y, err2 := strconv.ParseFloat(b, 64)
		if err != nil || err2 != nil {
			return 0
		}
		return cmp.Compare(x, y)
	})
	return out
}
