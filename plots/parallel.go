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

// Parallel shows a sweep of many settings as parallel coordinates: an upright
// axis for each setting, a line through the settings of each trial, and the
// trial's result as the last axis and as the color of the line.
type Parallel struct {
	Frame
	Axes   []ParallelAxis // settings, from the left
	Metric Axis           // the result
	Lines  []ParallelLine

	// Best draws the line of the highest or lowest result thick and names it.
	Best Extreme
}

// ParallelAxis is a setting. With Ticks it has these values and no others, and
// the lines through one of them run beside one another; without, it is an axis
// of numbers. A setting that a grid sweeps over is better with Ticks.
type ParallelAxis struct {
	Axis
	Ticks []string
}

// ParallelLine is a trial.
type ParallelLine struct {
	Name string

	// Values has a number for each axis, which is the index of one of its
	// Ticks where it has some. NaN leaves a gap.
	Values []float64

	Metric float64 // NaN: not known, a dashed gray line
}

const (
	mostParallelAxes  = 20
	mostParallelLines = 5000
)

// Figure implements [Chart].
func (p Parallel) Figure() (*Figure, error) {
	metric, err := p.check()
	if err != nil {
		return nil, err
	}
	g := parallelGeometry{Parallel: p, scale: newColorScale(p.Metric, metric.widen(0, p.Metric.Log))}
	g.scale.colorOf = viridisLine
	g.sort()
	g.place()
	var legend []entry
	for _, l := range p.Lines {
		if math.IsNaN(l.Metric) {
			legend = append(legend, entry{name: "without a result", line: unknownStyle})
			break
		}
	}
	if best, ok := g.best(); ok {
		name := "best: " + brief(best.Metric)
		if best.Name != "" {
			name += ", " + clean(best.Name)
		}
		legend = append(legend, entry{name: name, line: draw.LineStyle{Color: g.scale.color(best.Metric), Width: 2.6}})
	}
	// As wide as the labels of the axes need, unless the caller says how wide.
	room := vg.Length(len(p.Axes))*(g.widest()+10) + g.strips[0].width + g.scaleWidth() + 2*margin + 1
	lay, err := newLayout(p.Frame, legend, max(defaultWidth, float64(room/vg.Centimeter)), 8.5)
	if err != nil {
		return nil, err
	}
	if step := g.step(lay.width - 2*margin); step < g.widest()+10 {
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
	if len(p.Axes) > mostParallelAxes || len(p.Lines) > mostParallelLines {
		return metric, fmt.Errorf("plots: parallel coordinates of %d axes and %d lines: want at most %d and %d: %w",
			len(p.Axes), len(p.Lines), mostParallelAxes, mostParallelLines, ErrSize)
	}
	for i, l := range p.Lines {
		where := fmt.Sprintf("line %d (%q)", i, l.Name)
		if err := checkLength(where, len(l.Values), len(p.Axes), false); err != nil {
			return metric, err
		}
		if err := checkNumbers(where, append([]float64{l.Metric}, l.Values...)); err != nil {
			return metric, err
		}
		for j, v := range l.Values {
			if n := len(p.Axes[j].Ticks); n > 0 && (v < 0 || v >= float64(n) || v != math.Trunc(v)) && !math.IsNaN(v) {
				return metric, fmt.Errorf("plots: %s: %g is not the index of one of the %d ticks of axis %q: %w", where, v, n, p.Axes[j].Label, ErrRange)
			}
		}
		metric.add(l.Metric)
	}
	if metric.empty() {
		return metric, fmt.Errorf("plots: %d lines without a result: %w", len(p.Lines), ErrNoData)
	}
	if err := checkLog(p.Metric, metric, "result"); err != nil {
		return metric, err
	}
	for j, a := range p.Axes {
		if len(a.Ticks) > 0 {
			continue
		}
		s := emptySpan()
		for _, l := range p.Lines {
			s.add(l.Values[j])
		}
		if s.empty() {
			return metric, fmt.Errorf("plots: axis %d (%q) without a number: %w", j, a.Label, ErrNoData)
		}
		if err := checkLog(a.Axis, s, a.Label); err != nil {
			return metric, err
		}
	}
	return metric, nil
}

// parallelGeometry has what stands where, in shares of the height.
type parallelGeometry struct {
	Parallel
	scale  colorScale
	order  []int       // lines, from the first drawn to the last
	at     [][]float64 // by line, by axis; NaN for a gap
	strips []parallelStrip
}

// parallelStrip is the column of an axis: its labels stand between two edges
// at which the lines end, so that no line crosses a label.
type parallelStrip struct {
	name  string
	ticks []scaleMark
	width vg.Length
}

// sort puts the best lines last, above the others, and those without a result
// first.
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

// best returns the marked line.
func (g *parallelGeometry) best() (ParallelLine, bool) {
	best := g.Lines[g.order[len(g.order)-1]]
	return best, g.Best != NoExtreme
}

// place finds the heights of all lines on all axes, and the labels.
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
				strip.ticks = append(strip.ticks, scaleMark{(float64(k) + 0.5) / float64(n), fitName(clean(t), style, 2.5*vg.Centimeter)})
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
			for _, t := range axis.Tick.Marker.Ticks(axis.Min, axis.Max) {
				if at := axis.Norm(t.Value); !t.IsMinor() && at >= 0 && at <= 1 {
					strip.ticks = append(strip.ticks, scaleMark{at, t.Label})
				}
			}
		}
		for _, t := range strip.ticks {
			strip.width = max(strip.width, style.Width(t.label)+8)
		}
		g.strips = append(g.strips, strip)
	}
}

