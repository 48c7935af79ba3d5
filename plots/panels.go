package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"alamos/pkg/stats"
)

// Loss shows training by epoch in stacked panels: the learning rate on a logarithmic axis,
// and the losses.
type Loss struct {
	Frame
	Series []LossSeries // one trial or several

	// Generations are the epochs after which a generation ended and its data
	// changed, marked by vertical lines.
	Generations []float64
}

// LossSeries is the training of one trial over epochs. Empty lists are not drawn.
type LossSeries struct {
	Name       string
	Rate       []Point // learning rate; 0, where a schedule ends, leaves a gap
	Training   []Point
	Validation []Point
}

// LossHeads shows the loss of each head of a network in its own panel. Heads differ in unit
// and size, so small losses would be flat on a common axis.
type LossHeads struct {
	Frame
	Heads       []HeadLoss
	Generations []float64 // as those of [Loss]
}

// HeadLoss is the loss of one head over epochs. Series of the same name (training and
// validation) look the same in all panels.
type HeadLoss struct {
	Name   string // policy, value, moves left
	Unit   string // nats, squared error
	Series []Series
}

// Multiples shows the same two numbers in many small panels of the same axes, normally one
// per trial. Each panel also shows the lines of a few others in gray for comparison.
type Multiples struct {
	Frame
	X, Y   Axis     // of all panels
	Panels []Series // one panel each, titled by its name; a series without points has not begun
}

// mostGenerations is the maximum number of marked generations. Above it, only every second,
// third, ... is marked.
const mostGenerations = 60

// styled is a series and its look.
type styled struct {
	Series
	look
}

// epochPanel is one of several stacked panels with the same epochs.
type epochPanel struct {
	y     Axis
	lines []styled
}

// Figure implements [Chart].
func (l Loss) Figure() (*Figure, error) {
	panels := []epochPanel{{y: Axis{Label: "learning rate", Log: true}}, {y: Axis{Label: "loss"}}}
	single := len(l.Series) == 1
	var trials, curves []entry // of the legend: a trial has a color, a curve has dashes
	var told []string
	for i, s := range l.Series {
		if !single {
			trials = append(trials, thin(colorOf(i), nil).entry(s.Name))
		}
		var words []string
		for k, c := range []styled{
			// Trials often share a schedule, and dashes keep the line below visible.
			{Series{Name: "learning rate", Points: withoutZeros(s.Rate)}, thin(ink, dashes[i%len(dashes)])},
			{Series{Name: "training loss", Points: s.Training}, thin(vermilion, []vg.Length{3, 2})},
			{Series{Name: "validation loss", Points: s.Validation}, thin(blue, nil)},
		} {
			if c.empty() {
				continue
			}
			words = append(words, tellSeries(c.Series)...)
			key := c.look
			if !single {
				c.line.Color, key.line.Color = colorOf(i), softInk
			}
			if k == 0 {
				c.step = plotter.PostStep
				panels[0].lines = append(panels[0].lines, c)
				continue
			}
			panels[1].lines = append(panels[1].lines, c)
			if !slices.ContainsFunc(curves, func(e entry) bool { return e.name == c.Name }) {
				curves = append(curves, key.entry(c.Name))
			}
		}
		told = append(told, clean(s.Name)+" "+strings.Join(words, ", "))
	}
	description := describe("Panels above one another", "epoch", "learning rate and losses", told...)
	return epochFigure(l.Frame, panels, l.Generations, append(trials, curves...), description)
}

// thin is the look of a line among many. It has dashes instead of markers, besides its
// color.
func thin(c color.Color, dashes []vg.Length) look {
	return look{line: draw.LineStyle{Color: c, Width: lineWidth, Dashes: dashes}}
}

// withoutZeros replaces zeros by missing values, for a logarithmic axis.
func withoutZeros(points []Point) []Point {
	points = slices.Clone(points)
	for i := range points {
		if points[i].Y.Value == 0 {
			points[i].Y.Value = math.NaN()
		}
	}
	return points
}

// Figure implements [Chart].
func (l LossHeads) Figure() (*Figure, error) {
	var panels []epochPanel
	var legend []entry
	var told []string
	for _, h := range l.Heads {
		p := epochPanel{y: Axis{Label: clean(h.Name) + " loss", Unit: h.Unit}}
		for _, s := range h.Series {
			if s.empty() {
				continue
			}
			i := slices.IndexFunc(legend, func(e entry) bool { return e.name == s.Name })
			if i < 0 {
				i = len(legend)
				legend = append(legend, thin(colorOf(i), dashes[i%len(dashes)]).entry(s.Name))
			}
			p.lines = append(p.lines, styled{s, thin(colorOf(i), dashes[i%len(dashes)])})
		}
		panels = append(panels, p)
		told = append(told, p.y.Label+" "+several(tellSeries(h.Series...), ", "))
	}
	description := describe("Panels above one another", "epoch", "the loss of each head", several(told, "; "))
	return epochFigure(l.Frame, panels, l.Generations, legend, description)
}

