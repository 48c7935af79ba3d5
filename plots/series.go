package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series is a line of points, one trial of a sweep as a rule.
type Series struct {
	Name string

	// X and Y are the points, in the order in which they are joined; both
	// have the same length. A NaN in either leaves a gap.
	X, Y []float64

	// Low and High are the ends of each point's error bar, in the unit of Y
	// (ends, not lengths). Empty: no error bars. A NaN: no bar at this point
	// on this side.
	Low, High []float64

	// Band joins the intervals into a shaded band behind the line, which
	// suits an interval of seeds at every point; [Band] makes such a series.
	// A point that lacks an end of its interval leaves a gap in the band.
	Band bool
}

// A Reference is a level to compare with, drawn as a dashed line across.
type Reference struct {
	Name string
	Y    float64
}

// check tests the lists of a series, the i-th of its place, for length and
// finiteness.
func (s Series) check(place string, i int) error {
	where := fmt.Sprintf("%s %d (%q)", place, i, s.Name)
	lists := []struct {
		name     string
		list     []float64
		optional bool
	}{{"X", s.X, false}, {"Y", s.Y, false}, {"Low", s.Low, true}, {"High", s.High, true}}
	for _, l := range lists {
		if err := checkLength(where+": "+l.name, len(l.list), len(s.X), l.optional); err != nil {
			return err
		}
		if err := checkNumbers(where+": "+l.name, l.list); err != nil {
			return err
		}
	}
	return nil
}

// spans returns the ranges of all points that have both coordinates.
func spans(series []Series) (x, y span) {
	x, y = emptySpan(), emptySpan()
	for _, s := range series {
		for i := range s.X {
			if math.IsNaN(s.X[i]) || math.IsNaN(s.Y[i]) {
				continue
			}
			x.add(s.X[i])
			y.add(s.Y[i])
			if len(s.Low) > 0 {
				y.add(s.Low[i])
			}
			if len(s.High) > 0 {
				y.add(s.High[i])
			}
		}
	}
	return x, y
}

// checkSeries tests a figure's series and references and returns their ranges.
func checkSeries(series []Series, refs []Reference, xAxis, yAxis Axis) (x, y span, err error) {
	for i, s := range series {
		if err := s.check("series", i); err != nil {
			return x, y, err
		}
	}
	x, y = spans(series)
	if x.empty() {
		return x, y, fmt.Errorf("plots: %d series without a point: %w", len(series), ErrNoData)
	}
	for _, r := range refs {
		where := fmt.Sprintf("reference %q", r.Name)
		if math.IsNaN(r.Y) {
			return x, y, fmt.Errorf("plots: %s: %w", where, ErrNoData)
		}
		if err := checkNumber(where, r.Y); err != nil {
			return x, y, err
		}
		y.add(r.Y)
	}
	if err := checkLog(xAxis, x, "x"); err != nil {
		return x, y, err
	}
	return x, y, checkLog(yAxis, y, "y")
}

const (
	lineWidth    = vg.Length(1.4)
	markerRadius = vg.Length(2.8)
	// mostMarkers is the number of points beyond which markers would merge
	// into a band and hide the line.
	mostMarkers = 60
)

// curve draws one series.
type curve struct {
	Series
	line   draw.LineStyle
	marker draw.GlyphDrawer // nil: none
	apart  bool             // points are not joined
}

// newCurve gives series i its looks.
func newCurve(s Series, i int) curve {
	c := curve{
		Series: s,
		line:   draw.LineStyle{Color: colorOf(i), Width: lineWidth, Dashes: dashesOf(i)},
		marker: markerOf(i),
	}
	if len(s.X) > mostMarkers {
		c.marker = nil
	}
	return c
}

func (cv curve) entry() entry {
	e := entry{name: cv.Name, line: cv.line, marker: cv.marker, color: cv.line.Color}
	if cv.apart {
		e.line.Width = 0
	}
	if cv.Band {
		e.shade = shade(cv.line.Color)
	}
	return e
}

// shade returns a color thin enough for the grid and other lines to show.
func shade(c color.Color) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = 0x38
	return n
}

// band draws the shaded interval of a series.
type band curve

// Plot implements plot.Plotter.
func (b band) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var lower, upper []vg.Point
	flush := func() {
		if len(lower) > 1 {
			slices.Reverse(upper)
			if outline := c.ClipPolygonXY(append(lower, upper...)); len(outline) > 0 {
				c.FillPolygon(shade(b.line.Color), outline)
			}
		} else if len(lower) == 1 { // a band without extent is a bar
			c.StrokeLine2(draw.LineStyle{Color: shade(b.line.Color), Width: 2 * markerRadius}, lower[0].X, lower[0].Y, upper[0].X, upper[0].Y)
		}
		lower, upper = nil, nil
	}
	for i, x := range b.X {
		if len(b.Low) == 0 || len(b.High) == 0 || math.IsNaN(x+b.Y[i]+b.Low[i]+b.High[i]) {
			flush()
			continue
		}
		within := func(v float64) vg.Length { return ty(math.Max(p.Y.Min, math.Min(p.Y.Max, v))) }
		lower = append(lower, vg.Point{X: tx(x), Y: within(b.Low[i])})
		upper = append(upper, vg.Point{X: tx(x), Y: within(b.High[i])})
	}
	flush()
}