// spread places the lines through the values of axis j, of which there are n,
// beside one another.
func (g *parallelGeometry) spread(j, n int) {
	count := make([]int, n)
	for _, l := range g.Lines {
		if v := l.Values[j]; !math.IsNaN(v) {
			count[int(v)]++
		}
	}
	seen := make([]int, n)
	for _, i := range g.order {
		v := g.Lines[i].Values[j]
		if math.IsNaN(v) {
			g.at[i][j] = v
			continue
		}
		k := int(v)
		// Together they take at most 70 % of the value's room.
		share := math.Min(0.7/float64(n), 0.02*float64(count[k]))
		g.at[i][j] = (v+0.5)/float64(n) + share*((float64(seen[k])+0.5)/float64(count[k])-0.5)
		seen[k]++
	}
}

// widest is the width of the widest axis.
func (g *parallelGeometry) widest() (w vg.Length) {
	for _, s := range g.strips {
		w = max(w, s.width)
	}
	return w
}

// step is the distance of axes in a picture of some width. The first axis
// stands at the left, the scale of results at the right.
func (g *parallelGeometry) step(width vg.Length) vg.Length {
	return (width - g.strips[0].width - g.scaleWidth()) / vg.Length(len(g.Axes))
}

// scaleWidth leaves the label of the results room for a line of two words.
func (g *parallelGeometry) scaleWidth() vg.Length {
	w := barWidth + 6
	style := textStyle(smallSize+1, softInk, false)
	for _, t := range labeled(g.scale.axis) {
		w = max(w, barWidth+6+style.Width(t.Label))
	}
	return w
}

func (g *parallelGeometry) describe() string {
	if given := clean(g.Description); given != "" {
		return given
	}
	var axes []string
	for _, a := range g.Axes {
		axes = append(axes, a.text())
	}
	tell := func(l ParallelLine) string {
		var at []string
		for j, v := range l.Values {
			switch {
			case math.IsNaN(v):
			case len(g.Axes[j].Ticks) > 0:
				at = append(at, clean(g.Axes[j].Label)+" "+clean(g.Axes[j].Ticks[int(v)]))
			default:
				at = append(at, clean(g.Axes[j].Label)+" "+brief(v))
			}
		}
		return brief(l.Metric) + " at " + several(at, ", ")
	}
	known := slices.DeleteFunc(slices.Clone(g.order), func(i int) bool { return math.IsNaN(g.Lines[i].Metric) })
	first, last := g.Lines[known[0]], g.Lines[known[len(known)-1]]
	if first.Metric > last.Metric {
		first, last = last, first
	}
	return fmt.Sprintf("Parallel coordinates of %d trials over %s, colored by %s: highest %s; lowest %s.",
		len(g.Lines), several(axes, ", "), clean(g.Metric.text()), tell(last), tell(first))
}

var unknownStyle = draw.LineStyle{Color: axisGray, Width: 0.8, Dashes: []vg.Length{3, 2}}

