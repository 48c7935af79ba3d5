package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines shows any number against any other: a hook's metric, the length of
// games, evaluations a second.
type Lines struct {
	Frame
	X, Y       Axis
	Series     []Series // at least one with a point
	References []Reference

	// Ticks are the names of the values of a setting that is no number. A
	// point's X is then the index of one of them, and points are not joined:
	// between a kind of schedule and the next there is nothing.
	Ticks []string
}

// Figure implements [Chart].
func (l Lines) Figure() (*Figure, error) {
	x, y, err := checkSeries(l.Series, l.References, l.X, l.Y)
	if err != nil {
		return nil, err
	}
	p := newPlot(l.X.text(), l.Y.text())
	setRange(&p.Y, l.Y, y, 0.05, 5)
	if len(l.Ticks) > 0 {
		return l.named(p)
	}
	setRange(&p.X, l.X, x, 0, 7)
	return seriesFigure(l.Frame, p, l.Series, l.References, "Line chart")
}

// named finishes a plot whose X are names: the points of a name's series stand
// beside one another, so that their intervals do not cover each other.
func (l Lines) named(p axes) (*Figure, error) {
	n := float64(len(l.Ticks))
	if l.X.Log || n > mostBars {
		return nil, fmt.Errorf("plots: %d names on the x axis (logarithmic: %v): want at most %d, not logarithmic: %w", len(l.Ticks), l.X.Log, mostBars, ErrRange)
	}
	var beside []Series
	told := make([]string, len(l.Series))
	for i, s := range l.Series {
		var points []string
		moved := Series{Name: s.Name, Low: s.Low, High: s.High}
		for j, x := range s.X {
			if !math.IsNaN(x) && (x < 0 || x >= n || x != math.Trunc(x)) {
				return nil, fmt.Errorf("plots: series %d (%q): X[%d] = %g is not the index of one of %d names: %w", i, s.Name, j, x, len(l.Ticks), ErrRange)
			}
			if y := s.Y[j]; !math.IsNaN(x) && !math.IsNaN(y) {
				points = append(points, brief(y)+" at "+clean(l.Ticks[int(x)]))
			}
			moved.X = append(moved.X, x+0.6*((float64(i)+0.5)/float64(len(l.Series))-0.5))
			moved.Y = append(moved.Y, s.Y[j])
		}
		beside = append(beside, moved)
		told[i] = strings.TrimSpace(clean(s.Name) + " " + several(points, ", "))
	}
	p.X.Min, p.X.Max = -0.5, n-0.5
	var widest vg.Length
	var ticks plot.ConstantTicks
	for i, t := range l.Ticks {
		t = fitName(clean(t), p.X.Tick.Label, 4*vg.Centimeter)
		widest = max(widest, p.X.Tick.Label.Width(t))
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: t})
	}
	width := vg.Length(defaultWidth)
	if l.Width > 0 {
		width = vg.Length(l.Width)
	}
	if room := (width - 2.5) * vg.Centimeter / vg.Length(n); widest > room-6 {
		p.X.Tick.Label.Rotation = math.Pi / 2
		p.X.Tick.Label = aligned(p.X.Tick.Label, draw.XRight, draw.YCenter)
		every := sparse(len(ticks), room, tickSize+1)
		ticks = slices.DeleteFunc(ticks, func(t plot.Tick) bool { return int(t.Value)%every != 0 })
	}
	p.X.Tick.Marker = ticks
	if l.Description == "" {
		l.Description = describe("", "Chart", p.x, p.y, []string{several(told, "; ")})
	}
	return seriesFigure(l.Frame, p, beside, l.References, "")
}

// seriesFigure finishes a plot whose axes are set: grid, references, curves,
// legend.
func seriesFigure(f Frame, p axes, series []Series, refs []Reference, kind string) (*Figure, error) {
	p.Add(grid{x: true, y: true})
	refEntries := addReferences(p.Plot, refs)
	_, named := p.X.Tick.Marker.(plot.ConstantTicks)
	legend := addCurves(p.Plot, series, !named)
	legend = append(legend, refEntries...)
	if len(legend) == 1 && legend[0].name == "" {
		legend = nil
	}
	lay, err := newLayout(f, legend, defaultWidth, 8.5)
	if err != nil {
		return nil, err
	}
	return lay.figure(describe(f.Description, kind, p.x, p.y, tellSeries(series)), func(c draw.Canvas) { p.Draw(c) }), nil
}

// addCurves puts series on a plot, their bands below all lines, and returns
// their legend entries. Points that are not joined are marked, however many.
func addCurves(p *plot.Plot, series []Series, joined bool) []entry {
	var curves []curve
	var legend []entry
	for i, s := range series {
		c := newCurve(s, i)
		if !joined {
			c.apart, c.marker = true, markerOf(i)
		}
		curves = append(curves, c)
		legend = append(legend, c.entry())
		if s.Band {
			p.Add(band(c))
		}
	}
	for _, c := range curves {
		p.Add(c)
	}
	return legend
}
