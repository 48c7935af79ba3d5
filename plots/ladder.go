package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"alamos/pkg/stats"
)

// Ladder shows ratings with their 95 % intervals, the strongest at the top.
type Ladder struct {
	Frame
	Players []Rating
}

// Rating is one player's strength. It is omitted if it has no value.
type Rating struct {
	Name string
	Elo  stats.Interval
}

// Figure implements [Chart].
func (l Ladder) Figure() (*Figure, error) {
	var players []Rating
	x := emptySpan()
	for _, p := range l.Players {
		if err := checkNumbers(fmt.Sprintf("rating of %q", p.Name), p.Elo.Value, p.Elo.Low, p.Elo.High); err != nil {
			return nil, err
		}
		if !p.Elo.Missing() {
			players = append(players, p)
			x.add(p.Elo.Value, p.Elo.Low, p.Elo.High)
		}
	}
	if len(players) == 0 {
		return nil, fmt.Errorf("plots: ladder of %d players without a rating: %w", len(l.Players), ErrNoData)
	}
	slices.SortStableFunc(players, func(a, b Rating) int { return cmp.Compare(b.Elo.Value, a.Elo.Value) })

	n := len(players)
	p := newPlot()
	hideTicks(&p.Y)
	p.Y.Tick.Label.Color = ink
	p.Y.Min, p.Y.Max = 0.5, float64(n)+0.5
	setRange(&p.X, Axis{}, x, 0.04, 6)
	var names plot.ConstantTicks
	var texts []string
	var values plotter.Labels
	points := &plotter.Scatter{GlyphStyle: draw.GlyphStyle{Color: blue, Radius: 3.2, Shape: draw.CircleGlyph{}}}
	bars := &plotter.XErrorBars{LineStyle: draw.LineStyle{Color: blue, Width: 1.2}, CapWidth: 6}
	right := aligned(textStyle(tickSize, softInk, false), draw.XLeft, yMiddle)
	for i, player := range players {
		at := plotter.XY{X: player.Elo.Value, Y: float64(n - i)}
		points.XYs = append(points.XYs, at)
		bars.XYs = append(bars.XYs, at)
		bars.XErrors = append(bars.XErrors, struct{ Low, High float64 }{known(at.X - player.Elo.Low), known(player.Elo.High - at.X)})
		name := fit(clean(player.Name), p.Y.Tick.Label, nameWidth)
		names = append(names, plot.Tick{Value: at.Y, Label: name})
		values.XYs = append(values.XYs, plotter.XY{X: p.X.Max, Y: at.Y})
		values.Labels = append(values.Labels, player.text())
		values.TextStyle = append(values.TextStyle, right)
		texts = append(texts, name+" "+player.text())
	}
	p.Y.Tick.Marker = names
	values.Offset.X = 10
	add(p, gridLines(true, false), bars, points, &values)
	return l.Frame.figure(content{
		height: vg.Length(math.Max(2.5, 1.4+0.6*float64(n))) * cm, least: nameWidth + 6*cm, paint: paintPlot(p, "rating (Elo, 95 % interval)", ""),
		description: "Ratings with intervals, strongest first: " + several(texts, ", ") + ".",
	})
}

// known returns the length of an error bar, or 0 if it is unknown.
func known(length float64) float64 {
	if math.IsNaN(length) {
		return 0
	}
	return length
}

// text formats a rating with the distances to its bounds: "123 (−40 +50)", or "123 (± 45)" if
// they are equal.
func (r Rating) text() string {
	s := minus(fmt.Sprintf("%.0f", math.Round(r.Elo.Value)+0)) // no minus zero
	if !r.Elo.Known() {
		return s
	}
	return s + " (" + errorOf(fmt.Sprintf("%.0f", r.Elo.Value-r.Elo.Low), fmt.Sprintf("%.0f", r.Elo.High-r.Elo.Value)) + ")"
}
