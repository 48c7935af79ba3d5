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

// Loss shows how training went, epoch by epoch, in panels above one another:
// the learning rate on a logarithmic axis, and the losses.
type Loss struct {
	Frame

	// Series is one trial or several. The colors of trials repeat after
	// seven; more are better shown in several figures.
	Series []LossSeries

	// Generations are the epochs after which a generation ended and its data
	// changed, marked by vertical lines. With several trials, those of the
	// trials' common plan.
	Generations []float64

	LogLoss bool // logarithmic loss axes
}

// LossSeries is the training of one trial. All lists have one number an
// epoch; NaN where it is unknown. Empty lists are not drawn.
type LossSeries struct {
	Name       string
	Epoch      []float64 // empty: 1, 2, 3, ...
	Rate       []float64 // learning rate; 0, where a schedule ends, leaves a gap
	Training   []float64
	Validation []float64
}

// Dashes of the two losses. Colors tell the curves of a single trial apart as
// well; among several trials the colors tell trials.
var (
	trainingLook   = []vg.Length{3, 2}
	validationLook []vg.Length
)

// mostGenerations is the number of marks beyond which only every so many-th
// generation is marked.
const mostGenerations = 60

// Figure implements [Chart].
func (l Loss) Figure() (*Figure, error) {
	rate, loss, err := l.curves()
	if err != nil {
		return nil, err
	}
	x := emptySpan()
	for _, panel := range []lossPanel{rate, loss} {
		px, _ := spans(panel.series)
		if !px.empty() {
			x.add(px.min, px.max)
			x.whole = x.whole && px.whole
		}
	}
	if x.empty() {
		return nil, fmt.Errorf("plots: losses and rates of %d trials without a number: %w", len(l.Series), ErrNoData)
	}
	marks, every, err := marksWithin(l.Generations, x)
	if err != nil {
		return nil, err
	}

	var panels []strip
	for _, lp := range []lossPanel{rate, loss} {
		_, y := spans(lp.series)
		if y.empty() {
			continue
		}
		if err := checkLog(lp.axis, y, lp.axis.Label); err != nil {
			return nil, err
		}
		p := newPlot("", lp.axis.text())
		setRange(&p.X, Axis{}, x, 0, 8)
		setRange(&p.Y, lp.axis, y, 0.06, 4)
		p.Add(grid{y: true}, generationMarks(marks))
		for i, s := range lp.series {
			if s.Band {
				p.Add(band{Series: s, line: lp.lines[i]})
			}
		}
		for i, s := range lp.series {
			p.Add(curve{Series: s, line: lp.lines[i]})
		}
		panels = append(panels, strip{plot: p, share: lp.weight})
	}
	total := 0.0
	for i := range panels {
		total += panels[i].share
		if i < len(panels)-1 {
			panels[i].plot.X.Tick.Marker = unlabeled{panels[i].plot.X.Tick.Marker}
		} else {
			panels[i].plot.x = "epoch"
		}
	}
	for i := range panels {
		panels[i].share /= total
	}

	legend := l.legend(marks, every)
	lay, err := newLayout(l.Frame, legend, defaultWidth, 3.4*total)
	if err != nil {
		return nil, err
	}
	if lay.height-lay.headHeight() < vg.Length(len(panels))*leastData*vg.Centimeter {
		return nil, fmt.Errorf("plots: height of %.4g cm for %d panels: %w", lay.height/vg.Centimeter, len(panels), ErrSize)
	}
	told := make([]string, len(l.Series))
	for i, s := range l.Series {
		told[i] = s.tell()
	}
	return lay.figure(describe(l.Description, "Panels above one another", "epoch", "learning rate and losses", told), func(c draw.Canvas) { paintPanels(c, panels) }), nil
}

// tell says where each curve of a trial begins and ends.
func (s LossSeries) tell() string {
	var told []string
	for _, c := range []struct {
		name string
		list []float64
	}{{"learning rate", s.Rate}, {"training loss", s.Training}, {"validation loss", s.Validation}} {
		first, last := math.NaN(), math.NaN()
		for _, v := range c.list {
			if math.IsNaN(v) {
				continue
			}
			if math.IsNaN(first) {
				first = v
			}
			last = v
		}
		if !math.IsNaN(first) {
			told = append(told, c.name+" from "+brief(first)+" to "+brief(last))
		}
	}
	return strings.TrimSpace(clean(s.Name) + " " + strings.Join(told, ", "))
}

// lossPanel is what one panel shows.
type lossPanel struct {
	axis   Axis
	weight float64
	series []Series
	lines  []draw.LineStyle
}

func (p *lossPanel) add(s Series, c color.Color, d []vg.Length) {
	if len(s.Y) == 0 {
		return
	}
	s.Band = len(s.Low) > 0
	p.series = append(p.series, s)
	p.lines = append(p.lines, draw.LineStyle{Color: c, Width: lineWidth, Dashes: d})
}

