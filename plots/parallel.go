package plots

import (
	"cmp"
	"fmt"
	"html"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"alamos/pkg/stats"
)

// Parallel shows a sweep of many settings as parallel coordinates: an upright axis for each
// setting, and a line through the settings of each trial. The trial's result is the last
// axis and the color of the line.
type Parallel struct {
	Frame
	Axes   []Axis // settings, from the left; lines through a name run beside one another
	Metric Axis   // the result
	Lines  []ParallelLine

	// Best is the preferred direction of the result. Better lines are above others. The line of
	// the best is thick and named, unless it is Unsure that it is the best.
	Best   stats.Better
	Unsure bool
}

// ParallelLine is a trial.
type ParallelLine struct {
	Name   string
	Values []float64 // for each axis; NaN leaves a gap
	Metric float64   // NaN if unknown, drawn as a dashed gray line
}

// Figure implements [Chart].
func (p Parallel) Figure() (*Figure, error) {
	scale, err := p.check()
	if err != nil {
		return nil, err
	}
	order := p.sorted()
	var strips []parallelStrip
	labels := vg.Length(0) // the width of the widest
	for j := range p.Axes {
		strip, err := p.strip(j, order)
		if err != nil {
			return nil, err
		}
		strips = append(strips, strip)
		for _, t := range strip.ticks {
			labels = max(labels, tickStyle.Width(t.Label)+8)
		}
	}
	result := parallelStrip{}
	for _, l := range p.Lines {
		result.heights = append(result.heights, scale.Norm(l.Metric))
	}
	least := vg.Length(len(p.Axes))*(labels+10) + scale.width()
	width := p.inner()
	if p.width() == 0 || p.Style.width() > 0 { // as [Frame.figure] does
		width = max(width, least)
	}
	step := (width - scale.width()) / vg.Length(len(p.Axes))
	drawn := p.plot(append(strips, result), order, scale, float64(labels/step), step)
	var legend []entry
	if slices.ContainsFunc(p.Lines, func(l ParallelLine) bool { return math.IsNaN(l.Metric) }) {
		legend = append(legend, look{line: unknownStyle}.entry("without a result"))
	}
	if p.stands() {
		best := p.Lines[order[len(p.Lines)-1]]
		name := strings.TrimSuffix("best: "+brief(best.Metric)+", "+clean(best.Name), ", ")
		legend = append(legend, look{line: draw.LineStyle{Color: scale.color(best.Metric), Width: 2.6}}.entry(name))
	}
	paint := func(c draw.Canvas) {
		area := draw.Crop(c, 0, -scale.width(), 0, -scaleLabelHeight)
		drawn.Draw(area)
		bar := drawn.DataCanvas(area).Rectangle // the lines end at the bar
		scale.paint(&c, vg.Rectangle{Min: vg.Point{X: bar.Max.X, Y: bar.Min.Y}, Max: vg.Point{X: c.Max.X, Y: bar.Max.Y + scaleLabelHeight}})
	}
	return p.Frame.figure(content{shaded: true, width: width, least: least, height: 8.5 * cm, legend: legend, description: p.describe(), paint: paint})
}

// check returns the scale of the results.
func (p Parallel) check() (colorScale, error) {
	metric := emptySpan()
	for i, l := range p.Lines {
		where := fmt.Sprintf("line %d (%q)", i, l.Name)
		if len(l.Values) != len(p.Axes) {
			return colorScale{}, fmt.Errorf("plots: %s has %d values where %d are wanted: %w", where, len(l.Values), len(p.Axes), ErrInvalid)
		}
		if err := checkNumbers(where, append(l.Values[:len(l.Values):len(l.Values)], l.Metric)...); err != nil {
			return colorScale{}, err
		}
		metric.add(l.Metric)
	}
	if len(p.Axes) == 0 || metric.empty() {
		return colorScale{}, fmt.Errorf("plots: parallel coordinates of %d axes and %d lines without a result: %w", len(p.Axes), len(p.Lines), ErrNoData)
	}
	if err := p.Metric.check(metric); err != nil {
		return colorScale{}, err
	}
	return newColorScale(Axis{Label: p.Metric.Label, Unit: p.Metric.Unit, Log: p.Metric.Log}, metric.widen(0, p.Metric.Log), viridisLine), nil
}

// stands reports whether the line of the best stands out.
func (p Parallel) stands() bool { return p.Best != stats.Neither && !p.Unsure }

