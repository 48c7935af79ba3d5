package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	humanize "github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/plots"
)

// places reads an axis of the sweep. It returns the place of each value: the number itself,
// or the index of a name. If named is true, values of any kind have names. Numbers that are
// swept geometrically have a logarithmic axis.
func (p *picture) places(path string, named bool) (axis plots.Axis, at map[string]float64) {
	at = map[string]float64{}
	for _, g := range p.groups {
		text := axisValue(&g.Trials[0].Declared, path)
		if text == "" { // the key does not apply to the trial
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		named = named || err != nil || math.IsInf(x, 0) || math.IsNaN(x)
		at[text] = x
	}
	if !named && len(at) > 0 {
		axis.Ticks = slices.Sorted(maps.Values(at))
		_, isRate := rates[path]
		axis.Log = axis.Ticks[0] > 0 && (isRate || geometric(axis.Ticks))
		return axis, at
	}
	i := slices.IndexFunc(p.axes, func(a experiment.Axis) bool { return a.Path == path })
	axis.Names = byValue(p.axes[i].Values)
	clear(at)
	for i, name := range axis.Names {
		at[name] = float64(i)
	}
	return axis, at
}

// rates are the learning rates among the settings, with what figures call them. The last words
// of their keys say nothing alone.
var rates = map[string]string{"training.schedule.initial": "learning rate", "training.schedule.minimum": "minimum learning rate"}

// shortKey is [store.ShortKey] in figures.
func shortKey(t *experiment.Trial, key string) string {
	return cmp.Or(rates[key], store.ShortKey(t, key))
}

// geometric reports whether sorted positive numbers are spaced by ratios rather than by
// differences: whether their median is nearer to the geometric mean of their ends.
func geometric(sorted []float64) bool {
	low, high, n := sorted[0], sorted[len(sorted)-1], len(sorted)
	median := (sorted[(n-1)/2] + sorted[n/2]) / 2
	return high/low >= 30 || high/low >= 4 && median < (math.Sqrt(low*high)+(low+high)/2)/2
}

// byValue sorts the values of an axis: numbers by size, words in their original order.
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

// metric returns the metric of the figure: instead of a score that compares nothing, the rating.
func (p *picture) metric() store.Metric {
	name := p.Metric
	if name == "score" && p.trials[0].Final == nil {
		name = strength(p.groups)
	}
	return store.MetricOf(name, p.trials...)
}

// surelyBetter returns the preferred direction of a metric if one setting is better than all
// others by the tests of the table of trials, so that it may stand out. It returns Neither if a
// setting that is not compared, since it did not train to its end, has a better value.
func (p *picture) surelyBetter(m store.Metric) stats.Better {
	all := measureAll(p.groups, m.Name)
	better := betterOf(m.Name, p.groups)
	best := slices.Index(competing(p.groups, all).marks(better), bestMark)
	if best < 0 || slices.ContainsFunc(all.values, func(v stats.Interval) bool { return better.Gain(v.Value-all.values[best].Value) > 0 }) {
		return stats.Neither
	}
	return m.Better
}

// measures returns the figure's metric for each group that trained to its end, see competing, or
// nothing if no group has it.
func (p *picture) measures() ([]stats.Interval, error) {
	m := p.metric()
	if err := p.trials[0].CheckMetric(m.Name); err != nil {
		return nil, err
	}
	values := competing(p.groups, measureAll(p.groups, m.Name)).values
	if missing(values) == len(p.groups) {
		return nil, nothing("no trial has " + m.Label + " yet")
	}
	return values, nil
}

// incomplete is the part of a caption about the groups that measures leaves out. before is the word
// before their number.
func (p *picture) incomplete(before string) string {
	all := measureAll(p.groups, p.metric().Name)
	n := missing(competing(p.groups, all).values) - missing(all.values)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %s %s that did not train to the end.", before, english.Plural(n, "setting", ""))
}

// cells returns the figure's metric for each value of the setting x and each row: the mean
// of the groups there. Rows are in the order of their first groups. pooled reports whether
// a cell is the mean of several groups. Groups without the metric or without x are left
// out.
func (p *picture) cells(x string, row func(*experiment.Trial) string) (cells map[[2]string]stats.Interval, rows []string, pooled bool, err error) {
	measures, err := p.measures()
	if err != nil {
		return nil, nil, false, err
	}
	at := map[[2]string][]stats.Interval{}
	for i, g := range p.groups {
		t := &g.Trials[0].Declared
		if value := axisValue(t, x); value != "" && !measures[i].Missing() {
			r := row(t)
			if !slices.Contains(rows, r) {
				rows = append(rows, r)
			}
			at[[2]string{value, r}] = append(at[[2]string{value, r}], measures[i])
		}
	}
	cells = map[[2]string]stats.Interval{}
	for place, all := range at {
		if cells[place] = all[0]; len(all) > 1 {
			pooled = true
			values := make([]float64, len(all))
			for i, m := range all {
				values[i] = m.Value
			}
			cells[place] = stats.Mean(values)
		}
	}
	return cells, rows, pooled, nil
}

// drawSweep shows a metric over one axis of the sweep, with a line for each value of the
// figure's y, or for each combination of all other axes. Words on the axis (kinds of
// schedules) keep their order and are not joined by lines.
func drawSweep(p *picture) (plots.Chart, string, error) {
	m, x := p.metric(), cmp.Or(p.X, p.axes[0].Path)
	others := p.lineAxes(x)
	cells, lines, pooled, err := p.cells(x, func(t *experiment.Trial) string { return shortLabel(t, others) })
	if err != nil {
		return nil, "", err
	}
	axis, at := p.places(x, false)
	axis.Label = cmp.Or(rates[x], x)
	values := slices.SortedFunc(maps.Keys(at), func(a, b string) int { return cmp.Compare(at[a], at[b]) })
	c := plots.Lines{Frame: p.frame, X: axis, Y: axisOf(m)}
	left := max(0, len(lines)-mostLines)
	along, joined := p.along(x, others, at)
	for _, line := range lines[:len(lines)-left] {
		s := plots.Series{Name: line, Unjoined: !joined}
		for _, value := range values {
			if y, ok := cells[[2]string{value, line}]; ok {
				s.Points = append(s.Points, plots.Point{X: at[value], Y: y})
			}
		}
		c.Series = append(c.Series, s)
	}
	caption := fmt.Sprintf("%s over %s.", capital(m.Label), x) + p.bars(m) + p.incomplete("Without")
	if len(along) > 0 {
		caption += fmt.Sprintf(" Points also differ in %s.", english.WordSeries(along, "and"))
	}
	if pooled {
		caption += " Where settings differ in what is not shown, points are their means, with the 95 % interval (Student t)."
	}
	if left > 0 {
		caption += fmt.Sprintf(" It shows the first %d lines; %s are left out. y chooses what lines are.", mostLines, humanize.Comma(int64(left)))
	}
	return c, caption, nil
}

// lineAxes returns the axes that distinguish the lines of a figure over x: the figure's y,
// or all axes that are not determined by x, as zipped ones are.
func (p *picture) lineAxes(x string) []experiment.Axis {
	if p.Y != "" {
		return []experiment.Axis{{Path: string(p.Y)}}
	}
	return slices.DeleteFunc(slices.Clone(p.axes), func(a experiment.Axis) bool {
		at := map[string]string{}
		for _, g := range p.groups {
			t := &g.Trials[0].Declared
			here, v := axisValue(t, x), axisValue(t, a.Path)
			if was, known := at[here]; known && was != v {
				return false
			}
			at[here] = v
		}
		return true
	})
}

// along returns the axes that differ along x without lines of their own, and whether points may be
// joined: whether these axes rise or fall with x, as those of a zip do and random ones do not. at
// has the places of the values of x.
func (p *picture) along(x string, others []experiment.Axis, at map[string]float64) (along []string, joined bool) {
	joined = true
	for _, a := range p.axes {
		if p.Y != "" || a.Path == x || a.Path == "seed" || slices.ContainsFunc(others, func(o experiment.Axis) bool { return o.Path == a.Path }) {
			continue
		}
		var points [][2]float64 // places of x and of the axis; words are at their places among its values
		for _, g := range p.groups {
			t := &g.Trials[0].Declared
			place, drawn := at[axisValue(t, x)]
			value := axisValue(t, a.Path)
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				n = float64(slices.Index(a.Values, value))
			}
			if drawn {
				points = append(points, [2]float64{place, n})
			}
		}
		slices.SortStableFunc(points, func(p, q [2]float64) int { return cmp.Compare(p[0], q[0]) })
		rises := slices.IsSortedFunc(points, func(p, q [2]float64) int { return cmp.Compare(p[1], q[1]) })
		falls := slices.IsSortedFunc(points, func(p, q [2]float64) int { return cmp.Compare(q[1], p[1]) })
		if rises && falls { // all are equal
			continue
		}
		along, joined = append(along, a.Path), joined && (rises || falls)
	}
	return along, joined
}

