package plots

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Parallel shows a sweep of many settings as parallel coordinates: an upright axis for each
// setting, and a line through the settings of each trial. The trial's result is the last
// axis and the color of the line.
type Parallel struct {
	Frame
	Axes   []ParallelAxis // settings, from the left
	Metric Axis           // the result
	Lines  []ParallelLine

	// Best draws the line of the highest or lowest result thick and names it.
	Best Extreme
}

// ParallelAxis is a setting. With Ticks it has only these values, and the lines through a
// value run beside one another. Without Ticks it is an axis of numbers. Use Ticks for a
// setting of a grid.
type ParallelAxis struct {
	Axis
	Ticks []string
}

// ParallelLine is a trial.
type ParallelLine struct {
	Name string

	// Values has a number for each axis: the index of a tick if the axis has Ticks. NaN
	// leaves a gap.
	Values []float64

	Metric float64 // NaN if unknown, drawn as a dashed gray line
}

// Figure implements [Chart].
func (p Parallel) Figure() (*Figure, error) {
	metric, err := p.check()
	if err != nil {
		return nil, err
	}
	g := parallelGeometry{Parallel: p, scale: newColorScale(Axis{Log: p.Metric.Log}, metric.widen(0, p.Metric.Log), viridisLine)}
	g.sort()
	g.place()
	var legend []entry
	if slices.ContainsFunc(p.Lines, func(l ParallelLine) bool { return math.IsNaN(l.Metric) }) {
		legend = append(legend, look{line: unknownStyle}.entry("without a result"))
	}
	if p.Best != NoExtreme {
		best := g.best()
		name := "best: " + brief(best.Metric)
		if best.Name != "" {
			name += ", " + clean(best.Name)
		}
		legend = append(legend, look{line: draw.LineStyle{Color: g.scale.color(best.Metric), Width: 2.6}}.entry(name))
	}
	// As wide as the labels of the axes need, unless the frame sets the width.
	step := g.widest() + 10
	room := vg.Length(len(p.Axes))*step + g.strips[0].width + g.scale.width() + 2*margin + 1
	lay, err := newLayout(p.Frame, legend, max(defaultWidth, float64(room/vg.Centimeter)), 8.5)
	if err != nil {
		return nil, err
	}
	if g.step = (lay.inner() - g.strips[0].width - g.scale.width()) / vg.Length(len(g.Axes)); g.step < step {
		return nil, fmt.Errorf("plots: %d axes in %.4g cm of width: %w", len(p.Axes)+1, lay.width/vg.Centimeter, ErrSize)
	}
	return lay.figure(g.describe(), g.paint), nil
}

// check returns the range of the results.
func (p Parallel) check() (span, error) {
	metric := emptySpan()
	if len(p.Axes) == 0 || len(p.Lines) == 0 {
		return metric, fmt.Errorf("plots: parallel coordinates of %d axes and %d lines: %w", len(p.Axes), len(p.Lines), ErrNoData)
	}
	values := make([]span, len(p.Axes))
	for j := range values {
		values[j] = emptySpan()
	}
	for i, l := range p.Lines {
		where := fmt.Sprintf("line %d (%q)", i, l.Name)
		if len(l.Values) != len(p.Axes) {
			return metric, fmt.Errorf("plots: %s has %d values where %d are wanted: %w", where, len(l.Values), len(p.Axes), ErrInvalid)
		}
		if err := checkNumbers(where, slices.Concat(l.Values, []float64{l.Metric})...); err != nil {
			return metric, err
		}
		for j, v := range l.Values {
			if n := len(p.Axes[j].Ticks); n > 0 && (v < 0 || v >= float64(n) || v != math.Trunc(v)) && !math.IsNaN(v) {
				return metric, fmt.Errorf("plots: %s: %g is not the index of one of the %d ticks of axis %q: %w", where, v, n, p.Axes[j].Label, ErrInvalid)
			}
			values[j].add(v)
		}
		metric.add(l.Metric)
	}
	if metric.empty() {
		return metric, fmt.Errorf("plots: %d lines without a result: %w", len(p.Lines), ErrNoData)
	}
	for j, a := range p.Axes {
		if len(a.Ticks) > 0 {
			continue
		}
		if values[j].empty() {
			return metric, fmt.Errorf("plots: axis %d (%q) without a number: %w", j, a.Label, ErrNoData)
		}
		if err := a.check(values[j]); err != nil {
			return metric, err
		}
	}
	return metric, p.Metric.check(metric)
}

// parallelGeometry holds the places of lines and axes, in fractions of the height.
type parallelGeometry struct {
	Parallel
	scale  colorScale
	order  []int       // lines, from the first drawn to the last
	at     [][]float64 // by line, by axis; NaN for a gap
	strips []parallelStrip
	step   vg.Length // from an axis to the next
}

