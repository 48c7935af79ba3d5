package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Histogram shows how often values of a number occur: the lengths of games.
// One sample is drawn as bars, several as outlines over one another.
type Histogram struct {
	Frame
	X, Y    Axis // Y's zero value is "games", from 0
	Samples []Sample
	Bins    int  // about how many; 0: as many as suit the number of values
	Share   bool // show shares of each sample, so that samples of different sizes compare
}

// Sample is a list of values; NaN is left out.
type Sample struct {
	Name   string
	Values []float64
}

const mostBins = 200

// Figure implements [Chart].
func (h Histogram) Figure() (*Figure, error) {
	if h.Y == (Axis{}) {
		h.Y = Axis{Label: "games"}
		if h.Share {
			h.Y.Label = "share of games"
		}
	}
	h.Y.FromZero = true
	if h.X.Log || h.Y.Log {
		return nil, fmt.Errorf("plots: histogram: axes are linear: %w", ErrRange)
	}
	if h.Bins < 0 || h.Bins > mostBins {
		return nil, fmt.Errorf("plots: histogram of %d bins: want 0 to %d: %w", h.Bins, mostBins, ErrRange)
	}
	x, most := emptySpan(), 0
	for i, s := range h.Samples {
		if err := checkNumbers(fmt.Sprintf("sample %d (%q)", i, s.Name), s.Values); err != nil {
			return nil, err
		}
		x.add(s.Values...)
		most = max(most, len(s.Values))
	}
	if x.empty() {
		return nil, fmt.Errorf("plots: histogram of %d samples without a value: %w", len(h.Samples), ErrNoData)
	}
	start, width, n := bins(x, h.Bins, most)

	p := newPlot(h.X.text(), h.Y.text())
	p.Add(grid{y: true})
	top := emptySpan()
	var legend []entry
	var told []string
	for i, s := range h.Samples {
		bars := barsPlotter{start: start, width: width, height: make([]float64, n), color: colorOf(i), dashes: dashesOf(i), filled: len(h.Samples) == 1}
		total := 0.0
		for _, v := range s.Values {
			if !math.IsNaN(v) {
				bars.height[min(n-1, max(0, int((v-start)/width)))]++
				total++
			}
		}
		if h.Share && total > 0 {
			for j := range bars.height {
				bars.height[j] /= total
			}
		}
		top.add(bars.height...)
		p.Add(bars)
		told = append(told, s.tell())
		if len(h.Samples) > 1 {
			legend = append(legend, entry{name: fmt.Sprintf("%s (%.0f)", s.Name, total), line: bars.style()})
		}
	}
	p.X.Min, p.X.Max = start, start+width*float64(n)
	p.X.Tick.Marker = linearTicks{target: 8, whole: x.whole}
	setRange(&p.Y, h.Y, top, 0.05, 5)

	lay, err := newLayout(h.Frame, legend, defaultWidth, 7.5)
	if err != nil {
		return nil, err
	}
	return lay.figure(describe(h.Description, "Histogram", "", h.X.text(), told), func(c draw.Canvas) { p.Draw(c) }), nil
}

// tell says how many values there are and where.
func (s Sample) tell() string {
	var values []float64
	for _, v := range s.Values {
		if !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return clean(s.Name) + " (no data)"
	}
	slices.Sort(values)
	n := len(values)
	median := values[n/2]/2 + values[(n-1)/2]/2
	return fmt.Sprintf("%s %d from %s to %s, median %s", clean(s.Name), n, brief(values[0]), brief(values[n-1]), brief(median))
}

// bins returns the start, width and number of bins of a readable width that
// cover a span. Without a wish their number is the cube root rule of Rice,
// 2 n^(1/3), which needs no guess of the distribution.
func bins(s span, wish, values int) (start, width float64, n int) {
	if wish == 0 {
		wish = int(math.Ceil(2 * math.Cbrt(float64(values))))
	}
	s = s.widen(0, false)
	// A step of a span of the smallest numbers that there are would be zero.
	width = math.Max(niceStep((s.max-s.min)/float64(wish)), 1e-300)
	if s.whole {
		// Bins of a width that is no whole number would hold unequally many
		// whole numbers and show a comb that is not in the data.
		width = math.Max(1, width)
	}
	start = math.Floor(s.min/width) * width
	n = int((s.max-start)/width) + 1
	return start, width, n
}

// barsPlotter draws the bins of one sample.
type barsPlotter struct {
	start, width float64
	height       []float64
	color        color.RGBA
	dashes       []vg.Length
	filled       bool
}

func (b barsPlotter) style() draw.LineStyle {
	return draw.LineStyle{Color: b.color, Width: lineWidth, Dashes: b.dashes}
}

// Plot implements plot.Plotter.
func (b barsPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	edge := func(i int) vg.Length { return tx(b.start + b.width*float64(i)) }
	if b.filled {
		for i, h := range b.height {
			if h == 0 {
				continue
			}
			box := vg.Rectangle{Min: vg.Point{X: edge(i), Y: ty(0)}, Max: vg.Point{X: edge(i + 1), Y: ty(h)}}
			c.SetColor(b.color)
			c.Fill(box.Path())
			c.SetLineStyle(draw.LineStyle{Color: color.White, Width: 0.6})
			c.Stroke(box.Path())
		}
		return
	}
	outline := []vg.Point{{X: edge(0), Y: ty(0)}}
	for i, h := range b.height {
		outline = append(outline, vg.Point{X: edge(i), Y: ty(h)}, vg.Point{X: edge(i + 1), Y: ty(h)})
	}
	outline = append(outline, vg.Point{X: edge(len(b.height)), Y: ty(0)})
	c.StrokeLines(b.style(), outline)
}
