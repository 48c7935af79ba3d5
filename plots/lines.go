package plots

import (
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
	var legend []entry
	refEntries := addReferences(p.Plot, refs)
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
	return &Figure{
		title:       lay.title,
		description: describe(f.Description, kind, p.x, p.y, seriesNames(series)),
		width:       lay.width,
		height:      lay.height,
		paint:       func(c draw.Canvas) { p.Draw(lay.paint(c)) },
	}, nil
}