// epochFigure draws stacked panels. It omits those without data.
func epochFigure(f Frame, panels []epochPanel, generations []float64, legend []entry, description string) (*Figure, error) {
	x := emptySpan()
	for _, p := range panels {
		for _, s := range p.lines {
			if err := s.check(); err != nil {
				return nil, err
			}
			sx, _ := spans(s.Series)
			x.join(sx)
		}
	}
	if x.empty() {
		return nil, fmt.Errorf("plots: %d panels over epochs without a number: %w", len(panels), ErrNoData)
	}
	if err := checkNumbers("Generations", generations...); err != nil {
		return nil, err
	}
	marks, named := generationMarks(generations, x)
	g := grid{x: "epoch", gap: 0.3 * vg.Centimeter}
	for _, panel := range panels {
		y := emptySpan()
		for _, s := range panel.lines {
			_, sy := spans(s.Series)
			y.join(sy)
		}
		if y.empty() {
			continue
		}
		if err := panel.y.check(y); err != nil {
			return nil, err
		}
		p := newPlot()
		setRange(&p.X, Axis{}, x, 0, 8)
		setRange(&p.Y, panel.y, y, 0.06, 4)
		p.Add(gridLines(false, true))
		for _, at := range marks {
			add(p, &plotter.Line{LineStyle: generationStyle, XYs: plotter.XYs{{X: at, Y: p.Y.Min}, {X: at, Y: p.Y.Max}}})
		}
		for _, s := range panel.lines {
			s.look.add(p, s.Series)
		}
		if len(g.plots) > 0 {
			hideLabels(&g.plots[len(g.plots)-1][0].X)
		}
		g.plots, g.y = append(g.plots, []*plot.Plot{p}), append(g.y, panel.y.text())
	}
	lay, err := newLayout(f, append(legend, named...), defaultWidth, 3.6*float64(len(g.plots))+4)
	if err != nil {
		return nil, err
	}
	return lay.figure(description, g.paint), nil
}

var generationStyle = draw.LineStyle{Color: markGray, Width: 0.7, Dashes: []vg.Length{2, 2}}

// generationMarks returns the marks that are drawn and their legend entry.
func generationMarks(generations []float64, x span) (marks []float64, named []entry) {
	every := (len(generations) + mostGenerations - 1) / mostGenerations
	for i, g := range generations {
		if (i+1)%every == 0 && g >= x.min && g <= x.max {
			marks = append(marks, g)
		}
	}
	if len(marks) == 0 {
		return nil, nil
	}
	name := "end of a generation"
	if every > 1 {
		name = fmt.Sprintf("end of every %d generations", every)
	}
	return marks, []entry{look{line: generationStyle}.entry(name)}
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

// Figure implements [Chart].
func (m Multiples) Figure() (*Figure, error) {
	const mostBehind = 20 // maximum number of panels with distinguishable gray lines
	x, y, err := checkSeries(m.Panels, nil, m.X, m.Y)
	if err != nil {
		return nil, err
	}
	columns := columnsOf(len(m.Panels))
	this := thin(colorOf(0), nil)
	behind := look{line: draw.LineStyle{Color: markGray, Width: 0.6}}
	var legend []entry
	if n := len(m.Panels); n > 1 && n <= mostBehind {
		legend = []entry{this.entry("this panel"), behind.entry("other panels")}
	}
	rows := (len(m.Panels) + columns - 1) / columns
	lay, err := newLayout(m.Frame, legend, defaultWidth, float64(rows)*math.Min(7, 1.2+8.5/float64(columns))+1.2)
	if err != nil {
		return nil, err
	}
	room := (lay.inner() - 2*vg.Centimeter) / vg.Length(columns)
	g := grid{x: m.X.text(), y: []string{m.Y.text()}, gap: 10}
	for i, s := range m.Panels {
		p := newPlot()
		title := clean(s.Name)
		if s.empty() {
			title = strings.TrimSpace(title + " (no data)")
		}
		p.Title.Text = fitName(title, p.Title.TextStyle, room)
		p.Title.Padding = 4
		setRange(&p.X, m.X, x, 0, 4)
		setRange(&p.Y, m.Y, y, 0.05, 4)
		if i%columns > 0 {
			hideLabels(&p.Y)
		}
		if i+columns < len(m.Panels) { // there is a panel below
			hideLabels(&p.X)
		}
		p.Add(gridLines(true, true))
		for j, other := range m.Panels {
			if legend != nil && j != i {
				behind.add(p, Series{Points: withoutIntervals(other.Points)})
			}
		}
		this.add(p, s)
		if i%columns == 0 {
			g.plots = append(g.plots, make([]*plot.Plot, columns))
		}
		g.plots[i/columns][i%columns] = p
	}
	description := describe(fmt.Sprintf("%d panels", len(m.Panels)), m.X.text(), m.Y.text(), several(tellSeries(m.Panels...), "; "))
	return lay.figure(description, g.paint), nil
}

func withoutIntervals(points []Point) []Point {
	points = slices.Clone(points)
	for i := range points {
		points[i].Y = stats.Exactly(points[i].Y.Value)
	}
	return points
}
