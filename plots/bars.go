package plots

import (
	"cmp"
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

// Histogram shows the distribution of a number, such as the length of games. Several samples
// have a panel each, of the same axes, one above another as long as they are few.
type Histogram struct {
	Frame
	X       Axis // linear
	Samples []Sample
	Share   bool // show shares of each sample, so that samples of different sizes are comparable
}

// Sample is a list of values; NaN is left out.
type Sample struct {
	Name   string
	Values []float64
}

// Figure implements [Chart].
func (h Histogram) Figure() (*Figure, error) {
	if h.X.Log {
		return nil, fmt.Errorf("plots: histogram: axes are linear: %w", ErrInvalid)
	}
	x, most := emptySpan(), 0
	for _, s := range h.Samples {
		if err := checkNumbers(fmt.Sprintf("sample %q", s.Name), s.Values...); err != nil {
			return nil, err
		}
		x.add(s.Values...)
		most = max(most, len(s.Values))
	}
	if x.empty() {
		return nil, fmt.Errorf("plots: histogram of %d samples without a value: %w", len(h.Samples), ErrNoData)
	}
	start, width, n := bins(x, most)
	y := Axis{Label: "games", FromZero: true}
	if h.Share {
		y.Label = "share of games"
	}
	count := len(h.Samples)
	columns := min(4, (count+3)/4)
	top := emptySpan()
	var all []*plot.Plot
	var texts []string
	for _, s := range h.Samples {
		counted := plotter.Histogram{Width: width, FillColor: shade(blue), LineStyle: draw.LineStyle{Color: blue, Width: 0.8}}
		for j := range n {
			at := start + width*float64(j)
			counted.Bins = append(counted.Bins, plotter.HistogramBin{Min: at, Max: at + width})
		}
		total := 0.0
		for _, v := range s.Values {
			if !math.IsNaN(v) {
				counted.Bins[min(n-1, max(0, int((v-start)/width)))].Weight++
				total++
			}
		}
		if h.Share && total > 0 {
			counted.Normalize(width) // scales the total area to the bin width, for shares
		}
		counted.Bins = slices.DeleteFunc(counted.Bins, func(b plotter.HistogramBin) bool { return b.Weight == 0 })
		for _, b := range counted.Bins {
			top.add(b.Weight)
		}
		texts = append(texts, s.describe())
		title := ""
		if count > 1 {
			title = fmt.Sprintf("%s (%.0f)", clean(s.Name), total)
		}
		p := titled(title, (h.inner()-2*cm)/vg.Length(columns))
		tooltips := &partOf{}
		for _, b := range counted.Bins {
			tooltips.places = append(tooltips.places, tooltip{(b.Min + b.Max) / 2, b.Weight, lines(clean(s.Name), joined(h.X.Label, brief(b.Min), "to", brief(b.Max), h.X.Unit), y.labeledValue(brief(b.Weight)))})
		}
		p.Add(gridLines(false, true), &counted, tooltips)
		all = append(all, p)
	}
	top.min = top.max // bars stand on the frame
	for _, p := range all {
		p.X.Min, p.X.Max = start, start+width*float64(n)
		p.X.Tick.Marker = linearTicks{target: 8 / columns, whole: x.whole}
		setRange(&p.Y, y, top, 0.05, max(3, 6-count))
	}
	height := 7.5 * cm
	if count > 1 {
		height = vg.Length(3*((count+columns-1)/columns)+1) * cm
	}
	return h.Frame.figure(content{
		height: height, paint: tiles(all, columns, h.X.text(), y.text()).paint,
		description: describe("Histogram", "", h.X.text(), texts...),
	})
}

// describe describes the number of values and their range.
func (s Sample) describe() string {
	values := slices.DeleteFunc(slices.Clone(s.Values), math.IsNaN)
	if len(values) == 0 {
		return clean(s.Name) + " (no data)"
	}
	slices.Sort(values)
	n := len(values)
	median := values[n/2]/2 + values[(n-1)/2]/2
	return fmt.Sprintf("%s %d from %s to %s, median %s", clean(s.Name), n, brief(values[0]), brief(values[n-1]), brief(median))
}

// bins returns the start, width and number of bins that cover a span with a readable width.
// The number follows Rice's cube root rule, 2 n^(1/3), which assumes no distribution.
func bins(s span, values int) (start, width float64, n int) {
	wish := math.Ceil(2 * math.Cbrt(float64(values)))
	s = s.widen(0, false)
	// Without the bound, the step of a span of the smallest numbers would be zero.
	width = math.Max(niceStep((s.max-s.min)/wish), 1e-300)
	if s.whole {
		// Bins of a fractional width would hold unequal numbers of whole numbers and show a
		// comb that is not in the data.
		width = math.Max(1, width)
	}
	start = math.Floor(s.min/width) * width
	n = int((s.max-start)/width) + 1
	return start, width, n
}

// Results shows how games ended in each generation, as stacked bars of shares: white's wins
// at the bottom, then draws, then black's wins.
type Results struct {
	Frame
	Generations []stats.Record // from White's view
}

// results names the parts of a bar, in the tones of chess pieces, which differ in
// lightness.
var results = [3]struct {
	name  string
	color color.RGBA
}{
	{"white wins", color.RGBA{0xF1, 0xE6, 0xCF, 0xFF}},
	{"draw", color.RGBA{0xA8, 0xB0, 0xB8, 0xFF}},
	{"black wins", color.RGBA{0x3A, 0x44, 0x50, 0xFF}},
}

// Figure implements [Chart].
func (r Results) Figure() (*Figure, error) {
	parts, err := r.shares()
	if err != nil {
		return nil, err
	}
	n := len(r.Generations)
	p := newPlot()
	p.Add(gridLines(false, true))
	room := (r.inner() - 2*cm) / vg.Length(n)
	var bars []*plotter.BarChart
	var legend []entry
	for i, values := range parts {
		bar := &plotter.BarChart{Values: values, XMin: 1, Width: 0.8 * room, Color: results[i].color}
		if room >= 4 {
			bar.LineStyle = draw.LineStyle{Color: axisGray, Width: 0.4}
		}
		if i > 0 {
			bar.StackOn(bars[i-1])
		}
		add(p, bar)
		bars = append(bars, bar)
		legend = append(legend, entry{name: results[i].name, samples: []plot.Thumbnailer{bar}})
	}
	p.X.Min, p.X.Max = 0.5, float64(n)+0.5
	setRange(&p.Y, Axis{Most: 1}, span{}, 0, 5)
	every := sparse(n, room, p.X.Tick.Label.Width(strconv.Itoa(n))+7)
	var ticks plot.ConstantTicks
	for i := every; i <= n; i += every { // 5, 10, 15
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: strconv.Itoa(i)})
	}
	p.X.Tick.Marker = ticks
	var texts []string // of the first and the last bar with games
	tooltips := &partOf{}
	for i := range n {
		if w, d, b := 100*parts[0][i], 100*parts[1][i], 100*parts[2][i]; w+d+b > 0 {
			tooltips.places = append(tooltips.places, tooltip{float64(i + 1), 0.5, fmt.Sprintf("generation %d, %d games\nwhite wins %.1f %%\ndraw %.1f %%\nblack wins %.1f %%", i+1, r.Generations[i].Games(), w, d, b)})
			texts = append(texts[:min(1, len(texts))], fmt.Sprintf("bar %d %.0f %%, %.0f %%, %.0f %%", i+1, w, d, b))
		}
	}
	add(p, tooltips)
	return r.Frame.figure(content{
		height: 7 * cm, legend: legend, paint: paintPlot(p, "generation", "share of games"),
		description: describe("Stacked bars", "generation", "shares of games won by white, drawn, and won by black", texts...),
	})
}

