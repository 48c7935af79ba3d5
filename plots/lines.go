package plots

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
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
func seriesFigure(f Frame, p *plot.Plot, series []Series, refs []Reference, kind string) (*Figure, error) {
	p.Add(grid{x: true, y: true})
	var legend []entry
	refEntries := addReferences(p, refs)
	for i, s := range series {
		c := newCurve(s, i)
		p.Add(c)
		legend = append(legend, c.entry())
	}
	legend = append(legend, refEntries...)
	if len(legend) == 1 && legend[0].name == "" {
		legend = nil
	}
	lay, err := newLayout(f, legend, defaultWidth, 8.5)
	if err != nil {
		return nil, err
	}
	fitLabels(p, lay)
	return &Figure{
		title:       lay.title,
		description: describe(f.Description, kind, p.X.Label.Text, p.Y.Label.Text, seriesNames(series)),
		width:       lay.width,
		height:      lay.height,
		paint:       func(c draw.Canvas) { p.Draw(lay.paint(c)) },
	}, nil
}

// fitLabels shortens axis labels that are longer than their axis.
func fitLabels(p *plot.Plot, lay layout) {
	p.X.Label.Text = fit(p.X.Label.Text, p.X.Label.TextStyle, lay.width-2*vg.Centimeter)
	p.Y.Label.Text = fit(p.Y.Label.Text, p.Y.Label.TextStyle, lay.height-lay.headHeight()-1.2*vg.Centimeter)
}
