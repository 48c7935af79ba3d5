package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Lines shows a number against another with a line for each trial: the score against
// training, a hook's metric, the length of games. If X has names, points are not joined,
// because no values exist between two names.
type Lines struct {
	Frame
	X, Y       Axis
	Series     []Series // at least one with a point
	References []Reference
}

// Figure implements [Chart].
func (l Lines) Figure() (*Figure, error) {
	levels := make([]Series, len(l.References))
	for i, r := range l.References {
		levels[i] = Series{Name: r.Name, Points: Points([]float64{0}, []float64{r.Y})}
	}
	x, _, err := checkSeries(l.Series, l.X, l.Y)
	if err != nil {
		return nil, err
	}
	_, y, err := checkSeries(slices.Concat(l.Series, levels), Axis{}, l.Y)
	if err != nil {
		return nil, err
	}
	p := newPlot()
	setRange(&p.X, l.X, x, 0, 7)
	setRange(&p.Y, l.Y, y, 0.05, 5)
	series, names := l.Series, l.X.Names
	if len(names) > 0 {
		series = l.beside()
		p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
		p.X.Tick.Marker = nominal(&p.X, names, (l.inner()-2*cm)/vg.Length(len(names)), true)
	}
	p.Add(gridLines(true, true))
	var legend []entry
	for i, s := range levels { // gray, behind the series
		level := look{line: draw.LineStyle{Color: axisGray, Width: 1, Dashes: dashes[1+i%(len(dashes)-1)]}}
		s.Points = Points([]float64{p.X.Min, p.X.Max}, []float64{s.Points[0].Y.Value, s.Points[0].Y.Value})
		legend = append(legend, entry{s.Name, level.add(p, s)})
	}
	for i, s := range series {
		look := lookOf(i)
		if len(names) > 0 {
			look.line.Width = 0
		}
		legend = slices.Insert(legend, i, entry{s.Name, look.add(p, s)})
	}
	if len(legend) == 1 && legend[0].name == "" {
		legend = nil
	}
	return l.Frame.figure(content{
		height: 8.5 * cm, legend: legend, paint: paintPlot(p, l.X.text(), l.Y.text()),
		description: describe("Line chart", l.X.text(), l.Y.text(), describeSeries(l.Series, l.X)...),
	})
}

// beside moves the points of a name's series apart, so that their intervals do not overlap.
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

// nominal returns a tick for each name of an axis, at 0, 1, 2, ... The names of a horizontal
// axis are turned if they are too wide for the room of each. Where names are dense, only
// every second, fifth, ... is shown.
func nominal(a *plot.Axis, names []string, room vg.Length, horizontal bool) (ticks plot.ConstantTicks) {
	widest, needed := vg.Length(0), vg.Length(tickSize+1)
	for i, name := range names {
		name = fit(clean(name), a.Tick.Label, nameWidth)
		widest = max(widest, a.Tick.Label.Width(name))
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: name})
	}
	if horizontal {
		needed = min(widest+6, needed)
	}
	if horizontal && widest > room-6 {
		a.Tick.Label = aligned(a.Tick.Label, draw.XRight, draw.YCenter)
		a.Tick.Label.Rotation = math.Pi / 2
	}
	every := sparse(len(names), room, needed)
	return slices.DeleteFunc(ticks, func(t plot.Tick) bool { return int(t.Value)%every > 0 })
}

// sparse returns the interval of labeled ticks: with 5, every fifth is labeled. room is the
// distance between ticks.
func sparse(n int, room, want vg.Length) int {
	for _, every := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500} {
		if room*vg.Length(every) >= want {
			return every
		}
	}
	return max(1, n)
}