// mostCells is the maximum number of rows and of columns of a heat map.
const mostCells = 100

// drawHeatmap shows a metric over two axes of the sweep.
func drawHeatmap(p *picture) (plots.Chart, string, error) {
	m := p.metric()
	x, y, err := p.plane()
	if err != nil {
		return nil, "", err
	}
	for _, a := range []experiment.Axis{x, y} {
		if n := len(a.Values); n > mostCells {
			return nil, "", nothing(fmt.Sprintf("%s has %d values: a heat map shows at most %d", a.Path, n, mostCells))
		}
	}
	cells, _, pooled, err := p.cells(x.Path, func(t *experiment.Trial) string { return axisValue(t, y.Path) })
	if err != nil {
		return nil, "", err
	}
	t := &p.groups[0].Trials[0].Declared
	named := func(a experiment.Axis) plots.Axis { // a few rows are not high enough for a long key
		return plots.Axis{Label: shortKey(t, a.Path), Names: byValue(a.Values)}
	}
	c := plots.Heatmap{Frame: p.frame, X: named(x), Y: named(y), Value: axisOf(m)}
	if !pooled {
		c.Best = p.surelyBetter(m)
	}
	for _, row := range c.Y.Names {
		var line []stats.Interval
		for _, column := range c.X.Names {
			value, ok := cells[[2]string{column, row}]
			if !ok {
				value = stats.Unknown()
			}
			line = append(line, value)
		}
		c.Cells = append(c.Cells, line)
	}
	caption := fmt.Sprintf("%s over %s and %s.", capital(m.Label), x.Path, y.Path)
	if pooled {
		caption += " Cells are means over what is not shown, and small numbers their 95 % intervals (Student t)."
	} else {
		caption += strings.Replace(p.bars(m), "Bars are", "Small numbers are", 1)
	}
	return c, caption + p.incomplete("Without"), nil
}

