package plots

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"alamos/pkg/stats"
)

// Series is a line of points, normally of one trial of a sweep.
type Series struct {
	Name string

	// Curve distinguishes the series of one name, such as training and validation. In panels,
	// series of a name share a color, and those of a curve share their dashes. Those of a
	// name without curves, beside names that have some, have up to 60 markers.
	Curve string

	// Points are joined in order. A NaN in X or the value leaves a gap. A known interval is
	// drawn as an error bar, clipped at the axis.
	Points []Point

	// Band joins the intervals into a shaded band behind the line, which
	// suits an interval of seeds at every point.
	Band bool

	// Faint makes the line of a [Stack] thin and gray, which suits single numbers beside their
	// mean. Such a series comes before those that are drawn over it.
	Faint bool

	// Unjoined leaves out the line between the points.
	Unjoined bool

	// Step holds each value since the point before, and the first for one unit of X, which
	// suits a number of a whole epoch.
	Step bool
}

// Point is a number with its interval at a place.
type Point struct {
	X float64
	Y stats.Interval
}

// Points pairs places with numbers that have no interval.
func Points(x, y []float64) []Point {
	points := make([]Point, min(len(x), len(y)))
	for i := range points {
		points[i] = Point{x[i], stats.Exactly(y[i])}
	}
	return points
}

// A Reference is a level to compare with, drawn as a dashed line across.
type Reference struct {
	Name string
	Y    float64
}

func (p Point) missing() bool { return math.IsNaN(p.X) || p.Y.Missing() }

// checkSeries returns the ranges of the points of series, which must not be empty.
func checkSeries(series []Series, xAxis, yAxis Axis) (x, y span, err error) {
	x, y = emptySpan(), emptySpan()
	for _, s := range series {
		for i, p := range s.Points {
			if err := checkNumbers(fmt.Sprintf("series %q, point %d", s.Name, i), p.X, p.Y.Value, p.Y.Low, p.Y.High); err != nil {
				return x, y, err
			}
			if most := yAxis.Most; most > 0 && (p.Y.Value < 0 || p.Y.Value > most) {
				return x, y, fmt.Errorf("plots: series %q has %g at %g: want 0 to %g: %w", s.Name, p.Y.Value, p.X, most, ErrInvalid)
			}
			if !p.missing() {
				x.add(p.X)
				if s.Step {
					x.add(p.X - 1)
				}
				y.add(p.Y.Value, p.Y.Low, p.Y.High)
			}
		}
	}
	if x.empty() {
		return x, y, fmt.Errorf("plots: %d series without a point: %w", len(series), ErrNoData)
	}
	return x, y, errors.Join(xAxis.check(x), yAxis.check(y))
}

const (
	lineWidth    = vg.Length(1.4)
	markerRadius = vg.Length(2.8)
	// mostMarkers is the number of points beyond which markers would merge
	// into a band and hide the line.
	mostMarkers = 60
)

// look is how a series is drawn.
type look struct {
	line   draw.LineStyle // a width of 0 does not join points
	marker draw.GlyphDrawer
	keys   string // on a page: its keys in the legend, counted from 1, separated by spaces; "" if it has none
}

// lookOf returns the look of series i of a plot of few lines: a marker besides
// the color. Markers and dashes change after each full cycle of the palette.
func lookOf(i int) look {
	cycle := i / len(palette)
	return look{line: draw.LineStyle{Color: colorOf(i), Width: lineWidth, Dashes: dashes[cycle%len(dashes)]}, marker: markers[(i+cycle+cycle/len(dashes))%len(markers)], keys: strconv.Itoa(i + 1)}
}

// entry returns the legend entry of a line, with its marker if it has one.
func (l look) entry(name string) entry {
	samples := []plot.Thumbnailer{&plotter.Line{LineStyle: l.line}}
	if l.marker != nil {
		samples = append(samples, &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: l.line.Color, Radius: markerRadius, Shape: l.marker}})
	}
	return entry{name, samples, l.keys}
}