// sorted returns the order of drawing: lines without a result first, and the best last,
// above the others.
func (p Parallel) sorted() (order []int) {
	for i := range p.Lines {
		order = append(order, i)
	}
	gain := func(i int) float64 { return p.Best.Gain(p.Lines[i].Metric) } // NaN is less than any number
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(gain(a), gain(b)) })
	return order
}

// parallelStrip is the column of an axis. Lines end at its two edges, so that no line
// crosses a label. Heights are shares of the figure's height.
type parallelStrip struct {
	name    string
	ticks   []plot.Tick
	heights []float64 // by line; NaN for a gap
}

var (
	tickStyle    = middle(textStyle(tickSize, ink, false))
	unknownStyle = draw.LineStyle{Color: axisGray, Width: 0.8, Dashes: []vg.Length{3, 2}}
)

// strip places the lines and the labels of axis j.
func (p Parallel) strip(j int, order []int) (parallelStrip, error) {
	a := p.Axes[j]
	s := parallelStrip{name: a.text(), heights: make([]float64, len(p.Lines))}
	values := emptySpan()
	at := map[float64][]int{} // lines by value, in the order of drawing
	for _, i := range order {
		v := p.Lines[i].Values[j]
		values.add(v)
		at[v] = append(at[v], i)
		s.heights[i] = v
	}
	n := float64(len(a.Names))
	if n == 0 && values.empty() {
		return s, fmt.Errorf("plots: axis %d (%q) without a number: %w", j, s.name, ErrNoData)
	}
	if err := a.check(values); err != nil {
		return s, err
	}
	if n == 0 {
		axis := plot.Axis{Scale: plot.LinearScale{}}
		setRange(&axis, a, values, 0.04, 6)
		for i := range s.heights {
			s.heights[i] = axis.Norm(s.heights[i])
		}
		for _, t := range labeled(axis) {
			s.ticks = append(s.ticks, plot.Tick{Value: axis.Norm(t.Value), Label: t.Label})
		}
		return s, nil
	}
	for k, label := range a.Names {
		s.ticks = append(s.ticks, plot.Tick{Value: (float64(k) + 0.5) / n, Label: fit(clean(label), tickStyle, 2.5*cm)})
		lines := at[float64(k)] // beside one another, in at most 70 % of the value's room
		share := min(0.7/n, 0.02*float64(len(lines)))
		for rank, i := range lines {
			s.heights[i] = s.ticks[k].Value + share*((float64(rank)+0.5)/float64(len(lines))-0.5)
		}
	}
	return s, nil
}

func (p Parallel) describe() string {
	var axes []string
	for _, a := range p.Axes {
		axes = append(axes, a.text())
	}
	text := func(l ParallelLine) string {
		var at []string
		for j, v := range l.Values {
			if !math.IsNaN(v) {
				at = append(at, joined(p.Axes[j].Label, p.Axes[j].value(v)))
			}
		}
		return brief(l.Metric) + " at " + several(at, ", ")
	}
	known := slices.DeleteFunc(slices.Clone(p.Lines), func(l ParallelLine) bool { return math.IsNaN(l.Metric) })
	byMetric := func(a, b ParallelLine) int { return cmp.Compare(a.Metric, b.Metric) }
	return fmt.Sprintf("Parallel coordinates of %d trials over %s, colored by %s: highest %s; lowest %s.",
		len(p.Lines), several(axes, ", "), cmp.Or(p.Metric.text(), "a number"), text(slices.MaxFunc(known, byMetric)), text(slices.MinFunc(known, byMetric)))
}

