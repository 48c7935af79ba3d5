package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines shows a number against another, a line for each trial: the score
// against training, a hook's metric, the length of games.
type Lines struct {
	Frame
	X, Y       Axis
	Series     []Series // at least one with a point
	References []Reference

	// Ticks are the names of the values of a setting that is no number. A
	// point's X is then the index of one of them, and points are not joined:
	// there is nothing between one kind of schedule and the next.
	Ticks []string
}

// Figure implements [Chart].
func (l Lines) Figure() (*Figure, error) {
	x, y, err := checkSeries(l.Series, l.References, l.X, l.Y)
	if err != nil {
		return nil, err
	}
	p := newPlot()
	setRange(&p.X, l.X, x, 0, 7)
	setRange(&p.Y, l.Y, y, 0.05, 5)
	description := describe("Line chart", l.X.text(), l.Y.text(), tellSeries(l.Series...)...)
	series := l.Series
	if len(l.Ticks) > 0 {
		if description, err = l.describeNamed(); err != nil {
			return nil, err
		}
		series = l.beside()
		l.nameTicks(p)
	}
	p.Add(gridLines(true, true))
	refs := addReferences(p, l.References)
	var legend []entry
	for i, s := range series {
		look := lookOf(i)
		if len(l.Ticks) > 0 {
			look.line.Width = 0
		}
		legend = append(legend, entry{s.Name, look.add(p, s)})
	}
	if legend = append(legend, refs...); len(legend) == 1 && legend[0].name == "" {
		legend = nil
	}
	lay, err := newLayout(l.Frame, legend, defaultWidth, 8.5)
	if err != nil {
		return nil, err
	}
	return lay.figure(description, grid{plots: [][]*plot.Plot{{p}}, x: l.X.text(), y: []string{l.Y.text()}}.paint), nil
}

// describeNamed checks points at names and says where they are.
func (l Lines) describeNamed() (string, error) {
	n := float64(len(l.Ticks))
	if l.X.Log {
		return "", fmt.Errorf("plots: names on a logarithmic axis: %w", ErrRange)
	}
	var told []string
	for _, s := range l.Series {
		var points []string
		for _, p := range s.Points {
			if p.X < 0 || p.X >= n || p.X != math.Trunc(p.X) && !math.IsNaN(p.X) {
				return "", fmt.Errorf("plots: series %q: x of %g is not the index of one of %g names: %w", s.Name, p.X, n, ErrRange)
			}
			if !p.missing() {
				points = append(points, brief(p.Y.Value)+" at "+clean(l.Ticks[int(p.X)]))
			}
		}
		told = append(told, strings.TrimSpace(clean(s.Name)+" "+several(points, ", ")))
	}
	return describe("Chart", l.X.text(), l.Y.text(), several(told, "; ")), nil
}

// beside moves the points of a name's series beside one another, so that their
// intervals do not cover each other.
func (l Lines) beside() []Series {
	series := slices.Clone(l.Series)
	for i := range series {
		series[i].Points = slices.Clone(series[i].Points)
		for j := range series[i].Points {
			series[i].Points[j].X += 0.6 * ((float64(i)+0.5)/float64(len(series)) - 0.5)
		}
	}
	return series
}

// nameTicks sets the names below the axis.
func (l Lines) nameTicks(p *plot.Plot) {
	n := len(l.Ticks)
	p.X.Min, p.X.Max = -0.5, float64(n)-0.5
	width := cmp.Or(l.Width, defaultWidth)
	p.X.Tick.Marker = nominal(&p.X, l.Ticks, vg.Length(width-2.5)*vg.Centimeter/vg.Length(n))
}

// nominal returns a tick for each name, at 0, 1, 2, ... The names of a
// horizontal axis that leaves each of them some room stand upright where they
// are too wide for it, and every second, fifth, ... is left where they are dense.
func nominal(a *plot.Axis, names []string, room vg.Length) plot.ConstantTicks {
	style := &a.Tick.Label
	var ticks plot.ConstantTicks
	var widest vg.Length
	for i, name := range names {
		name = fitName(clean(name), *style, nameWidth)
		widest = max(widest, style.Width(name))
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
	}
	if widest > room-6 {
		*style = aligned(*style, draw.XRight, draw.YCenter)
		style.Rotation = math.Pi / 2
	}
	every := sparse(len(names), room, min(widest+6, tickSize+1))
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return int(t.Value)%every != 0 })
}

// sparse returns of how many ticks, some room apart, one is labeled.
func sparse(n int, room, want vg.Length) int {
	for _, every := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500} {
		if room*vg.Length(every) >= want {
			return every
		}
	}
	return max(1, n)
}