// curves sorts the series into panels.
func (l Loss) curves() (rate, loss lossPanel, err error) {
	rate = lossPanel{axis: Axis{Label: "learning rate", Log: true}, weight: 1}
	loss = lossPanel{axis: Axis{Label: "loss", Log: l.LogLoss}, weight: 1.8}
	for i, s := range l.Series {
		where := fmt.Sprintf("trial %d (%q)", i, s.Name)
		x, err := s.epochs(where)
		if err != nil {
			return rate, loss, err
		}
		// Trials often share a schedule; dashes let the line below show.
		rate.add(steps(Series{X: x, Y: withoutZeros(s.Rate)}), l.curveColor(i, ink), dashes[i%len(dashes)])
		loss.add(Series{X: x, Y: s.Training}, l.curveColor(i, vermilion), trainingLook)
		loss.add(Series{X: x, Y: s.Validation}, l.curveColor(i, blue), validationLook)
	}
	return rate, loss, nil
}

// withoutZeros makes zeros missing, for a logarithmic axis.
func withoutZeros(list []float64) []float64 {
	list = slices.Clone(list)
	for i, v := range list {
		if v == 0 {
			list[i] = math.NaN()
		}
	}
	return list
}

// epochs checks the lists of a series and returns their common x.
func (s LossSeries) epochs(where string) ([]float64, error) {
	lists := []struct {
		name string
		list []float64
	}{{"Epoch", s.Epoch}, {"Rate", s.Rate}, {"Training", s.Training}, {"Validation", s.Validation}}
	n := 0
	for _, l := range lists {
		n = max(n, len(l.list))
	}
	for _, l := range lists {
		if err := checkLength(where+": "+l.name, len(l.list), n, true); err != nil {
			return nil, err
		}
		if err := checkNumbers(where+": "+l.name, l.list); err != nil {
			return nil, err
		}
	}
	if len(s.Epoch) > 0 {
		return s.Epoch, nil
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i + 1)
	}
	return x, nil
}

// steps turns points into stairs: a learning rate holds from its epoch until
// the next, and a slope between two would show rates that never were.
func steps(s Series) Series {
	var out Series
	for i := range s.Y {
		if i > 0 && !math.IsNaN(s.Y[i-1]) && !math.IsNaN(s.Y[i]) && s.Y[i] != s.Y[i-1] {
			out.X = append(out.X, s.X[i])
			out.Y = append(out.Y, s.Y[i-1])
		}
		out.X = append(out.X, s.X[i])
		out.Y = append(out.Y, s.Y[i])
	}
	return out
}

func (l Loss) single() bool { return len(l.Series) == 1 }

func (l Loss) curveColor(i int, single color.Color) color.Color {
	if l.single() {
		return single
	}
	return colorOf(i)
}

// keyColor is the color of a curve's legend entry: its own, or gray where
// every trial has such a curve in a color of its own.
func (l Loss) keyColor(single color.Color) color.Color {
	if l.single() {
		return single
	}
	return softInk
}

// legend explains trials by color, then curves by dashes.
func (l Loss) legend(marks []float64, every int) []entry {
	var legend []entry
	line := func(name string, c color.Color, d []vg.Length) {
		legend = append(legend, entry{name: name, line: draw.LineStyle{Color: c, Width: lineWidth, Dashes: d}})
	}
	if !l.single() {
		for i, s := range l.Series {
			line(s.Name, colorOf(i), nil)
		}
	}
	var training, validation bool
	for _, s := range l.Series {
		training = training || len(s.Training) > 0
		validation = validation || len(s.Validation) > 0
	}
	if training {
		line("training loss", l.keyColor(vermilion), trainingLook)
	}
	if validation {
		line("validation loss", l.keyColor(blue), validationLook)
	}
	return append(legend, generationEntries(marks, every)...)
}

// generationEntries explains the marks of generations, if there are any.
func generationEntries(marks []float64, every int) []entry {
	if len(marks) == 0 {
		return nil
	}
	name := "end of a generation"
	if every > 1 {
		name = fmt.Sprintf("end of every %d generations", every)
	}
	return []entry{{name: name, line: generationStyle}}
}

// marksWithin returns the generation marks that are drawn, and of how many
// generations each is one.
func marksWithin(generations []float64, x span) (marks []float64, every int, err error) {
	if err := checkNumbers("Generations", generations); err != nil {
		return nil, 0, err
	}
	every = (len(generations) + mostGenerations - 1) / mostGenerations
	for i, g := range generations {
		if (i+1)%every == 0 && g >= x.min && g <= x.max {
			marks = append(marks, g)
		}
	}
	return marks, every, nil
}

var generationStyle = draw.LineStyle{Color: markGray, Width: 0.7, Dashes: []vg.Length{2, 2}}

type generationMarks []float64

// Plot implements plot.Plotter.
func (g generationMarks) Plot(c draw.Canvas, p *plot.Plot) {
	tx, _ := p.Transforms(&c)
	for _, x := range g {
		c.StrokeLine2(generationStyle, tx(x), c.Min.Y, tx(x), c.Max.Y)
	}
}

// unlabeled keeps a ticker's marks and drops their labels: an upper panel
// shares the labels of the lowest.
type unlabeled struct{ plot.Ticker }

// Ticks implements plot.Ticker.
func (u unlabeled) Ticks(min, max float64) []plot.Tick {
	ticks := u.Ticker.Ticks(min, max)
	for i := range ticks {
		ticks[i].Label = ""
	}
	return ticks
}