// plot draws the lines, and above them the strips. Strip j begins at j and is as wide as a
// share of the step between strips. The last strip, of the results, has no width.
func (p Parallel) plot(strips []parallelStrip, order []int, scale colorScale, share float64, step vg.Length) *plot.Plot {
	d := newPlot()
	d.HideY()
	hideTicks(&d.X)
	d.X.Tick.Label = aligned(textStyle(labelSize, ink, false), draw.XLeft, draw.YTop)
	var names plot.ConstantTicks
	trace := func(line *parallelTrace, i int, style draw.LineStyle) {
		for j := range p.Axes {
			if from, to := strips[j].heights[i], strips[j+1].heights[i]; !math.IsNaN(from + to) {
				line.curves = append(line.curves, curve{style, plotter.XY{X: float64(j) + share, Y: from}, plotter.XY{X: float64(j + 1), Y: to}})
			}
		}
	}
	for rank, i := range order {
		line := &parallelTrace{text: p.tooltip(p.Lines[i])}
		for _, s := range strips {
			line.heights = append(line.heights, s.heights[i])
		}
		style := unknownStyle
		if m := p.Lines[i].Metric; !math.IsNaN(m) {
			style = draw.LineStyle{Color: scale.color(m), Width: 1.3}
			if len(p.Lines) > 100 {
				style.Width = 0.7
			}
		}
		if p.stands() && rank == len(order)-1 {
			trace(line, i, draw.LineStyle{Color: ink, Width: 4.2}) // a dark edge makes it stand out
			style.Width = 2.6
		}
		trace(line, i, style)
		d.Add(line)
	}
	for j, s := range strips[:len(p.Axes)] {
		left, right := float64(j), float64(j)+share
		labels := &plotter.Labels{}
		every := sparse(len(s.ticks), 7*cm/vg.Length(len(s.ticks)), tickSize+1)
		for k, t := range s.ticks {
			if k%every == 0 {
				labels.XYs = append(labels.XYs, plotter.XY{X: (left + right) / 2, Y: t.Value})
				labels.Labels, labels.TextStyle = append(labels.Labels, t.Label), append(labels.TextStyle, tickStyle)
			}
		}
		d.Add(&plotter.Polygon{
			XYs:   []plotter.XYs{{{X: left}, {X: right}, {X: right, Y: 1}, {X: left, Y: 1}}},
			Color: color.RGBA{0xF4, 0xF4, 0xF4, 0xFF}, LineStyle: draw.LineStyle{Color: axisGray, Width: 0.6},
		}, labels, parallelAxis{left, right})
		names = append(names, plot.Tick{Value: left, Label: twoLines(s.name, d.X.Tick.Label, step-8)})
	}
	d.Add(parallelAxis{float64(len(p.Axes)), float64(len(p.Axes))})
	d.X.Tick.Marker = names
	d.X.Min, d.X.Max, d.Y.Min, d.Y.Max = 0, float64(len(p.Axes)), 0, 1
	return d
}

// tooltip returns what a page shows of a line.
func (p Parallel) tooltip(l ParallelLine) string {
	list := []string{clean(l.Name)}
	if !math.IsNaN(l.Metric) {
		list = append(list, p.Metric.labeledValue(brief(l.Metric)))
	}
	for j, v := range l.Values {
		if !math.IsNaN(v) {
			list = append(list, p.Axes[j].labeledValue(p.Axes[j].value(v)))
		}
	}
	return lines(list...)
}

// parallelTrace draws a line.
type parallelTrace struct {
	curves  []curve
	heights []float64 // at the axes; NaN for a gap
	text    string
}

// Plot implements plot.Plotter.
func (l *parallelTrace) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	attributes := ""
	if page := inPage(c); page != nil {
		var heights []string
		for _, h := range l.heights {
			heights = append(heights, page.down(y(h)))
		}
		attributes = fmt.Sprintf(`data-line="%s" data-value="%s"`, strings.Join(heights, " "), html.EscapeString(l.text))
	}
	part(c, attributes, func() {
		for _, curve := range l.curves {
			from, to := vg.Point{X: x(curve.from.X), Y: y(curve.from.Y)}, vg.Point{X: x(curve.to.X), Y: y(curve.to.Y)}
			c.SetLineStyle(curve.LineStyle)
			c.Stroke(bend(from, to))
			place(c, from, "")
			place(c, to, "")
		}
	})
}

// parallelAxis tells a page where an axis is.
type parallelAxis struct{ left, right float64 }

// Plot implements plot.Plotter.
func (a parallelAxis) Plot(c draw.Canvas, p *plot.Plot) {
	if page := inPage(c); page != nil {
		x, _ := p.Transforms(&c)
		part(c, fmt.Sprintf(`data-axis="%.5g %.5g %s %s"`, x(a.left).Points(), x(a.right).Points(), page.down(c.Max.Y), page.down(c.Min.Y)), func() {})
	}
}

// curve is the part of a line between two strips.
type curve struct {
	draw.LineStyle
	from, to plotter.XY
}

// twoLines breaks a text that is too wide at the last space or dot for which the first line
// fits, and shortens lines that are still too wide.
func twoLines(s string, style text.Style, width vg.Length) string {
	if s == "" || style.Width(s) <= width {
		return s
	}
	cut := 0
	for i, r := range s {
		if strings.ContainsRune(" ._", r) && style.Width(s[:i+1]) <= width {
			cut = i + 1
		}
	}
	if cut == 0 {
		return fit(s, style, width)
	}
	return strings.TrimSpace(s[:cut]) + "\n" + fit(s[cut:], style, width)
}
