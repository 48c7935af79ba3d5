package plots

import (
	"errors"
	"fmt"
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

// Lines shows a number against another with a line for each trial: the score against
// training, a hook's metric, the length of games. If X has names, points are not joined,
// because no values exist between two names. Of more than [MostBands] series, bands are not
// drawn.
type Lines struct {
	Frame
	X, Y       Axis
	Series     []Series // at least one with a point
	References []Reference
}

// MostBands is the maximum number of bands that can be told apart in one plot.
const MostBands = 5

// Figure implements [Chart].
func (l Lines) Figure() (*Figure, error) {
	all := l.Series
	if len(all) > MostBands {
		l.Series = withoutBands(all)
	}
	levels := levelsOf(l.References)
	x, _, err := checkSeries(l.Series, l.X, l.Y)
	if err != nil {
		return nil, err
	}
	_, y, err := checkSeries(slices.Concat(l.Series, levels), Axis{}, l.Y)
	if err != nil {
		return nil, err
	}
	p := newPlot()
	const pad = 0.03
	length, names := l.inner()-2*cm, l.X.Names
	setRange(&p.X, l.X, x, pad, 8)
	if len(names) > 0 {
		p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
		p.X.Tick.Marker = nominal(&p.X, names, length/vg.Length(len(names)), true)
	}
	shifts := l.beside(p.X, length)
	if len(names) == 0 {
		setRange(&p.X, l.X, x, pad+slices.Max(shifts), 8)
		l.X.ownTicks(&p.X, length, true)
		if slices.Max(shifts) > 0 {
			l.Note = strings.TrimPrefix(l.Note+"; points at one place stand beside one another", "; ")
		}
	}
	const height = 8.5 * cm
	setRange(&p.Y, l.Y, y, 0.05, 5)
	l.Y.ownTicks(&p.Y, height-1.5*cm, false)
	p.Add(gridLines(true, true))
	legend := addLevels(p, levels, 0) // behind the series
	for i, s := range l.Series {
		look := lookOf(i)
		if len(names) > 0 || s.Unjoined {
			look.line.Width = 0
		}
		s.Points = shifted(s.Points, p.X, shifts[i])
		legend = slices.Insert(legend, i, entry{s.Name, look.add(p, s, all[i].texts(l.X, l.Y)), look.keys})
	}
	if len(legend) == 1 && legend[0].name == "" {
		legend = nil
	}
	return l.Frame.figure(content{
		height: height, legend: legend, paint: paintPlot(p, l.X.text(), l.Y.text()),
		description: describe("Line chart", l.X.text(), l.Y.text(), append(describeSeries(all, l.X), describeLevels(levels)...)...),
	})
}

// levelsOf returns each level as a series with one point.
func levelsOf(references []Reference) []Series {
	levels := make([]Series, len(references))
	for i, r := range references {
		levels[i] = Series{Name: r.Name, Points: Points([]float64{0}, []float64{r.Y})}
	}
	return levels
}

// addLevels draws levels across a plot whose ranges are set, gray and dashed, and returns their
// legend. before is the number of levels in the plots before it.
func addLevels(p *plot.Plot, levels []Series, before int) (legend []entry) {
	for i, s := range levels {
		level := look{line: draw.LineStyle{Color: axisGray, Width: 1, Dashes: dashes[1+(before+i)%(len(dashes)-1)]}}
		y := s.Points[0].Y.Value
		s.Points = Points([]float64{p.X.Min, p.X.Max}, []float64{y, y})
		legend = append(legend, entry{name: s.Name, samples: level.add(p, s, nil)})
	}
	return legend
}

// describeLevels describes each level in a few words.
func describeLevels(levels []Series) (texts []string) {
	for _, s := range levels {
		texts = append(texts, joined(s.Name, "at", brief(s.Points[0].Y.Value)))
	}
	return texts
}

// withoutBands returns series without the intervals of bands.
func withoutBands(all []Series) []Series {
	all = slices.Clone(all)
	for i, s := range all {
		if s.Band {
			all[i].Points = withoutIntervals(s.Points)
		}
	}
	return all
}

// besideGap is the distance of points of one number that are set beside one another.
const besideGap = vg.Length(5.5) // a cap is 5 wide

// beside returns how far the points of each series are moved to the right, in shares of the
// length of the drawn axis x, so that intervals at one place do not cover one another. At a
// name all series are beside one another, at a number those with intervals, near to it.
func (l Lines) beside(x plot.Axis, length vg.Length) []float64 {
	var moved []int
	var places []float64 // of all points that are moved
	gap, near := 1/float64(max(1, len(l.X.Names))), float64(besideGap/length)
	for i, s := range l.Series {
		var own []float64
		bars := false
		for _, p := range s.Points {
			if !p.missing() {
				own = append(own, x.Norm(p.X))
				bars = bars || p.Y.Known() && !s.Band
			}
		}
		if bars || len(l.X.Names) > 0 {
			slices.Sort(own)
			moved, places, gap = append(moved, i), append(places, own...), math.Min(gap, leastGap(slices.Compact(own)))
		}
	}
	n := float64(len(moved))
	step := 0.6 * gap / n
	if slices.Sort(places); len(l.X.Names) == 0 {
		if step = math.Min(step, near); leastGap(places) >= near {
			step = 0
		}
	}
	shifts := make([]float64, len(l.Series))
	for rank, i := range moved {
		shifts[i] = step * (float64(rank) - (n-1)/2)
	}
	return shifts
}

// leastGap returns the least difference of neighbors.
func leastGap(sorted []float64) float64 {
	least := math.Inf(1)
	for i := 1; i < len(sorted); i++ {
		least = math.Min(least, sorted[i]-sorted[i-1])
	}
	return least
}

// shifted returns points moved to the right by a share of a drawn axis.
func shifted(points []Point, x plot.Axis, share float64) []Point {
	points = slices.Clone(points)
	for i := range points {
		if _, log := x.Scale.(plot.LogScale); log {
			points[i].X *= math.Exp(share * (math.Log(x.Max) - math.Log(x.Min))) // the ratio itself may be infinite
		} else {
			points[i].X += share * (x.Max - x.Min)
		}
	}
	return points
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

// Stack shows several numbers over epochs in panels above one another, such as the learning
// rate and the losses. Numbers of different units and sizes would be flat on a common axis.
type Stack struct {
	Frame
	X      string  // label of the horizontal axis
	Panels []Panel // a panel without a point is left out

	// Generations are the places after which a generation ended and its data
	// changed, marked by vertical lines.
	Generations []float64
}

const panelHeight = 3.6 * cm // at least

// Panel is one number of a [Stack].
type Panel struct {
	Y          Axis
	Series     []Series
	References []Reference
}

// Figure implements [Chart].
func (s Stack) Figure() (*Figure, error) {
	if err := checkNumbers("Generations", s.Generations...); err != nil {
		return nil, err
	}
	var shown []Panel
	var ranges []span
	var all []Series
	var texts []string
	for _, panel := range s.Panels {
		levels := levelsOf(panel.References)
		if _, _, err := checkSeries(panel.Series, Axis{}, Axis{}); errors.Is(err, ErrNoData) {
			continue
		}
		_, py, err := checkSeries(slices.Concat(panel.Series, levels), Axis{}, panel.Y)
		if err != nil {
			return nil, err
		}
		shown, ranges, all = append(shown, panel), append(ranges, py), append(all, panel.Series...)
		texts = append(texts, joined(panel.Y.Label, several(append(describeSeries(panel.Series, Axis{}), describeLevels(levels)...), ", ")))
	}
	if len(shown) == 0 {
		return nil, fmt.Errorf("plots: %d panels without a number: %w", len(s.Panels), ErrNoData)
	}
	x, _, err := checkSeries(all, Axis{}, Axis{})
	if err != nil {
		return nil, err
	}
	looks, legend := looksOf(all)
	marks, legend := s.marks(x, legend)
	drawn := 0 // levels
	g := grid{x: clean(s.X), gap: 0.3 * cm}
	for i, panel := range shown {
		p := newPlot()
		setRange(&p.X, Axis{}, x, 0.02, 8)
		setRange(&p.Y, panel.Y, ranges[i], 0.06, 4)
		panel.Y.ownTicks(&p.Y, panelHeight, false)
		p.Add(gridLines(false, true))
		for _, at := range marks {
			add(p, &plotter.Line{LineStyle: markStyle, XYs: plotter.XYs{{X: at, Y: p.Y.Min}, {X: at, Y: p.Y.Max}}})
		}
		levels := addLevels(p, levelsOf(panel.References), drawn)
		legend, drawn = append(legend, levels...), drawn+len(levels)
		for _, series := range panel.Series {
			looks(series).add(p, series, series.texts(Axis{Label: s.X}, panel.Y))
		}
		if i < len(shown)-1 {
			hideLabels(&p.X)
		}
		g.plots, g.y = append(g.plots, []*plot.Plot{p}), append(g.y, panel.Y.text())
	}
	return s.Frame.figure(content{
		height: panelHeight*vg.Length(len(shown)) + 4*cm, legend: legend, paint: g.paint,
		description: describe("Panels above one another", s.X, "", several(texts, "; ")),
	})
}

// looksOf returns the looks of lines in panels, and their legend. Where there is only one name,
// curves have colors besides their dashes. A curve without a point keeps its look from the next
// one, so that training looks the same with and without validation. The lines of a name without
// curves, beside names that have some, have no dashes but markers.
func looksOf(all []Series) (looks func(Series) look, legend []entry) {
	var names, curves, faint []string
	for _, s := range all {
		if !s.empty() && !slices.Contains(names, s.Name) {
			names = append(names, s.Name)
		}
		if s.Faint && !slices.Contains(faint, s.Curve) {
			faint = append(faint, s.Curve)
		} else if !s.Faint && s.Curve != "" && !slices.Contains(curves, s.Curve) {
			curves = append(curves, s.Curve)
		}
	}
	curves = append(curves, faint...)
	bare := func(name string) bool { // whether it has no curve
		return name != "" && !slices.ContainsFunc(all, func(s Series) bool { return s.Name == name && s.Curve != "" })
	}
	looks = func(s Series) look {
		name, curve := slices.Index(names, s.Name), slices.Index(curves, s.Curve)
		l := look{line: draw.LineStyle{Color: colorOf(max(0, name)), Width: lineWidth, Dashes: dashes[max(0, name)%len(dashes)]}}
		if s.Name != "" {
			l.keys = strconv.Itoa(name + 1)
		}
		if curve >= 0 {
			l.line.Dashes = dashes[curve%len(dashes)]
			l.keys = joined(l.keys, strconv.Itoa(len(names)+curve+1))
		}
		switch {
		case bare(s.Name) && len(curves) > 0:
			if l.line.Dashes = nil; len(s.Points) <= mostMarkers && !s.Step {
				l.marker = markers[name%len(markers)]
			}
		case slices.Contains(faint, s.Curve):
			l.line = draw.LineStyle{Color: markGray, Width: lineWidth / 2}
		case len(names) == 1 && curve >= 0:
			l.line.Color = colorOf(curve)
		case s.Name == "":
			l.line.Color = ink
		}
		return l
	}
	for i, name := range names {
		if name != "" {
			l := look{line: draw.LineStyle{Color: colorOf(i), Width: lineWidth}, keys: strconv.Itoa(i + 1)}
			if bare(name) {
				l = looks(all[slices.IndexFunc(all, func(s Series) bool { return s.Name == name && !s.empty() })])
			}
			legend = append(legend, l.entry(name))
		}
	}
	for i, curve := range curves {
		if !slices.ContainsFunc(all, func(s Series) bool { return s.Curve == curve && !s.empty() }) {
			continue
		}
		l := looks(Series{Name: names[0], Curve: curve})
		l.keys = strconv.Itoa(len(names) + i + 1)
		if len(names) > 1 {
			l.line.Color = softInk
		}
		legend = append(legend, l.entry(curve))
	}
	return looks, legend
}

var markStyle = draw.LineStyle{Color: markGray, Width: 0.7, Dashes: []vg.Length{2, 2}}

// marks returns the ends of generations that are marked, at most 60, and the legend with
// them.
func (s Stack) marks(x span, legend []entry) (marks []float64, with []entry) {
	every := (len(s.Generations) + 59) / 60
	for i, g := range s.Generations {
		if (i+1)%every == 0 && g >= x.min && g <= x.max {
			marks = append(marks, g)
		}
	}
	name := "end of a generation"
	if every > 1 {
		name = fmt.Sprintf("end of every %d generations", every)
	}
	if len(marks) > 0 {
		legend = append(legend, look{line: markStyle}.entry(name))
	}
	return marks, legend
}

// Multiples shows the same two numbers in many small panels of the same axes, normally one
// per trial. Each panel also shows the lines of a few others in gray for comparison.
type Multiples struct {
	Frame
	X, Y   Axis     // of all panels
	Panels []Series // one panel each, titled by its name; a series without points has not begun
}

// columnsOf returns the number of columns for n panels.
func columnsOf(n int) int {
	switch {
	case n <= 3:
		return n
	case n == 4:
		return 2
	case n <= 9:
		return 3
	}
	return 4
}

// MostBehind is the maximum number of panels in which the other lines are distinguishable in gray.
const MostBehind = 20

// Figure implements [Chart].
func (m Multiples) Figure() (*Figure, error) {
	x, y, err := checkSeries(m.Panels, m.X, m.Y)
	if err != nil {
		return nil, err
	}
	this := look{line: draw.LineStyle{Color: colorOf(0), Width: lineWidth}}
	behind := look{line: draw.LineStyle{Color: markGray, Width: 0.6}}
	var legend []entry
	if n := len(m.Panels); n > 1 && n <= MostBehind {
		legend = []entry{this.entry("this panel"), behind.entry("other panels")}
	}
	const narrowest = 3.4 * cm // with room for the numbers of its axis
	columns := min(columnsOf(len(m.Panels)), max(1, int((m.inner()-2*cm)/narrowest)))
	var all []*plot.Plot
	for i, s := range m.Panels {
		title := clean(s.Name)
		if s.empty() {
			title = joined(title, "(no data)")
		}
		p := titled(title, (m.inner()-2*cm)/vg.Length(columns))
		setRange(&p.X, m.X, x, 0.03, 4)
		setRange(&p.Y, m.Y, y, 0.05, 4)
		m.X.ownTicks(&p.X, (m.inner()-2*cm)/vg.Length(columns), true)
		m.Y.ownTicks(&p.Y, 2*cm, false)
		p.Add(gridLines(true, true))
		for j, other := range m.Panels {
			if legend != nil && j != i {
				behind.add(p, Series{Points: withoutIntervals(other.Points)}, nil)
			}
		}
		this.add(p, s, s.texts(m.X, m.Y))
		all = append(all, p)
	}
	g := tiles(all, columns, m.X.text(), m.Y.text())
	return m.Frame.figure(content{
		height: vg.Length(float64(len(g.plots))*math.Min(7, 1.2+8.5/float64(columns))+1.2) * cm, legend: legend, paint: g.paint,
		description: describe(fmt.Sprintf("%d panels", len(m.Panels)), m.X.text(), m.Y.text(), several(describeSeries(m.Panels, m.X), "; ")),
	})
}

// titled returns an empty plot below a title that fits into the room.
func titled(title string, room vg.Length) *plot.Plot {
	p := newPlot()
	p.Title.Text = fit(title, p.Title.TextStyle, room)
	p.Title.Padding = 4
	return p
}

// tiles arranges plots of the same axes in columns. Those at the left and at the bottom show
// the numbers.
func tiles(all []*plot.Plot, columns int, x, y string) grid {
	g := grid{x: x, y: []string{y}, gap: 10}
	for i, p := range all {
		if i%columns > 0 {
			hideLabels(&p.Y)
		}
		if i+columns < len(all) { // there is a panel below
			hideLabels(&p.X)
		}
		if i%columns == 0 {
			g.plots = append(g.plots, make([]*plot.Plot, columns))
		}
		g.plots[i/columns][i%columns] = p
	}
	return g
}

func withoutIntervals(points []Point) []Point {
	points = slices.Clone(points)
	for i := range points {
		points[i].Y = stats.Exactly(points[i].Y.Value)
	}
	return points
}

// joined joins the parts of a text that are not empty.
func joined(parts ...string) string { return clean(strings.Join(parts, " ")) }