// shares returns the heights of the parts of all bars. A generation without games has no bar.
func (r Results) shares() (parts [3]plotter.Values, err error) {
	var all stats.Record
	for i, g := range r.Generations {
		if min(g.Wins, g.Draws, g.Losses) < 0 {
			return parts, fmt.Errorf("plots: results of generation %d: %v: %w", i+1, g, ErrInvalid)
		}
		all = all.Plus(g)
		games := float64(max(1, g.Games()))
		for k, n := range []int{g.Wins, g.Draws, g.Losses} {
			parts[k] = append(parts[k], float64(n)/games)
		}
	}
	if all.Games() == 0 {
		return parts, fmt.Errorf("plots: results of %d generations without games: %w", len(r.Generations), ErrNoData)
	}
	return parts, nil
}

// Ladder shows named values with their 95 % intervals, such as ratings, the highest at the top.
type Ladder struct {
	Frame
	X    Axis
	Rows []Rung
}

// Rung is a value of a ladder. It is omitted if it has no value.
type Rung struct {
	Name  string
	Value stats.Interval
}

// Figure implements [Chart].
func (l Ladder) Figure() (*Figure, error) {
	var rows []Rung
	x := emptySpan()
	for _, p := range l.Rows {
		if err := checkNumbers(fmt.Sprintf("value of %q", p.Name), p.Value.Value, p.Value.Low, p.Value.High); err != nil {
			return nil, err
		}
		if !p.Value.Missing() {
			rows = append(rows, p)
			x.add(p.Value.Value, p.Value.Low, p.Value.High)
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("plots: ladder of %d rows without a value: %w", len(l.Rows), ErrNoData)
	}
	slices.SortStableFunc(rows, func(a, b Rung) int { return cmp.Compare(b.Value.Value, a.Value.Value) })

	n := len(rows)
	p := newPlot()
	hideTicks(&p.Y)
	p.Y.Tick.Label.Color = ink
	p.Y.Min, p.Y.Max = 0.5, float64(n)+0.5
	setRange(&p.X, Axis{}, x, 0.04, 6)
	var names plot.ConstantTicks
	var texts []string
	var values plotter.Labels
	tooltips := &partOf{}
	points := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: blue, Radius: 3.2, Shape: draw.CircleGlyph{}}}
	bars := &plotter.XErrorBars{LineStyle: draw.LineStyle{Color: blue, Width: 1.2}, CapWidth: 6}
	right := aligned(textStyle(tickSize, softInk, false), draw.XLeft, yMiddle)
	for i, row := range rows {
		at := plotter.XY{X: row.Value.Value, Y: float64(n - i)}
		points.XYs = append(points.XYs, at)
		bars.XYs = append(bars.XYs, at)
		bars.XErrors = append(bars.XErrors, struct{ Low, High float64 }{known(at.X - row.Value.Low), known(row.Value.High - at.X)})
		name := fit(clean(row.Name), p.Y.Tick.Label, nameWidth)
		names = append(names, plot.Tick{Value: at.Y, Label: name})
		values.XYs = append(values.XYs, plotter.XY{X: p.X.Max, Y: at.Y})
		values.Labels = append(values.Labels, row.text())
		values.TextStyle = append(values.TextStyle, right)
		texts = append(texts, name+" "+row.text())
		tooltips.places = append(tooltips.places, tooltip{at.X, at.Y, lines(clean(row.Name), l.X.labeledValue(row.text()))})
	}
	p.Y.Tick.Marker = names
	values.Offset.X = 10
	add(p, gridLines(true, false), bars, points, &values, tooltips)
	return l.Frame.figure(content{
		height: vg.Length(math.Max(2.5, 1.4+0.6*float64(n))) * cm, least: nameWidth + 6*cm, paint: paintPlot(p, l.X.text(), ""),
		description: "Values with intervals, highest first: " + several(texts, ", ") + ".",
	})
}

// known returns the length of an error bar, or 0 if it is unknown.
func known(length float64) float64 {
	if math.IsNaN(length) {
		return 0
	}
	return length
}

// text formats a value with its interval: "123 (83 … 173)", or "123 ± 45".
func (r Rung) text() string {
	whole := func(x float64) string { return minus(fmt.Sprintf("%.0f", math.Round(x)+0)) } // no minus zero
	s := whole(r.Value.Value)
	if !r.Value.HasWidth() {
		return s
	}
	interval := errorOf(r.Value, whole)
	if strings.HasPrefix(interval, "±") {
		return s + " " + interval
	}
	return s + " (" + interval + ")"
}
