package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
)

// Lines shows any number against any other: a hook's metric, the length of
// games, evaluations a second.
type Lines struct {
	Frame
	X, Y       Axis
	Series     []Series // at least one with a point
	References []Reference
}

// Figure implements [Chart].
func (l Lines) Figure() (*Figure, error) {
	x, y, err := checkSeries(l.Series, l.References, l.X, l.Y)
	if err != nil {
		return nil, err
	}
	p := newPlot(l.X.text(), l.Y.text())
	setRange(&p.X, l.X, x, 0, 7)
	setRange(&p.Y, l.Y, y, 0.05, 5)
	return seriesFigure(l.Frame, p, l.Series, l.References, "Line chart")
}

// seriesFigure finishes a plot whose axes are set: grid, references, curves,
// legend.
func seriesFigure(f Frame, p axes, series []Series, refs []Reference, kind string) (*Figure, error) {
	p.Add(grid{x: true, y: true})
	refEntries := addReferences(p.Plot, refs)
	legend := addCurves(p.Plot, series)
	legend = append(legend, refEntries...)
	if len(legend) == 1 && legend[0].name == "" {
		legend = nil
	}
	lay, err := newLayout(f, legend, defaultWidth, 8.5)
	if err != nil {
		return nil, err
	}
	return lay.figure(describe(f.Description, kind, p.x, p.y, tellSeries(series)), func(c draw.Canvas) { p.Draw(c) }), nil
}

// addCurves puts series on a plot, their bands below all lines, and returns
// their legend entries.
func addCurves(p *plot.Plot, series []Series) []entry {
	var curves []curve
	var legend []entry
	for i, s := range series {
		c := newCurve(s, i)
		curves = append(curves, c)
		legend = append(legend, c.entry())
		if s.Band {
			p.Add(band(c))
		}
	}
	for _, c := range curves {
		p.Add(c)
	}
	return legend
}