func (g *parallelGeometry) paint(c draw.Canvas) {
	step := g.step(c.Max.X - c.Min.X)
	name := textStyle(labelSize, ink, false)
	// Names of axes above them, in two lines where one is too narrow.
	rows := 1
	names := make([][]string, len(g.strips))
	for j, s := range g.strips {
		names[j] = twoLines(s.name, name, step-6)
		rows = max(rows, len(names[j]))
	}
	metric := twoLines(g.scale.label, name, step-6)
	rows = max(rows, len(metric))
	line := vg.Length(labelSize + 2)
	top, bottom := c.Max.Y-line*vg.Length(rows)-5, c.Min.Y+5
	height := func(share float64) vg.Length { return bottom + (top-bottom)*vg.Length(share) }
	left := func(j int) vg.Length { return c.Min.X + step*vg.Length(j) }

	end := c.Max.X - g.scaleWidth() // where lines end
	for at, i := range g.order {
		l := g.Lines[i]
		style := draw.LineStyle{Color: color.Color(color.Black), Width: 1.3}
		if len(g.Lines) > 100 {
			style.Width = 0.7
		}
		switch {
		case math.IsNaN(l.Metric):
			style = unknownStyle
		default:
			style.Color = g.scale.color(l.Metric)
		}
		if at == len(g.order)-1 && g.Best != NoExtreme {
			g.trace(&c, i, draw.LineStyle{Color: ink, Width: 4}, left, height, end)
			style.Width = 2.6
		}
		g.trace(&c, i, style, left, height, end)
	}
	edge := draw.LineStyle{Color: axisGray, Width: 0.6}
	for j, s := range g.strips {
		x := left(j)
		box := vg.Rectangle{Min: vg.Point{X: x, Y: bottom - 3}, Max: vg.Point{X: x + s.width, Y: top + 3}}
		c.SetColor(color.RGBA{0xF4, 0xF4, 0xF4, 0xFF})
		c.Fill(box.Path())
		for _, x := range []vg.Length{box.Min.X, box.Max.X} {
			c.StrokeLine2(edge, x, box.Min.Y, x, box.Max.Y)
		}
		style := aligned(textStyle(tickSize, ink, false), draw.XCenter, draw.YCenter)
		for k, t := range s.ticks {
			if k%sparse(len(s.ticks), (top-bottom)/vg.Length(len(s.ticks)), tickSize+1) == 0 {
				beside(&c, style, vg.Point{X: x + s.width/2, Y: height(t.share)}, t.label)
			}
		}
		for k, row := range names[j] {
			at := vg.Point{X: x + s.width/2, Y: top + 6 + line*vg.Length(len(names[j])-1-k)}
			align := draw.XCenter
			if at.X-name.Width(row)/2 < c.Min.X {
				at.X, align = c.Min.X, draw.XLeft
			}
			c.FillText(aligned(name, align, draw.YBottom), at, row)
		}
	}
	var marks []scaleMark
	for _, t := range labeled(g.scale.axis) {
		if !t.IsMinor() {
			marks = append(marks, scaleMark{g.scale.share(t.Value), t.Label})
		}
	}
	paintScale(c, vg.Rectangle{Min: vg.Point{X: end, Y: bottom}, Max: vg.Point{X: end + barWidth, Y: top}}, g.scale.colorOf, marks, "")
	for k, row := range metric {
		c.FillText(aligned(name, draw.XRight, draw.YBottom), vg.Point{X: c.Max.X, Y: top + 6 + line*vg.Length(len(metric)-1-k)}, row)
	}
}

// trace draws a line from axis to axis.
func (g *parallelGeometry) trace(c *draw.Canvas, i int, style draw.LineStyle, left func(int) vg.Length, height func(float64) vg.Length, end vg.Length) {
	c.SetLineStyle(style)
	between := func(x0, y0, x1, y1 vg.Length) {
		var p vg.Path
		mid := (x0 + x1) / 2
		p.Move(vg.Point{X: x0, Y: y0})
		p.CubeTo(vg.Point{X: mid, Y: y0}, vg.Point{X: mid, Y: y1}, vg.Point{X: x1, Y: y1})
		c.Stroke(p)
	}
	at := g.at[i]
	for j := range g.Axes {
		if math.IsNaN(at[j]) {
			continue
		}
		x := left(j) + g.strips[j].width
		if j+1 < len(g.Axes) {
			if !math.IsNaN(at[j+1]) {
				between(x, height(at[j]), left(j+1), height(at[j+1]))
			}
		} else if v := g.Lines[i].Metric; !math.IsNaN(v) {
			between(x, height(at[j]), end, height(g.scale.share(v)))
		}
	}
}

// twoLines breaks a text that is too wide at the last space or dot that lets
// the first line fit, and shortens what is still too wide.
func twoLines(s string, style text.Style, width vg.Length) []string {
	if s == "" {
		return nil
	}
	if style.Width(s) <= width {
		return []string{s}
	}
	cut := 0
	for i, r := range s {
		if (r == ' ' || r == '.' || r == '_') && style.Width(s[:i+1]) <= width {
			cut = i + 1
		}
	}
	if cut == 0 {
		return []string{fitName(s, style, width)}
	}
	return []string{strings.TrimSpace(s[:cut]), fitName(s[cut:], style, width)}
}
