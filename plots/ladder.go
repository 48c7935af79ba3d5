package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ladder shows ratings with their intervals, the strongest at the top.
type Ladder struct {
	Frame
	Players []Rating

	// X is the scale of the ratings; its zero value is "Elo, 95 % interval".
	X Axis
}

// Rating is one player's strength.
type Rating struct {
	Name string
	Elo  float64

	// Low and High bound the interval; NaN where it is not known.
	Low, High float64
}

// Figure implements [Chart].
func (l Ladder) Figure() (*Figure, error) {
	if l.X == (Axis{}) {
		l.X = Axis{Label: "rating", Unit: "Elo, 95 % interval"}
	}
	var players []Rating
	x := emptySpan()
	for i, p := range l.Players {
		where := fmt.Sprintf("player %d (%q)", i, p.Name)
		if err := checkNumbers(where, []float64{p.Elo, p.Low, p.High}); err != nil {
			return nil, err
		}
		if math.IsNaN(p.Elo) {
			continue
		}
		if p.Low > p.Elo || p.High < p.Elo {
			return nil, fmt.Errorf("plots: %s: rating %g is not within its interval of %g to %g: %w", where, p.Elo, p.Low, p.High, ErrRange)
		}
		players = append(players, p)
		x.add(p.Elo, p.Low, p.High)
	}
	if len(players) == 0 {
		return nil, fmt.Errorf("plots: ladder of %d players without a rating: %w", len(l.Players), ErrNoData)
	}
	if l.X.Log {
		return nil, fmt.Errorf("plots: ladder: ratings are logarithmic already: %w", ErrRange)
	}
	slices.SortStableFunc(players, func(a, b Rating) int { return cmp.Compare(b.Elo, a.Elo) })

	style := textStyle(tickSize, ink, false)
	n := len(players)
	p := newPlot(l.X.text(), "")
	setRange(&p.X, l.X, x, 0.04, 6)
	p.Y.Min, p.Y.Max = 0.5, float64(n)+0.5
	var ticks plot.ConstantTicks
	var values []string
	var valueWidth vg.Length
	var names []string
	for i := range players {
		players[i].Name = fitName(clean(players[i].Name), style, nameWidth)
		names = append(names, players[i].Name+" "+players[i].text())
		ticks = append(ticks, plot.Tick{Value: float64(n - i), Label: players[i].Name})
		values = append(values, players[i].text())
		valueWidth = max(valueWidth, style.Width(values[i]))
	}
	p.Y.Tick.Marker = ticks
	p.Y.Tick.Length = 0
	p.Y.Tick.Label.Color = ink
	p.Add(grid{x: true}, ladderPlotter(players))

	lay, err := newLayout(l.Frame, nil, defaultWidth, math.Max(leastData, 1.4+0.6*float64(n)))
	if err != nil {
		return nil, err
	}
	if room := lay.height - lay.headHeight() - 1.5*vg.Centimeter; room < vg.Length(n)*9 {
		return nil, fmt.Errorf("plots: ladder of %d players in %.4g cm of height: %w", n, lay.height/vg.Centimeter, ErrSize)
	}
	if lay.width < valueWidth+nameWidth+4*vg.Centimeter {
		return nil, fmt.Errorf("plots: ladder in %.4g cm of width: %w", lay.width/vg.Centimeter, ErrSize)
	}
	description := clean(l.Description)
	if description == "" {
		description = "Ratings with intervals, strongest first: " + several(names, ", ") + "."
	}
	return lay.figure(description, func(c draw.Canvas) {
		area := draw.Crop(c, 0, -valueWidth-10, 0, 0)
		p.Draw(area)
		data := p.DataCanvas(area)
		right := aligned(textStyle(tickSize, softInk, false), draw.XRight, draw.YCenter)
		for i, v := range values {
			beside(&c, right, vg.Point{X: c.Max.X, Y: data.Y(p.Y.Norm(float64(n - i)))}, v)
		}
	}), nil
}

// text writes a rating with the distances to its bounds: "123 (−40 +50)", or
// "123 ± 45" where they are equal.
func (r Rating) text() string {
	s := signed(r.Elo)
	if !math.IsNaN(r.Low) && !math.IsNaN(r.High) {
		up, down := fmt.Sprintf("%.0f", r.High-r.Elo), fmt.Sprintf("%.0f", r.Elo-r.Low)
		if up == down {
			return s + " ± " + up
		}
		return s + " (−" + down + " +" + up + ")"
	}
	return s
}

// signed writes a whole number with a minus sign, not a hyphen.
func signed(v float64) string {
	s := fmt.Sprintf("%.0f", math.Abs(v))
	if s == "0" {
		return s
	}
	if v < 0 {
		return "−" + s
	}
	return s
}

// ladderPlotter draws ratings from the top down.
type ladderPlotter []Rating

// Plot implements plot.Plotter.
func (l ladderPlotter) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	style := draw.LineStyle{Color: blue, Width: 1.2}
	for i, r := range l {
		y := ty(float64(len(l) - i))
		for _, end := range []float64{r.Low, r.High} {
			if math.IsNaN(end) {
				continue
			}
			c.StrokeLine2(style, tx(r.Elo), y, tx(end), y)
			c.StrokeLine2(style, tx(end), y-3, tx(end), y+3)
		}
		c.DrawGlyph(draw.GlyphStyle{Color: blue, Radius: 3.2, Shape: draw.CircleGlyph{}}, vg.Point{X: tx(r.Elo), Y: y})
	}
}
