package plots

import (
	"fmt"
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Results shows how games ended, generation by generation, as stacked bars:
// white's wins at the bottom, then draws, then black's wins.
type Results struct {
	Frame
	X Axis // its zero value is "generation"

	// Labels stand below the bars; empty: 1, 2, 3, ...
	Labels []string

	// White, Draws and Black have one number of games a bar.
	White, Draws, Black []float64

	Share bool // bars of one height that show shares
}

// Bars in the tones of chess pieces: lightness alone tells them apart.
var (
	whiteWins = color.RGBA{0xF1, 0xE6, 0xCF, 0xFF}
	drawn     = color.RGBA{0xA8, 0xB0, 0xB8, 0xFF}
	blackWins = color.RGBA{0x3A, 0x44, 0x50, 0xFF}
)

// mostBars is where a bar is no wider than a line.
const mostBars = 2000

// Figure implements [Chart].
func (r Results) Figure() (*Figure, error) {
	n := len(r.White)
	for _, l := range []struct {
		name string
		list []float64
	}{{"White", r.White}, {"Draws", r.Draws}, {"Black", r.Black}} {
		if err := checkLength("results: "+l.name, len(l.list), n, false); err != nil {
			return nil, err
		}
		if err := checkNumbers("results: "+l.name, l.list); err != nil {
			return nil, err
		}
		for i, v := range l.list {
			if v < 0 {
				return nil, fmt.Errorf("plots: results: %s[%d] = %g games: %w", l.name, i, v, ErrRange)
			}
		}
	}
	if err := checkLength("results: Labels", len(r.Labels), n, true); err != nil {
		return nil, err
	}
	if n > mostBars {
		return nil, fmt.Errorf("plots: results of %d bars: want at most %d: %w", n, mostBars, ErrSize)
	}
	var bars resultBars
	top := emptySpan()
	for i := range n {
		total := r.White[i] + r.Draws[i] + r.Black[i]
		bar := [3]float64{r.White[i], r.Draws[i], r.Black[i]}
		if !(total > 0) { // also where a number is missing
			bars = append(bars, [3]float64{})
			continue
		}
		if r.Share {
			for j := range bar {
				bar[j] /= total
			}
			total = 1
		}
		bars = append(bars, bar)
		top.add(total)
	}
	if top.empty() {
		return nil, fmt.Errorf("plots: results of %d bars without games: %w", n, ErrNoData)
	}

	if r.X == (Axis{}) {
		r.X = Axis{Label: "generation"}
	}
	y := Axis{Label: "games", FromZero: true}
	if r.Share {
		y.Label = "share of games"
	}
	p := newPlot(r.X.text(), y.text())
	p.X.Min, p.X.Max = 0.5, float64(n)+0.5
	p.Y.Min, p.Y.Max = 0, top.max
	p.Y.Tick.Marker = linearTicks{target: 5, whole: top.whole && !r.Share}
	p.Add(grid{y: true}, bars)
	legend := []entry{
		{name: "white wins", fill: whiteWins},
		{name: "draw", fill: drawn},
		{name: "black wins", fill: blackWins},
	}
	lay, err := newLayout(r.Frame, legend, defaultWidth, 7)
	if err != nil {
		return nil, err
	}
	p.X.Tick.Marker = r.ticks(n, lay.width-2.5*vg.Centimeter)
	return lay.figure(describe(r.Description, "Stacked bars", r.X.text(), "games won by white, drawn, and won by black", bars.tell(r.Share)), func(c draw.Canvas) { p.Draw(c) }), nil
}

// tell says how the first and the last bar with games are divided.
func (b resultBars) tell(share bool) []string {
	var told []string
	for i, bar := range b {
		if bar == [3]float64{} {
			continue
		}
		unit := ""
		if share {
			unit = " %"
			for j := range bar {
				bar[j] *= 100
			}
		}
		text := fmt.Sprintf("bar %d %.0f%s, %.0f%s, %.0f%s", i+1, bar[0], unit, bar[1], unit, bar[2], unit)
		if len(told) == 2 {
			told[1] = text
		} else {
			told = append(told, text)
		}
	}
	return told
}

// ticks labels as many bars as have room, evenly.
func (r Results) ticks(n int, width vg.Length) plot.ConstantTicks {
	style := textStyle(tickSize, softInk, false)
	labels := make([]string, n)
	var widest vg.Length
	for i := range labels {
		labels[i] = fmt.Sprint(i + 1)
		if len(r.Labels) > 0 {
			labels[i] = fitName(clean(r.Labels[i]), style, 3*vg.Centimeter)
		}
		widest = max(widest, style.Width(labels[i]))
	}
	every := 1
	for _, step := range []int{2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if vg.Length(n/every)*(widest+7) <= width {
			break
		}
		every = step
	}
	var ticks plot.ConstantTicks
	for i, label := range labels {
		if (i+1)%every == 0 { // bars are counted from 1: 5, 10, 15
			ticks = append(ticks, plot.Tick{Value: float64(i + 1), Label: label})
		}
	}
	return ticks
}

// resultBars draws the stacks.
type resultBars [][3]float64

// Plot implements plot.Plotter.
func (b resultBars) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	edge := draw.LineStyle{Color: axisGray, Width: 0.4}
	for i, bar := range b {
		left, right := tx(float64(i)+0.6), tx(float64(i)+1.4)
		base := 0.0
		for j, fill := range []color.Color{whiteWins, drawn, blackWins} {
			if bar[j] == 0 {
				continue
			}
			box := vg.Rectangle{Min: vg.Point{X: left, Y: ty(base)}, Max: vg.Point{X: right, Y: ty(base + bar[j])}}
			c.SetColor(fill)
			c.Fill(box.Path())
			if right-left > 3 {
				c.SetLineStyle(edge)
				c.Stroke(box.Path())
			}
			base += bar[j]
		}
	}
}