// add draws a series on a plot, and returns the samples of its legend entry. texts are what a page
// shows at each point; nil for nothing.
func (l look) add(p *plot.Plot, s Series, texts []string) (samples []plot.Thumbnailer) {
	whole := &partOf{}
	if l.keys != "" {
		whole.attributes = fmt.Sprintf(`data-series="%s"`, l.keys)
	}
	paint := func(part plot.Plotter) { whole.plotters = append(whole.plotters, part) }
	for i, text := range texts {
		if at := s.Points[i]; !at.missing() {
			whole.places = append(whole.places, tooltip{at.X, at.Y.Value, text})
		}
	}
	if bands := runs(s.Points, func(p Point) bool { return !p.missing() && p.Y.Known() }); s.Band && len(bands) > 0 {
		sample := &plotter.Polygon{Color: shade(l.line.Color)}
		for _, run := range bands {
			sample.XYs = append(sample.XYs, bandOutline(run))
		}
		paint(sample)
		samples = append(samples, sample)
	}
	marker := draw.GlyphStyle{Color: l.line.Color, Radius: markerRadius, Shape: l.marker}
	if len(s.Points) > mostMarkers || l.marker == nil {
		marker = draw.GlyphStyle{Color: l.line.Color, Shape: draw.CircleGlyph{}}
	}
	points := &plotter.Scatter{GlyphStyle: marker}
	line := &plotter.Line{LineStyle: l.line}
	if s.Step {
		line.StepStyle = plotter.PreStep
	}
	bars := &plotter.YErrorBars{LineStyle: draw.LineStyle{Color: l.line.Color, Width: 0.8}, CapWidth: 5}
	for _, run := range runs(s.Points, func(p Point) bool { return !p.missing() }) {
		var xys plotter.XYs
		for _, at := range run {
			xy := plotter.XY{X: at.X, Y: at.Y.Value}
			xys = append(xys, xy)
			if at.Y.Known() && (!s.Band || len(run) == 1) { // one point has no band
				bars.XYs = append(bars.XYs, xy)
				down := xy.Y - at.Y.Low
				if at.Y.Low > 0 { // rounding must not end the bar at 0, which a logarithmic axis lacks
					down = math.Min(down, math.Nextafter(xy.Y, 0))
				}
				bars.YErrors = append(bars.YErrors, struct{ Low, High float64 }{down, at.Y.High - xy.Y})
			}
		}
		part := *line
		if s.Step {
			part.XYs = plotter.XYs{{X: xys[0].X - 1, Y: xys[0].Y}}
		}
		part.XYs = append(part.XYs, xys...)
		paint(&part)
		points.XYs = append(points.XYs, xys...)
		if len(run) == 1 && marker.Radius == 0 && !s.Step { // a lone point between gaps would be invisible
			paint(&plotter.Scatter{XYs: xys, GlyphStyle: draw.GlyphStyle{Color: l.line.Color, Radius: lineWidth, Shape: draw.CircleGlyph{}}})
		}
	}
	paint(bars)
	samples = append(samples, line)
	if marker.Radius > 0 {
		paint(points)
		samples = append(samples, points)
	}
	add(p, whole)
	return samples
}

// texts returns what a page shows at each point.
func (s Series) texts(x, y Axis) []string {
	texts := make([]string, len(s.Points))
	for i, p := range s.Points {
		if !p.missing() {
			texts[i] = lines(joined(s.Name, s.Curve), y.labeledValue(intervalText(p.Y)), x.labeledValue(x.value(p.X)))
		}
	}
	return texts
}

// intervalText formats a value with the ends of its interval.
func intervalText(i stats.Interval) string {
	if !i.HasWidth() {
		return brief(i.Value)
	}
	return fmt.Sprintf("%s (%s … %s)", brief(i.Value), brief(i.Low), brief(i.High))
}

// lines joins the lines of a text that are not empty.
func lines(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(s string) bool { return s == "" }), "\n")
}

// empty reports whether a series has no point.
func (s Series) empty() bool {
	return !slices.ContainsFunc(s.Points, func(p Point) bool { return !p.missing() })
}

// runs splits points into the longest runs of those that are kept.
func runs(points []Point, keep func(Point) bool) (all [][]Point) {
	start := 0
	for i := range len(points) + 1 {
		if i < len(points) && keep(points[i]) {
			continue
		}
		if i > start {
			all = append(all, points[start:i])
		}
		start = i + 1
	}
	return all
}

// bandOutline returns the polygon around the intervals of a run.
func bandOutline(run []Point) plotter.XYs {
	var lower, upper plotter.XYs
	for _, p := range run {
		lower = append(lower, plotter.XY{X: p.X, Y: p.Y.Low})
		upper = append(upper, plotter.XY{X: p.X, Y: p.Y.High})
	}
	slices.Reverse(upper)
	return append(lower, upper...)
}

// shade returns a color thin enough for the grid and other lines to show.
func shade(c color.Color) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = 0x38
	return n
}

// gridLines returns thin lines at the labeled ticks of one axis or both.
func gridLines(x, y bool) *plotter.Grid {
	style := draw.LineStyle{Color: gridGray, Width: 0.5}
	g := &plotter.Grid{}
	if x {
		g.Vertical = style
	}
	if y {
		g.Horizontal = style
	}
	return g
}

// describe composes the description of a figure from its parts.
func describe(kind, x, y string, parts ...string) string {
	s := kind
	if y != "" {
		s += " of " + clean(y)
	}
	if x != "" {
		s += " against " + clean(x)
	}
	var named []string
	for _, n := range parts {
		if n = clean(n); n != "" {
			named = append(named, n)
		}
	}
	if len(named) > 0 {
		s += ": " + several(named, ", ")
	}
	return s + "."
}

// mostNamed is the maximum number of things that a description names.
const mostNamed = 12

// several joins a list and states how many entries it omits.
func several(list []string, separator string) string {
	if n := len(list) - mostNamed; n > 0 {
		return strings.Join(list[:mostNamed], separator) + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(list, separator)
}

// describeSeries describes the beginning and the end of each series.
func describeSeries(series []Series, x Axis) []string {
	texts := make([]string, len(series))
	at := func(p Point) string { return brief(p.Y.Value) + " at " + x.value(p.X) }
	for i, s := range series {
		texts[i] = "(no data)"
		if known := slices.DeleteFunc(slices.Clone(s.Points), Point.missing); len(known) == 1 {
			texts[i] = at(known[0])
		} else if len(known) > 1 {
			texts[i] = "from " + at(known[0]) + " to " + at(known[len(known)-1])
		}
		texts[i] = joined(s.Name, s.Curve, texts[i])
	}
	return texts
}