// parallelStrip is the column of an axis. Lines end at its two edges, so that no line
// crosses a label.
type parallelStrip struct {
	name  string
	ticks []plot.Tick // values are shares
	width vg.Length
}

// sort puts lines without a result first, and the best lines last, above the others.
func (g *parallelGeometry) sort() {
	for i := range g.Lines {
		g.order = append(g.order, i)
	}
	slices.SortStableFunc(g.order, func(a, b int) int {
		x, y := g.Lines[a].Metric, g.Lines[b].Metric // NaN is less than any number
		if g.Best == Lowest && !math.IsNaN(x) && !math.IsNaN(y) {
			x, y = y, x
		}
		return cmp.Compare(x, y)
	})
}

func (g *parallelGeometry) best() ParallelLine { return g.Lines[g.order[len(g.order)-1]] }

// place computes the heights of all lines on all axes, and the labels.
func (g *parallelGeometry) place() {
	g.at = make([][]float64, len(g.Lines))
	for i := range g.at {
		g.at[i] = make([]float64, len(g.Axes))
	}
	style := textStyle(tickSize, ink, false)
	for j, a := range g.Axes {
		strip := parallelStrip{name: a.text()}
		if n := len(a.Ticks); n > 0 {
			g.spread(j, n)
			for k, t := range a.Ticks {
				strip.ticks = append(strip.ticks, plot.Tick{Value: (float64(k) + 0.5) / float64(n), Label: fitName(clean(t), style, 2.5*vg.Centimeter)})
			}
		} else {
			s := emptySpan()
			for _, l := range g.Lines {
				s.add(l.Values[j])
			}
			axis := plot.Axis{Scale: plot.LinearScale{}}
			setRange(&axis, a.Axis, s, 0.04, 6)
			for i, l := range g.Lines {
				g.at[i][j] = axis.Norm(l.Values[j])
			}
			for _, t := range labeled(axis) {
				strip.ticks = append(strip.ticks, plot.Tick{Value: axis.Norm(t.Value), Label: t.Label})
			}
		}
		for _, t := range strip.ticks {
			strip.width = max(strip.width, style.Width(t.Label)+8)
		}
		g.strips = append(g.strips, strip)
	}
}

// spread places the lines through the n values of axis j beside one another.
func (g *parallelGeometry) spread(j, n int) {
	count, seen := make([]int, n+1), make([]int, n+1)
	index := func(i int) int { // n for a gap
		if v := g.Lines[i].Values[j]; !math.IsNaN(v) {
			return int(v)
		}
		return n
	}
	for i := range g.Lines {
		count[index(i)]++
	}
	for _, i := range g.order {
		k := index(i)
		// Together they take at most 70 % of the value's room.
		share := math.Min(0.7/float64(n), 0.02*float64(count[k]))
		g.at[i][j] = (g.Lines[i].Values[j]+0.5)/float64(n) + share*((float64(seen[k])+0.5)/float64(count[k])-0.5)
		seen[k]++
	}
}

// widest returns the width of the widest axis.
func (g *parallelGeometry) widest() (w vg.Length) {
	for _, s := range g.strips {
		w = max(w, s.width)
	}
	return w
}

func (g *parallelGeometry) describe() string {
	var axes []string
	for _, a := range g.Axes {
		axes = append(axes, a.text())
	}
	tell := func(l ParallelLine) string {
		var at []string
		for j, v := range l.Values {
			value := brief(v)
			switch ticks := g.Axes[j].Ticks; {
			case math.IsNaN(v):
				continue
			case len(ticks) > 0:
				value = clean(ticks[int(v)])
			}
			at = append(at, clean(g.Axes[j].Label)+" "+value)
		}
		return brief(l.Metric) + " at " + several(at, ", ")
	}
	known := slices.DeleteFunc(slices.Clone(g.Lines), func(l ParallelLine) bool { return math.IsNaN(l.Metric) })
	byMetric := func(a, b ParallelLine) int { return cmp.Compare(a.Metric, b.Metric) }
	return fmt.Sprintf("Parallel coordinates of %d trials over %s, colored by %s: highest %s; lowest %s.",
		len(g.Lines), several(axes, ", "), cmp.Or(g.Metric.text(), "a number"), tell(slices.MaxFunc(known, byMetric)), tell(slices.MinFunc(known, byMetric)))
}

var unknownStyle = draw.LineStyle{Color: axisGray, Width: 0.8, Dashes: []vg.Length{3, 2}}