// Plot implements plot.Plotter.
func (cv curve) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	var run []vg.Point // points since the last gap
	var points []vg.Point
	flush := func() {
		if len(run) > 1 && !cv.apart {
			c.StrokeLines(cv.line, c.ClipLinesXY(run)...)
		} else if len(run) == 1 && cv.marker == nil {
			// A lone point between gaps would be invisible without a marker.
			c.DrawGlyph(draw.GlyphStyle{Color: cv.line.Color, Radius: cv.line.Width, Shape: draw.CircleGlyph{}}, run[0])
		}
		run = nil
	}
	for i := range cv.X {
		if math.IsNaN(cv.X[i]) || math.IsNaN(cv.Y[i]) {
			flush()
			continue
		}
		at := vg.Point{X: tx(cv.X[i]), Y: ty(cv.Y[i])}
		run = append(run, at)
		points = append(points, at)
		if !cv.Band {
			cv.plotBar(&c, p, ty, at, i)
		}
	}
	flush()
	if cv.marker == nil {
		return
	}
	for _, at := range points {
		c.DrawGlyph(draw.GlyphStyle{Color: cv.line.Color, Radius: markerRadius, Shape: cv.marker}, at)
	}
}

// plotBar draws the error bar of point i, cut off at the axis range.
func (cv curve) plotBar(c *draw.Canvas, p *plot.Plot, ty func(float64) vg.Length, at vg.Point, i int) {
	style := draw.LineStyle{Color: cv.line.Color, Width: 0.8}
	for _, ends := range [][]float64{cv.Low, cv.High} {
		if len(ends) == 0 || math.IsNaN(ends[i]) {
			continue
		}
		end := math.Max(p.Y.Min, math.Min(p.Y.Max, ends[i]))
		y := ty(end)
		c.StrokeLine2(style, at.X, at.Y, at.X, y)
		if end == ends[i] { // no cap where the bar goes on beyond the axis
			c.StrokeLine2(style, at.X-2.5, y, at.X+2.5, y)
		}
	}
}

// GlyphBoxes implements plot.GlyphBoxer: markers on the edge of the data area
// keep their room.
func (cv curve) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	if cv.marker == nil {
		return nil
	}
	r := markerRadius
	box := vg.Rectangle{Min: vg.Point{X: -r, Y: -r}, Max: vg.Point{X: r, Y: r}}
	var boxes []plot.GlyphBox
	for i := range cv.X {
		if math.IsNaN(cv.X[i]) || math.IsNaN(cv.Y[i]) {
			continue
		}
		boxes = append(boxes, plot.GlyphBox{X: p.X.Norm(cv.X[i]), Y: p.Y.Norm(cv.Y[i]), Rectangle: box})
	}
	return boxes
}

// grid draws thin lines at the labeled ticks, save where an axis line is.
type grid struct{ x, y bool }

// Plot implements plot.Plotter.
func (g grid) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.LineStyle{Color: gridGray, Width: 0.5}
	if g.x {
		for _, t := range labeled(p.X) {
			if x := tx(t.Value); !t.IsMinor() && x > c.Min.X+1 && c.ContainsX(x) {
				c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
			}
		}
	}
	if g.y {
		for _, t := range labeled(p.Y) {
			if y := ty(t.Value); !t.IsMinor() && y > c.Min.Y+1 && c.ContainsY(y) {
				c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
			}
		}
	}
}

// labeled returns an axis' ticks, with the labels that a neighbor shows for it.
func labeled(a plot.Axis) []plot.Tick {
	ticker := a.Tick.Marker
	if u, ok := ticker.(unlabeled); ok {
		ticker = u.Ticker
	}
	return ticker.Ticks(a.Min, a.Max)
}

// level draws a reference.
type level struct {
	y     float64
	style draw.LineStyle
}

// Plot implements plot.Plotter.
func (l level) Plot(c draw.Canvas, p *plot.Plot) {
	_, ty := p.Transforms(&c)
	c.StrokeLine2(l.style, c.Min.X, ty(l.y), c.Max.X, ty(l.y))
}

// addReferences puts references on a plot and returns their legend entries.
// They are gray, so that no series is mistaken for one; dashes tell them apart.
func addReferences(p *plot.Plot, refs []Reference) []entry {
	var entries []entry
	for i, r := range refs {
		style := draw.LineStyle{Color: axisGray, Width: 1, Dashes: dashes[1+i%(len(dashes)-1)]}
		p.Add(level{r.Y, style})
		entries = append(entries, entry{name: r.Name, line: style})
	}
	return entries
}

// describe makes the description of a figure from its parts.
func describe(given, kind, x, y string, parts []string) string {
	if given = clean(given); given != "" {
		return given
	}
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

// mostTold is the number of things that a description lists.
const mostTold = 12

// several joins a list and says how much of it is left out.
func several(list []string, separator string) string {
	if n := len(list) - mostTold; n > 0 {
		return strings.Join(list[:mostTold], separator) + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(list, separator)
}

// tellSeries says of each series where it begins and ends.
func tellSeries(series []Series) []string {
	told := make([]string, len(series))
	for i, s := range series {
		told[i] = strings.TrimSpace(clean(s.Name) + " " + s.tell())
	}
	return told
}

func (s Series) tell() string {
	first, last := -1, -1
	for i := range s.X {
		if !math.IsNaN(s.X[i]) && !math.IsNaN(s.Y[i]) {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	switch {
	case first < 0:
		return "(no data)"
	case first == last:
		return brief(s.Y[last]) + " at " + brief(s.X[last])
	}
	return "from " + brief(s.Y[first]) + " at " + brief(s.X[first]) + " to " + brief(s.Y[last]) + " at " + brief(s.X[last])
}
