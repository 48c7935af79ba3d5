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
	}
	p.Y.Tick.Marker = names
	values.Offset.X = 10
	add(p, gridLines(true, false), bars, points, &values)
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

// text formats a value with the distances to its bounds: "123 (−40 +50)", or "123 (± 45)" if
// they are equal.
func (r Rung) text() string {
	s := minus(fmt.Sprintf("%.0f", math.Round(r.Value.Value)+0)) // no minus zero
	if !r.Value.Known() {
		return s
	}
	return s + " (" + errorOf(fmt.Sprintf("%.0f", r.Value.Value-r.Value.Low), fmt.Sprintf("%.0f", r.Value.High-r.Value.Value)) + ")"
}