func (g *parallelGeometry) paint(c draw.Canvas) {
	name, tick := textStyle(labelSize, ink, false), middle(textStyle(tickSize, ink, false))
	const line = labelSize + 2
	names := [][]string{}
	lines := 1
	for _, label := range append(g.labels(), g.Metric.text()) {
		names = append(names, twoLines(label, name, g.step-8))
		lines = max(lines, len(names[len(names)-1]))
	}
	top, bottom := c.Max.Y-vg.Length(lines)*line-6, c.Min.Y+4
	data := vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: bottom}, Max: vg.Point{X: c.Max.X - g.scale.width(), Y: top}}
	for _, i := range g.order {
		style := unknownStyle
		if m := g.Lines[i].Metric; !math.IsNaN(m) {
			style = draw.LineStyle{Color: g.scale.color(m), Width: 1.3}
			if len(g.Lines) > 100 {
				style.Width = 0.7
			}
		}
		if g.Best != NoExtreme && i == g.order[len(g.order)-1] {
			g.trace(&c, i, draw.LineStyle{Color: ink, Width: 4.2}, data) // a dark edge makes it stand out
			style.Width = 2.6
		}
		g.trace(&c, i, style, data)
	}
	for j, s := range g.strips {
		box := vg.Rectangle{Min: vg.Point{X: data.Min.X + g.step*vg.Length(j), Y: bottom - 3}, Max: vg.Point{Y: top + 3}}
		box.Max.X = box.Min.X + s.width
		c.SetColor(color.RGBA{0xF4, 0xF4, 0xF4, 0xFF})
		c.Fill(box.Path())
		for _, x := range []vg.Length{box.Min.X, box.Max.X} {
			c.StrokeLine2(draw.LineStyle{Color: axisGray, Width: 0.6}, x, box.Min.Y, x, box.Max.Y)
		}
		every := sparse(len(s.ticks), (top-bottom)/vg.Length(len(s.ticks)), tickSize+1)
		for k, t := range s.ticks {
			if k%every == 0 {
				c.FillText(tick, vg.Point{X: box.Min.X + s.width/2, Y: bottom + (top-bottom)*vg.Length(t.Value)}, t.Label)
			}
		}
		for k, row := range names[j] {
			_, x := centered(row, name, box.Min.X+s.width/2, c.Min.X, c.Max.X)
			c.FillText(aligned(name, draw.XCenter, draw.YBottom), vg.Point{X: x, Y: top + 6 + line*vg.Length(len(names[j])-1-k)}, row)
		}
	}
	g.scale.paint(&c, vg.Rectangle{Min: vg.Point{X: data.Max.X, Y: bottom}, Max: vg.Point{X: c.Max.X, Y: top}})
	metric := names[len(names)-1]
	for k, row := range metric {
		c.FillText(aligned(name, draw.XRight, draw.YBottom), vg.Point{X: c.Max.X, Y: top + 6 + line*vg.Length(len(metric)-1-k)}, row)
	}
}

func (g *parallelGeometry) labels() (names []string) {
	for _, s := range g.strips {
		names = append(names, s.name)
	}
	return names
}

// trace draws a line from axis to axis, level where it meets one.
func (g *parallelGeometry) trace(c *draw.Canvas, i int, style draw.LineStyle, data vg.Rectangle) {
	heights := slices.Clone(g.at[i])
	if m := g.Lines[i].Metric; math.IsNaN(m) {
		heights = append(heights, m)
	} else {
		heights = append(heights, g.scale.Norm(m))
	}
	c.SetLineStyle(style)
	for j, s := range g.strips {
		if math.IsNaN(heights[j] + heights[j+1]) {
			continue
		}
		left := data.Min.X + g.step*vg.Length(j)
		from := vg.Point{X: left + s.width, Y: data.Min.Y + data.Size().Y*vg.Length(heights[j])}
		end := left + g.step
		if j == len(g.strips)-1 {
			end = data.Max.X
		}
		to := vg.Point{X: end, Y: data.Min.Y + data.Size().Y*vg.Length(heights[j+1])}
		mid := (from.X + to.X) / 2
		var p vg.Path
		p.Move(from)
		p.CubeTo(vg.Point{X: mid, Y: from.Y}, vg.Point{X: mid, Y: to.Y}, to)
		c.Stroke(p)
	}
}

// twoLines breaks a text that is too wide at the last space or dot for which the first line
// fits, and shortens lines that are still too wide.
func twoLines(s string, style text.Style, width vg.Length) []string {
	if s == "" || style.Width(s) <= width {
		return []string{s}
	}
	cut := 0
	for i, r := range s {
		if strings.ContainsRune(" ._", r) && style.Width(s[:i+1]) <= width {
			cut = i + 1
		}
	}
	if cut == 0 {
		return []string{fitName(s, style, width)}
	}
	return []string{strings.TrimSpace(s[:cut]), fitName(s[cut:], style, width)}
}