// plane returns the two axes of a figure: those that it names, or the first two.
func (p *picture) plane() (x, y experiment.Axis, err error) {
	if len(p.axes) < 2 {
		return x, y, nothing("the experiment sweeps one key only, " + p.axes[0].Path)
	}
	find := func(path, not string) (a experiment.Axis) {
		for _, a := range p.axes {
			if a.Path == path || path == "" && a.Path != not {
				return a
			}
		}
		return a
	}
	x = find(p.X, string(p.Y))
	y = find(string(p.Y), x.Path)
	if x.Path == "" || y.Path == "" || x.Path == y.Path {
		return x, y, fmt.Errorf("want two different keys that the sweep varies, have x %q and y %q", p.X, p.Y)
	}
	return x, y, nil
}

// fewNames is the maximum number of values that an axis shows by name. An axis with more,
// as in a random sweep, is numeric.
const fewNames = 10

// drawParallel shows all settings of a sweep and a metric as parallel coordinates.
func drawParallel(p *picture) (plots.Chart, string, error) {
	m := p.metric()
	measures, err := p.measures()
	if err != nil {
		return nil, "", err
	}
	c := plots.Parallel{Frame: p.frame, Metric: axisOf(m), Best: m.Better, Unsure: p.surelyBetter(m) == stats.Neither}
	for i, g := range p.groups {
		c.Lines = append(c.Lines, plots.ParallelLine{Name: g.Name, Metric: measures[i].Value})
	}
	for _, a := range p.axes {
		axis, at := p.places(a.Path, len(a.Values) <= fewNames)
		axis.Label = shortKey(&p.groups[0].Trials[0].Declared, a.Path)
		for i, g := range p.groups {
			text := axisValue(&g.Trials[0].Declared, a.Path)
			place, there := at[text]
			switch {
			case there:
			case axis.Names == nil:
				place = math.NaN()
			default: // the key does not apply to the trial
				place = float64(len(axis.Names))
				at[text] = place
				axis.Names = append(axis.Names, "–")
			}
			c.Lines[i].Values = append(c.Lines[i].Values, place)
		}
		c.Axes = append(c.Axes, axis)
	}
	return c, fmt.Sprintf("Every setting of the sweep as a line, colored by its %s.", m.Label) + p.ofSeeds(" Lines are means over seeds.") + p.incomplete("Gray:"), nil
}

// drawMultiples shows the score or the loss of each setting in a panel of its own.
func drawMultiples(p *picture) (plots.Chart, string, error) {
	c := plots.Multiples{Frame: p.frame, X: axis("samples")}
	caption := "Score in the tournament against samples trained on"
	switch c.Y, c.Panels = strengthLines(p.groups, "samples"); {
	case p.metric().Name == "loss":
		c.X, c.Y = generationAxis, plots.Axis{Label: "loss"}
		c.Panels = lines(p.groups, counts, overGenerations("generation", measure("loss")))
		caption = "Loss of the epoch that each generation kept"
	case c.Y.Most > 0: // small panels show only what there is
		c.Y = plots.Axis{Label: "score", FromZero: true}
	default:
		caption = "Rating in the tournament against samples trained on"
	}
	if empty(c.Panels) {
		return nil, "", noNumbers
	}
	caption += ", a panel for each setting"
	if n := len(c.Panels); n > 1 && n <= plots.MostBehind {
		caption += "; the others stand behind it in gray"
	}
	return c, caption + "." + p.seeds(), nil
}

// barsOfPairs is the part of a caption about the intervals of scores.
const barsOfPairs = " Bars are 95 % intervals from pairs of games with the same opening."

// bars returns the part of a caption about the intervals of a metric.
func (p *picture) bars(m store.Metric) string {
	switch {
	case p.repeated():
		return " Means over seeds, with the 95 % interval (Student t)."
	case m.Name == "elo":
		return " Bars are 95 % intervals of the likelihood."
	case slices.Contains(colorColumns, m.Name):
		return " Bars are 95 % intervals that take games as independent."
	case m.Source == store.FromTournament:
		return barsOfPairs
	case strings.HasPrefix(m.Name, "puzzles.") || strings.HasPrefix(m.Name, "policy."):
		return " Bars are 95 % intervals that take puzzles as independent."
	}
	return ""
}

func capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}
